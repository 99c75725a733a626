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
	/** Names and commercial names; those of a row begin at `textStarts[2 × row]` and `textStarts[2 × row + 1]`. */
	readonly texts: Uint8Array;
	readonly textStarts: Uint32Array;
	/** Row → which activity, status and regime. */
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

/** Rather less than what a line of the source has. */
const RECORD_BYTES_ABOUT = 80;
const NAMES_BYTES_ABOUT = 48;

/** Makes the text of a cell that stands in the source. */
export type ReadCell = (source: Uint8Array, from: number, to: number) => string;

/** `sourceBytes` is how much there is to read, as far as that is known: room that is never written to costs nothing. */
export function createColumnCollector(readCell: ReadCell, sourceBytes = 0): ColumnCollector {
	const room = Math.max(1 << 10, Math.ceil(sourceBytes / RECORD_BYTES_ABOUT));
	let count = 0;
	let keys: Float64Array = new Float64Array(room);
	let texts: Uint8Array = new Uint8Array(room * NAMES_BYTES_ABOUT);
	let textStarts: Uint32Array = new Uint32Array(2 * room + 1);
	let textEnd = 0;
	let activities: Uint32Array = new Uint32Array(room);
	let statuses: Uint32Array = new Uint32Array(room);
	let regimes: Uint32Array = new Uint32Array(room);
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
		const keptActivities = sortNumbers(records.subarray(0, kept), activities);
		const keptStatuses = sortNumbers(records.subarray(0, kept), statuses);
		const keptRegimes = sortNumbers(records.subarray(0, kept), regimes);
		// A text that only erased entries had must not stay behind in the file.
		const isCut = kept < rows;
		return {
			columns: {
				keys: rowKeys.subarray(0, kept),
				...sortTexts(records.subarray(0, kept), texts, textStarts),
				activities: keptActivities,
				statuses: keptStatuses,
				regimes: keptRegimes,
				activityTexts: isCut ? blankUnused(activityTexts.texts(), keptActivities) : activityTexts.texts(),
				statusTexts: isCut ? blankUnused(statusTexts.texts(), keptStatuses) : statusTexts.texts(),
				regimeTexts: isCut ? blankUnused(regimeTexts.texts(), keptRegimes) : regimeTexts.texts(),
			},
			rows,
			duplicates: count - rows,
			suppressed: rows - kept,
			statusCounts,
		};
	};
	return { take, takeEntry, count: () => count, finish };
}

/** The texts in the order of rows: what reads them afterwards reads on and does not jump. */
function sortTexts(records: Uint32Array, texts: Uint8Array, textStarts: Uint32Array) {
	let bytes = 0;
	for (let row = 0; row < records.length; row++) {
		const at = 2 * (records[row] ?? 0);
		bytes += (textStarts[at + 2] ?? 0) - (textStarts[at] ?? 0);
	}
	const sorted = new Uint8Array(bytes);
	const starts = new Uint32Array(2 * records.length + 1);
	let length = 0;
	for (let row = 0; row < records.length; row++) {
		const at = 2 * (records[row] ?? 0);
		const from = textStarts[at] ?? 0;
		const to = textStarts[at + 2] ?? 0;
		starts[2 * row] = length;
		starts[2 * row + 1] = length + (textStarts[at + 1] ?? 0) - from;
		for (let i = from; i < to; i++) sorted[length++] = texts[i] ?? 0;
	}
	starts[2 * records.length] = length;
	return { texts: sorted, textStarts: starts };
}

/** The texts under their numbers, empty where no row has it. */
function blankUnused(texts: readonly string[], numbers: Uint32Array): readonly string[] {
	const used = new Uint8Array(texts.length);
	for (const number of numbers) used[number] = 1;
	return texts.map((text, number) => (used[number] === 1 ? text : ""));
}

function sortNumbers(records: Uint32Array, numbers: Uint32Array): Uint32Array {
	const sorted = new Uint32Array(records.length);
	for (let row = 0; row < records.length; row++) sorted[row] = numbers[records[row] ?? 0] ?? 0;
	return sorted;
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
