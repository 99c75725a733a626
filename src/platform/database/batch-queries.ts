/**
 * Gathers calls that come at the same time into one statement: while one runs, the next ones wait and are asked together.
 *
 *   calls    a  b c d   e f
 *   runs     [a]        [b c d e f]
 *
 * A call never joins a run that has begun, so it sees everything that was committed before it was made. Alone it waits for nobody.
 * Where a run's beginning costs more than its items, runs can be told to keep a distance: then a few more come together.
 *
 * A run that is late keeps its items waiting and nobody else: its connection may have died without a word, and whoever comes next gets another one.
 */
export type Gather<Item, Result> = (item: Item) => Promise<Result>;

export type GatherOptions = {
	/** Most items of one run. */
	readonly itemsMax: number;
	/** Most runs at a time. */
	readonly runsMax: number;
	/** Least time from the beginning of a run that took several items to that of the next one. Nought unless told otherwise. */
	readonly paceMs?: number;
	/** After so long a run no longer counts as one of `runsMax`; absent: 3 s, far more than one takes on a loaded server. */
	readonly lateMs?: number;
};

const LATE_MS = 3_000;

type Waiting<Item, Result> = {
	readonly item: Item;
	readonly resolve: (result: Result) => void;
	readonly reject: (error: unknown) => void;
};

/** `run` answers one result for each item, in their order. When it throws, all its items get the error. */
export function createGather<Item, Result>(
	run: (items: readonly Item[]) => Promise<readonly Result[]>,
	{ itemsMax, runsMax, paceMs = 0, lateMs = LATE_MS }: GatherOptions,
): Gather<Item, Result> {
	let waiting: Waiting<Item, Result>[] = [];
	let running = 0;
	/** By the clock of `performance.now`. */
	let nextAtMs = 0;
	let isPausing = false;

	async function runNext(): Promise<void> {
		running++;
		const taken = waiting.slice(0, itemsMax);
		waiting = waiting.slice(itemsMax);
		if (taken.length > 1) nextAtMs = performance.now() + paceMs;
		let isCounted = true;
		const leave = () => {
			if (!isCounted) return;
			isCounted = false;
			running--;
			startWaiting();
		};
		const timer = setTimeout(leave, lateMs);
		try {
			const results = await run(taken.map(({ item }) => item));
			if (results.length !== taken.length) throw new Error(`expected ${taken.length} results, got ${results.length}`);
			for (const [i, { resolve }] of taken.entries()) resolve(results[i] as Result);
		} catch (error) {
			for (const { reject } of taken) reject(error);
		}
		clearTimeout(timer);
		leave();
	}

	function startWaiting(): void {
		while (waiting.length > 0 && running < runsMax) {
			const leftMs = nextAtMs - performance.now();
			if (leftMs > 0 && waiting.length < itemsMax) {
				pause(leftMs);
				return;
			}
			void runNext();
		}
	}

	function pause(leftMs: number): void {
		if (isPausing) return;
		isPausing = true;
		setTimeout(() => {
			isPausing = false;
			startWaiting();
		}, leftMs);
	}

	let isScheduled = false;
	return (item) =>
		new Promise((resolve, reject) => {
			waiting.push({ item, resolve, reject });
			if (isScheduled) return;
			isScheduled = true;
			// What comes in the same turn of the event loop comes at the same time.
			setImmediate(() => {
				isScheduled = false;
				startWaiting();
			});
		});
}
