/**
 * The body of each event, for those who write receivers: their clients get a union that `event` tells apart.
 *
 * Bodies are written by `toEventBody`; nothing is checked against these schemas when one is sent. They are open: members may be added, and
 * kinds of events too. What is required here is in every event of its kind; the plays of `POST /v1/webhooks/test` have a schema of their own.
 */
import { type Static, type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { type EventName, EXTRA_EVENTS, SPECIFIED_EVENTS } from "./event";

/** What only the test operation plays; it is not in the feed. */
export type KeptEventName = Exclude<EventName, "webhook.test">;

const word = (names: readonly string[], description?: string) =>
	Type.Union(
		names.map((name) => Type.Literal(name)),
		description === undefined ? {} : { description },
	);
const text = (description?: string) => Type.String(description === undefined ? {} : { description });

/** The specification's five members, beside `event`. */
const COMMON = {
	docId: text("The document's id; in an event without one the id of what it is about."),
	trackId: text(),
	tenantId: text("The company."),
	occurredAt: text("RFC 3339, UTC."),
};

const NUMBERED = {
	...COMMON,
	sequence: Type.Integer({ description: "Counts the company's events without gaps." }),
};

const ENCF = { encf: text("The document's number.") };

/** Of an own document. */
const OF_INVOICE = {
	...ENCF,
	docVersion: Type.Integer({ description: "The document's version that is told of; the higher is the newer." }),
	client_request_id: Type.Optional(text("As the caller sent it.")),
};

const AUTHORITY = Type.Object({ code: text("The authority's code: `GET /v1/authority/codes/{code}`.") });

const decided = (status: string) => ({
	...OF_INVOICE,
	status: Type.Literal(status),
	authority: Type.Optional(AUTHORITY),
});

const Fix = Type.Object({ op: text(), path: text("RFC 6901 pointer into the request."), value: text() });

const CERTIFICATE = {
	certificate: Type.Object({
		thumbprint: text(),
		notAfter: text("RFC 3339, UTC."),
		daysLeft: Type.Integer({ minimum: 0 }),
	}),
};

const delivery = (...states: readonly string[]) => ({
	...OF_INVOICE,
	status: Type.Literal("accepted"),
	delivery: Type.Object({
		state: word(states),
		buyerRnc: text(),
		motive: Type.Optional(Type.Integer({ description: "The buyer's, of a refusal." })),
	}),
});

const email = (...statuses: readonly string[]) => ({
	...ENCF,
	email: Type.Object({
		emailId: text(),
		recipient: text("The address."),
		status: word(statuses),
		reason: Type.Union([Type.String(), Type.Null()]),
	}),
});

/** What each has besides the common members. */
const MEMBERS: Readonly<Record<KeptEventName, TProperties>> = {
	"invoice.accepted": decided("accepted"),
	"invoice.rejected": {
		...decided("rejected"),
		fix: Type.Optional(Type.Array(Fix, { description: "What to change in the request, where that is known." })),
	},
	"invoice.failed": decided("failed"),
	"invoice.pending_contingency": { ...OF_INVOICE, status: Type.Literal("pending") },
	"invoice.delivered": delivery("delivered"),
	"invoice.undelivered": delivery("refused", "undelivered"),
	"document.received": {
		...ENCF,
		proof: word(
			["proven", "unproven", "contested", "superseded"],
			"What was known when it came. `contested`: another document has come under the number.",
		),
	},
	"approval.received": {
		...ENCF,
		approval: Type.Object({
			id: text(),
			decision: word(["approved", "rejected"]),
			reason: Type.Union([Type.String(), Type.Null()]),
		}),
	},
	"email.bounced": email("bounced", "complained"),
	"email.failed": email("failed"),
	"certificate.expiring": CERTIFICATE,
	"certificate.expired": CERTIFICATE,
	"sequence.low": {
		low: Type.Object({
			type: text("e-CF type."),
			available: Type.Integer({ description: "Numbers that are left." }),
			percent: Type.Integer({ description: "Under which share of all they are." }),
		}),
	},
	"certification.completed": {
		status: word(["passed", "failed", "expired", "cancelled"]),
		certification: Type.Object({
			mode: word(["simulate", "authority"], "Who judged the set."),
			run: Type.Integer({ minimum: 1 }),
		}),
	},
	"registry.record_changed": {},
	"authority.status_changed": {
		status: word(["operational", "degraded", "maintenance", "outage", "unknown"]),
		authorityStatus: Type.Object({
			authorityEnvironment: word(["test", "certification", "production"]),
			from: word(["operational", "degraded", "maintenance", "outage", "unknown"], "What it was before."),
			contingency: Type.Boolean({ description: "Documents are issued in contingency now." }),
		}),
	},
	"webhook.disabled": {
		webhook: Type.Object({ id: text(), url: text("Its first 4 KiB."), reason: text() }),
	},
};

/** By the event's name, each under a name of its own: `invoice.accepted` is an `InvoiceAcceptedEvent`. */
export const EVENT_SCHEMAS = Object.fromEntries(
	Object.entries(MEMBERS).map(([name, members]) => [
		name,
		Type.Object({ event: Type.Literal(name), ...NUMBERED, ...members }, { $id: schemaNameOf(name) }),
	]),
) as unknown as Readonly<Record<KeptEventName, TObject>>;

/** What the test operation plays: any event's name with the five members, so that nobody takes it for the event. */
export const TestEventBody = Type.Object(
	{
		event: word([...SPECIFIED_EVENTS, ...EXTRA_EVENTS]),
		...COMMON,
		docId: text("Names nothing, as does `trackId`."),
		test: Type.Literal(true),
	},
	{ $id: "TestEvent", description: "What `POST /v1/webhooks/test` plays, whatever event is named." },
);
export type TestEventBody = Static<typeof TestEventBody>;

/**
 * Any event that is kept. The constants of `event` tell the forms apart; OpenAPI's `discriminator` would say it once more, and makes
 * openapi-typescript leave the member out wherever the schema is one of several parts, as it is in the feed.
 */
export const AnyEvent: TSchema = Type.Union(Object.values(EVENT_SCHEMAS), {
	$id: "WebhookEvent",
	description: "One of these, told apart by `event`. Others may be added: pass over what you do not know.",
});

function schemaNameOf(event: string): string {
	const words = event.split(/[._]/).map((one) => one.charAt(0).toUpperCase() + one.slice(1));
	return `${words.join("")}Event`;
}
