/**
 * What an event's file declares, and the members that several events share.
 *
 * The schemas describe bodies to receivers; nothing is checked against them when an event is sent. They are open: an event may get more members.
 */
import { type TObject, type TProperties, Type } from "@sinclair/typebox";

export type EventDefinition<Name extends string = string> = {
	readonly name: Name;
	/** Schema of the body. Its `$id` follows from the name: `invoice.accepted` is `InvoiceAcceptedEvent`. */
	readonly schema: TObject;
	/** A whole body as a webhook carries it. */
	readonly example: { readonly event: Name };
	/** When the service sends it, in one sentence for receivers; null while nothing sends it. */
	readonly sentWhen: string | null;
	/** How long the feed keeps it, in days. 0: it is only sent by the test operation and not stored. */
	readonly keptDays: number;
};

/** How long the feed keeps an event, in days. */
export const EVENTS_KEPT_DAYS = 30;

/** Declares one event. `members` and `example` leave out what every event has. */
export function defineEvent<const Name extends string>(definition: {
	readonly name: Name;
	readonly sentWhen: string | null;
	readonly members: TProperties;
	readonly example: object;
}): EventDefinition<Name> {
	const { name, sentWhen, members, example } = definition;
	return {
		name,
		schema: Type.Object({ event: Type.Literal(name), ...NUMBERED, ...members }, { $id: schemaNameOf(name) }),
		example: { event: name, ...example },
		sentWhen,
		keptDays: EVENTS_KEPT_DAYS,
	};
}

export const word = (names: readonly string[], description?: string) =>
	Type.Union(
		names.map((name) => Type.Literal(name)),
		description === undefined ? {} : { description },
	);
export const text = (description?: string) => Type.String(description === undefined ? {} : { description });

/** The specification's five members, beside `event`. */
export const COMMON = {
	docId: text("The document's id. For an event without a document, the id of its subject."),
	trackId: text(),
	tenantId: text("The company."),
	occurredAt: text("RFC 3339, UTC."),
};

const NUMBERED = {
	...COMMON,
	sequence: Type.Integer({ description: "Counts the company's events without gaps." }),
};

export const ENCF = { encf: text("The document's number.") };

/** Members of an event about one of the company's own documents. */
export const OF_INVOICE = {
	...ENCF,
	docVersion: Type.Integer({ description: "The document's version at this event. A higher version is newer." }),
	client_request_id: Type.Optional(text("As the caller sent it.")),
};

/** Members of an event that ends a document's submission. */
export const decided = (status: string) => ({
	...OF_INVOICE,
	status: Type.Literal(status),
	authority: Type.Optional(
		Type.Object({ code: text("The authority's code. Look it up at `GET /v1/authority/codes/{code}`.") }),
	),
});

export const CERTIFICATE = {
	certificate: Type.Object({
		thumbprint: text(),
		notAfter: text("RFC 3339, UTC."),
		daysLeft: Type.Integer({ minimum: 0 }),
	}),
};

/** Members of an event that ends a document's delivery to its buyer. */
export const delivery = (...states: readonly string[]) => ({
	...OF_INVOICE,
	status: Type.Literal("accepted"),
	delivery: Type.Object({
		state: word(states),
		buyerRnc: text(),
		motive: Type.Optional(Type.Integer({ description: "The buyer's motive for a refusal." })),
	}),
});

export const email = (...statuses: readonly string[]) => ({
	...ENCF,
	email: Type.Object({
		emailId: text(),
		recipient: text("The recipient's address."),
		status: word(statuses),
		reason: Type.Union([Type.String(), Type.Null()]),
	}),
});

export const DOC_ID = "0192f110-7a00-7b11-9c22-334455667788";
export const OTHER_ID = "0192f110-7a00-7b11-9c22-334455667799";
const EXAMPLE_COMMON = {
	tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566",
	occurredAt: "2026-11-20T14:20:00.902Z",
	sequence: 48_213,
};
export const EXAMPLE_DOCUMENT = {
	...EXAMPLE_COMMON,
	docId: DOC_ID,
	trackId: "0192f110-7a00-7b11-9c22-334455667789",
	encf: "E310000000001",
};
export const EXAMPLE_INVOICE = { ...EXAMPLE_DOCUMENT, docVersion: 4, client_request_id: "POS7-2026-11-20-000123" };
export const EXAMPLE_OTHER = { ...EXAMPLE_COMMON, docId: OTHER_ID, trackId: OTHER_ID };
export const EXAMPLE_THUMBPRINT = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
export const EXAMPLE_EMAIL = { emailId: OTHER_ID, recipient: "compras@elprogreso.do" };

function schemaNameOf(event: string): string {
	const words = event.split(/[._]/).map((one) => one.charAt(0).toUpperCase() + one.slice(1));
	return `${words.join("")}Event`;
}
