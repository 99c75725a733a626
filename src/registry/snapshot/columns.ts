/**
 * The entries of one source in columns, on their way from the parser to the builder: some tens of bytes an entry where objects would
 * take hundreds.
 *
 *   record   0 … in the order of the source
 *   row      0 … n-1, ascending by document number, each number once: of several records the last one
 */
import type { RegistryEntry } from "../entry";
import { createByteDictionary } from "./byte-dictionary";
import { digitsOf, keyOf } from "./document-key";
import { grownBytes, grownKeys, grownNumbers } from "./growing";
import { sortKeys } from "./sort";

/** One record's cells. The two names are ready UTF-8 in an array of their own, the others are told by where they stand in the source. */
export type Cells = {
	readonly names: Uint8Array;
	readonly nameEnd: number;
	readonly tradeNameEnd: number;
	readonly source: Uint8Array;
	readonly activityStart: number;
	readonly activityEnd: number;
	readonly statusStart: number;
	readonly statusEnd: number;
	readonly regimeStart: number;
	readonly regimeEnd: number;
};

export type EntryColumns = {
	/** Row → key, ascending. */
	readonly keys: Float64Array;
	/** Row → record. */
	readonly records: Uint32Array;
	/** Names and commercial names; those of record `r` begin at `textStarts[2r]` and `textStarts[2r + 1]`. */
	readonly texts: Uint8Array;
	readonly textStarts: Uint32Array;
	/** Record → which activity, status and regime. */
	readonly activities: Uint32Array;
	readonly statuses: Uint32Array;
	readonly regimes: Uint32Array;
	readonly activityTexts: readonly string[];
	readonly statusTexts: readonly string[];
	readonly regimeTexts: readonly string[];
};

export type CollectedColumns = {
	readonly columns: EntryColumns;
	/** Distinct numbers, those that were left out included. */
	readonly rows: number;
	readonly duplicates: number;
	/** Rows that were left out because they are erased. */
	readonly suppressed: number;
	/** Status → how many rows have it, those that were left out included. */
	readonly statusCounts: readonly number[];
};

export type ColumnCollector = {
	readonly take: (key: number, cells: Cells) => void;
	readonly takeEntry: (entry: RegistryEntry) => void;
	/** Records taken so far. */
	readonly count: () => number;
	/** Sorts, keeps the last of equal numbers and leaves out the erased. The collector is spent then. */
	readonly finish: (isErased?: (digits: string) => boolean) => CollectedColumns;
};

/** Makes the text of a cell that stands in the source. */
export type ReadCell = (source: Uint8Array, from: number, to: number) => string;

export function createColumnCollector(readCell: ReadCell): ColumnCollector {
	let count = 0;
	let keys: Float64Array = new Float64Array(1 << 10);
	let texts: Uint8Array = new Uint8Array(1 << 16);
	let textStarts: Uint32Array = new Uint32Array(1 << 11);
	let textEnd = 0;
	let activities: Uint32Array = new Uint32Array(1 << 10);
	let statuses: Uint32Array = new Uint32Array(1 << 10);
	let regimes: Uint32Array = new Uint32Array(1 << 10);
	const activityTexts = createTextNumbers(readCell);
	const statusTexts = createTextNumbers((source, from, to) => readCell(source, from, to).toUpperCase());
	const regimeTexts = createTextNumbers((source, from, to) => readCell(source, from, to).toUpperCase());

	const append = (
		key: number,
		names: Uint8Array,
		nameEnd: number,
		tradeNameEnd: number,
		activity: number,
		status: number,
		regime: number,
	): void => {
		if (count === keys.length) {
			keys = grownKeys(keys, count + 1);
			textStarts = grownNumbers(textStarts, 2 * keys.length + 1);
			activities = grownNumbers(activities, keys.length);
			statuses = grownNumbers(statuses, keys.length);
			regimes = grownNumbers(regimes, keys.length);
		}
		texts = grownBytes(texts, textEnd + tradeNameEnd);
		keys[count] = key;
		textStarts[2 * count] = textEnd;
		textStarts[2 * count + 1] = textEnd + nameEnd;
		for (let i = 0; i < tradeNameEnd; i++) texts[textEnd + i] = names[i] ?? 0;
		textEnd += tradeNameEnd;
		textStarts[2 * count + 2] = textEnd;
		activities[count] = activity;
		statuses[count] = status;
		regimes[count] = regime;
		count++;
	};
	const take = (key: number, cells: Cells): void => {
		const { source } = cells;
		append(
			key,
			cells.names,
			cells.nameEnd,
			cells.tradeNameEnd,
			activityTexts.numberOf(source, cells.activityStart, cells.activityEnd),
			statusTexts.numberOf(source, cells.statusStart, cells.statusEnd),
			regimeTexts.numberOf(source, cells.regimeStart, cells.regimeEnd),
		);
	};
	const takeEntry = (entry: RegistryEntry): void => {
		const names = Buffer.from(entry.name + entry.trade_name);
		append(
			keyOf(entry.rnc),
			names,
			Buffer.byteLength(entry.name),
			names.length,
			activityTexts.numberOfText(entry.economic_activity),
			statusTexts.numberOfText(entry.status),
			regimeTexts.numberOfText(entry.payment_regime),
		);
	};
	const finish = (isErased?: (digits: string) => boolean): CollectedColumns => {
		const sorted = sortKeys(keys.subarray(0, count));
		const rowKeys = new Float64Array(count);
		const records = new Uint32Array(count);
		const statusCounts: number[] = statusTexts.texts().map(() => 0);
		let rows = 0;
		let kept = 0;
		for (let i = 0; i < count; i++) {
			const record = sorted[i] ?? 0;
			const key = keys[record] ?? 0;
			// Of equal numbers the last one of the source stands last here, and stays.
			if (i + 1 < count && keys[sorted[i + 1] ?? 0] === key) continue;
			const status = statuses[record] ?? 0;
			statusCounts[status] = (statusCounts[status] ?? 0) + 1;
			rows++;
			if (isErased?.(digitsOf(key))) continue;
			rowKeys[kept] = key;
			records[kept++] = record;
		}
		return {
			columns: {
				keys: rowKeys.subarray(0, kept),
				records: records.subarray(0, kept),
				texts: texts.subarray(0, textEnd),
				textStarts: textStarts.subarray(0, 2 * count + 1),
				activities,
				statuses,
				regimes,
				activityTexts: activityTexts.texts(),
				statusTexts: statusTexts.texts(),
				regimeTexts: regimeTexts.texts(),
			},
			rows,
			duplicates: count - rows,
			suppressed: rows - kept,
			statusCounts,
		};
	};
	return { take, takeEntry, count: () => count, finish };
}

/** Numbers the texts of a column that has few of them; `readCell` may make one of several. */
function createTextNumbers(readCell: ReadCell) {
	const written = createByteDictionary();
	/** As written → number. */
	const numbers: number[] = [];
	const byText = new Map<string, number>();
	const numberOfText = (text: string): number => {
		const known = byText.get(text);
		if (known !== undefined) return known;
		byText.set(text, byText.size);
		return byText.size - 1;
	};
	return {
		numberOf: (source: Uint8Array, from: number, to: number): number => {
			const id = written.intern(source, from, to);
			const known = numbers[id];
			if (known !== undefined) return known;
			const number = numberOfText(readCell(source, from, to));
			numbers[id] = number;
			return number;
		},
		numberOfText,
		texts: (): readonly string[] => [...byText.keys()],
	};
}
