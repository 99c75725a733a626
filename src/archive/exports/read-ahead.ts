/** Reads items in their order, a few at a time before they are asked for. What fails is told when its turn comes. */
export async function* readAhead<T, R>(
	items: readonly T[],
	max: number,
	read: (item: T) => Promise<R>,
): AsyncGenerator<readonly [T, R]> {
	const begun: Promise<R>[] = [];
	const begin = () => {
		const item = items[begun.length];
		if (item === undefined) return;
		const reading = read(item);
		// Nobody may come to its turn when another has failed before.
		reading.catch(() => undefined);
		begun.push(reading);
	};
	while (begun.length < Math.min(max, items.length)) begin();
	for (const [n, item] of items.entries()) {
		const reading = begun[n];
		if (!reading) throw new Error(`item ${n} was not begun`);
		yield [item, await reading];
		begin();
	}
}
