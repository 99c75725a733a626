/** Whole values against a whole query, told by their words alone. */
import type { QueryWord } from "./dictionary";
import type { FieldIndex } from "./open";

/** Places in `by-value`: equal values stand in `[from … equalTo)`, longer ones that begin alike in `[equalTo … to)`. */
export type ValueRange = { readonly from: number; readonly equalTo: number; readonly to: number };

const NONE: ValueRange = { from: 0, equalTo: 0, to: 0 };

/** The values that begin with the query: all words but the last one whole, the last one begun. */
export function findValues(field: FieldIndex, words: readonly QueryWord[]): ValueRange {
	const last = words.at(-1);
	if (!last || last.from === last.to) return NONE;
	const whole: number[] = [];
	for (const { exact } of words.slice(0, -1)) {
		if (exact === undefined) return NONE;
		whole.push(exact);
	}
	const from = countBefore(field, [...whole, last.from], 0, field.byValue.length);
	const to = countBefore(field, [...whole, last.to], from, field.byValue.length);
	const equalTo = last.exact === undefined ? from : countBefore(field, [...whole, last.exact, 0], from, to);
	return { from, equalTo, to };
}

/** How many values stand before this sequence of words, which is no fewer than `least` and no more than `most`. */
function countBefore(field: FieldIndex, sequence: readonly number[], least: number, most: number): number {
	let low = least;
	let high = most;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (isBefore(field, field.byValue[middle] ?? 0, sequence)) low = middle + 1;
		else high = middle;
	}
	return low;
}

function isBefore({ words, wordStarts }: FieldIndex, position: number, sequence: readonly number[]): boolean {
	const start = wordStarts[position] ?? 0;
	const length = (wordStarts[position + 1] ?? 0) - start;
	for (let i = 0; i < sequence.length; i++) {
		if (i >= length) return true;
		const difference = (words[start + i] ?? 0) - (sequence[i] ?? 0);
		if (difference !== 0) return difference < 0;
	}
	return false;
}

/** Whether the value begins with the query or equals it. */
export function beginsWith({ words, wordStarts }: FieldIndex, position: number, query: readonly QueryWord[]): boolean {
	const start = wordStarts[position] ?? 0;
	const last = query.length - 1;
	if ((wordStarts[position + 1] ?? 0) - start <= last) return false;
	for (let i = 0; i < last; i++) if (words[start + i] !== query[i]?.exact) return false;
	const word = words[start + last] ?? 0;
	const range = query[last];
	return range !== undefined && word >= range.from && word < range.to;
}

/** Whether a value that begins with the query is the query. */
export function isEqual({ words, wordStarts }: FieldIndex, position: number, query: readonly QueryWord[]): boolean {
	const start = wordStarts[position] ?? 0;
	const isAsLong = (wordStarts[position + 1] ?? 0) - start === query.length;
	return isAsLong && words[start + query.length - 1] === query.at(-1)?.exact;
}
