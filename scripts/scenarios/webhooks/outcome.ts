/** Reads the outcome of events from the service's tables and the receivers' ledger, and checks it. */

import { allAttempts, allDeliveries } from "../../../test/support/deliveries";
import { standings } from "../../../test/support/documents";
import type { HarnessTenant } from "../../../test/support/tenants";
import type { ScenarioContext } from "../run-scenarios";
import type { Environment } from "./environment";
import type { Receipt } from "./receipt";

export type DeliveryFact = {
	readonly id: string;
	readonly webhookId: string;
	readonly docId: string;
	readonly event: string;
	readonly status: "pending" | "failed" | "delivered" | "dead";
	readonly reason: string | null;
};

export type AttemptFact = {
	readonly deliveryId: string;
	readonly webhookId: string;
	readonly n: number;
	readonly durationMs: number;
	readonly responseStatus: number | null;
	readonly error: string | null;
};

const LOOK_EVERY_MS = 50;
/** Long enough for busy machines. */
const PATIENCE_MS = 180_000;

/** Waits for a condition. Throws an Error that names it on time-out. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, patienceMs = PATIENCE_MS) {
	for (const deadline = performance.now() + patienceMs; !(await condition()); await Bun.sleep(LOOK_EVERY_MS))
		if (performance.now() > deadline) throw new Error(`waited ${patienceMs / 1000} s without success for: ${what}`);
}

/** The companies to check; other companies may share the environment. */
export type Companies = readonly { readonly tenantId: string }[];

/** Waits until all documents of the companies are decided and no delivery is in flight. */
export function untilThrough({ sql }: Environment, companies: Companies): Promise<void> {
	const ids = companies.map(({ tenantId }) => tenantId);
	return until("nothing is on its way", async () => {
		const [row] = await sql<{ left: number }[]>`
			select (select count(*) from ${standings(sql)} i where status = 'pending' and tenant_id = any(${ids}::uuid[]))::int
				+ (
					select count(*) from ${allDeliveries(sql)} d where status in ('pending', 'failed') and tenant_id = any(${ids}::uuid[])
				)::int as left`;
		return row?.left === 0;
	});
}

export function readDeliveries({ sql }: Environment, companies: Companies): Promise<DeliveryFact[]> {
	return sql<DeliveryFact[]>`
		select id, endpoint_id as "webhookId", doc_id as "docId", event, status, reason from ${allDeliveries(sql)} d
		where tenant_id = any(${companies.map(({ tenantId }) => tenantId)}::uuid[]) order by id`;
}

/** Waits for that, then reads the deliveries at a moment when all are delivered or dead. */
export async function readSettled(environment: Environment, companies: Companies): Promise<DeliveryFact[]> {
	await untilThrough(environment, companies);
	let deliveries: DeliveryFact[] = [];
	// Dead letters may be retried automatically at any time.
	await until("all deliveries are settled", async () => {
		deliveries = await readDeliveries(environment, companies);
		return deliveries.every(({ status }) => status === "delivered" || status === "dead");
	});
	return deliveries;
}

export function readAttempts({ sql }: Environment, companies: Companies): Promise<AttemptFact[]> {
	return sql<AttemptFact[]>`
		select a.delivery_id as "deliveryId", a.endpoint_id as "webhookId", a.n, a.duration_ms as "durationMs",
			a.response_status as "responseStatus", a.error
		from ${allAttempts(sql)} a
		where a.tenant_id = any(${companies.map(({ tenantId }) => tenantId)}::uuid[]) order by a.delivery_id, a.n`;
}

/** Requests received for the companies' webhooks. */
export function receiptsOf({ receiver }: Environment, companies: readonly HarnessTenant[]): Receipt[] {
	const paths = new Set(companies.flatMap(({ webhooks }) => webhooks.map(({ url }) => new URL(url).pathname)));
	return receiver.read().filter(({ path }) => paths.has(path));
}

