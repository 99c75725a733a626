/** The names of events that an endpoint can get, and that a test can send. */
import type { CreateWebhookRequest, TestWebhookRequest } from "../../api/generated";

export type EventName = NonNullable<TestWebhookRequest["event"]>;
export type EventPattern = NonNullable<CreateWebhookRequest["events"]>[number];

/** As records, so that a name that is missing here fails the type check. */
const names: Readonly<Record<EventName, true>> = {
	...{ "invoice.accepted": true, "invoice.rejected": true, "invoice.failed": true },
	...{ "invoice.pending_contingency": true, "invoice.delivered": true, "invoice.undelivered": true },
	...{ "invoice.prepared": true, "document.received": true, "approval.received": true },
	...{ "email.bounced": true, "email.failed": true, "certificate.expiring": true, "certificate.expired": true },
	...{ "sequence.low": true, "certification.completed": true, "registry.record_changed": true },
	...{ "registry.watchlist_changed": true, "authority.status_changed": true, "webhook.disabled": true },
	"webhook.test": true,
};
const groups: Readonly<Record<Exclude<EventPattern, EventName>, true>> = {
	...{ "*": true, "invoice.*": true, "document.*": true, "approval.*": true, "email.*": true, "certificate.*": true },
	...{ "sequence.*": true, "certification.*": true, "registry.*": true, "authority.*": true, "webhook.*": true },
};

export const EVENT_NAMES = Object.keys(names) as readonly EventName[];

/** The test event goes to an endpoint by request only. */
export const EVENT_PATTERNS = [
	...Object.keys(groups),
	...EVENT_NAMES.filter((name) => name !== "webhook.test"),
] as readonly EventPattern[];

/** What most integrations need. */
export const USUAL_EVENTS: readonly EventPattern[] = ["invoice.accepted", "invoice.rejected", "invoice.failed"];
