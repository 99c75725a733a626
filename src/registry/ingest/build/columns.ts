/**
 * The entries of one source in columns, between the parser and the builder: some tens of bytes per entry, where objects would take
 * hundreds.
 *
 *   record   0 … in the order of the source, but sorted within each chunk of names (see names.ts)
 *   row      0 … n-1, ascending by document number, each number once: the last of several records wins
 */
import type { RegistryEntry } from "../../entry";
import { KEY_BOUND, keyOf, markCold } from "../../index/index";
import { grownBytes, grownKeys, grownNumbers } from "./byte-dictionary";
import { type Cells, createEndings, type ReadCell } from "./endings";
import { CHUNK_BITS, CHUNK_RECORDS, type NameChunk, SLACK_BYTES } from "./names";
import { sortKeys } from "./sort";

/** Where the two names of the next record are written as UTF-8, one after the other, before the record is taken. */
export type NameBuffer = {
	readonly bytes: Uint8Array;
	/** Where they start; at least `NAME_BUFFER_FREE_BYTES` are free from there. */
	readonly end: number;
};

export const NAME_BUFFER_FREE_BYTES = 1 << 14;

export type EntryColumns = {
	readonly keys: Float64Array;
	/** Row → record, by which the names are found. */
	readonly records: Uint32Array;
	/** Row → ending: the part of its entry after the names. */
	readonly endings: Uint32Array;
	/** Row → start date as a day, see start-date.ts. */
	readonly startDays: Uint16Array;
	/** Ending → activity, status and regime, three numbers each. */
	readonly endingParts: Uint32Array;
	readonly activityTexts: readonly string[];
	readonly statusTexts: readonly string[];
	readonly regimeTexts: readonly string[];
};

type CollectedColumns = {
	readonly columns: EntryColumns;
	/** Distinct numbers, including those that were left out. */
	readonly rows: number;
	/** Keys of the records that a later one with the same number replaced, up to 1,000. */
	readonly duplicateKeys: readonly number[];
	readonly duplicates: number;
	/** Rows that were left out because they are erased. */
	readonly suppressed: number;
	/** Status → number of its rows, including those that were left out. */
	readonly statusCounts: readonly number[];
};

type ColumnCollector = {
	readonly buffer: NameBuffer;
	readonly take: (key: number, cells: Cells) => void;
	readonly takeEntry: (entry: RegistryEntry, startedOn: number) => void;
	readonly count: () => number;
	/** What the records taken so far have. */
	readonly activities: () => readonly string[];
	readonly listTaken: (keys: ReadonlySet<number>) => ReadonlySet<number>;
	/**
	 * Sorts the records, keeps the last of equal numbers and leaves out erased ones, calling `isErased` in ascending order. The collector
	 * cannot be used afterwards.
	 */
	readonly finish: (isErased?: (key: number) => boolean) => CollectedColumns;
};

/** Values of the previous run in place of columns that a source lacks. */
export type KeptColumns = {
	/** The commercial name of a key, UTF-8; undefined if the previous run has none. Absent: the source has commercial names. */
	readonly tradeNameOf?: ((key: number) => Uint8Array | undefined) | undefined;
	/** The start date of a key as a day, asked in ascending order. Absent: the source has start dates. */
	readonly startDayOf?: ((key: number) => number) | undefined;
};

/** A low estimate of the length of a source's line. */
const RECORD_BYTES_ABOUT = 80;

/** A high estimate of the number of records in a source of this size. */
export function countRecordsAbout(sourceBytes: number): number {
	return Math.ceil(sourceBytes / RECORD_BYTES_ABOUT);
}

/** A high estimate of the length of a record's names. */
const NAMES_BYTES_ABOUT = 40;

const DUPLICATE_KEYS_MAX = 1_000;

/**
 * `takeNames` receives the names chunk by chunk and may keep them. `sourceBytes` is the size of the source if known; memory that is never
 * written to costs nothing.
 */
