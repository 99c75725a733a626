/** The authority accepts a document but its answer is lost: nothing is sent again without a query, signed again, or reported as rejected. */
import { startClient } from "../client";
import { inEnvironment, type Scenario, sized } from "../environment";
import { createWireLog, findBlindSends } from "../wire-log";

/** How the answer is lost: the connection closes before it, in the middle of it, or it arrives after the time-out. */
const LOSSES = [
	{ mode: "reset-after" },
	{ mode: "half-body" },
	// Longer than the service's time-out.
	{ mode: "slow", ms: 12_000 },
] as const;
const OPERATIONS = ["receive", "receive-summary"] as const;
/** One at a time, with good answers between: this measures ambiguous outcomes, not an outage. */
const FAULT_EVERY_MS = 150;
const PER_SECOND = 12;
/** Undecided documents at which the client waits. */
const UNDECIDED_MAX = 80;
const FINAL_WITHIN_MS = 60_000;

export const unknownOutcome: Scenario = {
	name: "unknown-outcome",
	shows: "accepted then timed out: 0 sent again without a query, 0 signed again, 0 shown as rejected",
	run(size) {
		const faults = sized(size, 300, 12);
		const wire = createWireLog();
		// The usual lease: a busy machine must not create a second holder, which another scenario covers.
		const settings = { SHARD_LEASE_SECONDS: "15" };
		return inEnvironment("unknown-outcome", { settings, onAuthorityChunk: wire.see }, async (environment) => {
			let ordered = 0;
			let isOver = false;
			const client = startClient({
				url: environment.url,
				tenants: environment.tenants,
				ledger: environment.acknowledged,
				perSecond: PER_SECOND,
				atOnceMax: 8,
				holdsBack: () => environment.acknowledged.count() - environment.webhooks.count() > UNDECIDED_MAX,
				wantsMore: () => !isOver,
			});
			while (!client.hasFailed() && (ordered < faults || (await environment.countFaults()) > 0)) {
				if (ordered < faults && (await environment.countFaults()) < 2) {
					const loss = LOSSES[ordered % LOSSES.length];
					const operation = OPERATIONS[Math.floor(ordered / LOSSES.length) % OPERATIONS.length];
					await environment.orderFault({ ...loss, operation, count: 1 });
					ordered++;
				}
				await Bun.sleep(FAULT_EVERY_MS);
			}
			isOver = true;
			await client.finished;
			const counts = await environment.judge(FINAL_WITHIN_MS);
			const blind = findBlindSends(wire.events());
			for (const name of blind) environment.violations.push(`${name} was sent again before it was asked about`);
			const events = wire.events();
			return {
				"answers lost": ordered,
				"documents sent": events.filter(({ kind }) => kind === "send").length,
				questions: events.filter(({ kind }) => kind === "ask").length,
				"sent again unasked": blind.length,
				...counts,
			};
		});
	},
};
