/** One company's receiver takes ten seconds for each of hundreds of events: other companies' events are not delayed. */
import { allDeliveries } from "../../../test/support/deliveries";
import type { HarnessTenant } from "../../../test/support/tenants";
import type { ScenarioContext } from "../run-scenarios";
import type { Environment } from "./environment";
import { checkReceipts, delayMs, firstTaken, percentile, receiptsOf, until } from "./outcome";

/** Just below the time-out of an attempt, so that the tarpit finally accepts everything. */
const TARPIT_MS = 9_500;
const HANGING_AT_LEAST = 4;
/** A small run may share its machine. */
const DELAY_MAX_MS = { full: 2_000, small: 60_000 };

export async function tarpitScenario(context: ScenarioContext, environment: Environment) {
	const { small, violate } = context;
	const slowEvents = small ? 100 : 500;
	const quickEvents = small ? 5 : 25;
	const slow = await environment.register({ at: "/tarpit" });
	await environment.receiver.order({ path: "/tarpit", conduct: { kind: "answer", status: 204, afterMs: TARPIT_MS } });
	const quick: HarnessTenant[] = [];
	for (const name of ["a", "b", "c", "d"]) quick.push(await environment.register({ at: `/quick-${name}` }));
	await environment.issue(slow, slowEvents);
	const tarpit = () => receiptsOf(environment, [slow]);
	await until("the tarpit holds requests", () => tarpit().length >= HANGING_AT_LEAST);

	await Promise.all(quick.map((tenant) => environment.issue(tenant, quickEvents)));
	const took = () => firstTaken(receiptsOf(environment, quick));
	await until("the others' events have come", () => took().length >= quick.length * quickEvents);
	const [left] = await environment.sql<{ count: number }[]>`
		select count(*)::int as count from ${allDeliveries(environment.sql)} d where tenant_id = ${slow.tenantId} and status in ('pending', 'failed')`;
	if (!left?.count) violate("the tarpit had let everything go before the others' events came");
	const delays = took().map(delayMs);
	const p99 = Math.round(percentile(delays, 0.99));
	if (p99 > DELAY_MAX_MS[small ? "small" : "full"]) violate(`the others' p99 delay is ${p99} ms`);
	return {
		"events to the tarpit": slowEvents,
		"held by it at the end": left?.count ?? 0,
		"others' events": delays.length,
		"their median ms": Math.round(percentile(delays, 0.5)),
		"their p99 ms": p99,
		...checkReceipts(context, receiptsOf(environment, [slow, ...quick])),
	};
}
