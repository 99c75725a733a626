/** An event of each kind as it arrives. */
import type { KeptEventName } from "./event-schemas";

const DOC_ID = "0192f110-7a00-7b11-9c22-334455667788";
const OTHER_ID = "0192f110-7a00-7b11-9c22-334455667799";
const COMMON = {
	tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566",
	occurredAt: "2026-11-20T14:20:00.902Z",
	sequence: 48_213,
};
const OF_DOCUMENT = {
	...COMMON,
	docId: DOC_ID,
	trackId: "0192f110-7a00-7b11-9c22-334455667789",
	encf: "E310000000001",
};
const OF_INVOICE = { ...OF_DOCUMENT, docVersion: 4, client_request_id: "POS7-2026-11-20-000123" };
const OF_OTHER = { ...COMMON, docId: OTHER_ID, trackId: OTHER_ID };
const THUMBPRINT = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const EMAIL = { emailId: OTHER_ID, recipient: "compras@elprogreso.do" };

const MEMBERS: Readonly<Record<KeptEventName, object>> = {
	"invoice.accepted": { ...OF_INVOICE, status: "accepted", authority: { code: "1" } },
	"invoice.rejected": {
		...{ ...OF_INVOICE, status: "rejected", authority: { code: "614" } },
		fix: [{ op: "replace", path: "/totals/grand_total", value: "5310.00" }],
	},
	"invoice.failed": { ...OF_INVOICE, status: "failed" },
	"invoice.pending_contingency": { ...OF_INVOICE, status: "pending" },
	"invoice.delivered": { ...OF_INVOICE, status: "accepted", delivery: { state: "delivered", buyerRnc: "990000002" } },
	"invoice.undelivered": {
		...{ ...OF_INVOICE, status: "accepted" },
		delivery: { state: "refused", buyerRnc: "990000002", motive: 2 },
	},
	"document.received": { ...OF_OTHER, encf: "E310000000077", proof: "unproven" },
	"approval.received": {
		...OF_DOCUMENT,
		approval: { id: OTHER_ID, decision: "rejected", reason: "Mercancía incompleta" },
	},
	"email.bounced": {
		...OF_DOCUMENT,
		email: { ...EMAIL, status: "bounced", reason: "550 5.1.1 No such user" },
	},
	"email.failed": { ...OF_DOCUMENT, email: { ...EMAIL, status: "failed", reason: "550 5.7.1 Refused" } },
	"certificate.expiring": {
		...OF_OTHER,
		certificate: { thumbprint: THUMBPRINT, notAfter: "2026-12-20T23:59:59.000Z", daysLeft: 30 },
	},
	"certificate.expired": {
		...OF_OTHER,
		certificate: { thumbprint: THUMBPRINT, notAfter: "2026-11-20T14:20:00.000Z", daysLeft: 0 },
	},
	"sequence.low": { ...OF_OTHER, low: { type: "31", available: 200, percent: 20 } },
	"certification.completed": { ...OF_OTHER, status: "passed", certification: { mode: "authority", run: 1 } },
	"registry.record_changed": OF_OTHER,
	"authority.status_changed": {
		...{ ...OF_OTHER, status: "outage" },
		authorityStatus: { authorityEnvironment: "production", from: "operational", contingency: true },
	},
	"webhook.disabled": {
		...OF_OTHER,
		webhook: { id: OTHER_ID, url: "https://erp.elprogreso.do/hooks/ecf", reason: "The endpoint answered 410 Gone." },
	},
};

/** An event as a webhook brings it. */
export function exampleEvent(event: KeptEventName): { readonly event: KeptEventName } {
	return { event, ...MEMBERS[event] };
}

/** What the test operation plays under the event's name. */
export function exampleTest(event: string): object {
	const { sequence: _, ...common } = OF_OTHER;
	return { event, ...common, test: true };
}
