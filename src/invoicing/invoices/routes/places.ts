/** Work of which so many pieces may run at once in this process; the others wait their turn. */
export type Places = { readonly take: <T>(work: () => Promise<T>) => Promise<T> };

export function createPlaces(max: number): Places {
	const waiting: (() => void)[] = [];
	let free = max;
	return {
		async take(work) {
			if (free > 0) free--;
			else await new Promise<void>((go) => waiting.push(go));
			try {
				return await work();
			} finally {
				// A place goes from hand to hand: whoever comes meanwhile does not get in before those who wait.
				const next = waiting.shift();
				if (next) next();
				else free++;
			}
		},
	};
}
