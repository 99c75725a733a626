/**
 * Reads an ordinary line from bytes to bytes. Each cell is read once: a number becomes its key, a name is copied in tidy form, and for the
 * others only the end is found.
 */
import { dayOfBytes, keyOfValue } from "../../index/index";
import type { NameBuffer } from "../build/columns";
import type { Cells } from "../build/endings";
import { countSpanish, decodeText, type Encoding, isHint } from "./encoding";
import type { Format } from "./format";

const COMMA = 0x2c;
const HYPHEN = 0x2d;
const ZERO = 0x30;

/** The purpose for which a column is read. */
const NOTHING = 0;
const DOCUMENT = 1;
const NAME = 2;
const TRADE_NAME = 3;
const ACTIVITY = 4;
const STATUS = 5;
const REGIME = 6;
const START_DATE = 7;

/** The source, how to read its lines, and the content of the last line. */
export type Line = ReturnType<typeof createLine>;

export function createLine(source: Uint8Array, format: Format) {
	const isCsv = format.name === "csv";
	const { encoding } = format;
	const steps = listSteps(format);
	const cells = {
		nameEnd: 0,
		tradeNameEnd: 0,
		source,
		view: new DataView(source.buffer, source.byteOffset, source.length),
		activityStart: 0,
		activityEnd: 0,
		statusStart: 0,
		statusEnd: 0,
		regimeStart: 0,
		regimeEnd: 0,
		startedOn: 0,
	} satisfies Cells;
	return {
		source,
		isCsv,
		uses: Uint8Array.from(steps, ({ use }) => use),
		counts: Uint8Array.from(steps, ({ count }) => count),
		/** Ends a cell; in CSV together with what follows. */
		mark: isCsv ? QUOTE : BAR,
		markBytes: isCsv ? 3 : 1,
		effects: effectsOf(format),
		letters: lettersOf(encoding),
		spanish: spanishBytesOf(encoding),
		key: 0,
		spanishCount: 0,
		cells,
	};
}

type Step = { readonly use: number; readonly count: number };

/** The columns in order; adjacent columns that are not read form one step. */
function listSteps({ columnCount, columns }: Format): readonly Step[] {
	const { document, name, tradeName, activity, status, regime, startDate } = columns;
	const served = [document, name, tradeName, activity, status, regime, startDate];
	const steps: Step[] = [];
	for (let column = 0; column < columnCount; column++) {
		const use = served.indexOf(column) + DOCUMENT;
		const last = steps.at(-1);
		if (use === NOTHING && last?.use === NOTHING) steps.splice(-1, 1, { use, count: last.count + 1 });
		else steps.push({ use, count: 1 });
	}
	return steps;
}

/** Reads `source[start … end)`, a line without outer quotes and without its line end. False if it is not an ordinary line. */
export function readLine(line: Line, start: number, end: number, buffer: NameBuffer): boolean {
	const { uses, counts, cells, markBytes } = line;
	const lastStep = uses.length - 1;
	line.spanishCount = 0;
	let nameEnd = buffer.end;
	let at = start;
	for (let step = 0; step <= lastStep; step++) {
		const use = uses[step] ?? NOTHING;
		let cellEnd = 0;
		if (use === NOTHING) cellEnd = skipCells(line, at, end, counts[step] ?? 0);
		else if (use === DOCUMENT) cellEnd = readKey(line, at, end);
		else if (use === NAME || use === TRADE_NAME) {
			cellEnd = copyTidy(line, at, end, buffer, nameEnd);
			nameEnd = line.cells.tradeNameEnd;
			if (use === NAME) cells.nameEnd = nameEnd;
		} else if (use === START_DATE) {
			cellEnd = skipCells(line, at, end, 1);
			cells.startedOn = dayOfBytes(line.source, at, cellEnd);
		} else {
			cellEnd = findEnd(line, at, end);
			if (use === ACTIVITY) {
				cells.activityStart = at;
				cells.activityEnd = cellEnd;
			} else if (use === STATUS) {
				cells.statusStart = at;
				cells.statusEnd = cellEnd;
			} else if (use === REGIME) {
				cells.regimeStart = at;
				cells.regimeEnd = cellEnd;
			}
		}
		// Only the last cell ends at the end of the line.
		if (cellEnd < 0 || (cellEnd === end) !== (step === lastStep)) return false;
		at = cellEnd + markBytes;
	}
	return true;
}

function endsCell({ source, isCsv }: Line, at: number, end: number): boolean {
	return !isCsv || (at + 2 < end && source[at + 1] === COMMA && source[at + 2] === QUOTE);
}

// Each of the next four returns where the cell that starts at `at` ends, at most the end of the line; -1 if it is not ordinary.

function skipCells(line: Line, at: number, end: number, count: number): number {
	const { source, mark, markBytes } = line;
	let left = count;
	for (let i = at; i < end; i++) {
		if (source[i] !== mark || !endsCell(line, i, end)) continue;
		if (--left === 0) return i;
		i += markBytes - 1;
	}
	return left === 1 ? end : -1;
}

function findEnd(line: Line, at: number, end: number): number {
	const { source, effects, mark } = line;
	for (let i = at; i < end; i++) {
		const byte = source[i] ?? 0;
		const effect = effects[byte] ?? 0;
		if (effect < MARK) continue;
		if (effect === NEEDS_CARE) return -1;
		if (byte === mark && endsCell(line, i, end)) return i;
	}
	return end;
}

