/**
 * Searches a snapshot.
 *
 * A text matches when each query word begins some word of the value, in any order. Hits come in three classes: the whole value
 * equals the query, the whole value begins with it, the rest; within a class by the static rank (see text-index.ts). Every hit
 * thus has one place in one order, so a page can begin behind any of them, in the next run's snapshot too.
 *
 * Erased entries are left out before hits are counted: neither a page's length nor `more` tells that one was there.
 */
import { ACTIVE_STATUS, type RegistryEntry } from "../entry";
import type { Snapshot, TextField } from "./snapshot";
import { lowerBound, matchWords, rankKey } from "./text-index";

export type SearchQuery = {
	readonly field: TextField | "document";
	/** Folded words, or digits when the field is `document`. */
	readonly text: string;
	readonly kind?: "rnc" | "cedula";
	readonly status?: string;
	readonly limit: number;
	/** Where the page before ended. */
	readonly after?: HitPlace;
};

/** The place of a hit among all hits of its query, in values that outlive a snapshot. */
export type HitPlace = {
	readonly hitClass: number;
	readonly active: boolean;
	readonly length: number;
	readonly document: string;
};

export type SearchHits = {
	readonly entries: readonly RegistryEntry[];
	/** A further hit exists behind the last one. */
	readonly more: boolean;
	readonly last?: HitPlace;
};

/** Finds one page of hits. `isErased` is asked for each entry that would be shown. */
export function searchSnapshot(
	snapshot: Snapshot,
	query: SearchQuery,
	isErased: (digits: string) => boolean,
): SearchHits {
	const accepts = (entry: RegistryEntry | undefined): entry is RegistryEntry =>
		entry !== undefined &&
		(query.kind === undefined || (entry.rnc.length === 9) === (query.kind === "rnc")) &&
		(query.status === undefined || entry.status === query.status);
	const isShown = (entry: RegistryEntry | undefined): entry is RegistryEntry => accepts(entry) && !isErased(entry.rnc);
	const found =
		query.field === "document"
			? findByPrefix(snapshot, query, isShown)
			: findByText(snapshot, query.field, query, isShown);
	const entries = found.slice(0, query.limit);
	const last = entries[entries.length - 1];
	return {
		entries,
		more: found.length > query.limit,
		...(last ? { last: placeOf(snapshot, query, last) } : {}),
	};
}

type IsShown = (entry: RegistryEntry | undefined) => entry is RegistryEntry;

/** At most one hit more than the limit, by document number. */
function findByPrefix(snapshot: Snapshot, query: SearchQuery, isShown: IsShown): RegistryEntry[] {
	const { documents, entries } = snapshot;
	const found: RegistryEntry[] = [];
	const first = Math.max(lowerBound(documents, query.text), query.after ? rowsUpTo(snapshot, query.after.document) : 0);
	for (let row = first; row < documents.length && found.length <= query.limit; row++) {
		const entry = entries[row];
		if (!entry) continue;
		if (!entry.rnc.startsWith(query.text)) break;
		if (isShown(entry)) found.push(entry);
	}
	return found;
}

/** At most one hit more than the limit, best first. */
function findByText(snapshot: Snapshot, field: TextField, query: SearchQuery, isShown: IsShown): RegistryEntry[] {
	const index = snapshot.fields[field];
	const matches = matchWords(index, query.text.split(" "));
	const after = query.after;
	const firstPosition = after ? positionBehind(snapshot, field, after) : 0;
	const byClass: [RegistryEntry[], RegistryEntry[], RegistryEntry[]] = [[], [], []];
	for (let block = 0; block < matches.length && byClass[0].length <= query.limit; block++) {
		for (let bits = matches[block] ?? 0; bits !== 0; bits &= bits - 1) {
			const position = block * 32 + 31 - Math.clz32(bits & -bits);
			const row = index.order[position] ?? 0;
			const hitClass = classOf(index.values[row] ?? "", query.text);
			const hits = byClass[hitClass];
			if (hits.length > query.limit) continue;
			if (after && (hitClass < after.hitClass || (hitClass === after.hitClass && position < firstPosition))) continue;
			const entry = snapshot.entries[row];
			if (isShown(entry)) hits.push(entry);
		}
	}
	return byClass.flat().slice(0, query.limit + 1);
}

function classOf(value: string, text: string): 0 | 1 | 2 {
	if (!value.startsWith(text)) return 2;
	return value.length === text.length ? 0 : 1;
}

function placeOf(snapshot: Snapshot, query: SearchQuery, entry: RegistryEntry): HitPlace {
	const value = query.field === "document" ? "" : (snapshot.fields[query.field].values[rowOf(snapshot, entry)] ?? "");
	return {
		hitClass: query.field === "document" ? 0 : classOf(value, query.text),
		active: entry.status === ACTIVE_STATUS,
		length: value.length,
		document: entry.rnc,
	};
}

function rowOf(snapshot: Snapshot, entry: RegistryEntry): number {
	return snapshot.rowOf.get(entry.rnc) ?? 0;
}

/** The first position whose static rank lies behind the place. */
function positionBehind(snapshot: Snapshot, field: TextField, place: HitPlace): number {
	const { rankKeys } = snapshot.fields[field];
	const key = rankKey(place.active, place.length, rowsUpTo(snapshot, place.document));
	let low = 0;
	let high = rankKeys.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((rankKeys[middle] ?? 0) < key) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** How many rows have a document number up to and including this one, whether or not it is there. */
function rowsUpTo(snapshot: Snapshot, document: string): number {
	let row = lowerBound(snapshot.documents, document);
	while (snapshot.documents[row] === document) row++;
	return row;
}
