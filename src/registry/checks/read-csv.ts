/**
 * Reads lists with a separator, piece by piece.
 *
 *   encoding    a byte order mark decides; else zero bytes mean UTF-16, and whatever is not UTF-8 is Windows-1252
 *   separator   comma, semicolon, tab or bar: the one that splits the first rows most evenly
 *   quotes      RFC 4180; a quotation mark within an unquoted cell is an ordinary character
 *
 * Blank lines are omitted but counted.
 */

import { closeSync, openSync, readSync } from "node:fs";
import { msg } from "../../platform/problem";
import { ListError, type ListRow, ROW_TEXT_MAX } from "./list-row";

export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const;
export type Encoding = (typeof ENCODINGS)[number];
export const DELIMITERS = [",", ";", "\t", "|"] as const;
export type Delimiter = (typeof DELIMITERS)[number];

const PIECE_BYTES = 256 * 1024;
const SAMPLE_ROWS = 50;

/** The file's bytes; a piece is valid until the next one is requested. */
export function* readPieces(path: string, pieceBytes = PIECE_BYTES): Generator<Buffer> {
	const file = openSync(path, "r");
	try {
		const piece = Buffer.allocUnsafe(pieceBytes);
		for (;;) {
			const count = readSync(file, piece);
			if (count === 0) return;
			yield piece.subarray(0, count);
		}
	} finally {
		closeSync(file);
	}
}

/** Reads the whole file unless it has a mark or UTF-16's zero bytes. Runs in steps. Throws: ListError for what is no text. */
export function* findEncoding(path: string): Generator<undefined, Encoding> {
	const decoder = new TextDecoder("utf-8", { fatal: true });
	let isFirst = true;
	for (const piece of readPieces(path)) {
		if (isFirst) {
			refuseOtherKinds(piece);
			const byMark = findMark(piece) ?? guessUtf16(piece);
			if (byMark !== undefined) return byMark;
			isFirst = false;
		}
		try {
			decoder.decode(piece, { stream: true });
		} catch {
			return "windows-1252";
		}
		yield undefined;
	}
	if (isFirst) throw new ListError(null, null, msg`an empty file`);
	try {
		decoder.decode();
		return "utf-8";
	} catch {
		return "windows-1252";
	}
}

function refuseOtherKinds(piece: Buffer): void {
	const head = piece.toString("latin1", 0, 8);
	if (head.startsWith("\u00d0\u00cf\u0011\u00e0")) {
		throw new ListError(null, null, msg`an old or protected Excel file; save it as .xlsx without a password`);
	}
	if (head.startsWith("%PDF-")) throw new ListError(null, null, msg`a PDF file`);
	if (head.startsWith("\u0089PNG") || head.startsWith("GIF8") || head.startsWith("\u00ff\u00d8\u00ff")) {
		throw new ListError(null, null, msg`an image`);
	}
	if (head.startsWith("\u001f\u008b") || head.startsWith("\u0028\u00b5\u002f\u00fd")) {
		throw new ListError(null, null, msg`a compressed file`);
	}
}

function findMark(piece: Buffer): Encoding | undefined {
	if (piece[0] === 0xff && piece[1] === 0xfe) return "utf-16le";
	if (piece[0] === 0xfe && piece[1] === 0xff) return "utf-16be";
	return piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf ? "utf-8" : undefined;
}

/** Latin text in UTF-16 has a zero in nearly every second byte. */
function guessUtf16(piece: Buffer): Encoding | undefined {
	const length = Math.min(piece.length, 4_096) & ~1;
	const zeros = [0, 0];
	for (let i = 0; i < length; i++) if (piece[i] === 0) zeros[i & 1] = (zeros[i & 1] ?? 0) + 1;
	const [even = 0, odd = 0] = zeros;
	if (odd > length / 4 && even === 0) return "utf-16le";
	return even > length / 4 && odd === 0 ? "utf-16be" : undefined;
}

/** Throws: ListError for bytes that the encoding does not have. */
function* decodePieces(path: string, encoding: Encoding): Generator<string> {
	const decoder = new TextDecoder(encoding, { fatal: true });
	const decode = (piece?: Buffer) => {
		try {
			return piece ? decoder.decode(piece, { stream: true }) : decoder.decode();
		} catch {
			throw new ListError(null, null, msg`bytes that are not ${encoding.toUpperCase()}`);
		}
	};
	for (const piece of readPieces(path)) yield decode(piece);
	yield decode();
}

