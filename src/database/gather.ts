/**
 * Gathers calls that come at the same time into one statement: while one runs, the next ones wait and are asked together.
 *
 *   calls    a  b c d   e f
 *   runs     [a]        [b c d e f]
 *
 * A call never joins a run that has begun, so it sees everything that was committed before it was made. Alone it waits for nobody.
 */
export type Gather<Item, Result> = (item: Item) => Promise<Result>;

export type GatherOptions = {
	/** Most items of one run. */
	readonly itemsMax: number;
	/** Most runs at a time. */
	readonly runsMax: number;
};

type Waiting<Item, Result> = {
	readonly item: Item;
	readonly resolve: (result: Result) => void;
	readonly reject: (error: unknown) => void;
};

/** `run` answers one result for each item, in their order. When it throws, all its items get the error. */
export function createGather<Item, Result>(
	run: (items: readonly Item[]) => Promise<readonly Result[]>,
	{ itemsMax, runsMax }: GatherOptions,
): Gather<Item, Result> {
	let waiting: Waiting<Item, Result>[] = [];
	let running = 0;

	async function runNext(): Promise<void> {
		running++;
		const taken = waiting.slice(0, itemsMax);
		waiting = waiting.slice(itemsMax);
		try {
			const results = await run(taken.map(({ item }) => item));
			if (results.length !== taken.length) throw new Error(`expected ${taken.length} results, got ${results.length}`);
			for (const [i, { resolve }] of taken.entries()) resolve(results[i] as Result);
		} catch (error) {
			for (const { reject } of taken) reject(error);
		}
		running--;
		startWaiting();
	}

	function startWaiting(): void {
		while (waiting.length > 0 && running < runsMax) void runNext();
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
