/**
 * The entries of one source in columns, on their way from the parser to the builder: some tens of bytes an entry where objects would
 * take hundreds.
 *
 *   record   0 … in the order of the source, but sorted within each chunk of names (see names.ts)
 *   row      0 … n-1, ascending by document number, each number once: of several records the last one
 */
import type { RegistryEntry } from "../entry";
import { createByteDictionary } from "./byte-dictionary";
import { KEY_BOUND, keyOf } from "./document-key";
import { grownBytes, grownKeys, grownNumbers } from "./growing";
import { CHUNK_BITS, CHUNK_RECORDS, type NameChunk } from "./names";
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
	/** Row → record, by which the names are found. */
	readonly records: Uint32Array;
	/** Row → ending: what its entry has behind the names. */
	readonly endings: Uint32Array;
	/** Ending → activity, status and regime, three numbers each. */
	readonly endingParts: Uint32Array;
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
	/** Sorts, keeps the last of equal numbers and leaves out the erased, asked for in ascending order. The collector is spent then. */
	readonly finish: (isErased?: (key: number) => boolean) => CollectedColumns;
};

/** Rather less than what a line of the source has. */
const RECORD_BYTES_ABOUT = 80;
/** Rather more than what the names of a record have. */
const NAMES_BYTES_ABOUT = 40;

/** Makes the text of a cell that stands in the source. */
export type ReadCell = (source: Uint8Array, from: number, to: number) => string;

/**
 * `takeNames` is given the names chunk by chunk and may keep them. `sourceBytes` is how much there is to read, as far as that is known: room
 * that is never written to costs nothing.
 */
