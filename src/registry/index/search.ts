/**
 * Searches a snapshot.
 *
 * A text matches when each query word begins some word of the value, in any order. Hits come in three classes: the whole value
 * equals the query, the whole value begins with it, the rest; within a class by position (see format.ts). Every hit thus has one
 * place in one order, so a page can begin behind any of them, in the next run's snapshot too.
 *
 *   equal    one range of `by-value`, in order as it stands
 *   begins   one range of `by-value`; of a large one the least are taken, and if these are not enough the walk soon meets more
 *   rest     the positions of what is rarest in the query, a word or two at once, are walked best first (see choose-walk.ts); what is
 *            not certain of them yet is looked for among the value's own words
 *
 * Each class is asked only while the page is not full, and each stops when it is: what a search costs hardly depends on how much there is.
 * What still grows with it: a query of three or more frequent words that seldom stand together, and a filter that few hits pass.
 *
 * Erased entries are left out before hits are counted: neither a page's length nor `more` tells that one was there.
 */
import type { RegistryEntry } from "../entry";
import { chooseWalk } from "./choose-walk";
import { beginsWith, findValues, findWords, holdsWord, isEqual, type QueryWord, type ValueRange } from "./dictionary";
import { digitsOf, keyOf, keyRangeOf } from "./document-key";
import { countRowsBefore, entryAt } from "./entries";
import type { IsErased } from "./erased-set";
import { RANK_LENGTH_MAX, rankKeyOf, type TextField } from "./format";
import { takeLeast } from "./least";
import { lowerBound } from "./merge-lists";
import type { FieldIndex, Snapshot } from "./open";

/** The class of hits whose value neither equals the query nor begins with it. */
export const REST_CLASS = 2;

export type SearchQuery = {
	readonly field: TextField | "document";
	/** Folded words, or digits when the field is `document`. */
	readonly text: string;
	readonly kind?: "rnc" | "cedula";
	readonly status?: string;
	readonly limit: number;
	/** Where the page before ended. */
	readonly after?: HitPosition;
};

export type RowHits = {
	/** Best first. */
	readonly rows: readonly number[];
	/** A further hit exists behind the last one. */
	readonly more: boolean;
	readonly last?: HitPosition;
};

export type SearchHits = {
	readonly entries: readonly RegistryEntry[];
	readonly more: boolean;
	readonly last?: HitPosition;
};

/** Finds one page of hits. `isErased` is asked for each entry that would be shown; without it all are shown. */
export function searchSnapshot(snapshot: Snapshot, query: SearchQuery, isErased: IsErased | undefined): SearchHits {
	const { rows, more, last } = searchRows(snapshot, query, isErased);
	return { entries: rows.map((row) => entryAt(snapshot, row)), more, ...(last ? { last } : {}) };
}

/** The same without taking the entries out of the snapshot. */
export function searchRows(snapshot: Snapshot, query: SearchQuery, isErased: IsErased | undefined): RowHits {
	const isShown = isErased ? (row: number) => !isErased(digitsOf(snapshot.keys[row] ?? 0)) : () => true;
	if (query.field === "document") return searchNumbers(snapshot, query, isShown);
	return searchText(snapshot, snapshot.fields[query.field], query, isShown);
}

/** Numbers that begin with the query, ascending. */
function searchNumbers(snapshot: Snapshot, query: SearchQuery, isShown: (row: number) => boolean): RowHits {
	const accepts = createFilter(snapshot, query);
	const [from, to] = keyRangeOf(query.text);
	const end = countRowsBefore(snapshot, to);
	const rows: number[] = [];
	const first = Math.max(from, query.after ? keyOf(query.after.document) + 1 : 0);
	for (let row = countRowsBefore(snapshot, first); row < end && rows.length <= query.limit; row++) {
		if (accepts(snapshot.traits[row] ?? 0) && isShown(row)) rows.push(row);
	}
	const shown = rows.slice(0, query.limit);
	const last = shown.at(-1);
	const more = rows.length > query.limit;
	if (last === undefined) return { rows: shown, more };
	const document = digitsOf(snapshot.keys[last] ?? 0);
	return { rows: shown, more, last: { hitClass: 0, active: false, length: 0, document } };
}

function searchText(
	snapshot: Snapshot,
	field: FieldIndex,
	query: SearchQuery,
	isShown: (row: number) => boolean,
): RowHits {
	const words = query.text.split(" ").map((word) => findWords(field, word));
	const values = findValues(field, words);
	const accepts = createFilter(snapshot, query);
	const isHit = (position: number) => accepts(field.traits[position] ?? 0) && isShown(field.rows[position] ?? 0);
	const wanted = query.limit + 1;
	const { after } = query;
	const firstOf = (hitClass: number): number => {
		if (!after || hitClass > after.hitClass) return 0;
		return hitClass < after.hitClass ? field.rows.length : positionBehind(snapshot, field, after);
	};
	const hits = takeEqual(field, values, firstOf(0), isHit, wanted);
	const equal = hits.length;
	let beginning = equal;
	if (hits.length < wanted) {
		const begun = takeBeginning(field, values, firstOf(1), isHit, wanted - hits.length);
		hits.push(...begun.hits);
		beginning = hits.length;
		if (hits.length < wanted) {
			const met = walkHits(field, words, [begun.goOnAt, firstOf(REST_CLASS)], accepts, isHit, wanted - hits.length);
			beginning += met.beginning.length;
			hits.push(...met.beginning, ...met.rest.slice(0, Math.max(0, wanted - beginning)));
		}
	}
	const shown = hits.slice(0, query.limit);
	const last = shown.at(-1);
	const hitClass = shown.length <= equal ? 0 : shown.length <= beginning ? 1 : REST_CLASS;
	return {
		rows: shown.map((position) => field.rows[position] ?? 0),
		more: hits.length > query.limit,
		...(last === undefined ? {} : { last: placeOf(snapshot, field, hitClass, last) }),
	};
}

