/**
 * The real words nearest to a misspelt one.
 *
 * Some 40,000 distinct words of the registry's texts, not its 760,000 rows, stand in two indexes of FlexSearch:
 *
 *   sounds   one term a word, its sound key                             finds what sounds alike: VASQUES → VAZQUEZ
 *   grams    the key's overlapping threes, with marks at both ends      finds what has most letters in common, for letters
 *                                                                       left out, put in or swapped: CONTRUCTORA → CONSTRUCTORA
 *
 * The first gives the frequent words first, as their ids ascend by falling frequency, the second those that have most threes in
 * common. What they find is then ranked by cost: the edit distance of the spellings plus that of the sounds, so a letter that
 * is not heard costs one and another sound two; frequency decides between equals. Words with digits are never suggested.
 *
 * A word that nothing but erased entries have is none, from the erasure on: a score or a suggestion would tell that it was there.
 */

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { Index } from "flexsearch";
import type { RegistryView } from "../runs";
import { editDistances, soundOf } from "./word-distance";

type Suggestion = {
	readonly word: string;
	/** How many rows of the registry hold the word. */
	readonly rows: number;
	/** 0 is the word itself. */
	readonly cost: number;
};

export type Vocabulary = {
	/** How many rows hold the word; 0 when it is not a word of the registry. */
	readonly rowsOf: (word: string) => number;
	/** The rows of the word that is in most of them; 0 when there are no words. */
	readonly maxRows: number;
	/** Some word of the registry begins with this. */
	readonly isWordPrefix: (prefix: string) => boolean;
	/** The nearest words, nearest first, the word itself included when it is one. Folded on both sides. */
	readonly suggest: (word: string, limit: number) => readonly Suggestion[];
	/** The same, asking whenever a rare word comes up in how many of its rows the entry is erased by then. */
	readonly without: (countErased: CountErased) => Vocabulary;
};

type CountErased = (word: string) => number;

/** Shorter words are next to everything; longer ones are not words. */
const LETTERS_MIN = 3;
const LETTERS_MAX = 40;
const searchable = new RegExp(`^[A-Z]{${LETTERS_MIN},${LETTERS_MAX}}$`);

/** From so many letters on, a word may also stand for the beginning of a longer one. */
const PREFIX_LETTERS_MIN = 5;
/** What it costs to be only the beginning: such a word comes behind a whole one that is as near. */
const PREFIX_COST = 2;

const SOUNDS_MAX = 40;
const GRAMS_MAX = 80;
/** A key as short as this has so few threes that one wrong letter spoils them all: its twos are added. */
const SHORT_KEY = 5;
const WORDS_PER_TURN = 1_000;
/** Of words in more rows erased ones are not taken off: that many entries of one word are hardly erased, and one of them tells nothing. */
const RARE_ROWS_MAX = 20;

/** Builds the vocabulary of distinct folded words and how many rows hold each. Gives way to other work while it runs. */
export async function buildVocabulary(words: Iterable<readonly [word: string, rows: number]>): Promise<Vocabulary> {
	const rowsByWord = new Map(words);
	const sorted = [...rowsByWord.keys()].sort();
	const byFrequency = sorted
		.filter((word) => searchable.test(word))
		.sort((a, b) => (rowsByWord.get(b) ?? 0) - (rowsByWord.get(a) ?? 0));
	const soundKeys: string[] = [];
	const sounds = new Index({ tokenize: "strict", resolution: 1, encode: (key) => [key] });
	const grams = new Index({ tokenize: "strict", resolution: 1, encode: gramsOf });
	for (const [id, word] of byFrequency.entries()) {
		const key = soundOf(word);
		soundKeys.push(key);
		sounds.add(id, key);
		grams.add(id, key);
		if (id % WORDS_PER_TURN === 0) await yieldToEventLoop();
	}
	const maxRows = rowsByWord.values().reduce((most, rows) => Math.max(most, rows), 0);
	const near = (word: string): Suggestion[] => {
		if (!searchable.test(word)) return [];
		const key = soundOf(word);
		const ids = new Set([
			...sounds.search(key, { limit: SOUNDS_MAX }),
			...grams.search(key, { limit: GRAMS_MAX, suggest: true }),
		]);
		const found: Suggestion[] = [];
		for (const id of ids) {
			const candidate = byFrequency[Number(id)] ?? "";
			const cost = costOf(word, key, candidate, soundKeys[Number(id)] ?? "");
			if (cost !== undefined) found.push({ word: candidate, rows: rowsByWord.get(candidate) ?? 0, cost });
		}
		return found.sort(compareSuggestions);
	};
	const without = (countErased: CountErased): Vocabulary => {
		const rowsOf = (word: string): number => {
			const rows = rowsByWord.get(word) ?? 0;
			return rows === 0 || rows > RARE_ROWS_MAX ? rows : rows - countErased(word);
		};
		const isWordPrefix = (prefix: string): boolean => {
			if (prefix === "") return false;
			for (let i = lowerBound(sorted, prefix); ; i++) {
				const word = sorted[i];
				if (!word?.startsWith(prefix)) return false;
				if (rowsOf(word) > 0) return true;
			}
		};
		const suggest = (word: string, limit: number): Suggestion[] => {
			const suggestions: Suggestion[] = [];
			for (const suggestion of near(word)) {
				if (suggestions.length === limit) break;
				const rows = rowsOf(suggestion.word);
				if (rows > 0) suggestions.push({ ...suggestion, rows });
			}
			return suggestions;
		};
		return { rowsOf, maxRows, isWordPrefix, suggest, without };
	};
	return without(() => 0);
}

