/** The delivery that the documentation shows: it failed six times and waits for its tenant. */
import type { DeliveryRecord, DeliverySummary } from "./record";

const ID = "0192f121-7a00-7b11-9c22-334455667788";
const DOC_ID = "0192f110-7a00-7b11-9c22-334455667788";
const SELF = `/v1/webhooks/deliveries/${ID}`;

const COMMON: Omit<DeliverySummary, "attemptCount" | "lastAttempt"> = {
	...{ deliveryId: ID, webhookId: "0192f0a2-7a00-7b11-9c22-334455667788" },
	...{ event: "invoice.accepted", docId: DOC_ID, sequence: 48_213 },
	...{ status: "dead", reason: "6 attempts failed, the last with status 500" },
	...{ createdAt: "2026-11-20T14:20:01.000Z", deliveredAt: null, deadAt: "2026-11-20T14:25:44.100Z" },
	_links: { self: SELF, redeliver: `${SELF}/redeliver` },
};
const FIRST = { n: 1, at: "2026-11-20T14:20:01.010Z", durationMs: 10_003, responseStatus: null, error: "timeout" };
const LAST = { n: 6, at: "2026-11-20T14:25:44.000Z", durationMs: 91, responseStatus: 500, error: null };

export const EXAMPLE_SUMMARY: DeliverySummary = { ...COMMON, attemptCount: 6, lastAttempt: LAST };

export const EXAMPLE_RECORD: DeliveryRecord = {
	...COMMON,
	body: `{"event":"invoice.accepted","docId":"${DOC_ID}","trackId":"0192f110-7a00-7b11-9c22-334455667789","tenantId":"0192f0a1-b2c3-7d4e-8f00-112233445566","occurredAt":"2026-11-20T14:20:00.902Z","sequence":48213,"docVersion":4,"encf":"E310000000001","status":"accepted"}`,
	attempts: [
		{ ...FIRST, responseBody: "" },
		{ ...LAST, responseBody: "oops" },
	],
};

/** The same, once it has been asked for again. */
export const EXAMPLE_WAITING: DeliveryRecord = { ...EXAMPLE_RECORD, status: "pending", reason: null, deadAt: null };
