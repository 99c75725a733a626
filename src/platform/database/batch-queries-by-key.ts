/**
 * Gathers calls as `createGather` does, those of each name by themselves, for runs that may have to wait: what keeps the run of one name, as a row that
 * somebody else has locked, keeps no call of another name waiting.
 *
 *   calls     a1 b1 a2 a3 b2
 *   runs      [a1]  [b1]  [a2 a3]  [b2]       one of a name at a time, and so many of all names
 *
 * A run that waits gives its turn to the next name and goes on beside it, or a few of them would have all turns. So many at most do: each has a
 * connection, and where all are slow they would have all of those.
 */
import { createGather, type Gather, type GatherOptions } from "./batch-queries";

type GatherByOptions = Pick<GatherOptions, "itemsMax" | "lateMs"> & {
	/** Most runs of all names at a time, besides those that wait. */
	readonly runsMax: number;
	/** After so long a run gives its turn up, or as soon as fewer than `waitsMax` are without one. */
	readonly waitsAfterMs: number;
	readonly waitsMax: number;
};

/** All items of a run have one name. It answers one result for each, in their order; when it throws, all its items get the error. */
export function createGatherBy<Item, Result>(
	run: (items: readonly Item[]) => Promise<readonly Result[]>,
	nameOf: (item: Item) => string,
	{ runsMax, waitsAfterMs, waitsMax, ...each }: GatherByOptions,
): Gather<Item, Result> {
	const inTurn = createTurns(runsMax, waitsAfterMs, waitsMax);
	const named = new Map<string, { readonly gather: Gather<Item, Result>; calls: number }>();
	return async (item) => {
		const name = nameOf(item);
		const one = named.get(name) ?? {
			gather: createGather<Item, Result>((items) => inTurn(() => run(items)), { ...each, runsMax: 1 }),
			calls: 0,
		};
		named.set(name, one);
		one.calls++;
		try {
			return await one.gather(item);
		} finally {
			if (--one.calls === 0) named.delete(name);
		}
	};
}

/** So many works at a time, who comes first goes first; one that takes longer no longer counts, unless too many do not. */
function createTurns(most: number, countedMs: number, uncountedMax: number): <T>(work: () => Promise<T>) => Promise<T> {
	const waiting: (() => void)[] = [];
	let free = most;
	let uncounted = 0;
	const leave = () => {
		const next = waiting.shift();
		if (next) next();
		else free++;
	};
	return async (work) => {
		if (free > 0) free--;
		else await new Promise<void>((go) => waiting.push(go));
		let isCounted = true;
		const giveUp = () => {
			if (uncounted >= uncountedMax) {
				timer = setTimeout(giveUp, countedMs);
				return;
			}
			isCounted = false;
			uncounted++;
			leave();
		};
		let timer = setTimeout(giveUp, countedMs);
		try {
			return await work();
		} finally {
			clearTimeout(timer);
			if (isCounted) leave();
			else uncounted--;
		}
	};
}
