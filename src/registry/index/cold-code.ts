/**
 * Functions that a build runs once or a few times, with loops over all rows. For most of them the last tier of the runtime's compiler (FTL)
 * takes longer than it saves, on a processor that the build needs: a tenth of its processor time. With very many rows the tier pays off.
 */
import { noFTL } from "bun:jsc";

type ColdFunction = (...given: never[]) => unknown;

/** From this number of rows on, the last tier pays off. */
const ROWS_MIN = 2_000_000;
const functions: ColdFunction[] = [];

export function markCold(...more: readonly ColdFunction[]): void {
	functions.push(...more);
}

/** Excludes the functions from the last tier in the calling thread, unless there are very many rows. */
export function skipFtlForCold(rows: number): void {
	if (rows >= ROWS_MIN) return;
	for (const one of functions.splice(0)) noFTL(one);
}
