/** Work that must not overlap within this process, one piece after another in the order it was asked for. */
export type Turns = {
	readonly take: <T>(work: () => Promise<T>) => Promise<T>;
	/** Settles when nothing is left to do. */
	readonly idle: () => Promise<void>;
};

export function createTurns(): Turns {
	let last: Promise<unknown> = Promise.resolve();
	return {
		take: (work) => {
			const mine = last.then(work);
			// A failure is told to the one who asked, not to those who come after.
			last = mine.catch(() => undefined);
			return mine;
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
