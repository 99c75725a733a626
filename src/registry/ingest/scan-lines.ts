/**
 * Goes over a source byte by byte and takes the cells of every ordinary line without making text of it. A line is ordinary when it has the
 * right number of columns and no byte that needs judgement, such as a tab, a control character, or white space beyond ASCII.
 */
import type { Cells } from "../snapshot/columns";
import { keyOfValue } from "../snapshot/document-key";
import { decodeText, type Encoding } from "./encoding";
import type { Format } from "./format";
import { LINE_LENGTH_MAX } from "./join-records";

export type LineSink = {
	/** An ordinary line's cells, valid during the call; no key when its number has a wrong form. */
	readonly takeCells: (key: number | undefined, cells: Cells) => void;
	/** A line that must be read as text. */
	readonly takeLine: (line: string) => void;
	/** A line that is too long to be read at all. */
	readonly refuseLine: () => void;
	readonly onProgress: (bytes: number) => void;
};

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const HYPHEN = 0x2d;
const ZERO = 0x30;
const BAR = 0x7c;
/** A character has at most this many bytes in any of the encodings. */
const CHARACTER_BYTES_MAX = 4;
const PROGRESS_LINES = 20_000;

/** What a byte does to the scan. */
const PLAIN = 0;
const ENDS_CELL = 1;
const ENDS_LINE = 2;
const NEEDS_CARE = 3;

export type LineScanner = {
	/** Goes on up to `end`, which is behind a line's end or the end of the source. */
	readonly scanTo: (end: number) => void;
};

export function createLineScanner(bytes: Uint8Array, format: Format, sink: LineSink): LineScanner {
	const isCsv = format.name === "csv";
	const line: Line = { end: 0, cellEnds: new Uint32Array(format.columnCount), cells: 0, needsCare: false };
	const effects = effectsOf(format);
	const taker = createCellTaker(bytes, format);
	let lines = 0;
	let next = format.firstByte;
	const scanTo = (stop: number) => {
		let start = next;
		for (; start < stop; start = line.end + 1) {
			scanLine(bytes, start, effects, isCsv, line);
			const { end, cellEnds, cells } = line;
			let last = end;
			while (last > start && (bytes[last - 1] === CR || bytes[last - 1] === SPACE)) last--;
			const isQuoted = !isCsv || (last - start >= 2 && bytes[start] === QUOTE && bytes[last - 1] === QUOTE);
			if (last - start > LINE_LENGTH_MAX * CHARACTER_BYTES_MAX) sink.refuseLine();
			else if (last > start) {
				if (line.needsCare || !isQuoted || cells !== format.columnCount || last - start > LINE_LENGTH_MAX) {
					sink.takeLine(decodeText(bytes.subarray(start, last), format.encoding));
				} else {
					cellEnds[cells - 1] = isCsv ? last - 1 : last;
					const key = taker.take(isCsv ? start + 1 : start, cellEnds);
					sink.takeCells(key, taker.cells);
				}
			}
			if (++lines % PROGRESS_LINES === 0) sink.onProgress(end);
		}
		next = start;
	};
	return { scanTo };
}

/** What a scan found in one line; used again for the next. */
type Line = {
	/** Where its LF stands, or the file ends. */
	end: number;
	/** Cell → its end; the last one is set once the line's own end is known. */
	readonly cellEnds: Uint32Array;
	cells: number;
	needsCare: boolean;
};

function scanLine(bytes: Uint8Array, start: number, effects: Uint8Array, isCsv: boolean, line: Line): void {
	const { cellEnds } = line;
	const columns = cellEnds.length;
	const length = bytes.length;
	let cells = 0;
	let needsCare = false;
	let at = start;
	for (; at < length; at++) {
		const byte = bytes[at] ?? 0;
		const effect = effects[byte];
		if (effect === PLAIN) continue;
		if (effect === ENDS_LINE) break;
		if (effect === ENDS_CELL) {
			if (isCsv && (bytes[at + 1] !== COMMA || bytes[at + 2] !== QUOTE)) continue;
			if (cells < columns) cellEnds[cells] = at;
			if (isCsv) at += 2;
			cells++;
		} else if (byte !== CR || (at + 1 < length && bytes[at + 1] !== LF)) needsCare = true;
	}
	line.end = at;
	line.cells = cells + 1;
	line.needsCare = needsCare;
}