function readKey(line: Line, at: number, end: number): number {
	const { source, mark } = line;
	let digits = 0;
	let value = 0;
	let i = at;
	for (; i < end; i++) {
		const byte = source[i] ?? 0;
		const digit = byte - ZERO;
		if (digit >= 0 && digit <= 9) {
			value = value * 10 + digit;
			digits++;
		} else if (byte === mark && endsCell(line, i, end)) break;
		else if (byte !== SPACE && byte !== HYPHEN && byte !== QUOTE) return -1;
	}
	if (digits !== 9 && digits !== 11) return -1;
	line.key = keyOfValue(value, digits);
	return i;
}

/** Copies the cell to `nameStart` of the buffer, without quotes and extra spaces. The end of the copy becomes the cells' `tradeNameEnd`. */
function copyTidy(line: Line, at: number, end: number, buffer: NameBuffer, nameStart: number): number {
	const { source, effects, letters, spanish, mark } = line;
	const target = buffer.bytes;
	let to = nameStart;
	let i = at;
	for (; i < end; i++) {
		const byte = source[i] ?? 0;
		const effect = effects[byte] ?? 0;
		if (effect === PLAIN) target[to++] = byte;
		else if (effect === BLANK) {
			if (to > nameStart && target[to - 1] !== SPACE) target[to++] = SPACE;
		} else if (effect === LETTER) {
			line.spanishCount += spanish[byte] ?? 0;
			for (let rest = letters[byte] ?? 0; rest !== 0; rest >>>= 8) target[to++] = rest & 0xff;
		} else if (effect === NEEDS_CARE) return -1;
		else if (byte === mark && endsCell(line, i, end)) break;
	}
	if (to > nameStart && target[to - 1] === SPACE) to--;
	line.cells.tradeNameEnd = to;
	return i;
}

/** The role of each byte in a cell, by encoding: tables that are built once for all lines. */

export const SPACE = 0x20;
export const QUOTE = 0x22;
const BAR = 0x7c;

/** Roles of a byte in a cell, ascending by the work they cause. */
const PLAIN = 0;
/** Ends a character beyond ASCII; `letters` holds the bytes to copy. */
const LETTER = 1;
const BLANK = 2;
/** Dropped, or the end of a cell. */
const MARK = 3;
const NEEDS_CARE = 4;

function effectsOf(format: Format): Uint8Array {
	const effects = new Uint8Array(256);
	for (let byte = 0; byte < 256; byte++) {
		if (byte < SPACE || byte === 0x7f) effects[byte] = NEEDS_CARE;
		else if (byte >= 0x80) effects[byte] = effectBeyondAscii(byte, format.encoding);
	}
	effects[SPACE] = BLANK;
	effects[QUOTE] = MARK;
	if (format.name === "text") effects[BAR] = MARK;
	return effects;
}

/** In UTF-8, the first byte of nearly all letters beyond ASCII in names; the second byte distinguishes them. */
const LEAD_OF_LETTERS = 0xc3;
/** First bytes of UTF-8 characters that include white space and controls. */
const LEADS_OF_CARE = [0xc2, 0xe1, 0xe2, 0xe3, 0xef];
const careOfUtf8 = new Set([...LEADS_OF_CARE, ...listHintBytes()]);

/** The byte that reveals a possible wrong decoding. Three-byte characters are covered by their first byte. */
function listHintBytes(): number[] {
	const characters = Array.from({ length: 0x780 }, (_, i) => String.fromCharCode(0x80 + i));
	return characters.filter(isHint).map((character) => {
		const [lead = 0, second = 0] = Buffer.from(character);
		return lead === LEAD_OF_LETTERS ? second : lead;
	});
}

function effectBeyondAscii(byte: number, encoding: Encoding): number {
	if (encoding === "utf-8") return careOfUtf8.has(byte) ? NEEDS_CARE : isSpanishEnd(byte) ? LETTER : PLAIN;
	const letter = decodeText(Uint8Array.of(byte), encoding);
	return /^[^\s\p{C}]$/u.test(letter) && !isHint(letter) ? LETTER : NEEDS_CARE;
}

function isSpanishEnd(byte: number): boolean {
	return countSpanish(Buffer.of(LEAD_OF_LETTERS, byte).toString()) > 0;
}

/** Byte → 1 if it is a Spanish letter beyond ASCII, or the end of one. */
function spanishBytesOf(encoding: Encoding): Uint8Array {
	return Uint8Array.from({ length: 256 }, (_, byte) => {
		if (encoding === "utf-8") return isSpanishEnd(byte) ? 1 : 0;
		return countSpanish(decodeText(Uint8Array.of(byte), encoding));
	});
}

/** Byte → its letter in UTF-8, at most three bytes, lowest first. */
function lettersOf(encoding: Encoding): Uint32Array {
	if (encoding === "utf-8") return Uint32Array.from({ length: 256 }, (_, byte) => byte);
	return Uint32Array.from({ length: 256 }, (_, byte) => {
		const bytes = Buffer.from(decodeText(Uint8Array.of(byte), encoding));
		return bytes.reduceRight((packed, part) => packed * 0x100 + part, 0);
	});
}
