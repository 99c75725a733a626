/**
 * The pipeline of this build and of another one, in turn: processor time of service and PostgreSQL, what PostgreSQL writes, and delays.
 *
 * Both run at the same time, each with its own PostgreSQL and simulator; the one that is not measured is idle. Ratios are this build's cost
 * by the other's.
 */
import { type Figure, median, newRounds, toFigure } from "./bench";
import { openBuild } from "./build";
import { cpuSecondsOf } from "./cpu-time";
import {
	type DatabaseWork,
	measureAged,
	measureStored,
	readDatabaseWork,
	readWal,
	withoutCheckpoints,
} from "./database-work";
import { openDatabase } from "./fill-invoices";
import { delaysOf, openPipeline, perSecondOf } from "./pipeline";

const COMPANIES = 8;
const STEADY_PER_SECOND = 50;
const STEADY_SECONDS = 8;
const WARM_UP_DOCUMENTS = 3_000;
const ROUNDS = 5;
/** Target duration of a batch of the slower side, from the warm-up's rate. */
const BATCH_SECONDS = 8;

type Options = { readonly smoke: boolean; readonly against: string };

export async function compareBuilds({ smoke, against }: Options): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const own = await openSide(stack, smoke);
	const other = await openSide(stack, smoke, await openBuild(stack, against));
	const sides = [own, other];
	const rates: number[] = [];
	for (const side of sides) rates.push(await side.warmUp());
	const batch = smoke ? 10 : Math.round(Math.min(...rates) * BATCH_SECONDS);
	await Promise.all(sides.map((side) => side.beginRows()));
	for (let round = 0; round < (smoke ? 1 : ROUNDS); round++) {
		for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side.measure(batch);
	}
	const [work, otherWork] = await Promise.all([own.endRows(), other.endRows()]);
	const [stored, otherStored] = await Promise.all([own.measureStored(), other.measureStored()]);
	const aged = { days: await own.measureAged("afterDays"), month: await own.measureAged("afterMonth") };

	const { noted } = own;
	const compare = (figure: string, unit: string, name: keyof typeof noted, target?: string) =>
		toFigure(figure, unit, noted[name], { against: { peer: against, rounds: other.noted[name] }, target });
	const count = (figure: string, unit: string, value: number, peerValue: number, target?: string) =>
		toFigure(
			figure,
			unit,
			[value],
			peerValue === 0 ? { target } : { against: { peer: against, rounds: [peerValue] }, target },
		);
	const rows = (name: keyof DatabaseWork, figure: string, target?: string) =>
		count(`${figure} a document`, "", work[name], otherWork[name], target);
	return [
		compare("POST to webhook, sustained", "invoices/s", "perSecond"),
		compare("processor time, PostgreSQL", "µs each", "postgres", "≤ 0.30"),
		compare("processor time, service and PostgreSQL", "µs each", "all", "≤ 0.50"),
		compare(`processor time at ${STEADY_PER_SECOND}/s, PostgreSQL`, "µs each", "steadyPostgres"),
		compare(`processor time at ${STEADY_PER_SECOND}/s, service and PostgreSQL`, "µs each", "steadyAll"),
		compare("write-ahead log between checkpoints", "bytes each", "wal", "≤ 9,000 bytes"),
		rows("inserted", "rows inserted", "≤ 12"),
		rows("toastInserted", "pieces of long values inserted"),
		rows("updated", "rows updated", "≤ 2.2"),
		rows("hotUpdated", "rows updated without index entries"),
		rows("deleted", "rows deleted", "0"),
		rows("transactions", "transactions"),
		count("stored after VACUUM FULL", "bytes each", stored, otherStored, "≤ 9,000 bytes"),
		toFigure("stored once the papers are dropped", "bytes each", [aged.days], { target: "≤ 2,600 bytes" }),
		toFigure("stored after 30 days", "bytes each", [aged.month], { target: "≤ 1,600 bytes" }),
		compare(`POST to webhook at ${STEADY_PER_SECOND}/s, median`, "ms", "p50Ms", "≤ 120 ms"),
		compare(`POST to webhook at ${STEADY_PER_SECOND}/s, p99`, "ms", "p99Ms"),
	];
}

/** A build with everything around it, and its measurements. */
async function openSide(stack: AsyncDisposableStack, smoke: boolean, root?: string) {
	const companies = smoke ? 2 : COMPANIES;
	const { service, walk } = await openPipeline(stack, { companies, ...(root === undefined ? {} : { root }) });
	const sql = openDatabase(stack, service);
	await withoutCheckpoints(sql);
	const storedBefore = await measureStored(sql);
	let documents = 0;
	let countedFrom = 0;
	let before: DatabaseWork | undefined;
	const noted = newRounds("perSecond", "postgres", "all", "steadyPostgres", "steadyAll", "wal", "p50Ms", "p99Ms");
	const walkCounted = async (how: Parameters<typeof walk>[0]) => {
		const cpuBefore = cpuSecondsOf(service.pid);
		const walked = await walk(how);
		documents += walked.length;
		const cpu = cpuSecondsOf(service.pid);
		const micros = (name: "total" | "postgres") =>
			(((cpu?.[name] ?? Number.NaN) - (cpuBefore?.[name] ?? Number.NaN)) * 1e6) / walked.length;
		return { walked, all: micros("total"), postgres: micros("postgres") };
	};
	return {
		noted,
		warmUp: async () => perSecondOf((await walkCounted({ batch: smoke ? 10 : WARM_UP_DOCUMENTS })).walked),
		async beginRows() {
			before = await readDatabaseWork(sql, { smoke });
			countedFrom = documents;
		},
		async measure(batch: number) {
			const walBefore = await readWal(sql);
			const sustained = await walkCounted({ batch });
			noted.wal.push(((await readWal(sql)) - walBefore) / batch);
			noted.perSecond.push(perSecondOf(sustained.walked));
			noted.postgres.push(sustained.postgres);
			noted.all.push(sustained.all);
			const steady = await walkCounted({ perSecond: STEADY_PER_SECOND, seconds: smoke ? 0.4 : STEADY_SECONDS });
			noted.steadyPostgres.push(steady.postgres);
			noted.steadyAll.push(steady.all);
			const delays = delaysOf(steady.walked);
			noted.p50Ms.push(median(delays));
			noted.p99Ms.push(delays[Math.ceil(delays.length * 0.99) - 1] ?? Number.NaN);
		},
		/** Each since `beginRows`, by document. */
		async endRows(): Promise<DatabaseWork> {
			const after = await readDatabaseWork(sql, { smoke });
			const perDocument = (name: keyof DatabaseWork) =>
				(after[name] - (before?.[name] ?? Number.NaN)) / (documents - countedFrom);
			return {
				transactions: perDocument("transactions"),
				inserted: perDocument("inserted"),
				toastInserted: perDocument("toastInserted"),
				updated: perDocument("updated"),
				hotUpdated: perDocument("hotUpdated"),
				deleted: perDocument("deleted"),
			};
		},
		measureStored: async () => ((await measureStored(sql)) - storedBefore) / documents,
		measureAged: async (age: Parameters<typeof measureAged>[1]) =>
			((await measureAged(sql, age)) - storedBefore) / documents,
	};
}
