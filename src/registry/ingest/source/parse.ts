/**
 * Parses the authority's file into columns of entries and counts refused lines by reason.
 *
 * Tolerated: double and trailing spaces, stray quotes, blank columns (a single space), a record broken over several lines, bytes of the
 * other code page. Columns that are not served are ignored. Bars inside a text are healed (surplus-bars.ts). Refused: a wrong number of
 * columns, a number without 9 or 11 digits, control characters, an overlong line, and the earlier of two records with one number.
 *
 * Gap: it is unknown whether the authority's own file has garbled lines. A few are accepted and counted, because a taxpayer with a wrong
 * letter can still be found by number, while a dropped one cannot.
 *
 * Two paths lead to an entry. Nearly every line goes from bytes to bytes (scan-lines.ts). A line with anything unusual is decoded and read
 * as text (join-records.ts). Both must agree on every line that both can read.
 */

import { isUtf8 } from "node:buffer";
import type { RegistryEntry } from "../../entry";
import { digitsOf } from "../../index/index";
import { KNOWN_STATUSES } from "../../known-values";
import { createColumnCollector, type EntryColumns, type KeptColumns } from "../build/columns";
import type { NameChunk } from "../build/names";
import { countSpanish, decodeText, SAMPLE_BYTES } from "./encoding";
import { type Format, recogniseFormat } from "./format";
import { cleanCell, joinRecords, type RefusalReason } from "./join-records";
import { createLineScanner, type Replacements } from "./scan-lines";

export type ParsedSource = {
	readonly format: Pick<Format, "name" | "encoding" | "ignored">;
	/** Without erased entries. */
	readonly columns: EntryColumns;
	/** Distinct numbers, including erased ones. */
	readonly rows: number;
	/** Rows that were left out because they are erased. */
	readonly suppressed: number;
	readonly refused: Readonly<Record<RefusalReason, number>>;
	readonly refusedCount: number;
	/** Up to 1,000 for each reason. */
	readonly refusedLines: readonly RefusedLine[];
	/** Lines with surplus bars that became entries: those whose activity shows where they belong, and the others. */
	readonly healed: number;
	readonly guessed: number;
	/** Lines with text that a wrong decoding has garbled. */
	readonly garbledCount: number;
	/** One-based; absent if no line is garbled. */
	readonly firstGarbledLine?: number;
	/** Spanish letters beyond ASCII in the names read. */
	readonly spanishCount: number;
	/** U+FFFD in the source, except in a header line. */
	readonly replacements: Replacements;
	readonly unknownStatusCount: number;
	/** The last record is incomplete: the file was probably truncated. */
	readonly endsCut: boolean;
};

export type RefusedLine = {
	readonly reason: RefusalReason | "guessed";
	/** One-based, where its reading ended; 0 if unknown. */
	readonly line: number;
	readonly found: string;
	/** The first 500 characters. */
	readonly text: string;
};

/** Columns that a source may lack. */
export type LackingColumns = { readonly tradeName: boolean; readonly startDate: boolean };

export type ParseOptions = {
	/** Provides values in place of columns that the source lacks. */
	readonly keepFor?: (lacking: LackingColumns) => KeptColumns;
	/** Receives the names of all records, chunk by chunk. */
	readonly takeNames: (chunk: NameChunk) => void;
	readonly isErased?: (key: number) => boolean;
	readonly onProgress?: (bytes: number, records: number) => void;
};

type SourceParser = {
	/** Reads the next bytes of the source, which may be overwritten afterwards. Throws: SourceError `refused` for an unknown format. */
	readonly take: (piece: Uint8Array) => void;
	/** Reads the remainder once the whole source has arrived. Throws: SourceError `refused`. */
	readonly finish: () => ParsedSource;
};

const REFUSED_LINES_MAX = 1_000;
const REFUSED_TEXT_MAX = 500;

/** This much determines the format, except for UTF-8, which is only certain for the whole source. */
const RECOGNISED_BYTES_MIN = SAMPLE_BYTES + 1024 * 1024;
const LF = 0x0a;

/** Parses a whole file. Throws: SourceError `refused` for an unknown format. */
export function parseSource(bytes: Uint8Array, options: ParseOptions): ParsedSource {
	return createReader(bytes, recogniseFormat(bytes), bytes.length, options).finish(bytes.length);
}

/**
 * Starts to read a source that arrives in pieces of at most `bytesMax` bytes in total. It holds everything until the format is known, then
 * only the incomplete last line. The memory is reused while it is in the processor's caches.
 */
