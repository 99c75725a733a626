/**
 * Searches a snapshot.
 *
 * A value matches if each query word is a prefix of one of its words, in any order; links such as DE count only in a query of nothing else.
 * Hits come in three classes: the whole value equals the query, the whole value starts with it, and the rest. Extra words and legal forms
 * do not count for the first two. Within a class the values with the query's legal form come first, then all are sorted by position (see
 * format.ts). Every hit thus has one place in one order, so a page can start after any hit, even in the next run's snapshot.
 *
 *   equal    one range of `by-value`, already in order
 *   begins   one range of `by-value`; of a large one the least are taken, and if they do not suffice the walk finds more
 *   rest     walks the positions of the rarest word, or of two words at once, best first (see choose-walk.ts), and checks
 *            the remaining words against the value's own words
 *
 * A class is searched only until the page is full, so the cost of a search hardly depends on the number of entries. It still grows for
 * three or more frequent words that seldom occur together, and for a filter that few hits pass.
 *
 * Erased entries are dropped before hits are counted, so neither a page's length nor `more` reveals them.
 */

import type { RegistryEntry } from "../entry";
import { isLink } from "../words";
import { chooseWalk } from "./choose-walk";
import {
	beginsWith,
	findValues,
	findWords,
	hasExtra,
	holdsWord,
	isEqual,
	type QueryWord,
	type ValueRange,
} from "./dictionary";
import { digitsOf, keyOf, keyRangeOf } from "./document-key";
import { countRowsBefore, entryAt } from "./entries";
import type { IsErased } from "./erased-set";
import type { TextField } from "./format";
import {
	comparePlaces,
	findPlace,
	type Hit,
	type HitPosition,
	hitPositionOf,
	positionBehind,
	REST_CLASS,
} from "./hit-position";
import { takeLeast } from "./least";
import { lowerBound } from "./merge-lists";
import type { FieldIndex, Snapshot } from "./open";

export type SearchQuery = {
	readonly field: TextField | "document" | "any";
	/** Canonical words, or digits if the field is `document`. */
	readonly text: string;
	/** The legal form that ranks first. */
	readonly form?: string;
	readonly kind?: "rnc" | "cedula";
	readonly status?: string;
	readonly limit: number;
	readonly after?: HitPosition;
};

export type RowHits = {
	readonly rows: readonly number[];
	readonly more: boolean;
	readonly last?: HitPosition;
};

export type SearchHits = {
	readonly entries: readonly RegistryEntry[];
	readonly more: boolean;
	readonly last?: HitPosition;
};

/** Finds one page of hits. `isErased` is called for each entry that would be shown; without it all are shown. */
export function searchSnapshot(snapshot: Snapshot, query: SearchQuery, isErased: IsErased | undefined): SearchHits {
	const { rows, more, last } = searchRows(snapshot, query, isErased);
	return { entries: rows.map((row) => entryAt(snapshot, row)), more, ...(last ? { last } : {}) };
}

/** The same, but returns rows instead of entries. */
export function searchRows(snapshot: Snapshot, query: SearchQuery, isErased: IsErased | undefined): RowHits {
	const isShown = isErased ? (row: number) => !isErased(digitsOf(snapshot.keys[row] ?? 0)) : () => true;
	if (query.field === "document") return searchNumbers(snapshot, query, isShown);
	if (query.field === "any") return searchAny(snapshot, query, isShown);
	return searchText(snapshot, snapshot.fields[query.field], query, isShown);
}

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
	const hits = findHits(snapshot, field, query, isShown);
	const shown = hits.slice(0, query.limit);
	const last = shown.at(-1);
	return {
		rows: shown.map(({ position }) => field.rows[position] ?? 0),
		more: hits.length > query.limit,
		...(last === undefined ? {} : { last: hitPositionOf(snapshot, field, last) }),
	};
}

