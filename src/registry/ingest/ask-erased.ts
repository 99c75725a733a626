/**
 * Asks of each number of a source whether it was erased. A keyed digest for every number would take as long as half of the ingest, so the
 * numbers that a file without anything erased already holds are not asked for again: after one day those are nearly all.
 */
import { digitsOf } from "../index/document-key";
import type { Snapshot } from "../index/open";

export type IsErased = (digits: string) => boolean;

/**
 * Must be asked in ascending order. `cleared` holds none of the erased numbers; without it every number is asked for.
 * Units: keys, as document-key.ts makes them.
 */
export function askAscending(isErased: IsErased, cleared: Snapshot | undefined): (key: number) => boolean {
	const keys = cleared?.keys ?? new Float64Array(0);
	let at = 0;
	return (key) => {
		while (at < keys.length && (keys[at] ?? 0) < key) at++;
		return keys[at] !== key && isErased(digitsOf(key));
	};
}
