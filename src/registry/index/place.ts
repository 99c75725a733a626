/** Where a hit stands among all hits of its query, in values that are good in every snapshot. */
import { digitsOf, keyOf } from "./document-key";
import { RANK_LENGTH_MAX, rankKeyOf } from "./format";
import { countRowsBefore } from "./lookup";
import type { FieldIndex, Snapshot } from "./open";
import { lowerBound } from "./walk";

export type HitPlace = {
	readonly hitClass: number;
	readonly active: boolean;
	/** Of the folded value; 0 in a search for numbers. Units: UTF-16 code units. */
	readonly length: number;
	readonly document: string;
};

export function placeOf(snapshot: Snapshot, field: FieldIndex, hitClass: number, position: number): HitPlace {
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
	place: HitPlace,
): number {
	const key = rankKeyOf(place.active, place.length);
	const rank = lowerBound(rankKeys, 0, rankKeys.length, key);
	const from = rankStarts[rank] ?? rows.length;
	if (rankKeys[rank] !== key) return from;
	const rowsUpTo = countRowsBefore(snapshot, keyOf(place.document) + 1);
	return lowerBound(rows, from, rankStarts[rank + 1] ?? rows.length, rowsUpTo);
}
