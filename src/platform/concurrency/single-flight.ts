/** Shares the result of work among all who ask for it at the same time. */
type SingleFlight<T> = {
	/** Runs the work, or joins the run of the same key that is under way. */
	readonly run: (key: string, work: () => Promise<T>) => Promise<T>;
	readonly current: (key: string) => Promise<T> | undefined;
};

export function createSingleFlight<T>(): SingleFlight<T> {
	const running = new Map<string, Promise<T>>();
	return {
		run(key, work) {
			const current = running.get(key);
			if (current) return current;
			const own = work().finally(() => running.delete(key));
			running.set(key, own);
			return own;
		},
		current: (key) => running.get(key),
	};
}

/** Runs the work at the first call and keeps its result for ever. A failed run is not kept: the next call tries again. */
export function memoize<T>(work: () => Promise<T>): () => Promise<T> {
	let kept: Promise<T> | undefined;
	return () => {
		kept ??= work().catch((error) => {
			kept = undefined;
			throw error;
		});
		return kept;
	};
}

/** Keeps each key's result for `keptMs`, counted from the start of its run. A failed run is not kept. */
export function memoizeFor<K, T>(keptMs: number, work: (key: K) => Promise<T>): (key: K) => Promise<T> {
	const kept = new Map<K, { readonly result: Promise<T>; readonly untilMs: number }>();
	return (key) => {
		const found = kept.get(key);
		if (found && performance.now() < found.untilMs) return found.result;
		const result = work(key).catch((error) => {
			kept.delete(key);
			throw error;
		});
		kept.set(key, { result, untilMs: performance.now() + keptMs });
		return result;
	};
}
