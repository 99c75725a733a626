/** One company's receiver takes ten seconds for each of hundreds of events: the others' events come as if it were not there. */
import type { HarnessTenant } from "../../harness/tenants";
import type { Theatre } from "../theatre";
import { delayMs, firstTaken, judgeReceipts, percentile, receiptsOf, until } from "./outcome";
import type { Stage } from "./stage";

/** Just below the limit of an attempt, so that the tarpit takes everything in the end. */
const TARPIT_MS = 9_500;
const HANGING_AT_LEAST = 4;
/** A small run may share its machine. */
const DELAY_MAX_MS = { full: 2_000, small: 60_000 };

export async function drillTarpit(theatre: Theatre, stage: Stage) {
	const { small, violate } = theatre;
	const slowEvents = small ? 100 : 500;
	const quickEvents = small ? 5 : 25;
	const slow = await stage.register({ at: "/tarpit" });
	await stage.receiver.order({ path: "/tarpit", conduct: { kind: "answer", status: 204, afterMs: TARPIT_MS } });
	const quick: HarnessTenant[] = [];
	for (const name of ["a", "b", "c", "d"]) quick.push(await stage.register({ at: `/quick-${name}` }));
	await stage.issue(slow, slowEvents);
	const tarpit = () => receiptsOf(stage, [slow]);
	await until("the tarpit holds requests", () => tarpit().length >= HANGING_AT_LEAST);

	await Promise.all(quick.map((tenant) => stage.issue(tenant, quickEvents)));
	const took = () => firstTaken(receiptsOf(stage, quick));
	await until("the others' events have come", () => took().length >= quick.length * quickEvents);
	const [left] = await stage.sql<{ count: number }[]>`
		select count(*)::int as count from deliveries where tenant_id = ${slow.tenantId} and status in ('pending', 'failed')`;
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
		...judgeReceipts(theatre, receiptsOf(stage, [slow, ...quick])),
	};
}
