/** The sorted words of a text field, and comparisons of its values by their words. */
import { EXTRA_WORD, WORD_BITS } from "./format";
import type { FieldIndex } from "./open";

export type WordRange = { readonly from: number; readonly to: number };

/** A word of a query, and the words of the field that start with it. */
export type QueryWord = WordRange & {
	readonly text: string;
	/** The field's word that equals the query's word. It is then the first of the range. */
	readonly exact: number | undefined;
};

export function findWords(field: FieldIndex, text: string): QueryWord {
	const bytes = Buffer.from(text);
	const from = countWords(field, bytes, 0);
	const to = countWords(field, bytes, 1);
	const length = (field.dictionaryStarts[from + 1] ?? 0) - (field.dictionaryStarts[from] ?? 0);
	return { text, from, to, exact: from < to && length === bytes.length ? from : undefined };
}

/** The number of values that hold a word of the range. A value with several of them counts once for each. */
export function countPostings(field: FieldIndex, { from, to }: WordRange): number {
	return (field.postingStarts[to] ?? 0) - (field.postingStarts[from] ?? 0);
}

/** The number of words before those that start with `prefix`; with `including` 1, up to the end of those. */
function countWords(field: FieldIndex, prefix: Uint8Array, including: 0 | 1): number {
	let low = 0;
	let high = field.dictionaryStarts.length - 1;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (compareStart(field, middle, prefix) < including) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Compares the word's first bytes with `prefix`: 0 if it starts with it, negative if it sorts before. */
function compareStart({ dictionary, dictionaryStarts }: FieldIndex, word: number, prefix: Uint8Array): number {
	const start = dictionaryStarts[word] ?? 0;
	const length = (dictionaryStarts[word + 1] ?? 0) - start;
	for (let i = 0; i < prefix.length; i++) {
		if (i >= length) return -1;
		const difference = (dictionary[start + i] ?? 0) - (prefix[i] ?? 0);
		if (difference !== 0) return difference;
	}
	return 0;
}

type CountedWord = { readonly word: string; readonly count: number };

export function listWords(field: FieldIndex): CountedWord[] {
	const bytes = Buffer.from(field.dictionary.buffer, field.dictionary.byteOffset, field.dictionary.length);
	return Array.from({ length: field.dictionaryStarts.length - 1 }, (_, word) => ({
		word: bytes.toString("utf8", field.dictionaryStarts[word], field.dictionaryStarts[word + 1]),
		count: countPostings(field, { from: word, to: word + 1 }),
	}));
}

/** Ranges in `by-value`: equal values in `[from … equalTo)`, longer ones with the same beginning in `[equalTo … to)`. */
export type ValueRange = { readonly from: number; readonly equalTo: number; readonly to: number };

const NONE: ValueRange = { from: 0, equalTo: 0, to: 0 };

/** The values that start with the query: all its words in full, except that the last one may be a prefix. */
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

/** The number of values that sort before this sequence of words, between `least` and `most`. */
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
		const word = i < length ? (words[start + i] ?? 0) : EXTRA_WORD;
		if (word >= EXTRA_WORD) return true;
		const difference = word - (sequence[i] ?? 0);
		if (difference !== 0) return difference < 0;
	}
	return false;
}

export function beginsWith({ words, wordStarts }: FieldIndex, position: number, query: readonly QueryWord[]): boolean {
	const start = wordStarts[position] ?? 0;
	const last = query.length - 1;
	if ((wordStarts[position + 1] ?? 0) - start <= last) return false;
	for (let i = 0; i < last; i++) if (words[start + i] !== query[i]?.exact) return false;
	const word = words[start + last] ?? 0;
	const range = query[last];
	return range !== undefined && word >= range.from && word < range.to;
}

export function isEqual({ words, wordStarts }: FieldIndex, position: number, query: readonly QueryWord[]): boolean {
	const end = (wordStarts[position] ?? 0) + query.length;
	const stop = wordStarts[position + 1] ?? 0;
	const isAsLong = end === stop || (end < stop && (words[end] ?? 0) >= EXTRA_WORD);
	return isAsLong && words[end - 1] === query.at(-1)?.exact;
}

export function holdsWord({ words, wordStarts }: FieldIndex, position: number, { from, to }: WordRange): boolean {
	const stop = wordStarts[position + 1] ?? 0;
	for (let i = wordStarts[position] ?? 0; i < stop; i++) {
		const word = (words[i] ?? 0) & WORD_BITS;
		if (word >= from && word < to) return true;
	}
	return false;
}

/** Whether the value has this word as an extra one: how a legal form is kept. */
export function hasExtra({ words, wordStarts }: FieldIndex, position: number, word: number): boolean {
	const first = wordStarts[position] ?? 0;
	for (let i = (wordStarts[position + 1] ?? 0) - 1; i >= first; i--) {
		const extra = (words[i] ?? 0) - EXTRA_WORD;
		if (extra === word) return true;
		if (extra < 0) return false;
	}
	return false;
}