export function createColumnCollector(
	readCell: ReadCell,
	takeNames: (chunk: NameChunk) => void,
	sourceBytes = 0,
): ColumnCollector {
	const room = Math.max(1 << 10, Math.ceil(sourceBytes / RECORD_BYTES_ABOUT));
	let count = 0;
	let keys: Float64Array = new Float64Array(room);
	let endings: Uint32Array = new Uint32Array(room);
	const activityTexts = createTextNumbers(readCell);
	const statusTexts = createTextNumbers((source, from, to) => readCell(source, from, to).toUpperCase());
	const regimeTexts = createTextNumbers((source, from, to) => readCell(source, from, to).toUpperCase());
	const endingParts = createByteDictionary();
	let texts: Uint8Array = new Uint8Array(CHUNK_RECORDS * NAMES_BYTES_ABOUT);
	let starts = new Uint32Array(2 * CHUNK_RECORDS + 1);

	/** Sorts the records of the chunk that is full, and passes on their names. */
	const endChunk = () => {
		const from = ((count - 1) >>> CHUNK_BITS) << CHUNK_BITS;
		const chunk = { texts, starts: starts.subarray(0, 2 * (count - from) + 1), count: count - from };
		takeNames(sortChunk(keys.subarray(from, count), endings.subarray(from, count), chunk));
	};
	const append = (key: number, names: Uint8Array, nameEnd: number, tradeNameEnd: number, ending: number): void => {
		if (count === keys.length) {
			keys = grownKeys(keys, count + 1);
			endings = grownNumbers(endings, keys.length);
		}
		const at = 2 * (count & (CHUNK_RECORDS - 1));
		if (at === 0 && count > 0) {
			endChunk();
			starts = new Uint32Array(2 * CHUNK_RECORDS + 1);
		}
		const start = starts[at] ?? 0;
		texts = grownBytes(texts, start + tradeNameEnd);
		const target = texts;
		for (let i = 0; i < tradeNameEnd; i++) target[start + i] = names[i] ?? 0;
		starts[at + 1] = start + nameEnd;
		starts[at + 2] = start + tradeNameEnd;
		keys[count] = key;
		endings[count] = ending;
		count++;
	};
	const take = (key: number, cells: Cells): void => {
		const { source } = cells;
		append(
			key,
			cells.names,
			cells.nameEnd,
			cells.tradeNameEnd,
			endingParts.internNumbers(
				activityTexts.numberOf(source, cells.activityStart, cells.activityEnd),
				statusTexts.numberOf(source, cells.statusStart, cells.statusEnd),
				regimeTexts.numberOf(source, cells.regimeStart, cells.regimeEnd),
			),
		);
	};
	const takeEntry = (entry: RegistryEntry): void => {
		const names = Buffer.from(entry.name + entry.trade_name);
		append(
			keyOf(entry.rnc),
			names,
			Buffer.byteLength(entry.name),
			names.length,
			endingParts.internNumbers(
				activityTexts.numberOfText(entry.economic_activity),
				statusTexts.numberOfText(entry.status),
				regimeTexts.numberOfText(entry.payment_regime),
			),
		);
	};
	const finish = (isErased?: (key: number) => boolean): CollectedColumns => {
		if (count > 0) endChunk();
		const sorted = sortKeys(keys.subarray(0, count), KEY_BOUND);
		const rowKeys = new Float64Array(count);
		const rowEndings = new Uint32Array(count);
		const records = sorted;
		const endingCounts = new Uint32Array(endingParts.size());
		let rows = 0;
		let kept = 0;
		for (let i = 0; i < count; i++) {
			const record = sorted[i] ?? 0;
			const key = keys[record] ?? 0;
			// Of equal numbers the last one of the source stands last here, and stays.
			if (i + 1 < count && keys[sorted[i + 1] ?? 0] === key) continue;
			const ending = endings[record] ?? 0;
			endingCounts[ending] = (endingCounts[ending] ?? 0) + 1;
			rows++;
			if (isErased?.(key)) continue;
			rowKeys[kept] = key;
			rowEndings[kept] = ending;
			records[kept++] = record;
		}
		const parts = new Uint32Array(endingParts.content().bytes.buffer);
		const keptEndings = rowEndings.subarray(0, kept);
		// A text that only erased entries had must not stay behind in the file.
		const textsOf = (texts: readonly string[], place: number) =>
			kept < rows ? blankUnused(texts, parts, place, keptEndings) : texts;
		return {
			columns: {
				keys: rowKeys.subarray(0, kept),
				records: records.subarray(0, kept),
				endings: keptEndings,
				endingParts: parts,
				activityTexts: textsOf(activityTexts.texts(), 0),
				statusTexts: textsOf(statusTexts.texts(), 1),
				regimeTexts: textsOf(regimeTexts.texts(), 2),
			},
			rows,
			duplicates: count - rows,
			suppressed: rows - kept,
			statusCounts: countStatuses(statusTexts.texts().length, parts, endingCounts),
		};
	};
	return { take, takeEntry, count: () => count, finish };
}

/**
 * Sorts the records of a chunk while the processor's caches hold it. All chunks together are sorted later; what then reads the records in
 * their order reads on in every chunk, where it would jump to and fro.
 */
function sortChunk(keys: Float64Array, endings: Uint32Array, chunk: NameChunk): NameChunk {
	const texts = chunk.texts.subarray(0, chunk.starts[2 * chunk.count]);
	if (keys.every((key, i) => i === 0 || key >= (keys[i - 1] ?? 0))) return { ...chunk, texts: texts.slice() };
	const order = sortKeys(keys, KEY_BOUND);
	const [keysBefore, endingsBefore] = [keys.slice(), endings.slice()];
	const sorted = new Uint8Array(texts.length);
	const starts = new Uint32Array(chunk.starts.length);
	let length = 0;
	for (let i = 0; i < order.length; i++) {
		const record = order[i] ?? 0;
		keys[i] = keysBefore[record] ?? 0;
		endings[i] = endingsBefore[record] ?? 0;
		const from = chunk.starts[2 * record] ?? 0;
		const to = chunk.starts[2 * record + 2] ?? 0;
		const shift = length - from;
		for (let at = from; at < to; at++) sorted[at + shift] = texts[at] ?? 0;
		starts[2 * i + 1] = (chunk.starts[2 * record + 1] ?? 0) + shift;
		length += to - from;
		starts[2 * i + 2] = length;
	}
	return { texts: sorted, starts, count: chunk.count };
}

/** The texts under their numbers, empty where no row's ending has it in its place. */
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
