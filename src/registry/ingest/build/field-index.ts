/** Builds the sections of one text field. Source: format.ts. */
import { EXTRA_WORD, markCold, RANK_LENGTH_MAX, rankKeyOf, WORD_BITS } from "../../index/index";
import type { FoldedValues } from "./names";
import { sortByGroup, sortSequences, startsOf } from "./sort";

export type Rows = {
	/** Row → its folded value. */
	readonly values: Uint32Array;
	readonly isActive: Uint8Array;
	readonly traits: Uint16Array;
};

export type FieldSections = {
	readonly rows: Uint32Array;
	readonly "rank-keys": Uint32Array;
	readonly "rank-starts": Uint32Array;
	readonly traits: Uint16Array;
	readonly "word-starts": Uint32Array;
	readonly words: Uint32Array;
	readonly "dictionary-starts": Uint32Array;
	readonly dictionary: Uint8Array;
	readonly "posting-starts": Uint32Array;
	readonly postings: Uint32Array;
	readonly "by-value": Uint32Array;
};

export function buildField(folded: FoldedValues, { values, isActive, traits }: Rows): FieldSections {
	const { rows, positions, rankKeys, rankStarts } = rankRows(folded.lengths, values, isActive);
	const { places, ...all } = sortDictionary(folded.dictionary);
	const wordStarts = placeLengths(folded.starts, values, positions);
	const words = placeWords(folded, values, positions, wordStarts, places);
	const allCounts = countHolders(wordStarts, words, places.length);
	const byValue = sortValues(folded, values, rows, places) ?? sortSequences(wordStarts, words, places.length);
	const { dictionary, counts } = dropUnheld(all, allCounts, words);
	return {
		rows,
		"rank-keys": rankKeys,
		"rank-starts": rankStarts,
		traits: placeTraits(traits, positions),
		"word-starts": wordStarts,
		words,
		"dictionary-starts": dictionary.starts,
		dictionary: dictionary.bytes,
		...listPostings(wordStarts, words, counts),
		"by-value": byValue,
	};
}

// The next three functions loop over rows, not positions: rows of one rank are written sequentially, so writing jumps less than reading
// would. Each loop has a function of its own, because the runtime compiles a long-running function as a whole, once for each of its loops.

function placeTraits(traits: Uint16Array, positions: Uint32Array): Uint16Array {
	const placed = new Uint16Array(positions.length);
	for (let row = 0; row < positions.length; row++) placed[positions[row] ?? 0] = traits[row] ?? 0;
	return placed;
}

/** Position → where its words start; one more element closes the last. */
function placeLengths(starts: Uint32Array, values: Uint32Array, positions: Uint32Array): Uint32Array {
	const placed = new Uint32Array(positions.length + 1);
	for (let row = 0; row < positions.length; row++) {
		const value = values[row] ?? 0;
		placed[positions[row] ?? 0] = (starts[value + 1] ?? 0) - (starts[value] ?? 0);
	}
	startsOf(placed);
	return placed;
}

function placeWords(
	{ starts, words }: FoldedValues,
	values: Uint32Array,
	positions: Uint32Array,
	wordStarts: Uint32Array,
	places: Uint32Array,
): Uint32Array {
	const placed = new Uint32Array(wordStarts[positions.length] ?? 0);
	for (let row = 0; row < positions.length; row++) {
		const value = values[row] ?? 0;
		const stop = starts[value + 1] ?? 0;
		let at = wordStarts[positions[row] ?? 0] ?? 0;
		for (let i = starts[value] ?? 0; i < stop; i++) {
			const word = words[i] ?? 0;
			placed[at++] = (places[word & WORD_BITS] ?? 0) | (word & EXTRA_WORD);
		}
	}
	return placed;
}

/** Average number of rows per value from which the values are sorted instead of the rows. */
const ROWS_OF_SHARED = 4;

/** The positions sorted by value, if many rows share one; otherwise undefined. */
function sortValues(
	{ starts, words }: FoldedValues,
	values: Uint32Array,
	rows: Uint32Array,
	places: Uint32Array,
): Uint32Array | undefined {
	const count = starts.length - 1;
	if (count * ROWS_OF_SHARED > rows.length) return undefined;
	const sequences = words.map((word) => (places[word & WORD_BITS] ?? 0) | (word & EXTRA_WORD));
	const wordAt = (i: number, end: number) => (i < end ? (sequences[i] ?? 0) : EXTRA_WORD);
	const sorted = sortSequences(starts, sequences, places.length);
	// Value → its rank; 0 for empty values. Different texts may fold to one value.
	const ranks = new Uint32Array(count);
	const isEqual = (a: number, b: number) => {
		const shift = (starts[b] ?? 0) - (starts[a] ?? 0);
		for (let i = starts[a] ?? 0; ; i++) {
			const word = wordAt(i, starts[a + 1] ?? 0);
			const other = wordAt(i + shift, starts[b + 1] ?? 0);
			if (word >= EXTRA_WORD || other >= EXTRA_WORD) return word >= EXTRA_WORD && other >= EXTRA_WORD;
			if (word !== other) return false;
		}
	};
	let rank = 0;
	sorted.forEach((value, i) => {
		if (i === 0 || !isEqual(sorted[i - 1] ?? 0, value)) rank++;
		ranks[value] = rank;
	});
	const { places: placed, starts: rankStarts } = sortByGroup(listRanks(ranks, values, rows), rank + 1);
	const byValue = invert(placed);
	return byValue.subarray(rankStarts[1] ?? byValue.length);
}

