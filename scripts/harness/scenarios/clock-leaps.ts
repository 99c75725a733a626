/**
 * The machine's clock jumps back and forth while documents are in flight: no lease ends early, nothing is sent twice, and webhooks carry
 * the
 * right time.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readSendings, standings } from "../../../test/support/documents";
import { startClient } from "../client";
import { type Environment, inEnvironment, type Scenario, sized } from "../environment";
import { withDatabase } from "../facts";
import { createShiftedClock } from "../shifted-clock";

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const LEAPS: readonly (readonly [name: string, shiftMs: () => number])[] = [
	["ten minutes forth", () => 10 * MINUTE_MS],
	["ten minutes back", () => -10 * MINUTE_MS],
	["an hour forth", () => 60 * MINUTE_MS],
	["an hour back", () => -60 * MINUTE_MS],
	["a day forth", () => DAY_MS],
	["a day back", () => -DAY_MS],
	["to 2038, when seconds need more than 31 bits", () => Date.parse("2038-01-19T03:14:08Z") - Date.now()],
	["to 1970", () => 60_000 - Date.now()],
];
const PER_SECOND = 40;
/** Longer than posting and the clock jump take, so that most documents are in flight at the jump. */
const VERDICT_DELAY_MS = 1_500;
const SLOW_MS = 2_500;
/** Every thread has read its clock by then. */
const HEARD_AFTER_MS = 150;
const FINAL_WITHIN_MS = 20_000;
const READY_WITHIN_MS = 5_000;
const LOST_LEASE = /no longer holds its message|passed to another holder/;

export const clockLeaps: Scenario = {
	name: "clock-leaps",
	shows:
		"the machine clock jumps: no lease ends early, nothing is sent twice, webhooks carry the right time, readiness reports it",
	run(size) {
		const atOnce = sized(size, 25, 4);
		let setClock: (shiftMs: number) => void = () => undefined;
		const settings = (folder: string) => {
			const clock = createShiftedClock(folder);
			setClock = clock.set;
			return { ...clock.settings, SHARD_LEASE_SECONDS: "15" };
		};
		return inEnvironment("clock-leaps", { settings, verdictDelayMs: VERDICT_DELAY_MS }, async (environment) => {
			let slowestSeconds = 0;
			for (const [name, shiftMs] of LEAPS) {
				// Some submissions wait for their answer when the clock jumps.
				for (const operation of ["receive", "receive-summary"])
					await environment.orderFault({ operation, mode: "slow", ms: SLOW_MS, count: 2 });
				// A query before the authority can read the document must be repeated, without another submission.
				await environment.orderFault({ operation: "result", mode: "not-found", count: 3 });
				await post(environment, atOnce);
				setClock(shiftMs());
				await Bun.sleep(HEARD_AFTER_MS);
				const from = performance.now();
				if (!(await untilReady(environment, false)))
					environment.violations.push(`${name}: readiness did not report the clock`);
				if (!(await untilDecided(environment)))
					environment.violations.push(`${name}: not all were decided under the wrong clock`);
				slowestSeconds = Math.max(slowestSeconds, (performance.now() - from) / 1000);
				setClock(0);
				await Bun.sleep(HEARD_AFTER_MS);
				if (!(await untilReady(environment, true)))
					environment.violations.push(`${name}: not ready after the clock was right again`);
			}
			const counts = await environment.judge(FINAL_WITHIN_MS);
			const lost = readFileSync(join(environment.folder, "service.log"), "utf8")
				.split("\n")
				.filter((line) => LOST_LEASE.test(line));
			for (const line of lost) environment.violations.push(`a lease ended early: ${line}`);
			const again = await countSentAgain(environment);
			if (again > 0) environment.violations.push(`${again} documents were sent more than once`);
			return {
				leaps: LEAPS.length,
				"slowest verdict s": Math.round(slowestSeconds),
				"leases lost": lost.length,
				...counts,
			};
		});
	},
};

async function post(environment: Environment, count: number): Promise<void> {
	const client = startClient({
		url: environment.url,
		tenants: environment.tenants,
		ledger: environment.acknowledged,
		firstNumber: environment.acknowledged.count() + 1,
		perSecond: PER_SECOND,
		atOnceMax: 8,
		holdsBack: () => false,
		wantsMore: (posted) => posted < count,
	});
	await client.finished;
}

/** Whether the service reports in time that it is ready, or that its clock is wrong. */
async function untilReady(environment: Environment, isReady: boolean): Promise<boolean> {
	const from = performance.now();
	for (;;) {
		const answer = await fetch(`${environment.url}/readyz`);
		const { checks } = (await answer.json()) as { checks: Record<string, string> };
		if ((answer.status === 200) === isReady && (checks.clocks === "ok") === isReady) return true;
		if (performance.now() - from > READY_WITHIN_MS) return false;
		await Bun.sleep(50);
	}
}

/** Whether every acknowledged document is decided and announced in time. */
async function untilDecided(environment: Environment): Promise<boolean> {
	const from = performance.now();
	return withDatabase(environment.postgres.url(), async (sql) => {
		for (;;) {
			const [row] = await sql<
				{ left: number }[]
			>`select count(*)::int as left from ${standings(sql)} i where status = 'pending'`;
			if (row?.left === 0) return true;
			if (performance.now() - from > FINAL_WITHIN_MS) return false;
			await Bun.sleep(50);
		}
	});
}

async function countSentAgain(environment: Environment): Promise<number> {
	return withDatabase(environment.postgres.url(), async (sql) => {
		const documents = await sql<{ docId: string }[]>`select doc_id as "docId" from documents`;
		const sent = await readSendings(
			sql,
			documents.map(({ docId }) => docId),
		);
		return [...sent.values()].filter(({ intents }) => intents > 1).length;
	});
}