function effectsOf(format: Format): Uint8Array {
	const effects = new Uint8Array(256);
	for (let byte = 0; byte < 256; byte++) {
		if (byte < SPACE || byte === 0x7f) effects[byte] = NEEDS_CARE;
		else if (byte >= 0x80) effects[byte] = isPlain(byte, format.encoding) ? PLAIN : NEEDS_CARE;
	}
	effects[LF] = ENDS_LINE;
	effects[format.name === "csv" ? QUOTE : BAR] = ENDS_CELL;
	return effects;
}

/** The first bytes of characters among which UTF-8 has white space and controls. */
const careOfUtf8 = new Set([0xc2, 0xe1, 0xe2, 0xe3, 0xef]);

function isPlain(byte: number, encoding: Encoding): boolean {
	if (encoding === "utf-8") return !careOfUtf8.has(byte);
	return /^[^\s\p{C}]$/u.test(decodeText(Uint8Array.of(byte), encoding));
}

/** Takes the cells that are served: copies the two names, tidied, as UTF-8, and tells where the others stand. */
function createCellTaker(source: Uint8Array, { name, columns, encoding }: Format) {
	const separatorBytes = name === "csv" ? 3 : 1;
	const names = new Uint8Array(LINE_LENGTH_MAX * CHARACTER_BYTES_MAX);
	const letters = encoding === "utf-8" ? undefined : lettersOf(encoding);
	const { document, tradeName, activity, status, regime } = columns;
	const cells = {
		names,
		nameEnd: 0,
		tradeNameEnd: 0,
		source,
		activityStart: 0,
		activityEnd: 0,
		statusStart: 0,
		statusEnd: 0,
		regimeStart: 0,
		regimeEnd: 0,
	};
	/** The key of the line's number; undefined when it has a wrong form. */
	const take = (start: number, cellEnds: Uint32Array): number | undefined => {
		const startOf = (column: number) => (column === 0 ? start : (cellEnds[column - 1] ?? 0) + separatorBytes);
		const nameEnd = copyTidy(source, startOf(columns.name), cellEnds[columns.name] ?? 0, names, 0, letters);
		cells.nameEnd = nameEnd;
		cells.tradeNameEnd =
			tradeName === undefined
				? nameEnd
				: copyTidy(source, startOf(tradeName), cellEnds[tradeName] ?? 0, names, nameEnd, letters);
		cells.activityStart = startOf(activity);
		cells.activityEnd = cellEnds[activity] ?? 0;
		cells.statusStart = startOf(status);
		cells.statusEnd = cellEnds[status] ?? 0;
		cells.regimeStart = startOf(regime);
		cells.regimeEnd = cellEnds[regime] ?? 0;
		return readKey(source, startOf(document), cellEnds[document] ?? 0);
	};
	return { take, cells: cells satisfies Cells };
}

/** Copies a cell without quotes and superfluous spaces, and gives where the copy ends. */
function copyTidy(
	source: Uint8Array,
	from: number,
	to: number,
	target: Uint8Array,
	targetStart: number,
	letters: Uint32Array | undefined,
): number {
	let length = targetStart;
	let isParted = false;
	for (let i = from; i < to; i++) {
		const byte = source[i] ?? 0;
		if (byte === SPACE) {
			isParted = length > targetStart;
			continue;
		}
		if (byte === QUOTE) continue;
		if (isParted) {
			target[length++] = SPACE;
			isParted = false;
		}
		if (byte < 0x80 || letters === undefined) target[length++] = byte;
		else for (let rest = letters[byte - 0x80] ?? 0; rest !== 0; rest >>>= 8) target[length++] = rest & 0xff;
	}
	return length;
}

/** Byte → its letter in UTF-8, at most three bytes of it, the first one lowest. */
function lettersOf(encoding: Encoding): Uint32Array {
	return Uint32Array.from({ length: 0x80 }, (_, i) => {
		const bytes = Buffer.from(decodeText(Uint8Array.of(0x80 + i), encoding));
		return bytes.reduceRight((packed, byte) => packed * 0x100 + byte, 0);
	});
}

/** The key of the number in a cell; undefined when it has neither 9 nor 11 digits. */
function readKey(bytes: Uint8Array, from: number, to: number): number | undefined {
	let digits = 0;
	let value = 0;
	for (let i = from; i < to; i++) {
		const byte = bytes[i] ?? 0;
		if (byte === SPACE || byte === HYPHEN || byte === QUOTE) continue;
		const digit = byte - ZERO;
		if (digit < 0 || digit > 9 || ++digits > 11) return undefined;
		value = value * 10 + digit;
	}
	if (digits !== 9 && digits !== 11) return undefined;
	return keyOfValue(value, digits);
}
