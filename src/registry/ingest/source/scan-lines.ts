/**
 * Scans a source byte by byte and takes the cells of ordinary lines without creating text. An ordinary line has the right number of columns
 * and a number of 9 or 11 digits. Its served columns contain no tab, control character, white space beyond ASCII, or byte that a wrong
 * decoding may have left.
 */
import { NAME_BUFFER_FREE_BYTES, type NameBuffer } from "../build/columns";
import type { Cells } from "../build/endings";
import { decodeText } from "./encoding";
import type { Format } from "./format";
import { LINE_LENGTH_MAX } from "./join-records";
import { createLine, QUOTE, readLine, SPACE } from "./ordinary-line";

type LineSink = {
	readonly buffer: NameBuffer;
	/** An ordinary line's cells, valid during the call. */
	readonly takeCells: (key: number, cells: Cells) => void;
	/** A line that must be read as text; `number` is its one-based number in the source. */
	readonly takeLine: (line: string, number: number) => void;
	/** A line that is too long to be read at all. */
	readonly refuseLine: (number: number) => void;
	readonly onProgress: (bytes: number) => void;
};

const LF = 0x0a;
const CR = 0x0d;
/** Maximum bytes of a character in any of the encodings. */
const CHARACTER_BYTES_MAX = 4;
/** Longer lines are read as text, so that every name fits. */
const SCANNED_BYTES_MAX = Math.min(LINE_LENGTH_MAX, NAME_BUFFER_FREE_BYTES / CHARACTER_BYTES_MAX);
const PROGRESS_LINES = 20_000;

type LineScanner = {
	/** Continues up to `end`, which follows a line end or is the end of the source. */
	readonly scanTo: (end: number) => void;
	/** Moves the unscanned part of the first `end` bytes to the front; returns by how much. */
	readonly dropRead: (end: number) => number;
	/** In everything scanned so far. */
	readonly replacements: () => Replacements;
	/** Spanish letters beyond ASCII in the names of the ordinary lines. */
	readonly spanishCount: () => number;
};

export function createLineScanner(bytes: Uint8Array, format: Format, sink: LineSink): LineScanner {
	const isCsv = format.name === "csv";
	const line = createLine(bytes, format);
	const headLines = isCsv ? 1 : 0;
	const search = createReplacementSearch(bytes);
	let lines = 0;
	let next = format.firstByte;
	let dropped = 0;
	let spanishCount = 0;
	const scanTo = (stop: number) => {
		let start = next;
		search.look(start, stop, headLines + lines);
		for (let end = start; start < stop; start = end + 1) {
			end = bytes.indexOf(LF, start);
			if (end < 0 || end > stop) end = stop;
			let last = end;
			while (last > start && (bytes[last - 1] === CR || bytes[last - 1] === SPACE)) last--;
			if (last - start > LINE_LENGTH_MAX * CHARACTER_BYTES_MAX) sink.refuseLine(headLines + lines + 1);
			else if (last > start) {
				const isQuoted = !isCsv || (last - start >= 2 && bytes[start] === QUOTE && bytes[last - 1] === QUOTE);
				const quote = isCsv ? 1 : 0;
				if (isQuoted && last - start <= SCANNED_BYTES_MAX && readLine(line, start + quote, last - quote, sink.buffer)) {
					spanishCount += line.spanishCount;
					sink.takeCells(line.key, line.cells);
				} else sink.takeLine(decodeText(bytes.subarray(start, last), format.encoding), headLines + lines + 1);
			}
			if (++lines % PROGRESS_LINES === 0) sink.onProgress(dropped + end);
		}
		next = start;
	};
	const dropRead = (end: number): number => {
		const scanned = next;
		bytes.copyWithin(0, scanned, end);
		dropped += scanned;
		next = 0;
		return scanned;
	};
	return { scanTo, dropRead, replacements: search.found, spanishCount: () => spanishCount };
}

/**
 * Searches for U+FFFD, which marks bytes that an earlier decoder could not read: their content is lost. Its three bytes are searched
 * everywhere, even in unserved columns and whatever the encoding, because they are no text in a single-byte page either (`ï¿½`).
 */

export type Replacements = {
	readonly count: number;
	/** One-based; 0 if there is none. */
	readonly firstLine: number;
};

type ReplacementSearch = {
	/** `linesBefore` is the number of lines that end before `start`. */
	readonly look: (start: number, end: number, linesBefore: number) => void;
	readonly found: () => Replacements;
};

const FIRST = 0xef;
const SECOND = 0xbf;
const THIRD = 0xbd;

function createReplacementSearch(bytes: Uint8Array): ReplacementSearch {
	let count = 0;
	let firstLine = 0;
	return {
		look: (start, end, linesBefore) => {
			// The free space after the end is large; searching it would cost more than searching the source.
			const part = bytes.subarray(start, end);
			for (let at = part.indexOf(FIRST); at >= 0; at = part.indexOf(FIRST, at + 1)) {
				if (part[at + 1] !== SECOND || part[at + 2] !== THIRD) continue;
				if (count++ === 0) firstLine = linesBefore + 1 + countLines(part.subarray(0, at));
			}
		},
		found: () => ({ count, firstLine }),
	};
}

function countLines(bytes: Uint8Array): number {
	let lines = 0;
	for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines++;
	return lines;
}
