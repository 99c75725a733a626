/**
 * Walks the values that hold a word of a range, best first.
 *
 * Each word has its own ascending list, and a short prefix may have thousands of words. The lists are merged stretch by stretch: those
 * of their positions that fall into the next stretch set a bit each, then the bits are read in order. The first stretch is small, since
 * most walks end in it, and they grow, since a walk that does not end soon goes over everything.
 */
import type { WordRange } from "./dictionary";
import type { FieldIndex } from "./open";

const FIRST_STRETCH = 4_096;
const GROWTH = 4;
/** Every stretch asks every list, so a walk over everything takes few of them, however much there is. */
const STRETCHES_ABOUT = 16;
const LAST_STRETCH_MIN = 65_536;
/** So few positions are simply sorted. */
const SORTED_MAX = 1_024;

/** Calls `visit` with each position from `first` on, ascending, each once, until it answers false. */
export function walkPositions(
	field: FieldIndex,
	range: WordRange,
	first: number,
	visit: (position: number) => boolean,
): void {
	const from = field.postingStarts[range.from] ?? 0;
	const to = field.postingStarts[range.to] ?? 0;
	if (range.to - range.from === 1) walkList(field.postings, from, to, first, visit);
	else if (to - from <= SORTED_MAX) {
		const distinct = dropRepeated(field.postings.slice(from, to).sort());
		walkList(distinct, 0, distinct.length, first, visit);
	} else mergeLists(field, range, first, visit);
}

function walkList(
	list: Uint32Array,
	from: number,
	to: number,
	first: number,
	visit: (position: number) => boolean,
): void {
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

function mergeLists(
	{ postings, postingStarts, rows }: FieldIndex,
	range: WordRange,
	first: number,
	visit: (position: number) => boolean,
): void {
	const next = postingStarts.slice(range.from, range.to);
	if (first > 0) {
		for (let i = 0; i < next.length; i++) {
			next[i] = lowerBound(postings, next[i] ?? 0, postingStarts[range.from + i + 1] ?? 0, first);
		}
	}
	const longest = Math.max(LAST_STRETCH_MIN, 32 * Math.ceil(rows.length / STRETCHES_ABOUT / 32));
	let stretch = FIRST_STRETCH;
	let bits = new Uint32Array(stretch / 32);
	for (let start = first; start < rows.length; ) {
		const end = start + stretch;
		for (let i = 0; i < next.length; i++) {
			const stop = postingStarts[range.from + i + 1] ?? 0;
			let at = next[i] ?? 0;
			for (; at < stop; at++) {
				const place = (postings[at] ?? 0) - start;
				if (place >= stretch) break;
				bits[place >>> 5] = (bits[place >>> 5] ?? 0) | (1 << (place & 31));
			}
			next[i] = at;
		}
		for (let block = 0; block < stretch / 32; block++) {
			for (let rest = bits[block] ?? 0; rest !== 0; rest &= rest - 1) {
				if (!visit(start + block * 32 + 31 - Math.clz32(rest & -rest))) return;
			}
			bits[block] = 0;
		}
		start = end;
		if (stretch < longest) {
			stretch = Math.min(stretch * GROWTH, longest);
			bits = new Uint32Array(stretch / 32);
		}
	}
}

/** The first place in `list[from … to)`, which ascends, that holds `value` or more. */
export function lowerBound(list: Uint32Array, from: number, to: number, value: number): number {
	let low = from;
	let high = to;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((list[middle] ?? 0) < value) low = middle + 1;
		else high = middle;
	}
	return low;
}
