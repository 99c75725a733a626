/**
 * Reads the first visible sheet of an XLSX file, piece by piece, trusting nothing that the file declares.
 *
 *   xl/workbook.xml         sheets in order, whether days count from 1904
 *   xl/_rels/workbook…      where sheets, texts and styles are
 *   xl/sharedStrings.xml    texts that cells refer to; kept as bytes, since a list has up to a million
 *   xl/styles.xml           which numbers are days
 *   xl/worksheets/…         rows of cells: `s` shared text, `inlineStr`, `str`, `b`, `e`, otherwise a number
 *
 * Source: ECMA-376, part 1, 18.2 to 18.4 and 18.8; APPNOTE.TXT 6.3.10, 4.3.
 */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { Inflate } from "fflate";
import { msg } from "../../platform/problem";
import { COLUMNS_MAX, ListError, type ListRow, ROW_TEXT_MAX } from "./list-row";

const MEMBERS_MAX = 2_000;
const DIRECTORY_BYTES_MAX = 4 << 20;
const SMALL_BYTES_MAX = 8 << 20;
const TEXTS_BYTES_MAX = 256 << 20;
const SHEET_BYTES_MAX = 2 ** 31;
/** A byte unpacks to about a thousand at most, so a step stays below 20 MB. */
const PIECE_BYTES = 16 * 1024;
const SHEET_ROWS_MAX = 1_048_576;

type Member = {
	readonly name: string;
	readonly method: number;
	readonly flags: number;
	readonly crc: number;
	readonly packedBytes: number;
	readonly headAt: number;
};

const damaged = (what: string) => new ListError(null, null, msg`a damaged spreadsheet: ${what}`);

/** The rows that are not blank, in order; undefined between steps of what takes long without a row. Throws: ListError. */
export function* readXlsx(path: string): Generator<ListRow | undefined> {
	const file = openSync(path, "r");
	try {
		yield* readWorkbook(file);
	} finally {
		closeSync(file);
	}
}

function* readWorkbook(file: number): Generator<ListRow | undefined> {
	const members = readDirectory(file);
	const workbook = readSmall(file, members, "xl/workbook.xml");
	const relations = readRelations(readSmall(file, members, "xl/_rels/workbook.xml.rels"));
	const sheet = tagsOf(workbook, "sheet").find((tag) => !/hidden/i.test(attributeOf(tag, "state") ?? ""));
	const sheetPath = relations.get(attributeOf(sheet ?? "", "\\w+:id") ?? "")?.path;
	if (sheetPath === undefined) throw damaged("it has no sheet");
	const pathOf = (type: string) => [...relations.values()].find((one) => one.type.endsWith(type))?.path ?? "";
	const textsPath = pathOf("/sharedStrings");
	const texts = members.has(textsPath)
		? yield* readTexts(readMember(file, members, textsPath, TEXTS_BYTES_MAX))
		: undefined;
	const stylesPath = pathOf("/styles");
	const dayStyles = members.has(stylesPath) ? findDayStyles(readSmall(file, members, stylesPath)) : new Set<string>();
	const is1904 = /\bdate1904="(1|true)"/.test(workbook);
	const toText = (kind: string | undefined, value: string, style: string | undefined, row: number, column: number) => {
		if (kind === "s") {
			const text = texts?.at(Number(value));
			if (text === undefined) throw new ListError(row, column, msg`a reference to a text that does not exist`);
			return text;
		}
		if (kind === "b") return value === "1" ? "TRUE" : "FALSE";
		if (kind !== undefined && kind !== "n") return value;
		return style !== undefined && dayStyles.has(style) ? toDay(value, is1904) : toPlainNumber(value);
	};
	yield* readSheet(readMember(file, members, sheetPath, SHEET_BYTES_MAX), toText);
}

