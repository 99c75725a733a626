/** Limits how much work runs at the same time. */
type Release = () => void;

type Semaphore = {
	/** Waits in line for a permit. The function that it returns gives the permit back; calling it again does nothing. */
	readonly acquire: () => Promise<Release>;
	/** Waits for a permit, does the work and gives the permit back. */
	readonly run: <T>(work: () => Promise<T>) => Promise<T>;
};

export function createSemaphore(permits: number): Semaphore {
	const waiting: (() => void)[] = [];
	let free = permits;
	// A released permit goes straight to the first in line, so a newcomer cannot overtake it.
	const release = () => {
		const next = waiting.shift();
		if (next) next();
		else free++;
	};
	const acquire = async (): Promise<Release> => {
		if (free > 0) free--;
		else await new Promise<void>((resolve) => waiting.push(resolve));
		return once(release);
	};
	return {
		acquire,
		async run(work) {
			const give = await acquire();
			try {
				return await work();
			} finally {
				give();
			}
		},
	};
}

type KeyedSemaphore = {
	/** A permit for the key, or undefined when all are taken. The function returned gives it back; calling it again does nothing. */
	readonly tryAcquire: (key: string) => Release | undefined;
};

/** Permits that are limited for each key, and in total where `max` is given. Nothing waits: a caller that gets none is refused. */
export function createKeyedSemaphore({
	maxPerKey,
	max = Number.POSITIVE_INFINITY,
}: {
	maxPerKey: number;
	max?: number;
}): KeyedSemaphore {
	const takenByKey = new Map<string, number>();
	let taken = 0;
	return {
		tryAcquire(key) {
			const own = takenByKey.get(key) ?? 0;
			if (taken >= max || own >= maxPerKey) return undefined;
			taken++;
			takenByKey.set(key, own + 1);
			return once(() => {
				taken--;
				const left = (takenByKey.get(key) ?? 1) - 1;
				if (left > 0) takenByKey.set(key, left);
				else takenByKey.delete(key);
			});
		},
	};
}

/**
 * Lets slow work give its permit back before it ends, so that it does not block quick work. At most `max` pieces of slow work run without a
 * permit; a further one keeps its permit until one of them ends, and the slowest gives its permit back first.
 */
export function createEarlyRelease({ afterMs, max }: { readonly afterMs: number; readonly max: number }) {
	let withoutPermit = 0;
	const keeping = new Set<() => void>();
	/** Watches work that has just started. Call the function that it returns when the work has ended. */
	return (release: Release): (() => void) => {
		let isEarly = false;
		const releaseEarly = () => {
			withoutPermit++;
			isEarly = true;
			release();
		};
		const timer = setTimeout(() => {
			if (withoutPermit >= max) keeping.add(releaseEarly);
			else releaseEarly();
		}, afterMs);
		return () => {
			clearTimeout(timer);
			keeping.delete(releaseEarly);
			if (!isEarly) return release();
			withoutPermit--;
			const [slowest] = keeping;
			if (!slowest) return;
			keeping.delete(slowest);
			slowest();
		};
	};
}

/** Gives other work of the thread its turn when `everyMs` have passed since the last one: await it between pieces of long work. */
export function createTurns(everyMs: number): () => Promise<void> {
	let since = performance.now();
	return async () => {
		if (performance.now() - since < everyMs) return;
		await new Promise(setImmediate);
		since = performance.now();
	};
}

function once(release: Release): Release {
	let isReleased = false;
	return () => {
		if (isReleased) return;
		isReleased = true;
		release();
	};
}
