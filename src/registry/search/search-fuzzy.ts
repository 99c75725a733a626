/**
 * Searches with misspelt words: exact searches for the real words that a query may mean. Other requests run between two of these searches,
 * so the results are checked for erasures again at the end.
 */

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { RegistryEntry } from "../entry";
import { normaliseText, type SearchHits, type SearchQuery } from "../index/index";
import type { RegistryView } from "../runs";
import type { Vocabulary } from "./vocabulary";

type Searched = Pick<RegistryView, "search" | "isErased">;

/**
 * One page of hits for the query as written, then for the closest queries of real words; each entry once. There is no next page, because
 * the pages of several queries have no common order.
 */
export async function searchFuzzy(view: Searched, vocabulary: Vocabulary, query: SearchQuery): Promise<SearchHits> {
	const found = new Map<string, RegistryEntry>();
	let more = false;
	for (const text of new Set([query.text, ...expandQuery(vocabulary, query.text)])) {
		const hits = view.search({ ...query, text });
		for (const entry of hits.entries) found.set(entry.rnc, entry);
		more = hits.more || found.size > query.limit;
		if (more) break;
		await yieldToEventLoop();
	}
	const shown = [...found.values()].filter(({ rnc }) => !view.isErased(rnc));
	return { entries: shown.slice(0, query.limit), more };
}

/** For a query without hits, the closest text that has some; undefined if there is none. */
export async function suggestText(
	{ search }: Searched,
	vocabulary: Vocabulary,
	query: SearchQuery,
): Promise<string | undefined> {
	for (const text of expandQuery(vocabulary, query.text)) {
		if (text !== query.text && search({ ...query, text, limit: 1 }).entries.length > 0) return text;
		await yieldToEventLoop();
	}
	return undefined;
}

/** Real words considered for each word of a query, in addition to itself. */
const SUGGESTIONS_A_WORD = 3;

type Guess = { readonly words: readonly string[]; readonly cost: number };

/**
 * Up to `max` queries of real words, the closest to `q` first. Includes the folded `q` itself if all its words are prefixes of real ones.
 * Empty if some word is close to none.
 */
export function expandQuery(vocabulary: Vocabulary, q: string, max = 8): string[] {
	// Costs add up, so the best queries of n words start with some of the best of n - 1; the others need not be kept.
	let best: Guess[] = [{ words: [], cost: 0 }];
	for (const word of normaliseText(q).split(" ")) {
		const options = optionsFor(vocabulary, word);
		best = best
			.flatMap(({ words, cost }) => options.map((o) => ({ words: [...words, o.word], cost: cost + o.cost })))
			.sort((a, b) => a.cost - b.cost)
			.slice(0, max);
	}
	return best.map(({ words }) => words.join(" "));
}

function optionsFor(vocabulary: Vocabulary, word: string): { readonly word: string; readonly cost: number }[] {
	const near = vocabulary
		.suggest(word, SUGGESTIONS_A_WORD + 1)
		.filter((suggestion) => suggestion.word !== word)
		.slice(0, SUGGESTIONS_A_WORD);
	return vocabulary.isWordPrefix(word) ? [{ word, cost: 0 }, ...near] : near;
}