/** One hit more than the limit, if there are as many. */
function findHits(
	snapshot: Snapshot,
	field: FieldIndex,
	query: SearchQuery,
	isShown: (row: number) => boolean,
): readonly Hit[] {
	const words = query.text.split(" ").map((word) => findWords(field, word));
	const search: TextSearch = {
		field,
		words,
		needed: dropLinks(words),
		values: findValues(field, words),
		accepts: createFilter(snapshot, query),
		isShown,
	};
	const wanted = query.limit + 1;
	const { after } = query;
	const behind = after ? positionBehind(snapshot, field, after) : 0;
	const firstOf = (hitClass: number, isOther: boolean): number => {
		if (!after) return 0;
		const difference = 2 * (hitClass - after.hitClass) + Number(isOther) - Number(after.isOther ?? false);
		if (difference === 0) return behind;
		return difference < 0 ? field.rows.length : 0;
	};
	if (query.form === undefined)
		return collectHits(
			search,
			[0, 1, 2].map((hitClass) => firstOf(hitClass, false)),
			wanted,
			false,
		);
	const form = findWords(field, query.form);
	const hits: Hit[] = [];
	for (const hitClass of [0, 1, REST_CLASS]) {
		for (const isOther of [false, true]) {
			if (hits.length === wanted || (!isOther && form.exact === undefined)) continue;
			const firsts = [0, 1, 2].map((one) => (one === hitClass ? firstOf(hitClass, isOther) : field.rows.length));
			hits.push(...collectHits(withForm(search, form, isOther), firsts, wanted - hits.length, isOther));
		}
	}
	return hits;
}

type TextSearch = {
	readonly field: FieldIndex;
	/** All words of the query, and those that a hit needs. */
	readonly words: readonly QueryWord[];
	readonly needed: readonly QueryWord[];
	readonly values: ValueRange;
	/** Whether a trait passes the filters. */
	readonly accepts: (trait: number) => boolean;
	readonly isShown: (row: number) => boolean;
	/** Whether a position has the legal form that is asked for; all have it if absent. */
	readonly isOfForm?: (position: number) => boolean;
};

function dropLinks(words: readonly QueryWord[]): readonly QueryWord[] {
	const needed = words.filter(({ text }) => !isLink(text));
	return needed.length > 0 ? needed : words;
}

/** The search for values that have the form, which is then one of the words needed, or for those that lack it. */
function withForm(search: TextSearch, form: QueryWord, isOther: boolean): TextSearch {
	const { exact } = form;
	if (exact === undefined) return search;
	const isOfForm = (position: number) => hasExtra(search.field, position, exact) !== isOther;
	if (isOther) return { ...search, isOfForm };
	return { ...search, isOfForm, needed: [...search.needed, { ...form, from: exact, to: exact + 1 }] };
}

/** The hits of all classes, best first; `firsts` has the first position of each class. */
function collectHits(
	search: TextSearch,
	[firstEqual = 0, firstBeginning = 0, firstRest = 0]: readonly number[],
	wanted: number,
	isOther: boolean,
): Hit[] {
	const { field, values, accepts, isShown, isOfForm } = search;
	const isHit = (position: number) =>
		accepts(field.traits[position] ?? 0) && (!isOfForm || isOfForm(position)) && isShown(field.rows[position] ?? 0);
	const hits: Hit[] = [];
	const add = (positions: readonly number[], hitClass: number) => {
		for (const position of positions) if (hits.length < wanted) hits.push({ position, hitClass, isOther });
	};
	add(takeEqual(field, values, firstEqual, isHit, wanted), 0);
	if (hits.length === wanted) return hits;
	const begun = takeBeginning(field, values, firstBeginning, isHit, wanted - hits.length);
	add(begun.hits, 1);
	if (hits.length === wanted) return hits;
	const met = walkHits(search, [begun.goOnAt, firstRest], isHit, wanted - hits.length);
	add(met.beginning, 1);
	add(met.rest, REST_CLASS);
	return hits;
}

function createFilter({ manifest }: Snapshot, { kind, status }: SearchQuery): (trait: number) => boolean {
	if (kind === undefined && status === undefined) return () => true;
	const wantedStatus = status === undefined ? undefined : manifest.statuses.indexOf(status);
	const wantedKind = kind === undefined ? undefined : kind === "cedula" ? 1 : 0;
	return (trait) =>
		(wantedStatus === undefined || trait >>> 1 === wantedStatus) &&
		(wantedKind === undefined || (trait & 1) === wantedKind);
}

/** From larger ranges, the least positions are taken first. */
const SORTED_FIRST_MAX = 128;
/** Larger ranges are not sorted, because the walk soon meets enough of them. */
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

