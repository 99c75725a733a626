/** Finds the entries whose legal or commercial name is most similar to a given one. */
import type { RegistryEntry } from "../entry";
import { LAST_DOCUMENT, REST_CLASS, type SearchQuery, type TextField } from "../index/index";
import { ACTIVE_STATUS } from "../known-values";
import type { RegistryView } from "../runs";
import type { Vocabulary } from "../search";
import { canonicalWords, normaliseText } from "../words";
import {
	type Alike,
	listAlike,
	scoreNames,
	type WeightedWord,
	weighInSteps,
	weighName,
	wordLikeness,
} from "./name-score";

export const MATCHED_FIELDS = ["name", "trade_name"] as const;

export type FieldMatch<Field extends TextField> = {
	readonly score: number;
	/** The most similar of the compared texts; the first of equal ones. */
	readonly field: Field;
	readonly entry: RegistryEntry;
};
type NameMatch = FieldMatch<(typeof MATCHED_FIELDS)[number]>;

type MatchOptions = { readonly minScore: number; readonly limit: number };

type FieldOptions<Field extends TextField> = MatchOptions &
	Pick<SearchQuery, "kind" | "status"> & {
		/** The texts that are compared. */
		readonly fields: readonly [Field, ...Field[]];
		/** Numbers of entries that are left out. */
		readonly without?: Iterable<string>;
		/** Further queries, whose hits count whatever they score. */
		readonly also?: readonly string[];
	};

/** Limits of the work for one name. Only names of nothing but common words exceed them. */
const QUERIES_MAX = 40;
const HITS_MAX = 50;
const STEP_ENTRIES = 5;

/**
 * The best entries that score at least `minScore`, by score, then active ones first, then by number. The same data gives the same result.
 * Runs in many small steps, between which other requests can be answered.
 */
export function matchName(
	view: Pick<RegistryView, "search">,
	vocabulary: Vocabulary,
	name: string,
	options: MatchOptions,
): Generator<void, NameMatch[]> {
	return matchFields(view, vocabulary, name, { ...options, fields: MATCHED_FIELDS });
}

/** The same for other texts, filters and queries. */
export function* matchFields<Field extends TextField>(
	{ search }: Pick<RegistryView, "search">,
	vocabulary: Vocabulary,
	name: string,
	{ minScore, limit, fields, kind, status, without = [], also = [] }: FieldOptions<Field>,
): Generator<void, FieldMatch<Field>[]> {
	const queryWords = yield* weighInSteps(vocabulary, name);
	const score = scorer(vocabulary, queryWords);
	const filter = { ...(kind === undefined ? {} : { kind }), ...(status === undefined ? {} : { status }) };
	const seen = new Set(without);
	const matches: FieldMatch<Field>[] = [];
	const queries = [
		...also.map((text) => ({ text, least: 0 })),
		...(yield* listQueries(vocabulary, name, queryWords, minScore)).map((query) => ({ ...query, least: minScore })),
	];
	for (const { least, ...query } of queries) {
		for (const field of fields) {
			const { entries } = search({ ...query, ...filter, field, limit: HITS_MAX });
			yield;
			for (const [i, entry] of entries.entries()) {
				if (i % STEP_ENTRIES === STEP_ENTRIES - 1) yield;
				if (seen.has(entry.rnc)) continue;
				seen.add(entry.rnc);
				const match = bestField(score, fields, entry, least);
				if (match.score >= least) matches.push(match);
			}
		}
	}
	return matches.sort(compareMatches).slice(0, limit);
}

/** The entries with their scores against a name, best first. Runs in steps. */
export function* scoreEntries<Field extends TextField>(
	vocabulary: Vocabulary,
	name: string,
	fields: readonly [Field, ...Field[]],
	entries: readonly RegistryEntry[],
): Generator<void, FieldMatch<Field>[]> {
	const score = scorer(vocabulary, yield* weighInSteps(vocabulary, name));
	const matches: FieldMatch<Field>[] = [];
	for (const [i, entry] of entries.entries()) {
		if (i % STEP_ENTRIES === STEP_ENTRIES - 1) yield;
		matches.push(bestField(score, fields, entry, 0));
	}
	return matches.sort(compareMatches);
}

type Query = Pick<SearchQuery, "text" | "form" | "after">;

/** The searches whose hits are compared, closest to the written name first. */
function* listQueries(
	vocabulary: Vocabulary,
	name: string,
	queryWords: readonly WeightedWord[],
	minScore: number,
): Generator<void, Query[]> {
	if (queryWords.length === 0) return [];
	// The name as written comes first: it finds an exact match among names of very common words.
	const { words, form } = canonicalWords(name);
	const written = words.join(" ");
	const candidates = yield* candidateQueries(vocabulary, queryWords, minScore, QUERIES_MAX - 1);
	const [first, ...others] = [...new Set([written, ...candidates])].map((text) => ({ text }));
	const asWritten = form === undefined || !first ? first : { ...first, form };
	const { length } = normaliseText(name);
	return [...(asWritten ? [asWritten] : []), ...(hasImplied(written) ? sameLength(written, length) : []), ...others];
}