/** Receipts by delivery, in order of arrival. */
export function byDelivery(receipts: readonly Receipt[]): Map<string, Receipt[]> {
	return Map.groupBy(receipts, ({ deliveryId }) => deliveryId);
}

/** The first accepted request of each delivery. */
export function firstTaken(receipts: readonly Receipt[]): Receipt[] {
	return [...byDelivery(receipts.filter(({ taken }) => taken)).values()].flatMap(([first]) => (first ? [first] : []));
}

/** Time from the event to its arrival. */
export function delayMs({ atMs, occurredAtMs }: Receipt): number {
	return atMs - occurredAtMs;
}

/** The promise is 5 seconds; a small run, which may share its machine, only requires an age that receivers accept. */
const AGE_MAX_SECONDS = { full: 5, small: 60 };

/** Checks that every request verifies on arrival, is consistent, and is identical whenever its delivery id repeats. */
export function checkReceipts({ violate, small }: ScenarioContext, receipts: readonly Receipt[]) {
	let verified = 0;
	for (const receipt of receipts) {
		const { deliveryId, attempt, main, standard, faults } = receipt;
		const isGenuine = main !== null && standard.every((name) => name !== null) && faults.length === 0;
		if (isGenuine) verified++;
		else violate(`attempt ${attempt} of ${deliveryId} does not verify: ${JSON.stringify(receipt)}`);
	}
	const tooOld = receipts.filter(({ ageSeconds }) => !(ageSeconds <= AGE_MAX_SECONDS[small ? "small" : "full"]));
	for (const { deliveryId, ageSeconds } of tooOld) violate(`a signature of ${deliveryId} was ${ageSeconds} s old`);
	for (const [deliveryId, same] of byDelivery(receipts))
		if (new Set(same.map(({ docId, bodySha256 }) => `${docId} ${bodySha256}`)).size > 1)
			violate(`${deliveryId} came with different bodies`);
	return {
		requests: receipts.length,
		verified,
		"oldest signature s": round(Math.max(0, ...receipts.map(({ ageSeconds }) => ageSeconds))),
	};
}

/**
 * Checks that each webhook of the document's company has exactly one delivery of its verdict, accepted by the receiver or a dead letter
 * whose
 * attempts the receiver refused.
 */
export function checkDeliveries(
	{ violate }: ScenarioContext,
	expected: readonly { readonly docId: string; readonly webhookIds: readonly string[] }[],
	deliveries: readonly DeliveryFact[],
	receipts: readonly Receipt[],
) {
	const found = Map.groupBy(deliveries, ({ docId, webhookId }) => `${docId} ${webhookId}`);
	const came = byDelivery(receipts);
	const counts = { deliveries: 0, delivered: 0, "dead letters": 0, lost: 0, "came twice": 0 };
	for (const { docId, webhookIds } of expected) {
		for (const webhookId of webhookIds) {
			const [delivery, second] = found.get(`${docId} ${webhookId}`) ?? [];
			if (second) violate(`the verdict on ${docId} has two deliveries to ${webhookId}`);
			if (!delivery) {
				counts.lost++;
				violate(`the verdict on ${docId} has no delivery to ${webhookId}`);
				continue;
			}
			counts.deliveries++;
			const requests = came.get(delivery.id) ?? [];
			const taken = requests.filter((receipt) => receipt.taken).length;
			if (taken > 1) counts["came twice"]++;
			if (requests.some((receipt) => receipt.docId !== docId)) violate(`${delivery.id} named another document`);
			if (delivery.status === "delivered" && taken > 0) counts.delivered++;
			else if (delivery.status === "dead" && requests.some(({ answered }) => answered === 0 || answered >= 300))
				counts["dead letters"]++;
			else {
				counts.lost++;
				violate(`${delivery.id} is ${delivery.status} (${delivery.reason}) and was taken ${taken} times`);
			}
		}
	}
	return counts;
}

export function percentile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Rounds to hundredths. */
export function round(value: number): number {
	return Math.round(value * 100) / 100;
}
