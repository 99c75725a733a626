/**
 * Receivers fail three times out of ten in every possible way while thousands of events come. Each event arrives or is a dead letter, every
 * request verifies, and companies with healthy receivers notice nothing.
 */
import type { ScenarioContext } from "../run-scenarios";
import type { Environment } from "./environment";
import {
	checkDeliveries,
	checkReceipts,
	delayMs,
	firstTaken,
	percentile,
	readSettled,
	receiptsOf,
	round,
	untilThrough,
} from "./outcome";

const FAILURE_SHARE = 0.3;
const BATCH = 50;
/** Pause between events of a healthy company. */
const PAUSE_MS = 250;
/** A small run may share its machine. */
const DELAY_MAX_MS = { full: 2_000, small: 60_000 };

export async function promisesScenario(context: ScenarioContext, environment: Environment) {
	const { small, violate } = context;
	const events = small ? 60 : 2_000;
	const unwell = [];
	for (const n of small ? [1, 2] : [1, 2, 3, 4]) {
		unwell.push(await environment.register({ at: `/unwell-${n}` }));
		await environment.receiver.order({ path: `/unwell-${n}`, conduct: { kind: "flaky", share: FAILURE_SHARE } });
	}
	const well = [await environment.register({ at: "/well-1" }), await environment.register({ at: "/well-2" })];

	const expected: { docId: string; webhookIds: string[] }[] = [];
	const issue = async (tenant: (typeof well)[number], count: number) => {
		const webhookIds = tenant.webhooks.map(({ id }) => id);
		for (const docId of await environment.issue(tenant, count)) expected.push({ docId, webhookIds });
	};
	let isOver = false;
	const steady = Promise.all(
		well.map(async (tenant) => {
			while (!isOver) {
				await issue(tenant, 1);
				await Bun.sleep(PAUSE_MS);
			}
		}),
	);
	// `steady` reports the error to its awaiter; until then it must not end the run.
	steady.catch(() => undefined);
	const from = performance.now();
	const perTenant = events / unwell.length;
	for (let n = 0; n < perTenant; n += BATCH)
		await Promise.all(unwell.map((tenant) => issue(tenant, Math.min(BATCH, perTenant - n))));
	const issuedMs = performance.now() - from;
	await untilThrough(environment, unwell);
	isOver = true;
	await steady;

	const all = [...unwell, ...well];
	// In this order: a delivered request is already in the receiver's ledger.
	const deliveries = await readSettled(environment, all);
	const receipts = receiptsOf(environment, all);
	const delays = firstTaken(receipts.filter(({ path }) => path.startsWith("/well"))).map(delayMs);
	const slowestMs = Math.max(...delays);
	if (slowestMs > DELAY_MAX_MS[small ? "small" : "full"])
		violate(`an event of a company that is well came ${slowestMs} ms after it happened`);
	const refused = receipts.filter(({ path, answered }) => path.startsWith("/unwell") && answered !== 204).length;
	const asked = receipts.filter(({ path }) => path.startsWith("/unwell")).length;
	return {
		events,
		"seconds to issue": round(issuedMs / 1000),
		...checkDeliveries(context, expected, deliveries, receipts),
		...checkReceipts(context, receipts),
		"share of failures": round(refused / asked),
		"events of the well": delays.length,
		"their median ms": Math.round(percentile(delays, 0.5)),
		"their p99 ms": Math.round(percentile(delays, 0.99)),
		"their slowest ms": Math.round(slowestMs),
	};
}
