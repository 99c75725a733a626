/**
 * Which searches find every name that may score high enough.
 *
 * Let A and B be the weights of the two names and M ≤ min(A, B) what is matched. A score 2M / (A + B) of at least s needs
 * M ≥ A × s / (2 - s). So the words of the asked name that the other one has in some spelling weigh at least that much: it is found by
 * asking for each smallest set of words that does, in all the spellings that may be meant. The bound takes the two weights of
 * a pair as equal; they differ where a word is misspelt into another real one, so it is lowered by a tenth.
 *
 * Links, legal forms and joined letters are left out of the searches, being everywhere or written in two ways.
 */
import type { Vocabulary } from "../search/fuzzy/vocabulary";
import { type WeightedWord, wordLikeness } from "./name-score";

/** More words than these, the heaviest, are not asked for; their weight counts as matched. */
const WORDS_MAX = 8;
const SPELLINGS_MAX = 4;
const MARGIN = 0.9;

type Spelling = { readonly word: string; readonly unlike: number };
type Query = { readonly words: readonly string[]; readonly unlike: number };

/** Texts for the exact search, those nearest to what was written first, at most `max`; in steps. */
export function* candidateQueries(
	vocabulary: Vocabulary,
	name: readonly WeightedWord[],
	minScore: number,
	max: number,
): Generator<void, string[]> {
	const total = weightOf(name);
	const asked = name
		.filter(({ kind }) => kind === "proper")
		.sort((a, b) => b.weight - a.weight)
		.slice(0, WORDS_MAX);
	if (asked.length === 0) return name.length === 0 ? [] : initialsQueries(name);
	const needed = (MARGIN * total * minScore) / (2 - minScore) - (total - weightOf(asked));
	const spellings = new Map<string, Spelling[]>();
	for (const { word } of asked) {
		spellings.set(word, spellingsOf(vocabulary, word));
		yield;
	}
	const queries: Query[] = [];
	for (const set of smallestSets(asked, needed)) {
		queries.push(...spellOut(set, spellings, max));
		yield;
	}
	queries.sort((a, b) => a.unlike - b.unlike);
	return [...new Set(queries.map(({ words }) => words.join(" ")))].slice(0, max);
}

/** Where nothing but initials and links tells the name they are asked for in both ways: as letters apart, and as one word. */
function initialsQueries(name: readonly WeightedWord[]): string[] {
	const telling = name.filter(({ kind }) => kind !== "form");
	const words = telling.length > 0 ? telling : name;
	const apart = words.map(({ word, kind }) => (kind === "joined" ? [...word].join(" ") : word)).join(" ");
	return [...new Set([apart, words.map(({ word }) => word).join(" ")])];
}

function weightOf(words: readonly WeightedWord[]): number {
	return words.reduce((sum, { weight }) => sum + weight, 0);
}

/** The sets of words that weigh enough and would not without any one of them; at least one word each. */
function smallestSets(words: readonly WeightedWord[], needed: number): WeightedWord[][] {
	const sets: WeightedWord[][] = [];
	for (let mask = 1; mask < 2 ** words.length; mask++) {
		const set = words.filter((_, i) => (mask >> i) & 1);
		const weight = weightOf(set);
		const lightest = Math.min(...set.map((word) => word.weight));
		if (weight >= needed && (set.length === 1 || weight - lightest < needed)) sets.push(set);
	}
	return sets;
}

function spellingsOf(vocabulary: Vocabulary, word: string): Spelling[] {
	const near = vocabulary
		.suggest(word, SPELLINGS_MAX + 1)
		.map((suggestion) => ({ word: suggestion.word, unlike: 1 - wordLikeness(word, suggestion.word) }))
		.filter((spelling) => spelling.word !== word && spelling.unlike < 1)
		.slice(0, SPELLINGS_MAX);
	return vocabulary.rowsOf(word) > 0 ? [{ word, unlike: 0 }, ...near] : near;
}

/** The `max` nearest ways to spell a set of words; none when some word has no spelling. */
function spellOut(set: readonly WeightedWord[], spellings: ReadonlyMap<string, Spelling[]>, max: number): Query[] {
	let best: Query[] = [{ words: [], unlike: 0 }];
	for (const { word } of set) {
		best = best
			.flatMap(({ words, unlike }) =>
				(spellings.get(word) ?? []).map((s) => ({ words: [...words, s.word], unlike: unlike + s.unlike })),
			)
			.sort((a, b) => a.unlike - b.unlike)
			.slice(0, max);
	}
	return best;
}
