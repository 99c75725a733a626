/** Builds the sections of one text field; format.ts tells what they hold. */
import type { ByteDictionary } from "./byte-dictionary";
import { RANK_LENGTH_MAX, rankKeyOf } from "./format";
import { sortSequences, startsOf } from "./sort";

/** The folded values of a field in the order of rows. */
export type FoldedValues = {
	/** Row → where its words begin; one more element closes the last. */
	readonly starts: Uint32Array;
	/** As numbers of the dictionary. */
	readonly words: Uint32Array;
	/** Row → length of the folded value. Units: UTF-16 code units. */
	readonly lengths: Uint32Array;
	readonly dictionary: ByteDictionary;
};

/** What a search filters by. */
export type RowTraits = { readonly isActive: Uint8Array; readonly traits: Uint16Array };

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

export function buildField(values: FoldedValues, { isActive, traits }: RowTraits): FieldSections {
	const { rows, rankKeys, rankStarts } = rankRows(values.lengths, isActive);
	const dictionary = sortDictionary(values.dictionary);
	const wordStarts = new Uint32Array(rows.length + 1);
	const words = new Uint32Array(values.words.length);
	const traitsByPosition = new Uint16Array(rows.length);
	let end = 0;
	for (let position = 0; position < rows.length; position++) {
		const row = rows[position] ?? 0;
		traitsByPosition[position] = traits[row] ?? 0;
		const stop = values.starts[row + 1] ?? 0;
		for (let i = values.starts[row] ?? 0; i < stop; i++) words[end++] = dictionary.places[values.words[i] ?? 0] ?? 0;
		wordStarts[position + 1] = end;
	}
	const vocabulary = dictionary.starts.length - 1;
	return {
		rows,
		"rank-keys": rankKeys,
		"rank-starts": rankStarts,
		traits: traitsByPosition,
		"word-starts": wordStarts,
		words,
		"dictionary-starts": dictionary.starts,
		dictionary: dictionary.bytes,
		...listPostings(wordStarts, words, vocabulary),
		"by-value": sortSequences(wordStarts, words, vocabulary),
	};
}

function rankRows(lengths: Uint32Array, isActive: Uint8Array) {
	const rankOf = (row: number) => rankKeyOf(isActive[row] === 1, lengths[row] ?? 0);
	const places = new Uint32Array(2 * (RANK_LENGTH_MAX + 1));
	for (let row = 0; row < lengths.length; row++) places[rankOf(row)] = (places[rankOf(row)] ?? 0) + 1;
	const rankKeys: number[] = [];
	for (let key = 0; key < places.length; key++) if (places[key] !== 0) rankKeys.push(key);
	startsOf(places);
	const rankStarts = Uint32Array.from([...rankKeys.map((key) => places[key] ?? 0), lengths.length]);
	const rows = new Uint32Array(lengths.length);
	for (let row = 0; row < lengths.length; row++) {
		const key = rankOf(row);
		const place = places[key] ?? 0;
		places[key] = place + 1;
		rows[place] = row;
	}
	return { rows, rankKeys: Uint32Array.from(rankKeys), rankStarts };
}

/** The dictionary's words sorted by their bytes, and for each of its numbers the place in that order. */
function sortDictionary(dictionary: ByteDictionary) {
	const { bytes, starts } = dictionary.content();
	const count = dictionary.size();
	const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
	// Text of one byte a letter sorts as the bytes do, and far faster than buffers compare.
	const texts = Array.from({ length: count }, (_, id) => all.toString("latin1", starts[id], starts[id + 1]));
	const ids = texts.map((_, id) => id);
	ids.sort((a, b) => ((texts[a] ?? "") < (texts[b] ?? "") ? -1 : 1));
	const places = new Uint32Array(count);
	const sortedStarts = new Uint32Array(count + 1);
	const sorted = new Uint8Array(bytes.length);
	let end = 0;
	ids.forEach((id, place) => {
		places[id] = place;
		sorted.set(bytes.subarray(starts[id], starts[id + 1]), end);
		end += (starts[id + 1] ?? 0) - (starts[id] ?? 0);
		sortedStarts[place + 1] = end;
	});
	return { bytes: sorted, starts: sortedStarts, places };
}

function listPostings(wordStarts: Uint32Array, words: Uint32Array, vocabulary: number) {
	const count = wordStarts.length - 1;
	const starts = new Uint32Array(vocabulary + 1);
	// The position that a word was last noted at, plus one: a word that stands twice in a value is listed once.
	const noted = new Uint32Array(vocabulary);
	for (let position = 0; position < count; position++) {
		const stop = wordStarts[position + 1] ?? 0;
		for (let i = wordStarts[position] ?? 0; i < stop; i++) {
			const word = words[i] ?? 0;
			if (noted[word] === position + 1) continue;
			noted[word] = position + 1;
			starts[word] = (starts[word] ?? 0) + 1;
		}
	}
	const postings = new Uint32Array(startsOf(starts));
	const ends = starts.slice();
	noted.fill(0);
	for (let position = 0; position < count; position++) {
		const stop = wordStarts[position + 1] ?? 0;
		for (let i = wordStarts[position] ?? 0; i < stop; i++) {
			const word = words[i] ?? 0;
			if (noted[word] === position + 1) continue;
			noted[word] = position + 1;
			const place = ends[word] ?? 0;
			ends[word] = place + 1;
			postings[place] = position;
		}
	}
	return { "posting-starts": starts, postings };
}
