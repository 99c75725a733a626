/**
 * One searchable text field of a snapshot.
 *
 *   rows        0 … n-1, ascending by document number
 *   values      row → folded value
 *   order       position → row; position 0 is the best hit as far as the query does not matter:
 *               active status first, then the shorter value, then the document number
 *   rankKeys    position → the number that `order` was sorted by
 *   words       distinct words of all values, sorted
 *   starts      word → where its positions begin in `positions`; one more element closes the last
 *   positions   for each word the ascending positions of the rows that hold it
 *
 * A query word is a prefix, so it is a range of `words`; the rows that hold it are the union of that range's positions. As
 * positions ascend by rank, walking the matches in order yields them best first.
 */
import { breathe } from "./breathe";

export type TextIndex = {
	readonly values: string[];
	readonly order: Uint32Array;
	readonly rankKeys: Float64Array;
	readonly words: readonly string[];
	readonly starts: Uint32Array;
	readonly positions: Uint32Array;
};

export type RankedText = { readonly folded: string; readonly active: boolean };

/** Bounds of the parts of a rank key, which must stay an exact integer: 1 + 16 + 28 bits of 53. */
const LENGTHS = 2 ** 16;
const ROWS = 2 ** 28;

/** The static rank of a value as one number: ascending is better first. */
export function rankKey(active: boolean, length: number, row: number): number {
	return ((active ? 0 : LENGTHS) + Math.min(length, LENGTHS - 1)) * ROWS + row;
}

/** Builds the index; `textOf` gives the folded value and status of each row. */
export async function buildTextIndex(count: number, textOf: (row: number) => RankedText): Promise<TextIndex> {
	if (count > ROWS) throw new RangeError(`expected at most ${ROWS} rows, got ${count}`);
	const values: string[] = new Array(count);
	const rankKeys = new Float64Array(count);
	for (let row = 0; row < count; row++) {
		const { folded, active } = textOf(row);
		values[row] = folded;
		rankKeys[row] = rankKey(active, folded.length, row);
		if (row % 20_000 === 0) await breathe();
	}
	rankKeys.sort();
	const order = Uint32Array.from(rankKeys, (key) => key % ROWS);
	return { values, order, rankKeys, ...(await indexWords(values, order)) };
}

async function indexWords(values: readonly string[], order: Uint32Array) {
	const found = new Map<string, number[]>();
	for (let position = 0; position < order.length; position++) {
		const value = values[order[position] ?? 0] ?? "";
		for (const word of value.split(" ")) {
			if (word === "") continue;
			const positions = found.get(word);
			if (!positions) found.set(word, [position]);
			// A word that stands twice in one value is held once.
			else if (positions[positions.length - 1] !== position) positions.push(position);
		}
		if (position % 20_000 === 0) await breathe();
	}
	const words = [...found.keys()].sort();
	const starts = new Uint32Array(words.length + 1);
	let total = 0;
	for (const positions of found.values()) total += positions.length;
	const positions = new Uint32Array(total);
	let end = 0;
	words.forEach((word, i) => {
		const list = found.get(word) ?? [];
		positions.set(list, end);
		end += list.length;
		starts[i + 1] = end;
	});
	return { words, starts, positions };
}

/** The set of positions whose value has, for each query word, a word that begins with it; one bit a position. */
export function matchWords(index: TextIndex, queryWords: readonly string[]): Uint32Array {
	const size = Math.ceil(index.order.length / 32);
	let matches: Uint32Array | undefined;
	for (const prefix of dropImplied(queryWords)) {
		const bits = new Uint32Array(size);
		const from = index.starts[lowerBound(index.words, prefix)] ?? 0;
		const to = index.starts[endOfPrefix(index.words, prefix)] ?? 0;
		for (let i = from; i < to; i++) {
			const position = index.positions[i] ?? 0;
			bits[position >>> 5] = (bits[position >>> 5] ?? 0) | (1 << (position & 31));
		}
		if (matches) for (let i = 0; i < size; i++) bits[i] = (bits[i] ?? 0) & (matches[i] ?? 0);
		matches = bits;
	}
	return matches ?? new Uint32Array(size);
}

/** A word that begins another query word is implied by it. What remains has ranges that do not overlap, which bounds the work. */
function dropImplied(queryWords: readonly string[]): string[] {
	const distinct = [...new Set(queryWords)];
	return distinct.filter((word) => !distinct.some((other) => other !== word && other.startsWith(word)));
}

/** The first place in a sorted list that holds `text` or something after it. */
export function lowerBound(sorted: readonly string[], text: string): number {
	let low = 0;
	let high = sorted.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((sorted[middle] ?? "") < text) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** The first place in a sorted list behind everything that begins with `prefix`. */
export function endOfPrefix(sorted: readonly string[], prefix: string): number {
	let low = lowerBound(sorted, prefix);
	let high = sorted.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((sorted[middle] ?? "").startsWith(prefix)) low = middle + 1;
		else high = middle;
	}
	return low;
}
