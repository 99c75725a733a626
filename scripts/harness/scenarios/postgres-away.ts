/** PostgreSQL gets slow, then hangs silently: callers get 503 in time, nothing piles up, and the service recovers. */
import { startClient } from "../client";
import { inEnvironment, type Scenario, sized } from "../environment";

const PER_SECOND = 20;
const LATENCY_MS = 500;
const SLOW_FOR_MS = 3_000;
/** The client's own time-out for an answer. */
const RECOVERY_MAX_MS = 5_000;
const CONNECTIONS_MAX = 60;
const FINAL_WITHIN_MS = 60_000;

export const postgresAway: Scenario = {
	name: "postgres-away",
	shows: "a slow, then a silent PostgreSQL: 2xx or 503 in time, connections do not pile up, recovery within 5 s",
	run(size) {
		const rounds = sized(size, 10, 1);
		const silentMs = size === "smoke" ? 10_000 : 30_000;
		return inEnvironment("postgres-away", {}, async (environment) => {
			const { databaseProxy, acknowledged, violations } = environment;
			let isOver = false;
			const client = startClient({
				url: environment.url,
				tenants: environment.tenants,
				ledger: acknowledged,
				perSecond: PER_SECOND,
				atOnceMax: 60,
				holdsBack: () => false,
				wantsMore: () => !isOver,
			});
			let slowestMs = 0;
			let connectionsMax = 0;
			for (let n = 1; n <= rounds && !client.hasFailed(); n++) {
				await acknowledgeMore(20);
				for (const direction of ["upstream", "downstream"] as const)
					databaseProxy.add(direction, { type: "latency", latencyMs: LATENCY_MS / 2 });
				await Bun.sleep(SLOW_FOR_MS);
				databaseProxy.heal();
				for (const direction of ["upstream", "downstream"] as const)
					databaseProxy.add(direction, { type: "timeout", timeoutMs: 0 });
				const until = performance.now() + silentMs;
				while (performance.now() < until) {
					connectionsMax = Math.max(connectionsMax, databaseProxy.links().length);
					await Bun.sleep(100);
				}
				databaseProxy.heal();
				const from = performance.now();
				await acknowledgeMore(1);
				const ms = Math.round(performance.now() - from);
				slowestMs = Math.max(slowestMs, ms);
				if (ms > RECOVERY_MAX_MS) violations.push(`round ${n}: issuing went on after ${ms} ms`);
			}
			isOver = true;
			await client.finished;
			for (const fault of client.oddities()) violations.push(fault);
			const { 0: unanswered = 0, 503: refused = 0 } = client.answers();
			if (unanswered > 0) violations.push(`${unanswered} requests had no answer in time`);
			if (connectionsMax > CONNECTIONS_MAX) violations.push(`${connectionsMax} connections at once`);
			return {
				rounds,
				requests: client.requests(),
				"refused with 503": refused,
				unanswered,
				"slowest answer ms": client.slowestMs(),
				"slowest recovery ms": slowestMs,
				"connections at once": connectionsMax,
				...(await environment.judge(FINAL_WITHIN_MS)),
			};

			async function acknowledgeMore(count: number): Promise<void> {
				const enough = acknowledged.count() + count;
				const deadline = performance.now() + 60_000;
				while (acknowledged.count() < enough && !client.hasFailed() && performance.now() < deadline) await Bun.sleep(5);
			}
		});
	},
};
