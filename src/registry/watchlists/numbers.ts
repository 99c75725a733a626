/**
 * The numbers of a watchlist: ascending keys of documents, stored as the gaps between them in groups of seven bits, least first. A list of
 * 100,000 takes 200 to 300 KB. The references stand beside it as lines.
 */

export type Watched = { readonly key: number; readonly reference: string };

export function packNumbers(keys: readonly number[]): Uint8Array {
	const bytes: number[] = [];
	let before = 0;
	for (const key of keys) {
		let gap = key - before;
		before = key;
		for (; gap >= 128; gap = Math.floor(gap / 128)) bytes.push((gap % 128) + 128);
		bytes.push(gap);
	}
	return Uint8Array.from(bytes);
}

export function* unpackNumbers(bytes: Uint8Array): Generator<number, void, void> {
	let key = 0;
	let gap = 0;
	let weight = 1;
	for (const byte of bytes) {
		gap += (byte & 127) * weight;
		weight *= 128;
		if (byte >= 128) continue;
		key += gap;
		yield key;
		gap = 0;
		weight = 1;
	}
}

type Packed = { readonly numbers: Uint8Array; readonly labels: string };

/** Sorts and packs; of equal numbers the last stays. */
export function packWatched(watched: Iterable<Watched>): Packed & { readonly count: number } {
	const byKey = new Map<number, string>();
	for (const { key, reference } of watched) byKey.set(key, reference);
	const keys = [...byKey.keys()].sort((a, b) => a - b);
	const references = keys.map((key) => byKey.get(key) ?? "");
	const labels = references.some((reference) => reference !== "") ? references.join("\n") : "";
	return { numbers: packNumbers(keys), labels, count: keys.length };
}

export function unpackWatched({ numbers, labels }: Packed): Watched[] {
	const references = labels === "" ? [] : labels.split("\n");
	return Array.from(unpackNumbers(numbers), (key, i) => ({ key, reference: references[i] ?? "" }));
}

/** The places of numbers that are in both a list and ascending `keys`: [place in the list, place in `keys`]. */
export function joinNumbers(numbers: Uint8Array, keys: Float64Array): [number, number][] {
	const common: [number, number][] = [];
	let [key, gap, weight, place, at] = [0, 0, 1, 0, 0];
	for (let i = 0; i < numbers.length && at < keys.length; i++) {
		const byte = numbers[i] ?? 0;
		gap += (byte & 127) * weight;
		weight *= 128;
		if (byte >= 128) continue;
		key += gap;
		gap = 0;
		weight = 1;
		while ((keys[at] ?? Number.POSITIVE_INFINITY) < key) at++;
		if (keys[at] === key) common.push([place, at]);
		place++;
	}
	return common;
}
