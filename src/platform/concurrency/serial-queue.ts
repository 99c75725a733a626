import { withTimeout } from "./with-timeout";

/** Runs work one piece after another, in the order in which it was added. */
export type SerialQueue = {
	readonly run: <T>(work: () => Promise<T>) => Promise<T>;
	/** Resolves when nothing is left to do. */
	readonly idle: () => Promise<void>;
};

export function createSerialQueue(): SerialQueue {
	let last: Promise<unknown> = Promise.resolve();
	return {
		run: (work) => {
			const own = last.then(work);
			// The caller of `run` gets the failure; later work is not affected.
			last = own.catch(() => undefined);
			return own;
		},
		idle: async () => {
			let seen: Promise<unknown> | undefined;
			while (seen !== last) {
				seen = last;
				await seen;
			}
		},
	};
}

/** Runs one piece of work per key at a time. Work of different keys runs side by side. */
export type KeyedQueue = {
	/** Throws: what `onTimeout` returns when the wait for the key gets too long; the work then does not run. */
	readonly run: <T>(key: string, work: () => Promise<T>) => Promise<T>;
};

export function createKeyedQueue(waitMaxMs: number, onTimeout: () => Error): KeyedQueue {
	const running = new Map<string, Promise<void>>();

	async function waitFor(current: Promise<void>, deadline: number): Promise<void> {
		const leftMs = deadline - performance.now();
		const isFree =
			leftMs > 0 &&
			(await withTimeout(
				current.then(() => true),
				leftMs,
				() => false,
			));
		if (!isFree) throw onTimeout();
	}

	return {
		async run(key, work) {
			const deadline = performance.now() + waitMaxMs;
			// Waiters wake one after another. Nothing is awaited between finding the key free and taking it, so only one of them gets it.
			for (let current = running.get(key); current; current = running.get(key)) await waitFor(current, deadline);
			const own = Promise.withResolvers<void>();
			running.set(key, own.promise);
			try {
				return await work();
			} finally {
				running.delete(key);
				own.resolve();
			}
		},
	};
}
