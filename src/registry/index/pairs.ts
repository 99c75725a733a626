/** Reads the index of word pairs; pair-index.ts tells what it holds. */
import type { WordRange } from "./dictionary";
import { type Visit, walkLists } from "./merge-lists";
import type { FieldIndex } from "./open";
import { lowerBound } from "./walk";

/** Lists that hold, among others, all values with a word of either range. */
export type PairLists = {
	/** Where the lists stand in `pairs`. */
	readonly stretches: readonly { readonly firstCell: number; readonly endCell: number }[];
	readonly lists: number;
	/** Of all lists together. */
	readonly positions: number;
};

/** How many lists so many groups have: one for each two, one for the values that are too long for pairs. */
export function cellCountOf(groups: number): number {
	return (groups * (groups + 1)) / 2 + 1;
}

/** The list of two groups, `low` not behind `high`. The lists of one group with itself and with those behind it stand side by side. */
export function cellOf(low: number, high: number, groups: number): number {
	return low * groups - (low * (low - 1)) / 2 + high - low;
}

/** Rows of groups that are looked through for one pair. */
const ROWS_MAX = 1_024;

/** The lists of two ranges that have no word in common; none when the field has no pairs or the ranges are too wide for them. */
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

/** Walks the lists; a position that is met may still lack a word. */
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

/** The group that holds the word. */
function groupAt(groupStarts: Uint32Array, word: number): number {
	return lowerBound(groupStarts, 0, groupStarts.length, word + 1) - 1;
}