function listRanks(ranks: Uint32Array, values: Uint32Array, rows: Uint32Array): Uint32Array {
	const listed = new Uint32Array(rows.length);
	for (let position = 0; position < rows.length; position++) {
		listed[position] = ranks[values[rows[position] ?? 0] ?? 0] ?? 0;
	}
	return listed;
}

function rankRows(lengths: Uint32Array, values: Uint32Array, isActive: Uint8Array) {
	const ranks = new Uint32Array(values.length);
	for (let row = 0; row < values.length; row++) {
		ranks[row] = rankKeyOf(isActive[row] === 1, lengths[values[row] ?? 0] ?? 0);
	}
	const { places: positions, starts } = sortByGroup(ranks, 2 * (RANK_LENGTH_MAX + 1));
	const rankKeys: number[] = [];
	const rankStarts: number[] = [];
	for (let key = 0; key < starts.length; key++) {
		if (starts[key] === (starts[key + 1] ?? ranks.length)) continue;
		rankKeys.push(key);
		rankStarts.push(starts[key] ?? 0);
	}
	return {
		rows: invert(positions),
		positions,
		rankKeys: Uint32Array.from(rankKeys),
		rankStarts: Uint32Array.from([...rankStarts, ranks.length]),
	};
}

function invert(places: Uint32Array): Uint32Array {
	const inverse = new Uint32Array(places.length);
	for (let i = 0; i < places.length; i++) inverse[places[i] ?? 0] = i;
	return inverse;
}

/** Words one after another; one more start closes the last. */
type Words = { readonly bytes: Uint8Array; readonly starts: Uint32Array };

/** The words sorted by their bytes, and the place of each dictionary number in that order. */
function sortDictionary({ bytes, starts }: Words): Words & { readonly places: Uint32Array } {
	const count = starts.length - 1;
	const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
	// Strings of one byte per letter sort like the bytes, and far faster than buffers compare.
	const texts = Array.from({ length: count }, (_, id) => all.toString("latin1", starts[id], starts[id + 1]));
	const ids = texts.map((_, id) => id);
	ids.sort((a, b) => ((texts[a] ?? "") < (texts[b] ?? "") ? -1 : 1));
	const places = new Uint32Array(count);
	ids.forEach((id, place) => {
		places[id] = place;
	});
	return { ...pickWords({ bytes, starts }, ids), places };
}

function pickWords({ bytes, starts }: Words, ids: readonly number[]): Words {
	const picked = new Uint8Array(bytes.length);
	const pickedStarts = new Uint32Array(ids.length + 1);
	let end = 0;
	ids.forEach((id, i) => {
		const stop = starts[id + 1] ?? 0;
		for (let at = starts[id] ?? 0; at < stop; at++) picked[end++] = bytes[at] ?? 0;
		pickedStarts[i + 1] = end;
	});
	return { bytes: picked.subarray(0, end), starts: pickedStarts };
}

/**
 * Drops words that no value holds, and renumbers `words`. Records that did not become rows were folded too, and an erased entry must leave
 * no word behind.
 */
function dropUnheld(all: Words, counts: Uint32Array, words: Uint32Array) {
	const held: number[] = [];
	for (let word = 0; word < counts.length - 1; word++) if (counts[word] !== 0) held.push(word);
	if (held.length === counts.length - 1) return { dictionary: all, counts };
	const numbers = new Uint32Array(counts.length);
	const heldCounts = new Uint32Array(held.length + 1);
	held.forEach((word, number) => {
		numbers[word] = number;
		heldCounts[number] = counts[word] ?? 0;
	});
	for (let i = 0; i < words.length; i++) {
		const word = words[i] ?? 0;
		words[i] = (numbers[word & WORD_BITS] ?? 0) | (word & EXTRA_WORD);
	}
	return { dictionary: pickWords(all, held), counts: heldCounts };
}

function listPostings(wordStarts: Uint32Array, words: Uint32Array, counts: Uint32Array) {
	const postings = new Uint32Array(startsOf(counts));
	fillPostings(wordStarts, words, counts.slice(), postings);
	return { "posting-starts": counts, postings };
}

/** Word → the number of values that hold it, and one more element. */
function countHolders(wordStarts: Uint32Array, words: Uint32Array, vocabulary: number): Uint32Array {
	const counts = new Uint32Array(vocabulary + 1);
	// The position where a word was last seen, plus one: a word that occurs twice in a value is listed once.
	const noted = new Uint32Array(vocabulary);
	for (let position = 1; position < wordStarts.length; position++) {
		const stop = wordStarts[position] ?? 0;
		for (let i = wordStarts[position - 1] ?? 0; i < stop; i++) {
			const word = (words[i] ?? 0) & WORD_BITS;
			if (noted[word] === position) continue;
			noted[word] = position;
			counts[word] = (counts[word] ?? 0) + 1;
		}
	}
	return counts;
}

function fillPostings(wordStarts: Uint32Array, words: Uint32Array, ends: Uint32Array, postings: Uint32Array): void {
	const noted = new Uint32Array(ends.length);
	for (let position = 1; position < wordStarts.length; position++) {
		const stop = wordStarts[position] ?? 0;
		for (let i = wordStarts[position - 1] ?? 0; i < stop; i++) {
			const word = (words[i] ?? 0) & WORD_BITS;
			if (noted[word] === position) continue;
			noted[word] = position;
			const place = ends[word] ?? 0;
			ends[word] = place + 1;
			postings[place] = position - 1;
		}
	}
}

markCold(
	placeTraits,
	placeLengths,
	placeWords,
	sortValues,
	listRanks,
	rankRows,
	invert,
	sortDictionary,
	countHolders,
	fillPostings,
);