/** Whether a trait fits the query's type and status. */
function createFilter({ manifest }: Snapshot, { kind, status }: SearchQuery): (trait: number) => boolean {
	if (kind === undefined && status === undefined) return () => true;
	const wantedStatus = status === undefined ? undefined : manifest.statuses.indexOf(status);
	const wantedKind = kind === undefined ? undefined : kind === "cedula" ? 1 : 0;
	return (trait) =>
		(wantedStatus === undefined || trait >>> 1 === wantedStatus) &&
		(wantedKind === undefined || (trait & 1) === wantedKind);
}

/** Of more than these the least are taken first. */
const SORTED_FIRST_MAX = 128;
/** More than these are not sorted: the walk meets enough of them soon. */
const SORTED_MAX = 2_048;

type IsHit = (position: number) => boolean;

function takeEqual(
	{ byValue }: FieldIndex,
	{ from, equalTo }: ValueRange,
	first: number,
	isHit: IsHit,
	wanted: number,
): number[] {
	const hits: number[] = [];
	for (let i = lowerBound(byValue, from, equalTo, first); i < equalTo && hits.length < wanted; i++) {
		const position = byValue[i] ?? 0;
		if (isHit(position)) hits.push(position);
	}
	return hits;
}

/** The best hits of a class, and the position from which on there may be more: none when that lies behind all. */
function takeBeginning(
	{ byValue, valueLeast, rows }: FieldIndex,
	{ equalTo, to }: ValueRange,
	first: number,
	isHit: IsHit,
	wanted: number,
): { readonly hits: readonly number[]; readonly goOnAt: number } {
	const count = to - equalTo;
	const hits: number[] = [];
	let goOnAt = first;
	const take = (ascending: Uint32Array): void => {
		for (let i = 0; i < ascending.length && hits.length < wanted; i++) {
			const position = ascending[i] ?? 0;
			if (position < goOnAt) continue;
			if (isHit(position)) hits.push(position);
			goOnAt = position + 1;
		}
	};
	if (first === 0 && count > SORTED_FIRST_MAX) take(takeLeast(byValue, valueLeast, equalTo, to, wanted));
	if (hits.length < wanted && count <= SORTED_MAX) {
		take(byValue.slice(equalTo, to).sort());
		goOnAt = rows.length;
	}
	return { hits, goOnAt };
}

/**
 * Walks what is rarest in the query and gathers two classes at once: what begins with the query until enough of it is there, and the rest as far as it
 * may be needed. A class without a place in the field is not asked for.
 */
function walkHits(
	field: FieldIndex,
	words: readonly QueryWord[],
	[firstBeginning, firstRest]: readonly [number, number],
	accepts: (trait: number) => boolean,
	isHit: IsHit,
	wanted: number,
): { readonly beginning: readonly number[]; readonly rest: readonly number[] } {
	const beginning: number[] = [];
	const rest: number[] = [];
	const first = Math.min(firstBeginning, firstRest);
	const asksBeginning = firstBeginning < field.rows.length;
	if (first >= field.rows.length || words.some(({ from, to }) => from === to)) return { beginning, rest };
	const { walk, unproven } = chooseWalk(field, dropImplied(words), wanted);
	walk(first, (position) => {
		// The cheapest question first: most positions of a filtered search end here.
		if (!accepts(field.traits[position] ?? 0)) return true;
		for (const word of unproven) if (!holdsWord(field, position, word)) return true;
		if (beginsWith(field, position, words)) {
			if (position >= firstBeginning && !isEqual(field, position, words) && isHit(position)) beginning.push(position);
		} else if (position >= firstRest && rest.length < wanted && isHit(position)) rest.push(position);
		return (asksBeginning ? beginning.length : rest.length) < wanted;
	});
	return { beginning, rest };
}

/** A word that begins another query word is implied by it. */
function dropImplied(words: readonly QueryWord[]): QueryWord[] {
	return words.filter(
		({ text }, i) =>
			!words.some((other, j) => j !== i && other.text.startsWith(text) && (other.text !== text || j < i)),
	);
}

/** Where a hit stands among all hits of its query, in values that are good in every snapshot. */

export type HitPosition = {
	readonly hitClass: number;
	readonly active: boolean;
	/** Of the folded value; 0 in a search for numbers. Units: UTF-16 code units. */
	readonly length: number;
	readonly document: string;
};

export function placeOf(snapshot: Snapshot, field: FieldIndex, hitClass: number, position: number): HitPosition {
	const { rankKeys, rankStarts, rows } = field;
	const rankKey = rankKeys[lowerBound(rankStarts, 0, rankStarts.length, position + 1) - 1] ?? 0;
	return {
		hitClass,
		active: rankKey <= RANK_LENGTH_MAX,
		length: rankKey % (RANK_LENGTH_MAX + 1),
		document: digitsOf(snapshot.keys[rows[position] ?? 0] ?? 0),
	};
}

/** The first position behind the place, whether or not the entry that stood there is in this snapshot. */
export function positionBehind(
	snapshot: Snapshot,
	{ rankKeys, rankStarts, rows }: FieldIndex,
	place: HitPosition,
): number {
	const key = rankKeyOf(place.active, place.length);
	const rank = lowerBound(rankKeys, 0, rankKeys.length, key);
	const from = rankStarts[rank] ?? rows.length;
	if (rankKeys[rank] !== key) return from;
	const rowsUpTo = countRowsBefore(snapshot, keyOf(place.document) + 1);
	return lowerBound(rows, from, rankStarts[rank + 1] ?? rows.length, rowsUpTo);
}
