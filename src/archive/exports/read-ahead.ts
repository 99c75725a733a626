/** Reads items in their order, a few at a time before they are asked for. What fails is told when its turn comes. */
export async function* readAhead<T, R>(
	items: readonly T[],
	max: number,
	read: (item: T) => Promise<R>,
): AsyncGenerator<readonly [T, R]> {
	// What was given away is not held any longer.
	const begun: Promise<R>[] = [];
	let next = 0;
	const begin = () => {
		const item = items[next];
		if (item === undefined) return;
		next++;
		const reading = read(item);
		// Nobody may come to its turn when another has failed before.
		reading.catch(() => undefined);
		begun.push(reading);
	};
	while (begun.length < Math.min(max, items.length)) begin();
	for (const [n, item] of items.entries()) {
		const reading = begun.shift();
		if (!reading) throw new Error(`item ${n} was not begun`);
		yield [item, await reading];
		begin();
	}
}
