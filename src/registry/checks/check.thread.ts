/**
 * Works on customers' lists in a thread of low priority, in turns: each owner gets as much of it as any other, however long their lists are.
 *
 *   jobs of A   ▪▪  ▪▪  ▪▪      each ▪ a slice; the jobs of one owner follow one another
 *   jobs of B     ▪▪  ▪▪
 */

import { msg } from "../../platform/problem";
import { openHistory } from "../history";
import { createErasedCheck, type IsErased, openSnapshot, type TombstoneSet } from "../index/index";
import { lowerPriority } from "../ingest";
import { createCurrent, findPeriodOn, type RegistryView, type RunRow, viewOf } from "../runs";
import { buildVocabulary, rememberWords, type Vocabulary } from "../search";
import { type CheckEnd, type CheckProgress, checkList, eraseFromResult } from "./check-list";
import { type ColumnChoice, type Layout, scanList } from "./list-layout";
import { ListError } from "./list-row";
import { type Counts, type FormFile, filesOf, makeForm, type ResultFormat } from "./result-file";

/** The data that a check reads. Plain, so that it can cross to the thread. */
export type CheckData = {
	readonly run: RunRow;
	readonly path: string;
	/** For the verdicts of a day, at its end. Units: days since 1970, in UTC-4. */
	readonly onDay?: { readonly day: number; readonly historyPath: string };
	readonly erased: TombstoneSet;
};

export type Job =
	| { readonly do: "scan"; readonly path: string; readonly choice: ColumnChoice }
	| { readonly do: "check"; readonly base: string; readonly layout: Layout; readonly data: CheckData }
	| {
			readonly do: "make";
			readonly base: string;
			readonly form: ResultFormat;
			readonly layout: Pick<Layout, "columns" | "delimiter">;
	  }
	| { readonly do: "erase"; readonly base: string; readonly erased: TombstoneSet };

export type JobResults = {
	readonly scan: Layout;
	readonly check: CheckEnd;
	readonly make: FormFile;
	readonly erase: { readonly counts: Counts };
};

declare const self: Worker;

export type ToChecks =
	| { readonly kind: "job"; readonly id: number; readonly owner: string; readonly job: Job }
	| { readonly kind: "cancel"; readonly id: number }
	| { readonly kind: "end" };

export type FromChecks =
	| { readonly kind: "progress"; readonly id: number; readonly progress: CheckProgress }
	| { readonly kind: "done"; readonly id: number; readonly result: JobResults[keyof JobResults] }
	| { readonly kind: "unreadable"; readonly id: number; readonly place: Pick<ListError, "row" | "column" | "found"> }
	| { readonly kind: "failed"; readonly id: number; readonly message: string };

const SLICE_MS = 20;
const PROGRESS_MS = 1_000;
/** Checks under way at once; each keeps the numbers that it has seen. Other jobs are short and never wait for a check. */
const CHECKS_MAX = 4;

/** A step may wait for something outside of it; then the slice is over. */
type Steps = Generator<"wait" | undefined, JobResults[keyof JobResults]>;
type Running = { readonly id: number; readonly steps: Steps };
type Turn = { readonly isOfChecks: boolean; readonly jobs: Running[] };

const turns = new Map<string, Turn>();
let isWorking = false;

lowerPriority();
const post = (message: FromChecks) => self.postMessage(message);

self.onmessage = (event: MessageEvent<ToChecks>) => {
	const message = event.data;
	if (message.kind === "end") process.exit(0);
	if (message.kind === "cancel") return cancel(message.id);
	const { id, owner, job } = message;
	const key = `${job.do === "check"} ${owner}`;
	const turn = turns.get(key) ?? { isOfChecks: job.do === "check", jobs: [] };
	turns.set(key, turn);
	turn.jobs.push({ id, steps: start(id, job) });
	if (!isWorking) void work();
};

function cancel(id: number): void {
	for (const { jobs } of turns.values()) {
		const at = jobs.findIndex((one) => one.id === id);
		if (at < 0) continue;
		// Closes the files of the job.
		const [one] = jobs.splice(at, 1);
		one?.steps.return(undefined as never);
	}
}

