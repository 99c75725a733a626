/** The names of everything that a tenant can be told, and which of them an endpoint's patterns ask for. */

/** Events of the specification; endpoints get them unless they ask for others. */
export const SPECIFIED_EVENTS = ["invoice.accepted", "invoice.rejected", "invoice.failed"] as const;

/** Additions: never sent to an endpoint that has not asked for them, so that one written to the specification sees only its three. */
export const EXTRA_EVENTS = [
	"invoice.pending_contingency",
	"invoice.delivered",
	"invoice.undelivered",
	"document.received",
	"approval.received",
	"email.bounced",
	"email.failed",
	"certificate.expiring",
	"certificate.expired",
	"sequence.low",
	"certification.completed",
	"registry.record_changed",
	"authority.status_changed",
	"webhook.disabled",
	"webhook.test",
] as const;

export type EventName = (typeof SPECIFIED_EVENTS)[number] | (typeof EXTRA_EVENTS)[number];

const NAMES: readonly EventName[] = [...SPECIFIED_EVENTS, ...EXTRA_EVENTS];

/** All that an endpoint can ask for: every name, every family, and `*`. What is not among them would never be sent. */
export const EVENT_PATTERNS: readonly string[] = [...NAMES, ...new Set(NAMES.map(familyOf)), "*"];

/**
 * True when an endpoint's patterns (`invoice.accepted`, `certificate.*`, `*`) ask for an event.
 * Gap: `invoice.*` and `*` stand for the specification's three; an addition is asked for by its name or its own family.
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
