/** Sorts numbers, mostly by counting, in time proportional to the input. All sorts are stable. */
import { markCold } from "../../index/index";

/** Few enough groups that the ends of all of them stay in the processor's caches. */
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;

/** Exclusive upper bound of keys: all but one of their digits must fit into a signed integer. */
const KEY_MAX = 2 ** (31 + DIGIT_BITS);

/** The indexes of `keys` in ascending order of their values. Units: keys are integers below `bound`, which is at most 2^42. */
export function sortKeys(keys: Float64Array, bound: number): Uint32Array {
	const count = keys.length;
	// Each pass moves the rest of the key along with its index, so that all reads are sequential.
	let order: Uint32Array = new Uint32Array(count);
	let rests: Uint32Array = new Uint32Array(count);
	const ends = new Uint32Array(DIGITS);
	for (let i = 0; i < count; i++) {
		const key = keys[i] ?? 0;
		const digit = (key - ((key / DIGITS) | 0) * DIGITS) | 0;
		ends[digit] = (ends[digit] ?? 0) + 1;
	}
	startsOf(ends);
	for (let i = 0; i < count; i++) {
		const key = keys[i] ?? 0;
		const rest = (key / DIGITS) | 0;
		const digit = (key - rest * DIGITS) | 0;
		const place = ends[digit] ?? 0;
		ends[digit] = place + 1;
		order[place] = i;
		rests[place] = rest;
	}
	let otherOrder: Uint32Array = new Uint32Array(count);
	let otherRests: Uint32Array = new Uint32Array(count);
	for (let unit = DIGITS; unit < bound; unit *= DIGITS) {
		sortByRest(order, rests, otherOrder, otherRests);
		[order, otherOrder, rests, otherRests] = [otherOrder, order, otherRests, rests];
	}
	return order;
}

/** Sorts the pairs of `order` and `rests` by the last digit of the rests, and removes that digit. */
function sortByRest(order: Uint32Array, rests: Uint32Array, nextOrder: Uint32Array, nextRests: Uint32Array): void {
	const ends = new Uint32Array(DIGITS);
	for (let i = 0; i < rests.length; i++) {
		const digit = (rests[i] ?? 0) & (DIGITS - 1);
		ends[digit] = (ends[digit] ?? 0) + 1;
	}
	startsOf(ends);
	for (let i = 0; i < rests.length; i++) {
		const rest = rests[i] ?? 0;
		const digit = rest & (DIGITS - 1);
		const place = ends[digit] ?? 0;
		ends[digit] = place + 1;
		nextOrder[place] = order[i] ?? 0;
		nextRests[place] = rest >>> DIGIT_BITS;
	}
}

/** Turns counts into the start of each group, in place; returns their sum. */
export function startsOf(counts: Uint32Array): number {
	let sum = 0;
	for (let i = 0; i < counts.length; i++) {
		const count = counts[i] ?? 0;
		counts[i] = sum;
		sum += count;
	}
	return sum;
}

/** Element → its place when sorted by group, and group → its start. Each element is the number of its group. */
export function sortByGroup(groups: Uint32Array, groupCount: number) {
	const starts = countGroups(groups, groupCount);
	startsOf(starts);
	return { places: takePlaces(groups, starts.slice()), starts };
}

function countGroups(groups: Uint32Array, groupCount: number): Uint32Array {
	const counts = new Uint32Array(groupCount);
	for (let i = 0; i < groups.length; i++) {
		const group = groups[i] ?? 0;
		counts[group] = (counts[group] ?? 0) + 1;
	}
	return counts;
}

function takePlaces(groups: Uint32Array, ends: Uint32Array): Uint32Array {
	const places = new Uint32Array(groups.length);
	for (let i = 0; i < groups.length; i++) {
		const group = groups[i] ?? 0;
		const place = ends[group] ?? 0;
		ends[group] = place + 1;
		places[i] = place;
	}
	return places;
}

/** From this length on, counting over the digits is faster than the runtime's sort of numbers. */
const COUNT_MIN = 20_000;
const EXACT_MAX = 2 ** 53;

const INSERT_MAX = 12;

/**
 * The indexes of all non-empty sequences in ascending order. A prefix sorts before its extensions, and equal sequences sort by index.
 * Sequence `i` is `symbols[starts[i] … starts[i + 1])`, with each symbol below `alphabet`; it ends before its first symbol with the highest bit
 * set. First symbols are sorted by counting. Groups
 * that are equal so far are sorted by the next two symbols, combined into one number, and so on.
 */
