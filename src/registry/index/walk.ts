/** Walks the values that hold a word of a range, best first. A short prefix may have thousands of words, each with a list of its own. */
import type { WordRange } from "./dictionary";
import { type Visit, walkLists } from "./merge-lists";
import type { FieldIndex } from "./open";

/** So few positions are simply sorted. */
const SORTED_MAX = 256;

/** Calls `visit` with each position from `first` on, ascending, each once, until it answers false. */
export function walkPositions(field: FieldIndex, range: WordRange, first: number, visit: Visit): void {
	const { postings, postingStarts, rows } = field;
	const from = postingStarts[range.from] ?? 0;
	const to = postingStarts[range.to] ?? 0;
	if (range.to - range.from === 1) walkList(postings, from, to, first, visit);
	else if (to - from <= SORTED_MAX) {
		const sorted = dropRepeated(postings.slice(from, to).sort());
		walkList(sorted, 0, sorted.length, first, visit);
	} else {
		const starts = postingStarts.subarray(range.from, range.to);
		const ends = postingStarts.subarray(range.from + 1, range.to + 1);
		walkLists({ numbers: postings, starts, ends, bound: rows.length }, first, visit);
	}
}

function walkList(list: Uint32Array, from: number, to: number, first: number, visit: Visit): void {
	for (let i = lowerBound(list, from, to, first); i < to; i++) {
		const position = list[i];
		if (position === undefined || !visit(position)) return;
	}
}

function dropRepeated(sorted: Uint32Array): Uint32Array {
	let kept = 0;
	for (let i = 0; i < sorted.length; i++) {
		if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[kept++] = sorted[i] ?? 0;
	}
	return sorted.subarray(0, kept);
}

/** The first place in `list[from … to)`, which ascends, that holds `value` or more. It ends whatever a damaged file says of the two. */
export function lowerBound(list: Uint32Array, from: number, to: number, value: number): number {
	let low = from;
	let high = Math.min(to, list.length);
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((list[middle] ?? 0) < value) low = middle + 1;
		else high = middle;
	}
	return low;
}