/** The rows in order. Throws: ListError. */
export function* readCsv(path: string, encoding: Encoding, delimiter: Delimiter): Generator<ListRow> {
	let text = "";
	let at = 0;
	let row = 0;
	let lineEnd = "\n";
	const take = function* (isLast: boolean): Generator<ListRow> {
		while (at < text.length) {
			const record = readRecord(text, at, { delimiter, lineEnd, isLast, row: row + 1 });
			if (!record) break;
			at = record.next;
			row++;
			const { cells } = record;
			if (cells.some((cell) => cell.trim() !== "")) yield { row, cells };
		}
		if (text.length - at > ROW_TEXT_MAX) {
			throw new ListError(row + 1, null, msg`a row of more than a million characters, or a quotation mark left open`);
		}
	};
	let isFirst = true;
	for (const piece of decodePieces(path, encoding)) {
		if (isFirst) {
			lineEnd = piece.includes("\n") || !piece.includes("\r") ? "\n" : "\r";
			isFirst = false;
		}
		text = text.slice(at) + piece;
		at = 0;
		yield* take(false);
	}
	yield* take(true);
}

type Rule = {
	readonly delimiter: Delimiter;
	readonly lineEnd: string;
	/** Nothing follows the text. */
	readonly isLast: boolean;
	readonly row: number;
};
type TextRecord = { readonly cells: string[]; readonly next: number };

/** Undefined if the record continues behind the text. */
function readRecord(text: string, at: number, rule: Rule): TextRecord | undefined {
	const end = text.indexOf(rule.lineEnd, at);
	if (end < 0 && !rule.isLast) return undefined;
	const line = text.slice(at, end < 0 ? text.length : end);
	if (!line.includes('"')) {
		return { cells: withoutReturn(line).split(rule.delimiter), next: end < 0 ? text.length : end + 1 };
	}
	return readQuoted(text, at, rule);
}

const withoutReturn = (line: string) => (line.endsWith("\r") ? line.slice(0, -1) : line);

function readQuoted(text: string, from: number, rule: Rule): TextRecord | undefined {
	const { delimiter, lineEnd, isLast, row } = rule;
	const cells: string[] = [];
	let at = from;
	for (;;) {
		if (text[at] === '"') {
			const cell = readQuotedCell(text, at, isLast);
			if (!cell) {
				if (isLast) throw new ListError(row, cells.length + 1, msg`a quotation mark that is never closed`);
				return undefined;
			}
			cells.push(cell.value);
			at = cell.next;
			if (text[at] === "\r" && text[at + 1] === lineEnd) at++;
			if (at >= text.length) return isLast ? { cells, next: at } : undefined;
			if (text[at] === lineEnd) return { cells, next: at + 1 };
			if (text[at] === "\r" && at + 1 === text.length) return isLast ? { cells, next: at + 1 } : undefined;
			if (text[at] !== delimiter) throw new ListError(row, cells.length, msg`text behind a closing quotation mark`);
			at++;
			continue;
		}
		let end = at;
		while (end < text.length && text[end] !== delimiter && text[end] !== lineEnd) end++;
		if (end === text.length && !isLast) return undefined;
		const isOver = text[end] !== delimiter;
		cells.push(isOver ? withoutReturn(text.slice(at, end)) : text.slice(at, end));
		if (isOver) return { cells, next: end + 1 };
		at = end + 1;
	}
}

/** Undefined if its closing quotation mark is not in the text, or may be half of a doubled one. */
function readQuotedCell(text: string, at: number, isLast: boolean): { value: string; next: number } | undefined {
	let value = "";
	let from = at + 1;
	for (;;) {
		const quote = text.indexOf('"', from);
		if (quote < 0 || (quote + 1 === text.length && !isLast)) return undefined;
		if (text[quote + 1] !== '"') return { value: value + text.slice(from, quote), next: quote + 1 };
		value += text.slice(from, quote + 1);
		from = quote + 2;
	}
}

/** The separator of the first rows; a comma if there is only one column. */
export function findDelimiter(path: string, encoding: Encoding): Delimiter {
	let best: { readonly delimiter: Delimiter; readonly share: number; readonly columns: number } | undefined;
	for (const delimiter of DELIMITERS) {
		const counts = new Map<number, number>();
		let rows = 0;
		try {
			for (const { cells } of readCsv(path, encoding, delimiter)) {
				counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
				if (++rows === SAMPLE_ROWS) break;
			}
		} catch (error) {
			// With a wrong separator a quoted cell may seem to end too early; the right one reports what is wrong.
			if (!(error instanceof ListError)) throw error;
		}
		const [columns, times] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [1, 0];
		if (columns < 2) continue;
		const share = times / rows;
		if (!best || share > best.share || (share === best.share && columns > best.columns)) {
			best = { delimiter, share, columns };
		}
	}
	return best?.delimiter ?? ",";
}
