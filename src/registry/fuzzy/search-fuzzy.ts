/** Misspelt searches: the exact search, asked with the real words that a query may mean. */
import type { RegistryEntry } from "../entry";
import type { SearchHits, SearchQuery } from "../snapshot/search";
import { expandQuery } from "./expand-query";
import type { Vocabulary } from "./vocabulary";

export type Search = (query: SearchQuery) => SearchHits;

/**
 * One page of hits for the query as written and then for the queries of real words nearest to it, each entry once. There is no
 * place to go on from: the pages of several queries have no common order.
 */
export function searchFuzzy(search: Search, vocabulary: Vocabulary, query: SearchQuery): SearchHits {
	const found = new Map<string, RegistryEntry>();
	for (const text of new Set([query.text, ...expandQuery(vocabulary, query.text)])) {
		const hits = search({ ...query, text });
		for (const entry of hits.entries) found.set(entry.rnc, entry);
		if (hits.more || found.size > query.limit) {
			return { entries: [...found.values()].slice(0, query.limit), more: true };
		}
	}
	return { entries: [...found.values()], more: false };
}

/** The nearest text that does find something, for a query that finds nothing; undefined when none does. */
export function suggestText(search: Search, vocabulary: Vocabulary, query: SearchQuery): string | undefined {
	const finds = (text: string) => search({ ...query, text, limit: 1 }).entries.length > 0;
	return expandQuery(vocabulary, query.text).find((text) => text !== query.text && finds(text));
}
