import { createEarlyRelease, createSemaphore } from "./semaphore";

/**
 * Turns single calls into batches. While a batch runs, new calls wait and form the next one.
 *
 *   calls    a  b c d   e f
 *   runs     [a]        [b c d e f]
 *
 * A call never joins a batch that has started, so it sees everything that was committed before it was made. A lone call does not wait.
 */
export type Batcher<Item, Result> = (item: Item) => Promise<Result>;

export type BatcherOptions<Item = never> = {
	/** Most items of one batch. */
	readonly itemsMax: number;
	/** Most batches at a time. */
	readonly runsMax: number;
	/** Least time from the start of a batch of several items to the start of the next; it makes batches larger. Default: 0. */
	readonly spacingMs?: number;
	/**
	 * A batch that takes longer no longer counts as one of `runsMax`. Its connection may be dead, and later calls then use another one.
	 * Default: 3 s, far more than a batch takes on a loaded server.
	 */
	readonly lateMs?: number;
	/** A batch has calls of one group alone. Default: all are of one. */
	readonly groupOf?: (item: Item) => unknown;
};

const LATE_MS = 3_000;

type Waiting<Item, Result> = {
	readonly item: Item;
	readonly resolve: (result: Result) => void;
	readonly reject: (error: unknown) => void;
};

/** `run` returns one result for each item, in their order. When it throws, all its items fail with that error. */
export function createBatcher<Item, Result>(
	run: (items: readonly Item[]) => Promise<readonly Result[]>,
	{ itemsMax, runsMax, spacingMs = 0, lateMs = LATE_MS, groupOf }: BatcherOptions<Item>,
): Batcher<Item, Result> {
	let waiting: Waiting<Item, Result>[] = [];
	let running = 0;
	let nextAtMs = 0;
	let isPausing = false;
	let isScheduled = false;

	function takeBatch(): Waiting<Item, Result>[] {
		const [first] = waiting;
		const group = groupOf && first && groupOf(first.item);
		const taken = (groupOf ? waiting.filter(({ item }) => groupOf(item) === group) : waiting).slice(0, itemsMax);
		const gone = new Set(taken);
		waiting = groupOf ? waiting.filter((one) => !gone.has(one)) : waiting.slice(itemsMax);
		return taken;
	}

	async function runNext(): Promise<void> {
		running++;
		const taken = takeBatch();
		if (taken.length > 1) nextAtMs = performance.now() + spacingMs;
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

	return (item) =>
		new Promise((resolve, reject) => {
			waiting.push({ item, resolve, reject });
			if (isScheduled) return;
			isScheduled = true;
			// Calls of the same turn of the event loop go into one batch.
			setImmediate(() => {
				isScheduled = false;
				startWaiting();
			});
		});
}

type KeyedBatcherOptions = Pick<BatcherOptions, "itemsMax" | "lateMs"> & {
	/** Most batches of all keys at a time, without those that have become slow. */
	readonly runsMax: number;
	/** After this time a batch is slow and lets another key run beside it. */
	readonly slowAfterMs: number;
	/** Most slow batches: each holds a connection. */
	readonly slowMax: number;
};

/**
 * Batches the calls of each key separately, for batches that may have to wait. A row that is locked for one key does not delay the others.
 *
 *   calls     a1 b1 a2 a3 b2
 *   runs      [a1]  [b1]  [a2 a3]  [b2]       one of a key at a time, `runsMax` of all keys
 */
export function createKeyedBatcher<Item, Result>(
	run: (items: readonly Item[]) => Promise<readonly Result[]>,
	keyOf: (item: Item) => string,
	{ runsMax, slowAfterMs, slowMax, ...each }: KeyedBatcherOptions,
): Batcher<Item, Result> {
	const semaphore = createSemaphore(runsMax);
	const watchSlow = createEarlyRelease({ afterMs: slowAfterMs, max: slowMax });
	const batchers = new Map<string, { readonly batch: Batcher<Item, Result>; calls: number }>();

	async function runInTurn(items: readonly Item[]): Promise<readonly Result[]> {
		const end = watchSlow(await semaphore.acquire());
		try {
			return await run(items);
		} finally {
			end();
		}
	}

	return async (item) => {
		const key = keyOf(item);
		const own = batchers.get(key) ?? { batch: createBatcher(runInTurn, { ...each, runsMax: 1 }), calls: 0 };
		batchers.set(key, own);
		own.calls++;
		try {
			return await own.batch(item);
		} finally {
			if (--own.calls === 0) batchers.delete(key);
		}
	};
}