/** The archive's members by name, from its directory. Throws: ListError. */
function readDirectory(file: number): Map<string, Member> {
	const size = fstatSync(file).size;
	const tail = readAt(file, Math.max(0, size - 65_557), Math.min(size, 65_557));
	const endAt = tail.lastIndexOf("PK\u0005\u0006", tail.length, "latin1");
	if (endAt < 0 || endAt + 22 > tail.length) throw damaged("it is cut off");
	const count = tail.readUInt16LE(endAt + 10);
	const bytes = tail.readUInt32LE(endAt + 12);
	const offset = tail.readUInt32LE(endAt + 16);
	if (count > MEMBERS_MAX || bytes > DIRECTORY_BYTES_MAX || offset + bytes > size) throw damaged("its directory");
	const directory = readAt(file, offset, bytes);
	const members = new Map<string, Member>();
	let at = 0;
	for (let i = 0; i < count; i++) {
		if (at + 46 > bytes || directory.readUInt32LE(at) !== 0x02014b50) throw damaged("its directory");
		const nameBytes = directory.readUInt16LE(at + 28);
		const name = directory.toString("utf8", at + 46, at + 46 + nameBytes).replaceAll("\\", "/");
		members.set(name, {
			name,
			flags: directory.readUInt16LE(at + 8),
			method: directory.readUInt16LE(at + 10),
			crc: directory.readUInt32LE(at + 16),
			packedBytes: directory.readUInt32LE(at + 20),
			headAt: directory.readUInt32LE(at + 42),
		});
		at += 46 + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
	}
	return members;
}

function readAt(file: number, position: number, bytes: number): Buffer {
	const buffer = Buffer.alloc(bytes);
	return buffer.subarray(0, readSync(file, buffer, 0, bytes, position));
}

/** The unpacked bytes of a member, in pieces; at most `bytesMax`. Throws: ListError. */
function* readMember(
	file: number,
	members: ReadonlyMap<string, Member>,
	name: string,
	bytesMax: number,
): Generator<Uint8Array> {
	const member = members.get(name);
	if (!member) throw damaged(`it lacks ${name.slice(0, 100)}`);
	if (member.flags & 1) throw new ListError(null, null, msg`a spreadsheet with a password`);
	if (member.method !== 0 && member.method !== 8) throw damaged(`compression method ${member.method}`);
	const head = readAt(file, member.headAt, 30);
	if (head.length < 30 || head.readUInt32LE(0) !== 0x04034b50) throw damaged("a member is not where it should be");
	let at = member.headAt + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
	const end = at + member.packedBytes;
	let ready: Uint8Array[] = [];
	let total = 0;
	let crc = 0;
	let isOver = member.method === 0;
	const inflate = new Inflate((piece, isLast) => {
		ready.push(piece);
		isOver = isLast;
	});
	while (at < end) {
		const packed = readAt(file, at, Math.min(PIECE_BYTES, end - at));
		if (packed.length === 0) throw damaged("it is cut off");
		at += packed.length;
		if (member.method === 0) ready.push(packed);
		else {
			try {
				inflate.push(packed, at >= end);
			} catch {
				throw damaged("its compressed bytes");
			}
		}
		for (const piece of ready) {
			total += piece.length;
			if (total > bytesMax) {
				throw new ListError(null, null, msg`a spreadsheet that unpacks to more than ${bytesMax >> 20 || 2_048} MiB`);
			}
			crc = crc32(piece, crc);
			yield piece;
		}
		ready = [];
	}
	if (!isOver) throw damaged("it is cut off");
	if (crc !== member.crc) throw damaged("a checksum differs");
}

function* decode(pieces: Iterable<Uint8Array>): Generator<string> {
	const decoder = new TextDecoder("utf-8", { fatal: true });
	try {
		for (const piece of pieces) yield decoder.decode(piece, { stream: true });
		yield decoder.decode();
	} catch (error) {
		throw error instanceof ListError ? error : damaged("its text is not UTF-8");
	}
}

function readSmall(file: number, members: ReadonlyMap<string, Member>, name: string): string {
	const text = [...decode(readMember(file, members, name, SMALL_BYTES_MAX))].join("");
	refuseDoctype(text);
	return text;
}

function refuseDoctype(text: string): void {
	if (text.includes("<!DOCTYPE") || text.includes("<!ENTITY")) throw damaged("it declares entities");
}

/** The opening tags of this local name, whatever their prefix. */
function tagsOf(xml: string, name: string): string[] {
	return xml.match(new RegExp(`<(?:\\w+:)?${name}(?=[\\s/>])[^>]*>`, "g")) ?? [];
}

function attributeOf(tag: string, name: string): string | undefined {
	const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
	const value = match?.[1] ?? match?.[2];
	return value === undefined ? undefined : decodeEntities(value);
}