async function work(): Promise<void> {
	isWorking = true;
	while (turns.size > 0) {
		let checks = 0;
		for (const [key, turn] of turns) {
			if (turn.isOfChecks && ++checks > CHECKS_MAX) continue;
			const [running] = turn.jobs;
			if (running && runSlice(running) && turn.jobs[0] === running) turn.jobs.shift();
			if (turn.jobs.length === 0) turns.delete(key);
			limitHeap();
			// Cancellations and new jobs arrive in between.
			await new Promise(setImmediate);
		}
	}
	isWorking = false;
}

const GARBAGE_BYTES_MAX = 48 << 20;
let heapBytes = 0;

/** The collector counts the mapped snapshot as memory in use, and lets as much garbage gather again before it begins. */
function limitHeap(): void {
	if (process.memoryUsage().heapTotal < heapBytes + GARBAGE_BYTES_MAX) return;
	Bun.gc(true);
	heapBytes = process.memoryUsage().heapTotal;
}

/** Whether the job is over. */
function runSlice({ id, steps }: Running): boolean {
	const endsAt = performance.now() + SLICE_MS;
	try {
		do {
			const step = steps.next();
			if (step.done) {
				post({ kind: "done", id, result: step.value });
				return true;
			}
			if (step.value === "wait") return false;
		} while (performance.now() < endsAt);
		return false;
	} catch (error) {
		if (error instanceof ListError) {
			const { row, column, found } = error;
			post({ kind: "unreadable", id, place: { row, column, found } });
		} else post({ kind: "failed", id, message: error instanceof Error ? error.message : String(error) });
		return true;
	}
}

function start(id: number, job: Job): Steps {
	if (job.do === "scan") return scanList(job.path, job.choice);
	if (job.do === "make") return makeForm(job.base, job.form, job.layout);
	if (job.do === "erase") return eraseFromResult(job.base, createErasedCheck(job.erased) ?? (() => false));
	return check(id, job);
}

function* check(id: number, { base, layout, data }: Extract<Job, { do: "check" }>): Steps {
	const { view, lookup, isWhole, stop } = openView(data);
	let postedAt = performance.now();
	const onProgress = (progress: CheckProgress) => {
		if (performance.now() - postedAt < PROGRESS_MS) return;
		postedAt = performance.now();
		post({ kind: "progress", id, progress });
	};
	try {
		const names = layout.namedRows > 0 ? { view, vocabulary: yield* waitForVocabulary(data.path, view) } : undefined;
		const steps = checkList(filesOf(base), layout, { lookup, names }, onProgress);
		for (;;) {
			// Reading behind the end of a file that was cut off would end the process.
			if (!isWhole()) throw new Error("the snapshot was cut off");
			const step = steps.next();
			if (step.done) return step.value;
			yield undefined;
		}
	} finally {
		stop();
	}
}

function openView({ run, path, onDay, erased }: CheckData) {
	const current = createCurrent();
	const history = onDay && openHistory(onDay.historyPath);
	const loaded = { run, snapshot: openSnapshot(path), isVerified: false, ...(history ? { history } : {}) };
	current.swap(loaded);
	const isErased: IsErased = createErasedCheck(erased) ?? (() => false);
	const tombstones = { isErased, fingerprint: () => erased.fingerprint };
	const view = viewOf(loaded, tombstones);
	const lookup: RegistryView["lookup"] = (document) => {
		if (!onDay || !history) return view.lookup(document);
		const period = findPeriodOn({ ...loaded, history }, tombstones, document, onDay.day);
		// A rollback can make the history begin later than when the list was accepted.
		if (!period) throw new ListError(null, null, msg`a day before the first one of the history`);
		return period.entry;
	};
	const isWhole = () => (history ? current.getHistory() : current.get()) !== undefined;
	return { view, lookup, isWhole, stop: current.close };
}

/** One for all checks of the same file. */
let kept: { readonly path: string; readonly made: Promise<Vocabulary> } | undefined;

function* waitForVocabulary(path: string, view: RegistryView): Generator<"wait", Vocabulary> {
	if (kept?.path !== path) kept = { path, made: buildVocabulary(view.words()) };
	let made: Vocabulary | undefined;
	let failed: Error | undefined;
	kept.made.then(
		(vocabulary) => {
			made = rememberWords(vocabulary.without(view.countErased));
		},
		(error: Error) => {
			failed = error;
			kept = undefined;
		},
	);
	while (!made) {
		if (failed) throw failed;
		yield "wait";
	}
	return made;
}