export function sortSequences(starts: Uint32Array, symbols: Uint32Array, alphabet: number): Uint32Array {
	const base = alphabet + 1;
	const step = base * base <= KEY_MAX ? 2 : 1;
	// Zero after the end and for a marked symbol, so that a prefix sorts before its extensions. A mark makes a signed integer negative.
	const symbolAt = (at: number, end: number): number => (at < end ? Math.max(0, ((symbols[at] ?? 0) | 0) + 1) : 0);
	const keyAt = (at: number, end: number): number => {
		const first = symbolAt(at, end);
		if (step === 1 || first === 0) return first;
		return first * base + symbolAt(at + 1, end);
	};
	const firsts = listFirsts(starts, symbols);
	const { places, starts: groupStarts } = sortByGroup(firsts, base);
	const count = firsts.length - (groupStarts[1] ?? 0);
	const sorted = new Uint32Array(count);
	const keys = new Float64Array(count);
	for (let i = 0; i < places.length; i++) {
		const place = (places[i] ?? 0) - firsts.length + count;
		if (place < 0) continue;
		sorted[place] = i;
		keys[place] = keyAt((starts[i] ?? 0) + 1, starts[i + 1] ?? 0);
	}
	/** Groups that are equal up to a depth, three numbers each: from, to, depth. */
	const groups: number[] = [];
	const sortGroup = (from: number, to: number, depth: number) => {
		sortByKeys(keys, sorted, from, to, base ** step);
		for (let start = from; start < to; ) {
			const key = keys[start] ?? 0;
			let stop = start + 1;
			while (stop < to && keys[stop] === key) stop++;
			// If the key has its last symbol, more may follow.
			if (stop - start > 1 && key % base !== 0) groups.push(start, stop, depth + step);
			start = stop;
		}
	};
	for (let first = 1; first < base; first++) {
		const from = (groupStarts[first] ?? 0) - firsts.length + count;
		const to = (groupStarts[first + 1] ?? firsts.length) - firsts.length + count;
		if (to - from > 1) sortGroup(from, to, 1);
	}
	while (groups.length > 0) {
		const depth = groups.pop() ?? 0;
		const to = groups.pop() ?? 0;
		const from = groups.pop() ?? 0;
		let isLonger = false;
		for (let i = from; i < to; i++) {
			const sequence = sorted[i] ?? 0;
			keys[i] = keyAt((starts[sequence] ?? 0) + depth, starts[sequence + 1] ?? 0);
			isLonger ||= keys[i] !== 0;
		}
		if (isLonger) sortGroup(from, to, depth);
	}
	return sorted;
}

/** Sequence → its first symbol plus one; 0 if it is empty. */
function listFirsts(starts: Uint32Array, symbols: Uint32Array): Uint32Array {
	const firsts = new Uint32Array(starts.length - 1);
	for (let i = 0; i < firsts.length; i++) {
		const at = starts[i] ?? 0;
		if (at !== starts[i + 1]) firsts[i] = (symbols[at] ?? 0) + 1;
	}
	return firsts;
}

/** Sorts a part of both arrays by the keys, which are integers below `bound`. */
function sortByKeys(keys: Float64Array, values: Uint32Array, from: number, to: number, bound: number): void {
	const count = to - from;
	if (count < INSERT_MAX) {
		for (let i = from + 1; i < to; i++) {
			const key = keys[i] ?? 0;
			const value = values[i] ?? 0;
			let at = i;
			for (; at > from && (keys[at - 1] ?? 0) > key; at--) {
				keys[at] = keys[at - 1] ?? 0;
				values[at] = values[at - 1] ?? 0;
			}
			keys[at] = key;
			values[at] = value;
		}
		return;
	}
	const valuesBefore = values.slice(from, to);
	const stretch = keys.subarray(from, to);
	if (count < COUNT_MIN && bound * count < EXACT_MAX) {
		for (let i = 0; i < count; i++) stretch[i] = (stretch[i] ?? 0) * count + i;
		stretch.sort();
		for (let i = 0; i < count; i++) {
			const key = Math.floor((stretch[i] ?? 0) / count);
			values[from + i] = valuesBefore[(stretch[i] ?? 0) - key * count] ?? 0;
			stretch[i] = key;
		}
		return;
	}
	const keysBefore = stretch.slice();
	const order = sortKeys(stretch, bound);
	for (let i = 0; i < count; i++) {
		const place = order[i] ?? 0;
		stretch[i] = keysBefore[place] ?? 0;
		values[from + i] = valuesBefore[place] ?? 0;
	}
}

markCold(countGroups, takePlaces, listFirsts, startsOf, sortSequences, sortKeys, sortByRest, sortByKeys);
