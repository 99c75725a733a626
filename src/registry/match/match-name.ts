/** Finds the entries whose legal or commercial name is most like a given one. */
import { ACTIVE_STATUS, type RegistryEntry } from "../entry";
import { LAST_DOCUMENT } from "../index/document-key";
import { REST_CLASS, type SearchQuery } from "../index/search";
import { normaliseText } from "../normalise";
import type { Vocabulary } from "../search/fuzzy/vocabulary";
import type { RegistryView } from "../view";
import { candidateQueries } from "./candidate-queries";
import { scoreNames, type WeightedWord, weighInSteps, weighName, wordLikeness } from "./name-score";

export const MATCHED_FIELDS = ["name", "trade_name"] as const;

type NameMatch = {
	readonly score: number;
	/** Which of the entry's names is the more alike; the legal one when both are. */
	readonly field: (typeof MATCHED_FIELDS)[number];
	readonly entry: RegistryEntry;
};

type MatchOptions = { readonly minScore: number; readonly limit: number };

/** Bounds of the work for one name. What lies beyond them is not compared: names of common words only. */
const QUERIES_MAX = 40;
const HITS_MAX = 50;
/** Entries compared in one step. */
const STEP_ENTRIES = 5;

/**
 * The best entries that score at least `minScore`: by score, active ones first, by number. Same data, same answer. Work of many
 * small steps, between which others may be answered.
 */
export function* matchName(
	{ search }: Pick<RegistryView, "search">,
	vocabulary: Vocabulary,
	name: string,
	{ minScore, limit }: MatchOptions,
): Generator<void, NameMatch[]> {
	const asked = yield* weighInSteps(vocabulary, name);
	const score = scorer(vocabulary, asked);
	const seen = new Set<string>();
	const matches: NameMatch[] = [];
	for (const query of yield* listQueries(vocabulary, name, asked, minScore)) {
		for (const field of MATCHED_FIELDS) {
			const { entries } = search({ ...query, field, limit: HITS_MAX });
			yield;
			for (const [i, entry] of entries.entries()) {
				if (i % STEP_ENTRIES === STEP_ENTRIES - 1) yield;
				if (seen.has(entry.rnc)) continue;
				seen.add(entry.rnc);
				const match = bestField(score, entry);
				if (match.score >= minScore) matches.push(match);
			}
		}
	}
	return matches.sort(compareMatches).slice(0, limit);
}

type Query = Pick<SearchQuery, "text" | "after">;

/** The searches whose hits are compared, those nearest to what was written first. */
function* listQueries(
	vocabulary: Vocabulary,
	name: string,
	asked: readonly WeightedWord[],
	minScore: number,
): Generator<void, Query[]> {
	if (asked.length === 0) return [];
	// As it is written first: of so many common words that the searches for them find others only, the very name is found so.
	const written = normaliseText(name);
	const candidates = yield* candidateQueries(vocabulary, asked, minScore, QUERIES_MAX - 1);
	const [first, ...others] = [...new Set([written, ...candidates])].map((text) => ({ text }));
	return [...(first ? [first] : []), ...(hasImplied(written) ? sameLength(written) : []), ...others];
}

/** A search asks for a word that another one begins with only once, so a shorter value may have it once as well. */
function hasImplied(text: string): boolean {
	const words = text.split(" ");
	return words.some((word, i) => words.some((other, j) => j !== i && other.startsWith(word)));
}

/** Where entries with the same words in another order stand: they have the same length, and shorter values come before them. */
function sameLength(text: string): Query[] {
	return [true, false].map((active) => ({
		text,
		after: { hitClass: REST_CLASS, active, length: text.length - 1, document: LAST_DOCUMENT },
	}));
}

/** Scores many names against one: the same words come again and again. */
function scorer(vocabulary: Vocabulary, asked: readonly WeightedWord[]): (name: string) => number {
	const known = new Map(asked.map(({ word }) => [word, new Map<string, number>()]));
	const likeness = (a: string, b: string): number => {
		const ofWord = known.get(a);
		const before = ofWord?.get(b);
		if (before !== undefined) return before;
		const alike = wordLikeness(a, b);
		ofWord?.set(b, alike);
		return alike;
	};
	return (name) => scoreNames(asked, weighName(vocabulary, name), likeness);
}

function bestField(score: (name: string) => number, entry: RegistryEntry): NameMatch {
	const byName = score(entry.name);
	const byTradeName = entry.trade_name === "" ? 0 : score(entry.trade_name);
	return byTradeName > byName
		? { score: byTradeName, field: "trade_name", entry }
		: { score: byName, field: "name", entry };
}

function compareMatches(a: NameMatch, b: NameMatch): number {
	const activeFirst = Number(b.entry.status === ACTIVE_STATUS) - Number(a.entry.status === ACTIVE_STATUS);
	return b.score - a.score || activeFirst || (a.entry.rnc < b.entry.rnc ? -1 : 1);
}