export function createColumnCollector(
	readCell: ReadCell,
	takeNames: (chunk: NameChunk) => void,
	sourceBytes = 0,
	keptColumns: KeptColumns = {},
): ColumnCollector {
	const about = Math.max(1 << 10, countRecordsAbout(sourceBytes));
	const { tradeNameOf } = keptColumns;
	let count = 0;
	let keys: Float64Array = new Float64Array(about);
	let endings: Uint32Array = new Uint32Array(about);
	let startDays = new Uint16Array(about);
	const found = createEndings(readCell);
	const buffer = createResponseBuffer(CHUNK_RECORDS * NAMES_BYTES_ABOUT + NAME_BUFFER_FREE_BYTES);
	let starts = new Uint32Array(2 * CHUNK_RECORDS + 1);

	const endChunk = () => {
		const from = ((count - 1) >>> CHUNK_BITS) << CHUNK_BITS;
		const order = sortChunk(keys.subarray(from, count), endings.subarray(from, count), startDays.subarray(from, count));
		const texts = buffer.bytes.slice(0, buffer.end + SLACK_BYTES);
		const chunk = { texts, starts: starts.subarray(0, 2 * (count - from) + 1), count: count - from };
		takeNames(order ? { ...chunk, order } : chunk);
	};
	const append = (key: number, nameEnd: number, ownTradeNameEnd: number, ending: number, startedOn: number): void => {
		if (count === keys.length) {
			keys = grownKeys(keys, count + 1);
			endings = grownNumbers(endings, keys.length);
			const grown = new Uint16Array(keys.length);
			grown.set(startDays);
			startDays = grown;
		}
		const tradeNameEnd = tradeNameOf === undefined ? ownTradeNameEnd : addKept(tradeNameOf(key), nameEnd);
		startDays[count] = startedOn;
		const at = 2 * (count & (CHUNK_RECORDS - 1));
		starts[at + 1] = nameEnd;
		starts[at + 2] = tradeNameEnd;
		keys[count] = key;
		endings[count] = ending;
		count++;
		buffer.end = tradeNameEnd;
		if (at === 2 * (CHUNK_RECORDS - 1)) {
			endChunk();
			starts = new Uint32Array(2 * CHUNK_RECORDS + 1);
			buffer.end = 0;
		} else buffer.grow(NAME_BUFFER_FREE_BYTES);
	};
	const addKept = (text: Uint8Array | undefined, at: number): number => {
		if (!text) return at;
		buffer.grow(at - buffer.end + text.length + NAME_BUFFER_FREE_BYTES);
		buffer.bytes.set(text, at);
		return at + text.length;
	};
	const take = (key: number, cells: Cells): void => {
		append(key, cells.nameEnd, cells.tradeNameEnd, found.numberOf(cells), cells.startedOn);
	};
	const takeEntry = (entry: RegistryEntry, startedOn: number): void => {
		const { end } = buffer;
		const names = Buffer.from(entry.name + entry.trade_name);
		buffer.grow(names.length + NAME_BUFFER_FREE_BYTES);
		buffer.bytes.set(names, end);
		append(
			keyOf(entry.rnc),
			end + Buffer.byteLength(entry.name),
			end + names.length,
			found.numberOfTexts(entry.economic_activity, entry.status, entry.payment_regime),
			startedOn,
		);
	};
	const finish = (isErased?: (key: number) => boolean): CollectedColumns => {
		if ((count & (CHUNK_RECORDS - 1)) > 0) endChunk();
		const sorted = sortKeys(keys.subarray(0, count), KEY_BOUND);
		// Shared, because two threads read the columns; not written again.
		const rowKeys = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT * count));
		const rowEndings = new Uint32Array(new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT * count));
		const records = new Uint32Array(new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT * count));
		const rowStartDays = new Uint16Array(new SharedArrayBuffer(Uint16Array.BYTES_PER_ELEMENT * count));
		const duplicateKeys: number[] = [];
		const endingCounts = new Uint32Array(found.size());
		const { startDayOf } = keptColumns;
		let rows = 0;
		let kept = 0;
		for (let i = 0; i < count; i++) {
			const record = sorted[i] ?? 0;
			const key = keys[record] ?? 0;
			// Of equal numbers, the last one of the source comes last here and is kept.
			if (i + 1 < count && keys[sorted[i + 1] ?? 0] === key) {
				if (duplicateKeys.length < DUPLICATE_KEYS_MAX) duplicateKeys.push(key);
				continue;
			}
			const ending = endings[record] ?? 0;
			endingCounts[ending] = (endingCounts[ending] ?? 0) + 1;
			rows++;
			if (isErased?.(key)) continue;
			rowKeys[kept] = key;
			rowEndings[kept] = ending;
			rowStartDays[kept] = startDayOf === undefined ? (startDays[record] ?? 0) : startDayOf(key);
			records[kept++] = record;
		}
		const parts = found.parts();
		const keptEndings = rowEndings.subarray(0, kept);
		// A text that only erased entries had must not stay in the file.
		const textsOf = (texts: readonly string[], place: number) =>
			kept < rows ? blankUnused(texts, parts, place, keptEndings) : texts;
		return {
			columns: {
				keys: rowKeys.subarray(0, kept),
				records: records.subarray(0, kept),
				endings: keptEndings,
				startDays: rowStartDays.subarray(0, kept),
				endingParts: parts,
				activityTexts: textsOf(found.activityTexts(), 0),
				statusTexts: textsOf(found.statusTexts(), 1),
				regimeTexts: textsOf(found.regimeTexts(), 2),
			},
			rows,
			duplicateKeys,
			duplicates: count - rows,
			suppressed: rows - kept,
			statusCounts: countStatuses(found.statusTexts().length, parts, endingCounts),
		};
	};
	const listTaken = (wanted: ReadonlySet<number>): ReadonlySet<number> => {
		const taken = new Set<number>();
		for (let i = 0; i < count; i++) if (wanted.has(keys[i] ?? 0)) taken.add(keys[i] ?? 0);
		return taken;
	};
	return { buffer, take, takeEntry, count: () => count, activities: found.activityTexts, listTaken, finish };
}