/** A search collapses a word that another one starts with, so a shorter value may match as well. */
function hasImplied(text: string): boolean {
	const words = text.split(" ");
	return words.some((word, i) => words.some((other, j) => j !== i && other.startsWith(word)));
}

/** Positions of entries with the same words in another order: they have the same length and follow all shorter values. */
function sameLength(text: string, length: number): Query[] {
	return [true, false].map((active) => ({
		text,
		after: { hitClass: REST_CLASS, active, length: length - 1, document: LAST_DOCUMENT },
	}));
}

type Score = (name: string, floor: number) => number;

/** Scores many names against one, keeping what it finds out about each of their words. */
function scorer(vocabulary: Vocabulary, queryWords: readonly WeightedWord[]): Score {
	const known = new Map<string, readonly Alike[]>();
	const alikeTo = (word: string): readonly Alike[] => {
		let list = known.get(word);
		if (!list) {
			list = listAlike(queryWords, word);
			known.set(word, list);
		}
		return list;
	};
	return (name, floor) => scoreNames(queryWords, weighName(vocabulary, name), alikeTo, floor);
}

function bestField<Field extends TextField>(
	score: Score,
	fields: readonly [Field, ...Field[]],
	entry: RegistryEntry,
	floor: number,
): FieldMatch<Field> {
	let best = { score: 0, field: fields[0], entry };
	for (const field of fields) {
		const found = entry[field] === "" ? 0 : score(entry[field], floor);
		if (found > best.score) best = { score: found, field, entry };
	}
	return best;
}

/** Best first; of equal ones the active, then the lesser number. */
export function compareMatches(a: FieldMatch<TextField>, b: FieldMatch<TextField>): number {
	const activeFirst = Number(b.entry.status === ACTIVE_STATUS) - Number(a.entry.status === ACTIVE_STATUS);
	return b.score - a.score || activeFirst || (a.entry.rnc < b.entry.rnc ? -1 : 1);
}

/**
 * Chooses searches that find every name with a sufficient score.
 *
 * Let A and B be the weights of the two names and M ≤ min(A, B) the matched weight. A score 2M / (A + B) of at least s needs M ≥ A × s / (2
 * - s). The words of the query that the other name has in some spelling thus weigh at least that much. Searching for each smallest such set
 * of words, in all likely spellings, finds the name. The bound assumes equal weights in a pair. They differ if a word is misspelt as
 * another real one, so the bound is lowered by a tenth.
 *
 * Link words and legal forms are not searched for, because they are everywhere.
 */

/** Only this many words, the heaviest, are searched for; the weight of the others counts as matched. */
const WORDS_MAX = 8;
const SPELLINGS_MAX = 4;
const MARGIN = 0.9;

type Spelling = { readonly word: string; readonly unlike: number };
type SpelledSet = { readonly words: readonly string[]; readonly unlike: number };

/** Texts for the exact search, closest to the written name first, at most `max`. Runs in steps. */
function* candidateQueries(
	vocabulary: Vocabulary,
	name: readonly WeightedWord[],
	minScore: number,
	max: number,
): Generator<void, string[]> {
	const total = weightOf(name);
	const queryWords = name
		.filter(({ kind }) => kind === "proper" || kind === "joined")
		.sort((a, b) => b.weight - a.weight)
		.slice(0, WORDS_MAX);
	if (queryWords.length === 0) return [];
	const needed = (MARGIN * total * minScore) / (2 - minScore) - (total - weightOf(queryWords));
	const spellings = new Map<string, Spelling[]>();
	for (const { word } of queryWords) {
		spellings.set(word, spellingsOf(vocabulary, word));
		yield;
	}
	const queries: SpelledSet[] = [];
	for (const set of smallestSets(queryWords, needed)) {
		queries.push(...spellOut(set, spellings, max));
		yield;
	}
	queries.sort((a, b) => a.unlike - b.unlike);
	return [...new Set(queries.map(({ words }) => words.join(" ")))].slice(0, max);
}

function weightOf(words: readonly WeightedWord[]): number {
	return words.reduce((sum, { weight }) => sum + weight, 0);
}

/** The minimal sets of words that weigh enough; at least one word each. */
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

/** The `max` closest spellings of a set of words; none if some word has no spelling. */
function spellOut(set: readonly WeightedWord[], spellings: ReadonlyMap<string, Spelling[]>, max: number): SpelledSet[] {
	let best: SpelledSet[] = [{ words: [], unlike: 0 }];
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

const SURE_SCORE_MIN = 0.95;
const SURE_LEAD_MIN = 0.02;

/** The match that is meant beyond doubt; undefined if there is none. `matches` are the best two or more, best first. */
export function decideMatch<T extends { readonly score: number }>([best, next]: readonly T[]): T | undefined {
	if (!best || best.score < SURE_SCORE_MIN) return undefined;
	// Scores have four places, and their difference has none of its own.
	return next && best.score - next.score < SURE_LEAD_MIN - 1e-9 ? undefined : best;
}
