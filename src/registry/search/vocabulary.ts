/**
 * Finds the real words closest to a misspelt one.
 *
 * Two indexes of FlexSearch hold some 40,000 distinct words of the registry, not its 760,000 rows:
 *
 *   sounds   one term per word, its sound key                           finds words that sound alike: VASQUES → VAZQUEZ
 *   grams    the key's overlapping trigrams, with marks at both ends    finds words with the most letters in common, if letters
 *                                                                       are missing, added or swapped: CONTRUCTORA → CONSTRUCTORA
 *
 * The first returns frequent words first, because ids ascend with falling frequency; the second returns words with the most common
 * trigrams. The results are ranked by cost: the edit distance of the spellings plus that of the sounds. A silent letter thus costs one and
 * another sound two. Frequency decides between equal costs. Words with digits are never suggested.
 *
 * A word that only erased entries have disappears with the erasure, because a score or a suggestion would reveal it.
 */

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { Index } from "flexsearch";
import type { RegistryView } from "../runs";
import { editDistances, soundOf } from "./word-distance";

type Suggestion = {
	readonly word: string;
	readonly rows: number;
	/** 0 for the word itself. */
	readonly cost: number;
};

export type Vocabulary = {
	/** Number of rows with the word; 0 if the registry does not have it. */
	readonly rowsOf: (word: string) => number;
	/** Number of rows with the most frequent word; 0 if there are no words. */
	readonly maxRows: number;
	/** Whether some word of the registry starts with this. */
	readonly isWordPrefix: (prefix: string) => boolean;
	/** The closest words, closest first, including the word itself if it exists. Folded on both sides. */
	readonly suggest: (word: string, limit: number) => readonly Suggestion[];
	/** The same vocabulary, which subtracts the erased rows of rare words as counted by `countErased`. */
	readonly without: (countErased: CountErased) => Vocabulary;
};

type CountErased = (word: string) => number;

/** Shorter words are close to everything; longer ones are not words. */
const LETTERS_MIN = 3;
const LETTERS_MAX = 40;
const searchable = new RegExp(`^[A-Z]{${LETTERS_MIN},${LETTERS_MAX}}$`);

/** From this length on, a word may also stand for the beginning of a longer one. */
const PREFIX_LETTERS_MIN = 5;
/** Extra cost of matching only a beginning, so that whole words rank first. */
const PREFIX_COST = 2;

const SOUNDS_MAX = 40;
const GRAMS_MAX = 80;
/** A shorter key has so few trigrams that one wrong letter changes them all, so its bigrams are added. */
const SHORT_KEY = 5;
const WORDS_PER_TURN = 1_000;
/** Rows of more frequent words are not reduced: it is unlikely that all their entries are erased, and one of them reveals nothing. */
const RARE_ROWS_MAX = 20;

/** Builds the vocabulary from distinct folded words and their numbers of rows. Yields to other work while it runs. */
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

const REMEMBERED_MAX = 50_000;
/** As many as comparing names asks for. */
const REMEMBERED_SUGGESTIONS = 5;

/** The same vocabulary, which looks for a word's suggestions once: for a long list of names, whose words repeat. */
export function rememberWords(vocabulary: Vocabulary): Vocabulary {
	const known = new Map<string, readonly Suggestion[]>();
	const suggest: Vocabulary["suggest"] = (word, limit) => {
		if (limit > REMEMBERED_SUGGESTIONS) return vocabulary.suggest(word, limit);
		let found = known.get(word);
		if (!found) {
			found = vocabulary.suggest(word, REMEMBERED_SUGGESTIONS);
			if (known.size < REMEMBERED_MAX) known.set(word, found);
		}
		return found.slice(0, limit);
	};
	return { ...vocabulary, suggest };
}

/** Maximum cost of a suggestion for a word of this length: about one error in four letters. */
function costMax(letters: number): number {
	if (letters <= 3) return 2;
	if (letters <= 5) return 3;
	return letters <= 8 ? 4 : 6;
}

/**
 * The cost of taking `written` for `meant`: edit distance of the spellings plus that of the sounds; undefined if too high. Not symmetric,
 * because `written` may be a prefix of `meant`.
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
 * Returns the vocabulary of a view's data. It is built on first use and kept until the data change, so that a process without misspelt
 * queries spends neither time nor memory. Clearing a file of erasures changes the data, but may wait for an ingest; until then the view is
 * asked for erased rows.
 */
export function createVocabularyCache(): (view: RegistryView) => Promise<Vocabulary> {
	let kept: { readonly dataId: string; readonly vocabulary: Promise<Vocabulary> } | undefined;
	const vocabularyFor = ({ dataId, words }: RegistryView): Promise<Vocabulary> => {
		if (kept?.dataId === dataId) return kept.vocabulary;
		const vocabulary = buildVocabulary(words());
		kept = { dataId, vocabulary };
		// The next caller must not get this failure.
		vocabulary.catch(() => {
			if (kept?.vocabulary === vocabulary) kept = undefined;
		});
		return vocabulary;
	};
	// The cache holds no view, and thus no replaced file.
	return async (view) => (await vocabularyFor(view)).without(view.countErased);
}
