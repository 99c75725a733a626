/** Does something with each of many things, so many of them at a time. */
export async function eachAtOnce<T>(
	items: readonly T[],
	atOnceMax: number,
	work: (item: T) => Promise<void>,
): Promise<void> {
	const waiting = items.values();
	const workers = Array.from({ length: Math.min(atOnceMax, items.length) }, async () => {
		for (const item of waiting) await work(item);
	});
	await Promise.all(workers);
}

/** Things in packs of so many, the last one smaller. */
export async function* inPacks<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
	let pack: T[] = [];
	for await (const item of items) {
		pack.push(item);
		if (pack.length < size) continue;
		yield pack;
		pack = [];
	}
	if (pack.length > 0) yield pack;
}
