/**
 * Every event that the service sends, one file each. Subscriptions, the feed, OpenAPI and the receivers' page read these lists; there is no other
 * list of names.
 */
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { approvalReceived } from "./approval-received";
import { authorityStatusChanged } from "./authority-status-changed";
import { certificateExpired } from "./certificate-expired";
import { certificateExpiring } from "./certificate-expiring";
import { certificationCompleted } from "./certification-completed";
import { documentReceived } from "./document-received";
import { emailBounced } from "./email-bounced";
import { emailFailed } from "./email-failed";
import { invoiceAccepted } from "./invoice-accepted";
import { invoiceDelivered } from "./invoice-delivered";
import { invoiceFailed } from "./invoice-failed";
import { invoicePendingContingency } from "./invoice-pending-contingency";
import { invoicePrepared } from "./invoice-prepared";
import { invoiceRejected } from "./invoice-rejected";
import { invoiceUndelivered } from "./invoice-undelivered";
import { registryRecordChanged } from "./registry-record-changed";
import { registryWatchlistChanged } from "./registry-watchlist-changed";
import { sequenceLow } from "./sequence-low";
import { webhookDisabled } from "./webhook-disabled";
import { createTestEventSchema, webhookTest } from "./webhook-test";

export { EVENTS_KEPT_DAYS, type EventDefinition } from "./definition";
export { exampleTest, type TestEventBody } from "./webhook-test";

/** Events of the specification. An endpoint gets them unless it names others. */
const SPECIFIED = [invoiceAccepted, invoiceRejected, invoiceFailed] as const;

/** Additions to the specification, sent only to endpoints that name them or their family. */
const ADDED = [
	invoicePendingContingency,
	invoiceDelivered,
	invoiceUndelivered,
	invoicePrepared,
	documentReceived,
	approvalReceived,
	emailBounced,
	emailFailed,
	certificateExpiring,
	certificateExpired,
	sequenceLow,
	certificationCompleted,
	registryRecordChanged,
	registryWatchlistChanged,
	authorityStatusChanged,
	webhookDisabled,
	webhookTest,
] as const;

/** All events, in the order in which documents list them. */
export const EVENTS = [...SPECIFIED, ...ADDED] as const;

export type EventName = (typeof EVENTS)[number]["name"];
/** An event that is stored and in the feed. */
export type KeptEventName = Exclude<EventName, "webhook.test">;

export const EVENT_NAMES: readonly EventName[] = EVENTS.map(({ name }) => name);
export const SPECIFIED_EVENTS: readonly EventName[] = SPECIFIED.map(({ name }) => name);
export const EXTRA_EVENTS: readonly EventName[] = ADDED.map(({ name }) => name);

/** Everything that an endpoint can subscribe to: each name, each family such as `certificate.*`, and `*`. */
export const EVENT_PATTERNS: readonly string[] = [...EVENT_NAMES, ...new Set(EVENT_NAMES.map(familyOf)), "*"];

const KEPT = EVENTS.filter(({ keptDays }) => keptDays > 0);

/** Schemas of the bodies by event name. */
export const EVENT_SCHEMAS = Object.fromEntries(KEPT.map(({ name, schema }) => [name, schema])) as unknown as Readonly<
	Record<KeptEventName, TObject>
>;

export const TestEventSchema = createTestEventSchema(EVENT_NAMES);

/**
 * Any event of the feed; the constant `event` distinguishes the forms. OpenAPI's `discriminator` would repeat that, and makes
 * openapi-typescript drop the member wherever the schema is a part of another one, as in the feed.
 */
export const AnyEvent: TSchema = Type.Union(Object.values(EVENT_SCHEMAS), {
	$id: "WebhookEvent",
	description: "One of these; `event` says which. Others may be added, so ignore events that you do not know.",
});

/**
 * True if an endpoint's patterns (`invoice.accepted`, `certificate.*`, `*`) include an event.
 * Gap: `invoice.*` and `*` stand for the specification's three events. An endpoint gets an addition by its name or its own family.
 */
export function wantsEvent(patterns: readonly string[], name: string): boolean {
	const isSpecified = SPECIFIED_EVENTS.some((specified) => specified === name);
	const family = familyOf(name);
	return patterns.some((pattern) => {
		if (pattern === name) return true;
		if (pattern === "*" || pattern === "invoice.*") return isSpecified;
		return pattern === family;
	});
}

function familyOf(name: string): string {
	return `${name.slice(0, name.indexOf("."))}.*`;
}