function createResponseBuffer(size: number) {
	const buffer = {
		bytes: new Uint8Array(size),
		end: 0,
		grow: (free: number): void => {
			if (buffer.end + free > buffer.bytes.length) buffer.bytes = grownBytes(buffer.bytes, buffer.end + free);
		},
	};
	return buffer satisfies NameBuffer;
}

/**
 * Sorts the records of a chunk while it is in the processor's caches. Later all chunks are sorted together, and the records of each are
 * then read sequentially. Returns the order, or undefined if the chunk was sorted. The receiver of the names sorts them.
 */
function sortChunk(keys: Float64Array, endings: Uint32Array, startDays: Uint16Array): Uint32Array | undefined {
	if (keys.every((key, i) => i === 0 || key >= (keys[i - 1] ?? 0))) return undefined;
	const order = sortKeys(keys, KEY_BOUND);
	const [keysBefore, endingsBefore, startDaysBefore] = [keys.slice(), endings.slice(), startDays.slice()];
	for (let i = 0; i < order.length; i++) {
		const record = order[i] ?? 0;
		keys[i] = keysBefore[record] ?? 0;
		endings[i] = endingsBefore[record] ?? 0;
		startDays[i] = startDaysBefore[record] ?? 0;
	}
	return order;
}

/** The texts by number; empty where no row's ending uses the text in this place. */
function blankUnused(
	texts: readonly string[],
	endingParts: Uint32Array,
	place: number,
	endings: Uint32Array,
): readonly string[] {
	const used = new Uint8Array(texts.length);
	for (let row = 0; row < endings.length; row++) used[endingParts[3 * (endings[row] ?? 0) + place] ?? 0] = 1;
	return texts.map((text, number) => (used[number] === 1 ? text : ""));
}

function countStatuses(statuses: number, endingParts: Uint32Array, endingCounts: Uint32Array): number[] {
	const counts = Array.from({ length: statuses }, () => 0);
	endingCounts.forEach((count, ending) => {
		const status = endingParts[3 * ending + 1] ?? 0;
		counts[status] = (counts[status] ?? 0) + count;
	});
	return counts;
}

markCold(blankUnused, countStatuses, sortChunk);
