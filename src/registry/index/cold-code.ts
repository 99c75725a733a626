/**
 * Names the functions that a build runs once or a few times, with loops over all rows. The runtime's compiler would take longer over most of them in its
 * last stage than it then spares, on a processor that the build itself could use: a tenth of the build's processor time. With very many rows it
 * is the other way round.
 */
import { noFTL } from "bun:jsc";

type ColdFunction = (...given: never[]) => unknown;

/** So many rows and more are worth the last stage. */
const ROWS_MIN = 2_000_000;
const functions: ColdFunction[] = [];

/** To be called where the functions are declared. */
export function markCold(...more: readonly ColdFunction[]): void {
	functions.push(...more);
}

/** Keeps the functions from the last stage in the thread that calls it, unless there are very many rows. */
export function skipFtlForCold(rows: number): void {
	if (rows >= ROWS_MIN) return;
	for (const one of functions.splice(0)) noFTL(one);
}
