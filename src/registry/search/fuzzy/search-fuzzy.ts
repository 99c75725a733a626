/**
 * Misspelt searches: the exact search, asked with the real words that a query may mean. Other requests get their turn between two of
 * these searches, so what was found is asked for erasures once more at the end.
 */
import { setImmediate as breathe } from "node:timers/promises";
import type { RegistryEntry } from "../../entry";
import type { SearchHits, SearchQuery } from "../../index/search";
import type { RegistryView } from "../../view";
import { expandQuery } from "./expand-query";
import type { Vocabulary } from "./vocabulary";

type Searched = Pick<RegistryView, "search" | "isErased">;

/**
 * One page of hits for the query as written and then for the queries of real words nearest to it, each entry once. There is no
 * place to go on from: the pages of several queries have no common order.
 */
export async function searchFuzzy(view: Searched, vocabulary: Vocabulary, query: SearchQuery): Promise<SearchHits> {
	const found = new Map<string, RegistryEntry>();
	let more = false;
	for (const text of new Set([query.text, ...expandQuery(vocabulary, query.text)])) {
		const hits = view.search({ ...query, text });
		for (const entry of hits.entries) found.set(entry.rnc, entry);
		more = hits.more || found.size > query.limit;
		if (more) break;
		await breathe();
	}
	const shown = [...found.values()].filter(({ rnc }) => !view.isErased(rnc));
	return { entries: shown.slice(0, query.limit), more };
}

/** The nearest text that does find something, for a query that finds nothing; undefined when none does. */
export async function suggestText(
	{ search }: Searched,
	vocabulary: Vocabulary,
	query: SearchQuery,
): Promise<string | undefined> {
	for (const text of expandQuery(vocabulary, query.text)) {
		if (text !== query.text && search({ ...query, text, limit: 1 }).entries.length > 0) return text;
		await breathe();
	}
	return undefined;
}
