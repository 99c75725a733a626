/** PostgreSQL restarts under load, in both modes: callers get a 2xx or a 503, never a 500, and service returns quickly. */
import { startClient } from "../client";
import { inEnvironment, type Scenario, sized } from "../environment";
import type { RestartMode } from "../postgres";

const PER_SECOND = 20;
/** A small run may share its machine. */
const RECOVERY_MAX_MS = { full: 5_000, small: 30_000 };
const FINAL_WITHIN_MS = 30_000;

export const postgresRestarts: Scenario = {
	name: "postgres-restarts",
	shows:
		"every answer is 2xx or 503 problem+json, issuing goes on within 5 s (30 in a small run), nothing is lost or received twice",
	run(size) {
		const restarts = sized(size, 30, 4);
		const recoveryMaxMs = sized(size, RECOVERY_MAX_MS.full, RECOVERY_MAX_MS.small);
		return inEnvironment("postgres-restarts", {}, async (environment) => {
			const { postgres, databaseProxy, acknowledged, violations } = environment;
			let isOver = false;
			const client = startClient({
				url: environment.url,
				tenants: environment.tenants,
				ledger: acknowledged,
				perSecond: PER_SECOND,
				atOnceMax: 20,
				holdsBack: () => false,
				wantsMore: () => !isOver,
			});
			let slowestMs = 0;
			for (let n = 0; n < restarts && !client.hasFailed(); n++) {
				await acknowledgeMore(5);
				await Bun.sleep(Math.random() * 500);
				const mode: RestartMode = n % 2 === 0 ? "fast" : "immediate";
				const restarting = postgres.restart(mode);
				await restarting;
				databaseProxy.setTarget(postgres.port());
				const from = performance.now();
				await acknowledgeMore(1);
				const recoveryMs = Math.round(performance.now() - from);
				slowestMs = Math.max(slowestMs, recoveryMs);
				if (recoveryMs > recoveryMaxMs)
					violations.push(`restart ${n + 1}, ${mode}: issuing went on after ${recoveryMs} ms`);
			}
			isOver = true;
			await client.finished;
			for (const fault of client.oddities()) violations.push(fault);
			const { 0: unanswered = 0, 503: refused = 0 } = client.answers();
			// Client and service are connected directly, so every request has an answer.
			if (unanswered > 0) violations.push(`${unanswered} requests had no whole answer`);
			return {
				restarts,
				requests: client.requests(),
				"refused with 503": refused,
				unanswered: unanswered,
				"other refusals": client.oddities().length,
				"slowest recovery ms": slowestMs,
				"slowest answer ms": client.slowestMs(),
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
