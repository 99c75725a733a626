/** The place of a hit among all hits of its query, in values that hold for every snapshot. */
import { canonicalWords, isLink, normaliseText } from "../words";
import { digitsOf, keyOf } from "./document-key";
import { countRowsBefore } from "./entries";
import { RANK_LENGTH_MAX, rankKeyOf } from "./format";
import { lowerBound } from "./merge-lists";
import type { FieldIndex, Snapshot } from "./open";

/** The class of hits whose value neither equals nor starts with the query. */
export const REST_CLASS = 2;

/** A hit before it becomes a row; `isOther` says that it lacks the query's legal form. */
export type Hit = { readonly position: number; readonly hitClass: number; readonly isOther: boolean };

export type HitPosition = {
	readonly hitClass: number;
	/** Whether it lacks the query's legal form. */
	readonly isOther?: boolean;
	readonly active: boolean;
	/** Of the folded value; 0 in a search for numbers. Units: UTF-16 code units. */
	readonly length: number;
	readonly document: string;
};

export function hitPositionOf(
	snapshot: Snapshot,
	field: FieldIndex,
	{ position, hitClass, isOther }: Hit,
): HitPosition {
	const { rankKeys, rankStarts, rows } = field;
	const rankKey = rankKeys[lowerBound(rankStarts, 0, rankStarts.length, position + 1) - 1] ?? 0;
	return {
		hitClass,
		...(isOther ? { isOther } : {}),
		active: rankKey <= RANK_LENGTH_MAX,
		length: rankKey % (RANK_LENGTH_MAX + 1),
		document: digitsOf(snapshot.keys[rows[position] ?? 0] ?? 0),
	};
}

/** The first position after the place, whether or not this snapshot still has the entry that was there. */
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
export function comparePlaces(a: HitPosition | undefined, b: HitPosition | undefined): number {
	if (!a || !b) return 0;
	const rank = (place: HitPosition) => rankKeyOf(place.active, place.length);
	return (
		a.hitClass - b.hitClass ||
		Number(a.isOther ?? false) - Number(b.isOther ?? false) ||
		rank(a) - rank(b) ||
		keyOf(a.document) - keyOf(b.document)
	);
}

/** Where a query finds a value, by the value's text instead of the index; undefined if it does not match. */
export function findPlace(
	value: string,
	query: { readonly text: string; readonly form?: string },
): Pick<HitPosition, "hitClass" | "isOther" | "length"> | undefined {
	const { words, extras } = canonicalWords(value);
	const asked = query.text.split(" ");
	const needed = asked.filter((word) => !isLink(word));
	const isHeld = (start: string) => [...words, ...extras].some((word) => word.startsWith(start));
	if (!(needed.length > 0 ? needed : asked).every(isHeld)) return undefined;
	const begins = ` ${words.join(" ")}`.startsWith(` ${query.text}`);
	const isEqual = begins && words.length === asked.length && words.at(-1) === asked.at(-1);
	return {
		hitClass: isEqual ? 0 : begins ? 1 : REST_CLASS,
		...(query.form !== undefined && !extras.includes(query.form) ? { isOther: true } : {}),
		length: Math.min(normaliseText(value).length, RANK_LENGTH_MAX),
	};
}
