/**
 * Searches a snapshot.
 *
 * A value matches if each query word is a prefix of one of its words, in any order. Hits come in three classes: the whole value equals the
 * query, the whole value starts with it, and the rest. Within a class they are sorted by position (see format.ts). Every hit thus has one
 * place in one order, so a page can start after any hit, even in the next run's snapshot.
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
import { chooseWalk } from "./choose-walk";
import { beginsWith, findValues, findWords, holdsWord, isEqual, type QueryWord, type ValueRange } from "./dictionary";
import { digitsOf, keyOf, keyRangeOf } from "./document-key";
import { countRowsBefore, entryAt } from "./entries";
import type { IsErased } from "./erased-set";
import { RANK_LENGTH_MAX, rankKeyOf, type TextField } from "./format";
import { takeLeast } from "./least";
import { lowerBound } from "./merge-lists";
import type { FieldIndex, Snapshot } from "./open";

/** The class of hits whose value neither equals nor starts with the query. */
export const REST_CLASS = 2;

export type SearchQuery = {
	readonly field: TextField | "document";
	/** Folded words, or digits if the field is `document`. */
	readonly text: string;
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
		...(last === undefined ? {} : { last: hitPositionOf(snapshot, field, hitClass, last) }),
	};
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

/** The place of a hit among all hits of its query, in values that hold for every snapshot. */

export type HitPosition = {
	readonly hitClass: number;
	readonly active: boolean;
	/** Of the folded value; 0 in a search for numbers. Units: UTF-16 code units. */
	readonly length: number;
	readonly document: string;
};

function hitPositionOf(snapshot: Snapshot, field: FieldIndex, hitClass: number, position: number): HitPosition {
	const { rankKeys, rankStarts, rows } = field;
	const rankKey = rankKeys[lowerBound(rankStarts, 0, rankStarts.length, position + 1) - 1] ?? 0;
	return {
		hitClass,
		active: rankKey <= RANK_LENGTH_MAX,
		length: rankKey % (RANK_LENGTH_MAX + 1),
		document: digitsOf(snapshot.keys[rows[position] ?? 0] ?? 0),
	};
}

/** The first position after the place, whether or not this snapshot still has the entry that was there. */
function positionBehind(snapshot: Snapshot, { rankKeys, rankStarts, rows }: FieldIndex, place: HitPosition): number {
	const key = rankKeyOf(place.active, place.length);
	const rank = lowerBound(rankKeys, 0, rankKeys.length, key);
	const from = rankStarts[rank] ?? rows.length;
	if (rankKeys[rank] !== key) return from;
	const rowsUpTo = countRowsBefore(snapshot, keyOf(place.document) + 1);
	return lowerBound(rows, from, rankStarts[rank + 1] ?? rows.length, rowsUpTo);
}