export function createParser(bytesMax: number, options: ParseOptions): SourceParser {
	// Memory that is never written to costs nothing.
	const held = new Uint8Array(bytesMax);
	let end = 0;
	let isPerhapsUtf8 = false;
	let reader: ReturnType<typeof createReader> | undefined;
	return {
		take: (piece) => {
			if (reader) end -= reader.dropRead(end);
			const lineEnd = end + piece.lastIndexOf(LF) + 1;
			held.set(piece, end);
			const isWithin = lineEnd === end;
			end += piece.length;
			if (isWithin) return;
			if (!reader) {
				if (isPerhapsUtf8 || lineEnd < RECOGNISED_BYTES_MIN) return;
				isPerhapsUtf8 = isUtf8(held.subarray(0, lineEnd));
				if (isPerhapsUtf8) return;
				reader = createReader(held, recogniseFormat(held.subarray(0, lineEnd)), bytesMax, options);
			}
			reader.scanTo(lineEnd);
		},
		finish: () => {
			reader ??= createReader(held, recogniseFormat(held.subarray(0, end)), bytesMax, options);
			return reader.finish(end);
		},
	};
}

/** Reads the content of `bytes`; `sourceBytes` estimates the total. */
function createReader(bytes: Uint8Array, format: Format, sourceBytes: number, options: ParseOptions) {
	const collector = createColumnCollector(
		(source, from, to) => cleanCell(decodeText(source.subarray(from, to), format.encoding)),
		options.takeNames,
		sourceBytes,
		options.keepFor?.({
			tradeName: format.columns.tradeName === undefined,
			startDate: format.columns.startDate === undefined,
		}),
	);
	const refused: Record<RefusalReason, number> = {
		"column-count": 0,
		"broken-record": 0,
		"document-form": 0,
		"control-character": 0,
		"too-long": 0,
		duplicate: 0,
	};
	let lineNumber = 0;
	let garbledCount = 0;
	let firstGarbledLine = 0;
	let spanishOfTexts = 0;
	const refusedLines: RefusedLine[] = [];
	let healed = 0;
	let guessed = 0;
	const keepLine = (count: number, reason: RefusedLine["reason"], found: string, line: string): void => {
		if (count > REFUSED_LINES_MAX) return;
		refusedLines.push({ reason, line: lineNumber, found, text: line.slice(0, REFUSED_TEXT_MAX) });
	};
	const refuse = (reason: RefusalReason, found: string, line: string): void => {
		keepLine(++refused[reason], reason, found, line);
	};
	const countSplit = (isHealed: boolean, line: string): void => {
		if (isHealed) healed++;
		else keepLine(++guessed, "guessed", "surplus bars; the surplus was added to the name", line);
	};
	const countGarbled = (): void => {
		if (garbledCount++ === 0) firstGarbledLine = lineNumber;
	};
	const takeEntry = (entry: RegistryEntry, startedOn: number): void => {
		spanishOfTexts += countSpanish(entry.name) + countSpanish(entry.trade_name);
		collector.takeEntry(entry, startedOn);
	};
	const joiner = joinRecords(format, { take: takeEntry, refuse, countGarbled, countSplit });
	const onProgress = (done: number) => options.onProgress?.(done, collector.count());
	const { scanTo, dropRead, replacements, spanishCount } = createLineScanner(bytes, format, {
		buffer: collector.buffer,
		takeCells: (key, cells) => {
			joiner.abandonRecord();
			collector.take(key, cells);
		},
		takeLine: (line, number) => {
			lineNumber = number;
			joiner.take(line);
		},
		refuseLine: (number) => {
			lineNumber = number;
			joiner.refuseTooLong();
		},
		onProgress,
	});
	const finish = (end: number): ParsedSource => {
		scanTo(end);
		onProgress(sourceBytes);
		const endsCut = joiner.end(collector);
		const { columns, rows, duplicateKeys, duplicates, suppressed, statusCounts } = collector.finish(options.isErased);
		lineNumber = 0;
		for (const key of duplicateKeys) refuse("duplicate", "a later line has the number", digitsOf(key));
		refused.duplicate += duplicates - duplicateKeys.length;
		const known = new Set<string>(KNOWN_STATUSES);
		return {
			format: { name: format.name, encoding: format.encoding, ignored: format.ignored },
			columns,
			rows,
			suppressed,
			refused,
			refusedCount: Object.values(refused).reduce((sum, n) => sum + n, 0),
			refusedLines,
			healed,
			guessed,
			unknownStatusCount: columns.statusTexts.reduce(
				(sum, status, i) => sum + (known.has(status) ? 0 : (statusCounts[i] ?? 0)),
				0,
			),
			garbledCount,
			...(firstGarbledLine > 0 ? { firstGarbledLine } : {}),
			spanishCount: spanishCount() + spanishOfTexts,
			replacements: replacements(),
			endsCut,
		};
	};
	return { scanTo, dropRead, finish };
}
