/**
 * Searches for what a query means: hits of the query as written, then of the query with two words joined or one split, then what its
 * misspellings and similar names find, the most similar first.
 *
 * There is one page, because these lists have no common order that a later page could continue. Other requests run between the steps, so
 * the results are checked for erasures again at the end.
 */
import type { RegistryEntry } from "../entry";
import type { SearchQuery, TextField } from "../index/index";
import type { RegistryView } from "../runs";
import { expandInSteps, joinOrSplit, type Vocabulary } from "../search";
import { type FieldMatch, MATCHED_FIELDS, matchFields, scoreEntries } from "./match-name";

/** How an entry was found if the query as written does not find it. */
export type Likeness = { readonly matched: "joined" | "similar"; readonly score: number };

export type SmartHits = {
	readonly hits: readonly { readonly entry: RegistryEntry; readonly likeness?: Likeness }[];
	readonly more: boolean;
	/** All texts that were searched for, the written one first. */
	readonly texts: readonly string[];
};

/** The least score of a similar name. */
const SCORE_MIN = 0.6;

/** `written` is the query before it became canonical words. Runs in many small steps. */
export function* searchSmart(
	view: Pick<RegistryView, "search" | "isErased" | "isWord">,
	vocabulary: Vocabulary,
	query: SearchQuery,
	written: string,
): Generator<void, SmartHits> {
	const { text, limit } = query;
	const exact = view.search(query);
	yield;
	const found = new Map<string, SmartHits["hits"][number]>(exact.entries.map((entry) => [entry.rnc, { entry }]));
	const add = (matches: readonly FieldMatch<TextField>[], matched: Likeness["matched"]) => {
		for (const { entry, score } of matches) found.set(entry.rnc, { entry, likeness: { matched, score } });
	};
	const isFull = () => exact.more || found.size > limit;
	const fields = fieldsOf(query);
	const texts = [text];
	if (!isFull()) {
		for (const respaced of joinOrSplit(view, text)) {
			const { entries } = view.search({ ...query, text: respaced });
			yield;
			const fresh = entries.filter(({ rnc }) => !found.has(rnc));
			if (fresh.length === 0) continue;
			texts.push(respaced);
			add(yield* scoreEntries(vocabulary, respaced, fields, fresh), "joined");
		}
	}
	if (!isFull()) {
		const also = yield* expandInSteps(vocabulary, text);
		texts.push(...also);
		const options = { ...query, limit: limit + 1, minScore: SCORE_MIN, fields, without: found.keys(), also };
		add(yield* matchFields(view, vocabulary, written, options), "similar");
	}
	const hits = [...found.values()].filter(({ entry }) => !view.isErased(entry.rnc));
	return { hits: hits.slice(0, limit), more: isFull(), texts };
}

function fieldsOf({ field }: SearchQuery): readonly [TextField, ...TextField[]] {
	return field === "any" || field === "document" ? MATCHED_FIELDS : [field];
}
