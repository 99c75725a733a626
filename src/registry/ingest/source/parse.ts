/**
 * The authority's file → entries in columns, and a count of the lines that had to be refused, with reasons.
 *
 * The oddities that are healed: double and trailing spaces, stray quotes, blank columns (a single space), a record that
 * is broken over several lines, bytes of the other code page. Columns that are not served, such as the start date `00/00/0000`, are
 * not looked at. What is refused: a wrong count of columns, a number that has neither 9 nor 11 digits, control characters, a line beyond any
 * sense, and the earlier of two records with one number.
 *
 * Gap: whether the authority's own file has garbled lines is not known. A few are taken as they are and counted: a taxpayer with a wrong letter in its
 * name is still told by its number, where one that is left out would be nobody.
 *
 * Two roads lead to an entry. Nearly every line goes from bytes to bytes (scan-lines.ts); a line with anything unusual in it is decoded and
 * read as text (join-records.ts). Both must read alike whatever both can read.
 */

import { isUtf8 } from "node:buffer";
import { KNOWN_STATUSES, type RegistryEntry } from "../../entry";
import { createColumnCollector, type EntryColumns } from "../build/columns";
import type { NameChunk } from "../build/names";
import { countSpanish, decodeText, SAMPLE_BYTES } from "./encoding";
import { type Format, recogniseFormat } from "./format";
import { cleanCell, joinRecords, type RefusalReason } from "./join-records";
import { createLineScanner, type Replacements } from "./scan-lines";

export type ParsedSource = {
	readonly format: Pick<Format, "name" | "encoding">;
	/** Without the erased ones. */
	readonly columns: EntryColumns;
	/** Distinct numbers, the erased ones included. */
	readonly rows: number;
	/** Rows that were left out because they are erased. */
	readonly suppressed: number;
	readonly refused: Readonly<Record<RefusalReason, number>>;
	readonly refusedCount: number;
	/** Lines with a text that a wrong decoding has garbled. */
	readonly garbledCount: number;
	/** Counted from the source's first line; absent when no line is garbled. */
	readonly firstGarbledLine?: number;
	/** Letters of Spanish beyond ASCII in the names that were read. */
	readonly spanishCount: number;
	/** U+FFFD in the source, but for a head line. */
	readonly replacements: Replacements;
	/** Rows whose status is none of the known ones. */
	readonly unknownStatusCount: number;
	/** The last record is incomplete: the file was probably cut off. */
	readonly endsCut: boolean;
};

export type ParseOptions = {
	/** Is given the names of all records, chunk by chunk. */
	readonly takeNames: (chunk: NameChunk) => void;
	/** Asked in ascending order. */
	readonly isErased?: (key: number) => boolean;
	/** Told now and then how much is read. */
	readonly onProgress?: (bytes: number, records: number) => void;
};

type SourceParser = {
	/** Reads on with the next bytes of the source, which may be written over afterwards. Throws: SourceError `refused` for an unknown format. */
	readonly take: (piece: Uint8Array) => void;
	/** Reads what is left, once the whole source has come. Throws alike. */
	readonly finish: () => ParsedSource;
};

/** So much tells the format, unless it might be UTF-8: that is only known of the whole. */
const RECOGNISED_BYTES_MIN = SAMPLE_BYTES + 1024 * 1024;
const LF = 0x0a;

/** Reads a whole file. Throws: SourceError `refused` for an unknown format. */
export function parseSource(bytes: Uint8Array, options: ParseOptions): ParsedSource {
	return createReader(bytes, recogniseFormat(bytes), bytes.length, options).finish(bytes.length);
}

/**
 * Begins to read a source that comes in pieces, `bytesMax` bytes at most. What has come is held until it is read: everything as long as the format
 * is not known, then the line that is not whole. The same room is used again and again, while the processor's caches hold it.
 */
export function createParser(bytesMax: number, options: ParseOptions): SourceParser {
	// ResponseBuffer that is never written to costs nothing.
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

/** Reads what is held in `bytes`; `sourceBytes` is about how much there is in all. */
function createReader(bytes: Uint8Array, format: Format, sourceBytes: number, options: ParseOptions) {
	const collector = createColumnCollector(
		(source, from, to) => cleanCell(decodeText(source.subarray(from, to), format.encoding)),
		options.takeNames,
		sourceBytes,
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
	const refuse = (reason: RefusalReason): void => {
		refused[reason]++;
	};
	const countGarbled = (): void => {
		if (garbledCount++ === 0) firstGarbledLine = lineNumber;
	};
	const takeEntry = (entry: RegistryEntry): void => {
		spanishOfTexts += countSpanish(entry.name) + countSpanish(entry.trade_name);
		collector.takeEntry(entry);
	};
	const joiner = joinRecords(format, { take: takeEntry, refuse, countGarbled });
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
		refuseLine: joiner.refuseTooLong,
		onProgress,
	});
	const finish = (end: number): ParsedSource => {
		scanTo(end);
		onProgress(sourceBytes);
		const endsCut = joiner.end();
		const { columns, rows, duplicates, suppressed, statusCounts } = collector.finish(options.isErased);
		refused.duplicate = duplicates;
		const known = new Set<string>(KNOWN_STATUSES);
		return {
			format: { name: format.name, encoding: format.encoding },
			columns,
			rows,
			suppressed,
			refused,
			refusedCount: Object.values(refused).reduce((sum, n) => sum + n, 0),
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
