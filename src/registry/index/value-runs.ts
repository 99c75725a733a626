/**
 * Runs of equal values, for a field that has few distinct ones, as there are some hundreds of activities: a search then looks at each
 * distinct value once and merges the runs of those that match.
 *
 * `value-starts` is value → where its run begins in `by-value`; one more element closes the last. It is empty where there are too many.
 */
import type { QueryWord } from "./dictionary";
import { type Lists, type Visit, walkLists } from "./merge-lists";
import type { FieldIndex } from "./open";
import { holdsWord } from "./value-words";

/** More distinct values than these are not looked at one by one. */
const RUNS_MAX = 4_096;
/** Shorter runs, on the average, are not worth it. */
const RUN_LENGTH_MIN = 8;

type Values = { readonly wordStarts: Uint32Array; readonly words: Uint32Array; readonly byValue: Uint32Array };

export function findRuns(values: Values): Uint32Array {
	const { byValue } = values;
	const runsMax = Math.min(RUNS_MAX, byValue.length / RUN_LENGTH_MIN);
	const starts = [0];
	for (let start = 0; start < byValue.length; starts.push(start)) {
		if (starts.length > runsMax) return new Uint32Array(0);
		start = findEnd(values, start);
	}
	return Uint32Array.from(starts);
}

/** Where the run that begins at `start` ends. Equal values stand side by side, so most of a long run is never looked at. */
function findEnd(values: Values, start: number): number {
	const { byValue } = values;
	const isIn = (at: number) => at < byValue.length && isSame(values, byValue[start] ?? 0, byValue[at] ?? 0);
	let low = start;
	let high = start + 1;
	for (; isIn(high); high += high - start) low = high;
	while (low + 1 < high) {
		const middle = (low + high) >>> 1;
		if (isIn(middle)) low = middle;
		else high = middle;
	}
	return high;
}

function isSame({ wordStarts, words }: Values, one: number, other: number): boolean {
	const from = wordStarts[one] ?? 0;
	const length = (wordStarts[one + 1] ?? 0) - from;
	const start = wordStarts[other] ?? 0;
	if ((wordStarts[other + 1] ?? 0) - start !== length) return false;
	for (let i = 0; i < length; i++) if (words[from + i] !== words[start + i]) return false;
	return true;
}

/** Whether the field has its runs listed. */
export function hasRuns({ valueStarts }: FieldIndex): boolean {
	return valueStarts.length > 0;
}

/** Walks the values that hold all the words, best first. */
export function walkRuns(field: FieldIndex, words: readonly QueryWord[], first: number, visit: Visit): void {
	const { valueStarts, byValue, rows } = field;
	const runs: number[] = [];
	for (let run = 0; run < valueStarts.length - 1; run++) {
		const example = byValue[valueStarts[run] ?? 0] ?? 0;
		if (words.every((word) => holdsWord(field, example, word))) runs.push(run);
	}
	const lists: Lists = {
		numbers: byValue,
		starts: Uint32Array.from(runs, (run) => valueStarts[run] ?? 0),
		ends: Uint32Array.from(runs, (run) => valueStarts[run + 1] ?? 0),
		bound: rows.length,
	};
	walkLists(lists, first, visit);
}
