/** Sorts that take time in proportion to what they sort: by counting, never by comparing. All keep the order of equals. */

const DIGIT_BITS = 13;
const DIGITS = 1 << DIGIT_BITS;
const HALF = 2 ** (2 * DIGIT_BITS);

/** The places of `keys` in ascending order of their values. Units: keys are whole numbers below 2^39. */
export function sortKeys(keys: Float64Array): Uint32Array {
	const low = new Uint32Array(keys.length);
	const high = new Uint32Array(keys.length);
	const unsorted = new Uint32Array(keys.length);
	for (let i = 0; i < keys.length; i++) {
		const key = keys[i] ?? 0;
		const half = Math.floor(key / HALF);
		high[i] = half;
		low[i] = key - half * HALF;
		unsorted[i] = i;
	}
	let order = sortByDigit(unsorted, low, 0);
	order = sortByDigit(order, low, DIGIT_BITS);
	return sortByDigit(order, high, 0);
}

function sortByDigit(order: Uint32Array, values: Uint32Array, shift: number): Uint32Array {
	const ends = new Uint32Array(DIGITS);
	for (let i = 0; i < order.length; i++) {
		const digit = ((values[i] ?? 0) >>> shift) & (DIGITS - 1);
		ends[digit] = (ends[digit] ?? 0) + 1;
	}
	startsOf(ends);
	const sorted = new Uint32Array(order.length);
	for (let i = 0; i < order.length; i++) {
		const at = order[i] ?? 0;
		const digit = ((values[at] ?? 0) >>> shift) & (DIGITS - 1);
		const place = ends[digit] ?? 0;
		ends[digit] = place + 1;
		sorted[place] = at;
	}
	return sorted;
}

/** Turns counts into the places where each group begins, in place; gives their sum. */
export function startsOf(counts: Uint32Array): number {
	let sum = 0;
	for (let i = 0; i < counts.length; i++) {
		const count = counts[i] ?? 0;
		counts[i] = sum;
		sum += count;
	}
	return sum;
}

/** Below this, counting over the whole alphabet costs more than comparing. */
const COMPARE_MAX = 2_000;

/**
 * The numbers of all sequences that are not empty, ascending: a sequence stands before those that go on behind it, equal ones in the
 * order of their numbers. Sequence `i` is `symbols[starts[i] … starts[i + 1])`, each symbol below `alphabet`.
 */
export function sortSequences(starts: Uint32Array, symbols: Uint32Array, alphabet: number): Uint32Array {
	const count = starts.length - 1;
	let longest = 0;
	for (let i = 0; i < count; i++) longest = Math.max(longest, (starts[i + 1] ?? 0) - (starts[i] ?? 0));
	const lengthCounts = new Uint32Array(longest + 2);
	for (let i = 0; i < count; i++) {
		const length = (starts[i + 1] ?? 0) - (starts[i] ?? 0);
		lengthCounts[length] = (lengthCounts[length] ?? 0) + 1;
	}
	const lengthStarts = lengthCounts.slice();
	startsOf(lengthStarts);
	const byLength = new Uint32Array(count);
	const next = lengthStarts.slice();
	for (let i = 0; i < count; i++) {
		const length = (starts[i + 1] ?? 0) - (starts[i] ?? 0);
		const place = next[length] ?? 0;
		next[length] = place + 1;
		byLength[place] = i;
	}
	// From the last symbol to the first; those that end at this one stand before those that go on.
	let sorted: Uint32Array = new Uint32Array(0);
	for (let depth = longest - 1; depth >= 0; depth--) {
		const ending = byLength.subarray(lengthStarts[depth + 1] ?? 0, lengthStarts[depth + 2] ?? count);
		const joined = new Uint32Array(ending.length + sorted.length);
		joined.set(ending);
		joined.set(sorted, ending.length);
		sorted = sortAtDepth(joined, starts, symbols, depth, alphabet);
	}
	return sorted;
}

function sortAtDepth(
	sequences: Uint32Array,
	starts: Uint32Array,
	symbols: Uint32Array,
	depth: number,
	alphabet: number,
): Uint32Array {
	const symbolOf = (sequence: number) => symbols[(starts[sequence] ?? 0) + depth] ?? 0;
	if (sequences.length < COMPARE_MAX) {
		return Uint32Array.from([...sequences].sort((a, b) => symbolOf(a) - symbolOf(b)));
	}
	const places = new Uint32Array(alphabet);
	for (let i = 0; i < sequences.length; i++) {
		const symbol = symbolOf(sequences[i] ?? 0);
		places[symbol] = (places[symbol] ?? 0) + 1;
	}
	startsOf(places);
	const sorted = new Uint32Array(sequences.length);
	for (let i = 0; i < sequences.length; i++) {
		const sequence = sequences[i] ?? 0;
		const symbol = symbolOf(sequence);
		const place = places[symbol] ?? 0;
		places[symbol] = place + 1;
		sorted[place] = sequence;
	}
	return sorted;
}
