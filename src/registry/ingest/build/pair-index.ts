/**
 * Builds the index of word pairs of a text field: which values hold two given words at once.
 *
 * A list for every two words would be too many lists. Neighbouring words of the dictionary therefore form groups: a frequent word has a
 * group of its own, rare ones share one. Every query word is a range of words and thus a few groups. Each two groups have one list. It may
 * hold extra values but misses none, so readers check the value's words.
 *
 *   name name SRL          groups:  … | COMERCIAL | COMIDA … CONDE | CONSTRUCTORA | …
 *   (COMERCIAL, PEREZ)  →  ascending positions of all values with a word of either group
 *
 * The pairs of a value grow with the square of its words. A value of very many words is therefore listed once, in the last list, which
 * belongs to every pair.
 */
import { cellCountOf, cellOf, markCold, WORD_BITS } from "../../index/index";
import { startsOf } from "./sort";

export type PairSections = {
	readonly "group-starts": Uint32Array;
	readonly "pair-starts": Uint32Array;
	readonly pairs: Uint32Array;
};

/** A group with this many postings is full. Fewer would make the lists more precise and their table larger. */
const GROUP_POSTINGS_MIN = 2_048;
/** Approximate maximum number of groups, because the table grows with their square. */
const GROUPS_ABOUT = 8_192;
const WORDS_MAX = 24;

/** Without pairs, a search for several words walks the rarest. */
export const NO_PAIRS: PairSections = {
	"group-starts": Uint32Array.of(0),
	"pair-starts": Uint32Array.of(0, 0),
	pairs: new Uint32Array(0),
};

/** `wordStarts` and `words` are the values by position; `postingStarts` gives the frequency of each word. */
export function buildPairs(wordStarts: Uint32Array, words: Uint32Array, postingStarts: Uint32Array): PairSections {
	const groupStarts = groupWords(postingStarts);
	const starts = new Uint32Array(cellCountOf(groupStarts.length - 1) + 1);
	const cells = new Uint32Array(countPairs(wordStarts));
	fillCells(cells, starts, wordStarts, words, groupStarts);
	startsOf(starts);
	return { "group-starts": groupStarts, "pair-starts": starts, pairs: placePositions(cells, starts, wordStarts) };
}

// Each loop has a function of its own, because the runtime compiles a long-running function as a whole, once for each of its loops.

/** The number of lists that hold a value of this many words. */
function pairCountOf(words: number): number {
	return words > WORDS_MAX ? 1 : (words * (words - 1)) / 2;
}

function countPairs(wordStarts: Uint32Array): number {
	let count = 0;
	for (let position = 0; position < wordStarts.length - 1; position++) {
		count += pairCountOf((wordStarts[position + 1] ?? 0) - (wordStarts[position] ?? 0));
	}
	return count;
}

/** Writes to `cells` the lists of each value, value by value, and to `counts` the length of each list. */
function fillCells(
	cells: Uint32Array,
	counts: Uint32Array,
	wordStarts: Uint32Array,
	words: Uint32Array,
	groupStarts: Uint32Array,
): void {
	const groups = groupStarts.length - 1;
	const groupOf = new Uint32Array(groupStarts[groups] ?? 0);
	/** Group → its list with group 0, if it had one; those with later groups follow in order. */
	const rowOf = new Uint32Array(groups);
	for (let group = 0; group < groups; group++) {
		groupOf.fill(group, groupStarts[group], groupStarts[group + 1]);
		rowOf[group] = cellOf(group, group, groups) - group;
	}
	const longCell = cellCountOf(groups) - 1;
	const groupsOfValue = new Uint32Array(WORDS_MAX);
	let end = 0;
	for (let position = 0; position < wordStarts.length - 1; position++) {
		const from = wordStarts[position] ?? 0;
		const held = (wordStarts[position + 1] ?? 0) - from;
		if (held > WORDS_MAX) {
			cells[end++] = longCell;
			counts[longCell] = (counts[longCell] ?? 0) + 1;
			continue;
		}
		for (let i = 0; i < held; i++) {
			const group = groupOf[(words[from + i] ?? 0) & WORD_BITS] ?? 0;
			for (let j = 0; j < i; j++) {
				const other = groupsOfValue[j] ?? 0;
				const cell = group < other ? (rowOf[group] ?? 0) + other : (rowOf[other] ?? 0) + group;
				cells[end++] = cell;
				counts[cell] = (counts[cell] ?? 0) + 1;
			}
			groupsOfValue[i] = group;
		}
	}
}

function placePositions(cells: Uint32Array, starts: Uint32Array, wordStarts: Uint32Array): Uint32Array {
	const pairs = new Uint32Array(cells.length);
	const ends = starts.slice();
	let i = 0;
	for (let position = 0; position < wordStarts.length - 1; position++) {
		const held = (wordStarts[position + 1] ?? 0) - (wordStarts[position] ?? 0);
		for (const stop = i + pairCountOf(held); i < stop; i++) {
			const cell = cells[i] ?? 0;
			const place = ends[cell] ?? 0;
			ends[cell] = place + 1;
			pairs[place] = position;
		}
	}
	return pairs;
}

/** Group → its first word; one more element closes the last. */
function groupWords(postingStarts: Uint32Array): Uint32Array {
	const vocabulary = postingStarts.length - 1;
	const full = Math.max(GROUP_POSTINGS_MIN, Math.ceil((postingStarts[vocabulary] ?? 0) / GROUPS_ABOUT));
	const starts: number[] = [];
	let held = full;
	for (let word = 0; word < vocabulary; word++) {
		const count = (postingStarts[word + 1] ?? 0) - (postingStarts[word] ?? 0);
		if (held >= full || count >= full) {
			starts.push(word);
			held = 0;
		}
		held += count;
	}
	return Uint32Array.from([...starts, vocabulary]);
}

markCold(countPairs, fillCells, placePositions, groupWords);