/** The most that a suggestion for a word of so many letters may cost: about one slip in four letters. */
function costMax(letters: number): number {
	if (letters <= 3) return 2;
	if (letters <= 5) return 3;
	return letters <= 8 ? 4 : 6;
}

/**
 * What it costs to take one word for another: edit distance of the spellings plus edit distance of the sounds; undefined when
 * they are too far apart. Not symmetric: `written` may be the beginning of `meant`.
 */
function costOf(written: string, writtenKey: string, meant: string, meantKey: string): number | undefined {
	const max = costMax(written.length);
	const spelling = editDistances(written, meant, max);
	if (spelling.prefix > max) return undefined;
	const sound = editDistances(writtenKey, meantKey, max);
	const whole = spelling.whole + sound.whole;
	const prefix = written.length < PREFIX_LETTERS_MIN ? whole : spelling.prefix + sound.prefix + PREFIX_COST;
	const cost = Math.min(whole, prefix);
	return cost > max ? undefined : cost;
}

function compareSuggestions(a: Suggestion, b: Suggestion): number {
	return a.cost - b.cost || b.rows - a.rows || (a.word < b.word ? -1 : 1);
}

function gramsOf(key: string): string[] {
	const marked = `^${key}$`;
	const grams: string[] = [];
	for (let i = 0; i + 3 <= marked.length; i++) grams.push(marked.slice(i, i + 3));
	if (key.length <= SHORT_KEY) for (let i = 0; i + 2 <= marked.length; i++) grams.push(marked.slice(i, i + 2));
	return grams;
}

function lowerBound(sorted: readonly string[], text: string): number {
	let low = 0;
	let high = sorted.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((sorted[middle] ?? "") < text) low = middle + 1;
		else high = middle;
	}
	return low;
}

/**
 * Gives the vocabulary of a view's data, built when it is first asked for and kept until that of other data is: a process that is
 * never asked anything misspelt spends neither the time nor the memory. A run's data are other ones once its file was cleared of what was erased, which
 * may wait for an ingest to end; until then the view is asked.
 */
export function createVocabularyCache(): (view: RegistryView) => Promise<Vocabulary> {
	let kept: { readonly dataId: string; readonly vocabulary: Promise<Vocabulary> } | undefined;
	const vocabularyFor = ({ dataId, words }: RegistryView): Promise<Vocabulary> => {
		if (kept?.dataId === dataId) return kept.vocabulary;
		const vocabulary = buildVocabulary(words());
		kept = { dataId, vocabulary };
		// The next one who asks must not get the failure of this one.
		vocabulary.catch(() => {
			if (kept?.vocabulary === vocabulary) kept = undefined;
		});
		return vocabulary;
	};
	// What is kept holds no view, and so no file that another one has replaced.
	return async (view) => (await vocabularyFor(view)).without(view.countErased);
}