function readRelations(xml: string): Map<string, { readonly type: string; readonly path: string }> {
	return new Map(
		tagsOf(xml, "Relationship").map((tag) => {
			const target = attributeOf(tag, "Target") ?? "";
			const path = target.startsWith("/") ? target.slice(1) : `xl/${target.replace(/^\.\//, "")}`;
			return [attributeOf(tag, "Id") ?? "", { type: attributeOf(tag, "Type") ?? "", path }];
		}),
	);
}

/** Numbers of the cell styles that show days. Source: ECMA-376, 18.8.30. */
function findDayStyles(xml: string): Set<string> {
	const custom = new Map(
		tagsOf(xml, "numFmt").map((tag) => [attributeOf(tag, "numFmtId"), attributeOf(tag, "formatCode") ?? ""]),
	);
	const isDay = (id: string) => {
		const number = Number(id);
		if ((number >= 14 && number <= 22) || (number >= 27 && number <= 36) || (number >= 45 && number <= 58)) return true;
		return /[ymdhs]/i.test((custom.get(id) ?? "").replace(/"[^"]*"|\[[^\]]*\]|\\./g, ""));
	};
	const cells = /<(?:\w+:)?cellXfs[\s>][\s\S]*?<\/(?:\w+:)?cellXfs>/.exec(xml)?.[0] ?? "";
	const styles = tagsOf(cells, "xf").map((tag) => attributeOf(tag, "numFmtId") ?? "0");
	return new Set(styles.flatMap((id, i) => (isDay(id) ? [String(i)] : [])));
}

const DAY_MS = 86_400_000;
const DAYS_MAX = 2_958_466;

/** `2026-11-20`, or with a time, of a count of days. Source: ECMA-376, 18.17.4. */
function toDay(value: string, is1904: boolean): string {
	const days = Number(value);
	if (!(days >= 0 && days < DAYS_MAX)) return value;
	// Day 60 of the other system is the 29th of February 1900, which did not exist.
	const epoch = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
	const text = new Date(epoch + Math.round(days * 86_400) * 1_000).toISOString();
	if (days < 1) return text.slice(11, 19);
	return days * DAY_MS === Math.floor(days) * DAY_MS ? text.slice(0, 10) : text.slice(0, 19).replace("T", " ");
}

/** Digits where the file has an exponent or needless decimals: `1.3188E8`. */
function toPlainNumber(value: string): string {
	if (/^-?\d+$/.test(value) || value === "") return value;
	const number = Number(value);
	return Number.isSafeInteger(number) ? String(number) : value;
}

function decodeEntities(text: string): string {
	if (!text.includes("&")) return text;
	return text.replace(/&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi, (whole, name, digits, hex) => {
		if (name) return { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" }[String(name).toLowerCase()] ?? whole;
		const code = digits ? Number(digits) : Number.parseInt(hex, 16);
		return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
	});
}

/** The text of all `<t>` but those of phonetic runs; `_x000D_` stands for a control character. */
function textOf(xml: string): string {
	const plain = xml.includes("rPh") ? xml.replace(/<(?:\w+:)?rPh[\s>][\s\S]*?<\/(?:\w+:)?rPh>/g, "") : xml;
	let text = "";
	for (const match of plain.matchAll(/<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)<\//g)) text += decodeEntities(match[1] ?? "");
	if (!text.includes("_x")) return text;
	return text.replace(/_x([0-9A-F]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

type Texts = { readonly at: (i: number) => string | undefined };

const STEP_TEXTS = 250;

/** Texts by number, as bytes: a million of them as strings take four times as much. Runs in steps. */
function* readTexts(pieces: Iterable<Uint8Array>): Generator<undefined, Texts> {
	let bytes = Buffer.allocUnsafe(1 << 16);
	let ends = new Uint32Array(1 << 12);
	let count = 0;
	let used = 0;
	for (const element of readElements(decode(pieces), "si", "sst")) {
		const text = textOf(element.xml);
		const most = text.length * 3;
		if (used + most > bytes.length) bytes = Buffer.concat([bytes.subarray(0, used)], (used + most) * 2);
		if (count === ends.length) {
			const wider = new Uint32Array(count * 2);
			wider.set(ends);
			ends = wider;
		}
		used += bytes.write(text, used);
		ends[count++] = used;
		if (count % STEP_TEXTS === 0) yield undefined;
	}
	const at = (i: number) =>
		i >= 0 && i < count ? bytes.toString("utf8", i === 0 ? 0 : ends[i - 1], ends[i]) : undefined;
	return { at };
}

type Element = { readonly head: string; readonly xml: string };

/**
 * The elements of a name, each as a whole, up to the end of the element around them. One prefix holds for all, as every program writes it.
 * Throws: ListError for what ends in the middle.
 */
function* readElements(pieces: Iterable<string>, name: string, around: string): Generator<Element> {
	let text = "";
	let prefix: string | undefined;
	let at = 0;
	for (const piece of pieces) {
		text = text.slice(at) + piece;
		at = 0;
		if (prefix === undefined) {
			const root = /<((?:\w+:)?)(?:worksheet|sst)[\s/>]/.exec(text);
			if (!root && text.length < 65_536) continue;
			if (!root) throw damaged("a member is no XML of a spreadsheet");
			refuseDoctype(text);
			prefix = root[1] ?? "";
		}
		const opening = `<${prefix}${name}`;
		const closing = `</${prefix}${name}>`;
		const last = `</${prefix}${around}>`;
		for (;;) {
			const from = text.indexOf("<", at);
			if (from < 0) break;
			const headTo = text.indexOf(">", from);
			if (headTo < 0) break;
			if (text.startsWith(last, from)) return;
			const isOpening = text.startsWith(opening, from) && /[\s/>]/.test(text[from + opening.length] ?? "");
			if (!isOpening) {
				if (text.startsWith(`<${prefix}${around}`, from) && text[headTo - 1] === "/") return;
				at = headTo + 1;
				continue;
			}
			const head = text.slice(from, headTo);
			if (head.endsWith("/")) {
				yield { head, xml: "" };
				at = headTo + 1;
				continue;
			}
			const to = text.indexOf(closing, headTo);
			if (to < 0) break;
			yield { head, xml: text.slice(headTo + 1, to) };
			at = to + closing.length;
		}
		if (text.length - at > 16 * ROW_TEXT_MAX) throw damaged("a row or text has no end");
	}
	throw damaged("a sheet ends in the middle");
}

type ToText = (
	kind: string | undefined,
	value: string,
	style: string | undefined,
	row: number,
	column: number,
) => string;

function* readSheet(pieces: Iterable<Uint8Array>, toText: ToText): Generator<ListRow | undefined> {
	let row = 0;
	for (const { head, xml } of readElements(decode(pieces), "row", "sheetData")) {
		const written = / r="(\d{1,7})"/.exec(head)?.[1];
		const next = written === undefined ? row + 1 : Number(written);
		if (next <= row || next > SHEET_ROWS_MAX) throw new ListError(next, null, msg`a row out of order`);
		row = next;
		const cells = readCells(xml, row, toText);
		yield cells.some((cell) => cell.trim() !== "") ? { row, cells } : undefined;
	}
}

const cellPattern = /<(?:\w+:)?c((?:\s[^>]*?)?)(?:\/>|>([\s\S]*?)<\/(?:\w+:)?c>)/g;
const valuePattern = /<(?:\w+:)?v(?:\s[^>]*)?>([^<]*)</;

function readCells(xml: string, row: number, toText: ToText): string[] {
	const cells: string[] = [];
	for (const [, head = "", content = ""] of xml.matchAll(cellPattern)) {
		const written = / r="([A-Z]{1,3})\d*"/.exec(head)?.[1];
		const column = written === undefined ? cells.length + 1 : columnOf(written);
		if (column > COLUMNS_MAX) throw new ListError(row, column, msg`more than ${COLUMNS_MAX} columns`);
		if (column <= cells.length) throw new ListError(row, column, msg`a cell out of order`);
		while (cells.length < column - 1) cells.push("");
		if (content === "") {
			cells.push("");
			continue;
		}
		const kind = / t="(\w+)"/.exec(head)?.[1];
		if (kind === "inlineStr") cells.push(textOf(content));
		else {
			const value = decodeEntities(valuePattern.exec(content)?.[1] ?? "");
			const style = / s="(\d+)"/.exec(head)?.[1];
			cells.push(value === "" ? "" : toText(kind, value, style, row, column));
		}
	}
	return cells;
}

function columnOf(letters: string): number {
	let column = 0;
	for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
	return column;
}
