import { type Batcher, type BatcherOptions, createBatcher } from "../concurrency";
import { isConnectionFailure, isRolledBackRace, violatedConstraint } from "./failure";

type Written<Result> = { readonly result: Result } | { readonly error: unknown };

/**
 * Batches writes into one transaction. Two items with the same name never share a transaction. When a transaction is rolled back, each of
 * its items is written alone, so that only the item that cannot be written fails. After a lost connection nothing is tried again, since the
 * transaction may have been committed: all its items fail.
 */
export function createWriteBatcher<Item, Result>(
	write: (items: readonly Item[]) => Promise<readonly Result[]>,
	nameOf: (item: Item) => string,
	options: BatcherOptions<Item>,
): Batcher<Item, Result> {
	const writeAlone = async (item: Item, triesMax = 2): Promise<Written<Result>> => {
		try {
			const [result] = await write([item]);
			return { result: result as Result };
		} catch (error) {
			const lostRace = isRolledBackRace(error) || violatedConstraint(error) !== undefined;
			return lostRace && triesMax > 1 ? writeAlone(item, triesMax - 1) : { error };
		}
	};
	async function writeTogether(items: readonly Item[]): Promise<Written<Result>[]> {
		if (items.length === 1) return Promise.all(items.map((item) => writeAlone(item)));
		try {
			return (await write(items)).map((result) => ({ result }));
		} catch (error) {
			if (isConnectionFailure(error)) throw error;
			const written: Written<Result>[] = [];
			for (const item of items) written.push(await writeAlone(item));
			return written;
		}
	}
	const batch = createBatcher(async (items: readonly Item[]) => {
		const written = new Map<Item, Written<Result>>();
		for (let left = [...items]; left.length > 0; ) {
			const names = new Set<string>();
			const distinct = left.filter((item) => !names.has(nameOf(item)) && names.add(nameOf(item)));
			const results = await writeTogether(distinct);
			for (const [i, item] of distinct.entries()) written.set(item, results[i] as Written<Result>);
			left = left.filter((item) => !written.has(item));
		}
		return items.map((item) => written.get(item) as Written<Result>);
	}, options);
	return async (item) => {
		const written = await batch(item);
		if ("error" in written) throw written.error;
		return written.result;
	};
}
