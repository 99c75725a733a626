/** Runs work on each item, at most `atOnceMax` at a time. */
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

/** Groups items into packs of a size; the last pack may be smaller. */
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
