/**
 * Merges ascending lists of positions into one walk that visits each position once, in one of two ways:
 *
 *   heap    of the lists' heads: cheap to start, but costs more for each position than bits
 *   bits    stretch by stretch: the positions that fall into the next stretch set one bit each, then the bits are read
 *           in order. Stretches grow, because a walk that does not end soon visits everything.
 *
 * Most walks end after some tens of positions, so they start with the heap and switch to bits when they go on. A heap of very many lists
 * would cost more to fill than it saves.
 */
import type { WordRange } from "./dictionary";
import type { FieldIndex } from "./open";

/** Lists in one array: list `i` is `numbers[starts[i] … ends[i])`, ascending. */
export type Lists = {
	readonly numbers: Uint32Array;
	readonly starts: Uint32Array;
	readonly ends: Uint32Array;
	/** Exclusive upper bound of all numbers. */
	readonly bound: number;
};

/** Returns whether the walk goes on. */
export type Visit = (position: number) => boolean;

const HEAP_LISTS_MAX = 1_024;
const HEAP_STEPS_MAX = 16_384;
const FIRST_STRETCH = 4_096;
const GROWTH = 4;
/** Every stretch reads every list, so the number of stretches stays small whatever the total size. */
const STRETCHES_ABOUT = 16;
const LAST_STRETCH_MIN = 65_536;

/** Calls `visit` with each distinct number from `first` on, ascending, until it returns false. */
export function walkLists(lists: Lists, first: number, visit: Visit): void {
	const next = lists.starts.slice();
	if (first > 0) {
		for (let i = 0; i < next.length; i++) {
			next[i] = lowerBound(lists.numbers, next[i] ?? 0, lists.ends[i] ?? 0, first);
		}
	}
	const goOnAt = next.length > HEAP_LISTS_MAX ? first : walkByHeap(lists, next, visit);
	if (goOnAt < lists.bound) walkByBits(lists, next, goOnAt, visit);
}

/** Returns where the bits must continue; `next` then points there. */
function walkByHeap({ numbers, ends, bound }: Lists, next: Uint32Array, visit: Visit): number {
	// A head packs its number and its list into one value.
	const heap = new Float64Array(next.length);
	let size = 0;
	for (let i = 0; i < next.length; i++) {
		const at = next[i] ?? 0;
		if (at < (ends[i] ?? 0)) heap[size++] = (numbers[at] ?? 0) * HEAP_LISTS_MAX + i;
	}
	heap.subarray(0, size).sort();
	let met = -1;
	for (let steps = 0; size > 0; steps++) {
		const head = heap[0] ?? 0;
		const number = Math.floor(head / HEAP_LISTS_MAX);
		if (number !== met) {
			if (steps >= HEAP_STEPS_MAX) return number;
			if (!visit(number)) return bound;
		}
		met = number;
		const i = head - number * HEAP_LISTS_MAX;
		const at = (next[i] ?? 0) + 1;
		next[i] = at;
		if (at < (ends[i] ?? 0)) sink(heap, size, (numbers[at] ?? 0) * HEAP_LISTS_MAX + i);
		else {
			size--;
			sink(heap, size, heap[size] ?? 0);
		}
	}
	return bound;
}

function sink(heap: Float64Array, size: number, head: number): void {
	let place = 0;
	for (;;) {
		let child = 2 * place + 1;
		if (child >= size) break;
		if (child + 1 < size && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child++;
		const least = heap[child] ?? 0;
		if (least >= head) break;
		heap[place] = least;
		place = child;
	}
	heap[place] = head;
}

function walkByBits({ numbers, ends, bound }: Lists, next: Uint32Array, first: number, visit: Visit): void {
	const longest = Math.max(LAST_STRETCH_MIN, 32 * Math.ceil(bound / STRETCHES_ABOUT / 32));
	let stretch = FIRST_STRETCH;
	let bits = new Uint32Array(stretch / 32);
	for (let start = first; start < bound; ) {
		for (let i = 0; i < next.length; i++) {
			const stop = ends[i] ?? 0;
			let at = next[i] ?? 0;
			for (; at < stop; at++) {
				const place = (numbers[at] ?? 0) - start;
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
		start += stretch;
		if (stretch < longest) {
			stretch = Math.min(stretch * GROWTH, longest);
			bits = new Uint32Array(stretch / 32);
		}
	}
}

/** With so few positions, sorting them is cheapest. */
const SORTED_MAX = 256;

/**
 * Visits the values that hold a word of a range, best first: calls `visit` with each distinct position from `first` on, ascending, until it
 * returns false. A short prefix may cover thousands of words, each with a list of its own.
 */
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

/** The first index of the ascending `list[from … to)` whose element is at least `value`. Terminates on damaged files too. */
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
