/**
 * What does it cost to divide the work among four workers instead of one, and what does it gain when commits are slow?
 *
 * Two systems at the same time, each with an HTTP node (`ROLE=api`), its own PostgreSQL and one or four workers (`ROLE=worker`). They are
 * measured in turn, at a rate that both manage. Sessions that wait for another transaction's row are counted in rounds of their own, since
 * looking costs time. At the end every commit takes ten milliseconds longer, as on a disk of a data centre, and batches show which side is
 * held up by it.
 */
import { connect, type Sql, startEmbeddedPostgres } from "../src/platform/database";
import { type BenchOptions, type Figure, newRounds, toFigure } from "./bench";
import { makeFolder, startProgram } from "./child";
import { cpuSecondsOf } from "./cpu-time";
import { withoutCheckpoints } from "./database-work";
import { openPipeline, perSecondOf } from "./pipeline";

export const question =
	"What do four workers cost compared with one, and how much more do they manage when commits are slow?";
export const peer = "one worker";

const OWNERS = 4;
const COMPANIES = 16;
const PER_SECOND = 160;
const ROUNDS = 5;
const ROUND_SECONDS = 6;
/** For each worker: its compilers work during the first thousands. */
const WARM_UP_DOCUMENTS = 2_000;
const BATCH_SECONDS = 6;
const LOOK_EVERY_MS = 10;
const COMMIT_DELAY_MICROS = 10_000;
const CONNECTIONS = 300;

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const [one, many] = [await openSide(stack, 1, smoke), await openSide(stack, smoke ? 2 : OWNERS, smoke)];
	const sides = [one, many];
	for (const side of sides) await side.warmUp();
	const rounds = smoke ? 1 : ROUNDS;
	const turns = Array.from({ length: rounds }, (_, round) => (round % 2 === 0 ? sides : sides.toReversed())).flat();
	for (const side of turns) await side.measureCost();
	for (const side of turns) await side.countWaits();
	for (const side of sides) await side.delayCommits();
	for (const side of turns) await side.measureBatch();
	const compare = (figure: string, unit: string, name: keyof typeof one.noted, target?: string) =>
		toFigure(figure, unit, many.noted[name], { against: { peer, rounds: one.noted[name] }, target });
	const waits = (owners: number, { looks, waiting }: typeof one.seen) =>
		toFigure(`transactionid waits, ${owners} worker(s)`, "in 1,000 looks", [(waiting * 1_000) / looks], {
			target: "≤ 1",
		});
	return [
		compare(`processor time at ${PER_SECOND}/s, PostgreSQL`, "µs each", "postgres", "≤ 1.35"),
		compare(`processor time at ${PER_SECOND}/s, service and PostgreSQL`, "µs each", "all", "≤ 1.15"),
		waits(1, one.seen),
		waits(OWNERS, many.seen),
		compare("sustained, commits 10 ms slower", "invoices/s", "delayed", "≥ 2.5"),
	];
}

/** A system with this many workers, and its measurements. */
async function openSide(stack: AsyncDisposableStack, workers: number, smoke: boolean) {
	const postgres = await startEmbeddedPostgres(makeFolder(stack), { connections: CONNECTIONS });
	stack.defer(() => postgres.stop());
	const sql = connect({ url: postgres.url, name: "sello bench", connectionsMax: 1, statementTimeoutMs: 0 });
	stack.defer(() => sql.end({ timeout: 1 }));
	const settings = { ROLE: "api", DATABASE_URL: postgres.url };
	const { service, walk } = await openPipeline(stack, { companies: smoke ? 2 : COMPANIES, settings });
	const pids = [service.pid];
	for (let n = 0; n < workers; n++) {
		const worker = await startProgram(stack, "src/main.ts", { ...service.settings, ROLE: "worker", PORT: "0" });
		pids.push(worker.pid);
	}
	await withoutCheckpoints(sql);
	const noted = newRounds("postgres", "all", "delayed");
	const seen = { looks: 0, waiting: 0 };
	const seconds = smoke ? 0.3 : ROUND_SECONDS;
	const totalOf = (some: readonly number[]) =>
		some.reduce((sum, pid) => sum + (cpuSecondsOf(pid)?.total ?? Number.NaN), 0);
	let batch = 10;
	return {
		noted,
		seen,
		async warmUp() {
			await walk({ batch: smoke ? 10 : WARM_UP_DOCUMENTS * workers });
		},
		async measureCost() {
			const [postgresBefore, serviceBefore] = [totalOf([postgres.pid]), totalOf(pids)];
			const { length } = await walk({ perSecond: PER_SECOND, seconds });
			const inPostgres = ((totalOf([postgres.pid]) - postgresBefore) * 1e6) / length;
			noted.postgres.push(inPostgres);
			noted.all.push(inPostgres + ((totalOf(pids) - serviceBefore) * 1e6) / length);
		},
		async countWaits() {
			let isOver = false;
			const looking = (async () => {
				for (; !isOver; await Bun.sleep(LOOK_EVERY_MS)) {
					seen.looks++;
					if (await hasRowWait(sql)) seen.waiting++;
				}
			})();
			await walk({ perSecond: PER_SECOND, seconds });
			isOver = true;
			await looking;
		},
		/** Also finds how many documents make a batch. */
		async delayCommits() {
			await sql.unsafe(`alter system set commit_delay = ${COMMIT_DELAY_MICROS}`);
			await sql`alter system set commit_siblings = 0`;
			await sql`select pg_reload_conf()`;
			if (!smoke) batch = Math.round(perSecondOf(await walk({ batch: 500 })) * BATCH_SECONDS);
		},
		async measureBatch() {
			noted.delayed.push(perSecondOf(await walk({ batch })));
		},
	};
}

/** Whether a session waits for the end of a transaction that holds a row. */
async function hasRowWait(sql: Sql): Promise<boolean> {
	const waiting =
		await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and wait_event = 'transactionid'`;
	return waiting.length > 0;
}
