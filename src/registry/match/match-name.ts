/** Finds the entries whose legal or commercial name is most like a given one. */
import { setImmediate as breathe } from "node:timers/promises";
import { ACTIVE_STATUS, type RegistryEntry } from "../entry";
import type { Vocabulary } from "../fuzzy/vocabulary";
import { normaliseText } from "../normalise";
import type { RegistryView } from "../view";
import { candidateQueries } from "./candidate-queries";
import { scoreNames, type WeightedWord, weighName, wordLikeness } from "./name-score";

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

/**
 * The best entries that score at least `minScore`: by score, active ones first, by number. Same data, same answer. Gives way to
 * other requests between two searches.
 */
export async function matchName(
	{ search }: Pick<RegistryView, "search">,
	vocabulary: Vocabulary,
	name: string,
	{ minScore, limit }: MatchOptions,
): Promise<NameMatch[]> {
	const asked = weighName(vocabulary, name);
	const score = scorer(vocabulary, asked);
	const seen = new Set<string>();
	const matches: NameMatch[] = [];
	// As it is written first: of so many common words that the searches for them find others only, the very name is found so.
	const texts =
		asked.length === 0 ? [] : [normaliseText(name), ...candidateQueries(vocabulary, asked, minScore, QUERIES_MAX - 1)];
	for (const text of new Set(texts)) {
		for (const field of MATCHED_FIELDS) {
			for (const entry of search({ field, text, limit: HITS_MAX }).entries) {
				if (seen.has(entry.rnc)) continue;
				seen.add(entry.rnc);
				const match = bestField(score, entry);
				if (match.score >= minScore) matches.push(match);
			}
			await breathe();
		}
	}
	return matches.sort(compareMatches).slice(0, limit);
}

/** Scores many names against one: the same words come again and again. */
function scorer(vocabulary: Vocabulary, asked: readonly WeightedWord[]): (name: string) => number {
	const known = new Map<string, number>();
	const likeness = (a: string, b: string): number => {
		const key = `${a} ${b}`;
		const before = known.get(key);
		if (before !== undefined) return before;
		const alike = wordLikeness(a, b);
		known.set(key, alike);
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
