/**
 * Chooses which positions a search visits. In a field with few distinct values these are runs of equal values; otherwise those of the
 * rarest query word, or of two query words at once if the field has their pairs.
 *
 * Every walk visits the same hits in the same order, so a walk over fewer positions reaches them in fewer steps. A walk that merges many
 * lists pays for opening each of them first. The estimate assumes that words occur independently.
 */
import { countPostings, holdsWord, type QueryWord, type WordRange } from "./dictionary";
import { EXTRA_WORD } from "./format";
import { type Lists, lowerBound, type Visit, walkLists, walkPositions } from "./merge-lists";
import type { FieldIndex } from "./open";

type ChosenWalk = {
	/** Calls `visit` with ascending positions from `first` on, until it returns false. */
	readonly walk: (first: number, visit: Visit) => void;
	readonly unproven: readonly QueryWord[];
};

/** With so few positions, no better walk is searched for. */
const FEW = 256;
/** Cost of a visited position relative to a merged list. It is high because independence underestimates the visits. */
const VISIT_COST = 4;
/** Merging more lists than these costs more than it saves. */
const LISTS_MAX = 1_024;

/** `words` are the query's words without those that others imply, at least one. `wanted` is the number of hits needed. */
export function chooseWalk(field: FieldIndex, words: readonly QueryWord[], wanted: number): ChosenWalk {
	if (hasRuns(field)) return { walk: (first, visit) => walkRuns(field, words, first, visit), unproven: [] };
	const rarest = words.reduce((best, word) => (countPostings(field, word) < countPostings(field, best) ? word : best));
	const positions = countPostings(field, rarest);
	const pair = words.length > 1 && positions > FEW ? fewestPairs(field, words) : undefined;
	if (pair) {
		const share = (word: QueryWord) => Math.min(1, countPostings(field, word) / field.rows.length);
		const others = words.filter((word) => word !== pair.one && word !== pair.other);
		const hits = others.reduce((product, word) => product * share(word), pair.positions);
		const shareWalked = Math.min(1, wanted / Math.max(1, hits));
		const costOf = (walked: number, lists: number) => VISIT_COST * shareWalked * walked + lists;
		if (costOf(pair.positions, pair.lists) < costOf(positions, rarest.to - rarest.from)) {
			return { walk: (first, visit) => walkPairs(field, pair, first, visit), unproven: words };
		}
	}
	return {
		walk: (first, visit) => walkPositions(field, rarest, first, visit),
		unproven: words.filter((word) => word !== rarest),
	};
}

type QueryPair = PairLists & { readonly one: QueryWord; readonly other: QueryWord };

function fewestPairs(field: FieldIndex, words: readonly QueryWord[]): QueryPair | undefined {
	let fewest: QueryPair | undefined;
	words.forEach((one, i) => {
		for (const other of words.slice(i + 1)) {
			const pair = findPairs(field, one, other);
			if (!pair || pair.lists > LISTS_MAX) continue;
			if (!fewest || pair.positions + pair.lists < fewest.positions + fewest.lists) fewest = { ...pair, one, other };
		}
	});
	return fewest;
}

/** Lists that hold, among others, all values with a word of either range. */
type PairLists = {
	readonly stretches: readonly { readonly firstCell: number; readonly endCell: number }[];
	readonly lists: number;
	readonly positions: number;
};

/** The number of lists for a number of groups: one for each two, and one for the values that are too long for pairs. */
export function cellCountOf(groups: number): number {
	return (groups * (groups + 1)) / 2 + 1;
}

/** The list of two groups, with `low` ≤ `high`. The lists of a group with itself and with later ones are adjacent. */
export function cellOf(low: number, high: number, groups: number): number {
	return low * groups - (low * (low - 1)) / 2 + high - low;
}

const ROWS_MAX = 1_024;

/** The lists of two disjoint ranges; undefined if the field has no pairs or the ranges are too wide. */
export function findPairs(field: FieldIndex, one: WordRange, other: WordRange): PairLists | undefined {
	const { groupStarts, pairStarts } = field;
	const groups = groupStarts.length - 1;
	if (groups === 0) return undefined;
	const [low, high] = one.from < other.from ? [one, other] : [other, one];
	const lowTo = groupAt(groupStarts, low.to - 1);
	const highFrom = groupAt(groupStarts, high.from);
	const highTo = groupAt(groupStarts, high.to - 1);
	const lowFrom = groupAt(groupStarts, low.from);
	if (lowTo - lowFrom >= ROWS_MAX) return undefined;
	const long = cellCountOf(groups) - 1;
	const stretches = [{ firstCell: long, endCell: long + 1 }];
	let lists = 1;
	let positions = (pairStarts[long + 1] ?? 0) - (pairStarts[long] ?? 0);
	for (let group = lowFrom; group <= lowTo; group++) {
		const firstCell = cellOf(group, Math.max(group, highFrom), groups);
		const endCell = cellOf(group, highTo, groups) + 1;
		stretches.push({ firstCell, endCell });
		lists += endCell - firstCell;
		positions += (pairStarts[endCell] ?? 0) - (pairStarts[firstCell] ?? 0);
	}
	return { stretches, lists, positions };
}

/** Walks the lists. A visited position may still lack a word. */
export function walkPairs(field: FieldIndex, pair: PairLists, first: number, visit: Visit): void {
	const { pairStarts, pairs, rows } = field;
	const cells: number[] = [];
	for (const { firstCell, endCell } of pair.stretches) {
		for (let cell = firstCell; cell < endCell; cell++) if (pairStarts[cell] !== pairStarts[cell + 1]) cells.push(cell);
	}
	const starts = Uint32Array.from(cells, (cell) => pairStarts[cell] ?? 0);
	const ends = Uint32Array.from(cells, (cell) => pairStarts[cell + 1] ?? 0);
	walkLists({ numbers: pairs, starts, ends, bound: rows.length }, first, visit);
}

function groupAt(groupStarts: Uint32Array, word: number): number {
	return lowerBound(groupStarts, 0, groupStarts.length, word + 1) - 1;
}

/**
 * Runs of equal values, for a field with few distinct ones, such as some hundreds of activities. A search looks at each distinct value once
 * and merges the runs of those that match. Source: format.ts, section `value-starts`.
 */

/** With more distinct values than these, runs are not listed. */
const RUNS_MAX = 4_096;
/** Shorter runs on average are not worth listing. */
const RUN_LENGTH_MIN = 8;

type Values = { readonly wordStarts: Uint32Array; readonly words: Uint32Array; readonly byValue: Uint32Array };

/** Values with extra words have no runs: two that are otherwise equal may have other extra words. */
export function findRuns(values: Values): Uint32Array {
	const { byValue, words } = values;
	const runsMax = Math.min(RUNS_MAX, byValue.length / RUN_LENGTH_MIN);
	const starts = [0];
	for (let i = 0; i < words.length; i++) if ((words[i] ?? 0) >= EXTRA_WORD) return new Uint32Array(0);
	for (let start = 0; start < byValue.length; starts.push(start)) {
		if (starts.length > runsMax) return new Uint32Array(0);
		start = findEnd(values, start);
	}
	return Uint32Array.from(starts);
}

/** Where the run that starts at `start` ends. Equal values are adjacent, so most of a long run is never read. */
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
