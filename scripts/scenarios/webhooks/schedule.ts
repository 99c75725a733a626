/**
 * Receivers refuse everything: the gaps between requests follow the schedule, then the delivery is a dead letter with the last error. Fifty
 * events at a fiftieth of the time, then one event in real time, which the operator dispatches again.
 */
import type { HarnessTenant } from "../../../test/support/tenants";
import type { ScenarioContext } from "../run-scenarios";
import { type Environment, TIME_SCALE } from "./environment";
import {
	byDelivery,
	checkReceipts,
	percentile,
	readDeliveries,
	receiptsOf,
	round,
	until,
	untilThrough,
} from "./outcome";
import type { Receipt } from "./receipt";

export const REAL_TIME_SETTINGS = { WEBHOOK_TIME_SCALE: "1" };
const DELAYS_SECONDS = [1, 4, 16, 64, 256];
/** A retry may be delayed by up to a tenth, to spread load. */
const JITTER = 0.1;
const TOLERANCE = 0.1;
/** Allowance for finding and sending a due message; a small run may share its machine. */
const OVERHEAD_MS = { full: 1_000, small: 60_000 };
const AT_ONCE = 5;
const PAUSE_MS = 500;
/** The service's timer and the receiver's clock are read at different moments. */
const EARLY_MS = 5;

export async function scheduleScenario(context: ScenarioContext, environment: Environment) {
	const events = context.small ? 5 : 50;
	const tenant = await environment.register({ at: "/broken" });
	await environment.receiver.order({ path: "/broken", conduct: { kind: "answer", status: 500 } });
	// A few at a time: this measures delays, not a queue.
	for (let issued = 0; issued < events; issued += AT_ONCE) {
		await environment.issue(tenant, AT_ONCE);
		await Bun.sleep(PAUSE_MS);
	}
	await untilThrough(environment, [tenant]);
	const receipts = receiptsOf(environment, [tenant]);
	const letters = await checkLetters(context, environment, tenant, events);
	return { events, ...checkGaps(context, receipts, TIME_SCALE), ...checkReceipts(context, receipts), ...letters };
}

export async function realTimeScenario(context: ScenarioContext, environment: Environment) {
	const tenant = await environment.register({ at: "/broken" });
	await environment.receiver.order({ path: "/broken", conduct: { kind: "answer", status: 500 } });
	await environment.issue(tenant, 1);
	const dead = async () => (await readDeliveries(environment, [tenant])).every(({ status }) => status === "dead");
	await until("the document is decided", async () => (await readDeliveries(environment, [tenant])).length > 0);
	await until("the delivery is a dead letter", dead, 600_000);
	const receipts = receiptsOf(environment, [tenant]);
	const letters = await checkLetters(context, environment, tenant, 1);

	await environment.receiver.order({ path: "/broken", conduct: { kind: "answer", status: 204 } });
	const [letter] = await readDeliveries(environment, [tenant]);
	await environment.admin("webhooks", "redispatch", letter?.id ?? "--all");
	await until("it is delivered", async () => (await readDeliveries(environment, [tenant]))[0]?.status === "delivered");
	const after = receiptsOf(environment, [tenant]);
	const taken = after.filter((receipt) => receipt.taken);
	if (taken.length !== 1 || taken[0]?.deliveryId !== letter?.id)
		context.violate(
			`after the redispatch ${taken.map(({ deliveryId }) => deliveryId)} was taken, expected ${letter?.id}`,
		);
	return {
		...checkGaps(context, receipts, 1),
		...checkReceipts(context, after),
		...letters,
		"redispatched under the same id": taken.length,
	};
}

/** Compares the gaps between a delivery's first six requests with the schedule. */
function checkGaps({ violate, small }: ScenarioContext, receipts: readonly Receipt[], scale: number) {
	const overheadMs = OVERHEAD_MS[small ? "small" : "full"];
	const gaps = DELAYS_SECONDS.map((): number[] => []);
	let off = 0;
	for (const [deliveryId, requests] of byDelivery(receipts)) {
		if (requests.length <= DELAYS_SECONDS.length) violate(`${deliveryId} was sent ${requests.length} times`);
		for (const [i, seconds] of DELAYS_SECONDS.entries()) {
			const [before, after] = [requests[i], requests[i + 1]];
			if (!before || !after) continue;
			const gapMs = after.atMs - before.atMs;
			const delayMs = seconds * scale * 1000;
			gaps[i]?.push(gapMs);
			const latestMs = delayMs * (1 + JITTER) * (1 + TOLERANCE) + overheadMs;
			if (gapMs >= delayMs * (1 - TOLERANCE) - EARLY_MS && gapMs <= latestMs) continue;
			off++;
			violate(`gap ${i + 1} of ${deliveryId} is ${gapMs} ms, expected ${delayMs} to ${Math.round(latestMs)}`);
		}
	}
	return {
		"median gaps s": gaps.map((all) => round(percentile(all, 0.5) / 1000)).join(" "),
		"gaps off the schedule": off,
	};
}

type Letter = {
	readonly tenantId: string;
	readonly deliveryId: string;
	readonly reason: string;
	readonly attempts: number;
	readonly responseStatus: number;
};

/** All are dead letters with the last answer. */
async function checkLetters(
	context: ScenarioContext,
	environment: Environment,
	{ tenantId }: HarnessTenant,
	events: number,
) {
	const all = (await environment.admin("webhooks", "dead")) as Letter[];
	const listed = all.filter((letter) => letter.tenantId === tenantId);
	if (listed.length !== events) context.violate(`${listed.length} dead letters, expected ${events}`);
	for (const { deliveryId, reason, attempts, responseStatus } of listed) {
		const isNotified = attempts > DELAYS_SECONDS.length && responseStatus === 500 && reason.includes("status 500");
		if (!isNotified) context.violate(`${deliveryId}: ${reason}, ${attempts} attempts, the last with ${responseStatus}`);
	}
	return { "dead letters": listed.length };
}