/** The best hits of a class, and the first position that may hold more; past the end if there are none. */
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
	if (first >= rows.length) return { hits, goOnAt };
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
 * Walks the rarest words of the query and collects two classes at once: values that start with the query, until enough are found, and the
 * rest as far as needed. Skips a class whose first position is past the end.
 */
function walkHits(
	{ field, words, needed, accepts }: TextSearch,
	[firstBeginning, firstRest]: readonly [number, number],
	isHit: IsHit,
	wanted: number,
): { readonly beginning: readonly number[]; readonly rest: readonly number[] } {
	const beginning: number[] = [];
	const rest: number[] = [];
	const first = Math.min(firstBeginning, firstRest);
	const asksBeginning = firstBeginning < field.rows.length;
	if (first >= field.rows.length || needed.some(({ from, to }) => from === to)) return { beginning, rest };
	const { walk, unproven } = chooseWalk(field, dropImplied(needed), wanted);
	walk(first, (position) => {
		// The cheapest check first: most positions of a filtered search fail it.
		if (!accepts(field.traits[position] ?? 0)) return true;
		for (const word of unproven) if (!holdsWord(field, position, word)) return true;
		if (beginsWith(field, position, words)) {
			if (position >= firstBeginning && !isEqual(field, position, words) && isHit(position)) beginning.push(position);
		} else if (position >= firstRest && rest.length < wanted && isHit(position)) rest.push(position);
		return (asksBeginning ? beginning.length : rest.length) < wanted;
	});
	return { beginning, rest };
}

/** Drops words that are prefixes of other query words, which imply them. */
function dropImplied(words: readonly QueryWord[]): QueryWord[] {
	return words.filter(
		({ text }, i) =>
			!words.some((other, j) => j !== i && other.text.startsWith(text) && (other.text !== text || j < i)),
	);
}

/** A search of both names. An entry that both find is a hit of the better one. */

const NAMES = ["name", "trade_name"] as const;

function searchAny(snapshot: Snapshot, query: SearchQuery, isShown: (row: number) => boolean): RowHits {
	const streams = NAMES.map((name) => streamHits(snapshot, name, query, isShown));
	const hits: { readonly row: number; readonly place: HitPosition }[] = [];
	while (hits.length <= query.limit) {
		const [best] = streams.filter(({ head }) => head()).sort((a, b) => comparePlaces(a.head()?.place, b.head()?.place));
		const hit = best?.head();
		if (!best || !hit) break;
		hits.push(hit);
		best.drop();
	}
	const shown = hits.slice(0, query.limit);
	const last = shown.at(-1)?.place;
	return { rows: shown.map(({ row }) => row), more: hits.length > query.limit, ...(last ? { last } : {}) };
}

/** The hits of one name in order, page by page, without those that the other name finds at a better place. */
function streamHits(
	snapshot: Snapshot,
	name: (typeof NAMES)[number],
	query: SearchQuery,
	isShown: (row: number) => boolean,
) {
	const field = snapshot.fields[name];
	const other = name === "name" ? "trade_name" : "name";
	let page: readonly Hit[] = findHits(snapshot, field, query, isShown);
	let at = 0;
	const toHit = (hit: Hit) => ({
		row: field.rows[hit.position] ?? 0,
		place: hitPositionOf(snapshot, field, hit),
	});
	const isBetterElsewhere = ({ row, place }: ReturnType<typeof toHit>): boolean => {
		const found = findPlace(entryAt(snapshot, row)[other], query);
		if (!found) return false;
		const difference = comparePlaces({ ...place, isOther: false, ...found }, place);
		return difference < 0 || (difference === 0 && other === "name");
	};
	const settle = () => {
		for (;;) {
			const hit = page[at];
			if (hit) {
				if (!isBetterElsewhere(toHit(hit))) return;
				at++;
			} else {
				const last = page.at(-1);
				if (!last || page.length <= query.limit) return;
				page = findHits(snapshot, field, { ...query, after: hitPositionOf(snapshot, field, last) }, isShown);
				at = 0;
			}
		}
	};
	settle();
	return {
		head: () => {
			const hit = page[at];
			return hit && toHit(hit);
		},
		drop: () => {
			at++;
			settle();
		},
	};
}
