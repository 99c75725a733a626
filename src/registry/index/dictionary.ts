/** The sorted words of a text field. */
import type { FieldIndex } from "./open";

/** From the first word up to, not including, the second. */
export type WordRange = { readonly from: number; readonly to: number };

/** A word of a query and the words of the field that begin with it. */
export type QueryWord = WordRange & {
	readonly text: string;
	/** The field's word that is the query's whole one, which is then the first of the range. */
	readonly exact: number | undefined;
};

export function findWords(field: FieldIndex, text: string): QueryWord {
	const bytes = Buffer.from(text);
	const from = countWords(field, bytes, 0);
	const to = countWords(field, bytes, 1);
	const length = (field.dictionaryStarts[from + 1] ?? 0) - (field.dictionaryStarts[from] ?? 0);
	return { text, from, to, exact: from < to && length === bytes.length ? from : undefined };
}

/** How many values hold a word of the range; a value that holds several counts once for each. */
export function countPostings(field: FieldIndex, { from, to }: WordRange): number {
	return (field.postingStarts[to] ?? 0) - (field.postingStarts[from] ?? 0);
}

/** How many words stand before those that begin with `prefix`, or, with `including` 1, up to the end of those. */
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

/** The word's first bytes against `prefix`: 0 when it begins with it, negative when it stands before. */
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

/** A word of a field, and how many values hold it. */
type CountedWord = { readonly word: string; readonly count: number };

/** All distinct words of a field, sorted by their bytes. */
export function listWords(field: FieldIndex): CountedWord[] {
	const bytes = Buffer.from(field.dictionary.buffer, field.dictionary.byteOffset, field.dictionary.length);
	return Array.from({ length: field.dictionaryStarts.length - 1 }, (_, word) => ({
		word: bytes.toString("utf8", field.dictionaryStarts[word], field.dictionaryStarts[word + 1]),
		count: countPostings(field, { from: word, to: word + 1 }),
	}));
}
