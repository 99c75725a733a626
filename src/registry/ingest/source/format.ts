/**
 * The two formats in which the authority publishes the registry, distinguished by content.
 *
 *   text   no header; 11 columns between `|`: number, legal name, commercial name, activity, street, number, sector, phone,
 *          start date, status, payment regime
 *   csv    a header, then 6 columns in double quotes between commas: number, legal name, activity, start date, status,
 *          payment regime
 */
import { normaliseText } from "../../index/index";
import { decodeText, type Encoding, sniffEncoding } from "./encoding";
import { SourceError } from "./source-error";

export type Format = {
	readonly name: "text" | "csv";
	readonly encoding: Encoding;
	readonly firstByte: number;
	readonly columnCount: number;
	readonly columns: Columns;
	readonly split: (line: string) => string[];
};

/** Column indexes; only the text format has commercial names. */
export type Columns = {
	readonly document: number;
	readonly name: number;
	readonly tradeName: number | undefined;
	readonly activity: number;
	readonly status: number;
	readonly regime: number;
};

const textColumns: Columns = { document: 0, name: 1, tradeName: 2, activity: 3, status: 9, regime: 10 };
const TEXT_COLUMN_COUNT = 11;
const HEAD_BYTES = 64 * 1024;
const LF = 0x0a;

/** Recognises the format. Throws: SourceError `refused` if it is neither. */
export function recogniseFormat(bytes: Uint8Array): Format {
	const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
	return recogniseCsv(bytes, start) ?? recogniseText(bytes, start) ?? refuse();
}

function refuse(): never {
	throw new SourceError("refused", "the source has neither of the authority's two formats");
}

function recogniseCsv(bytes: Uint8Array, start: number): Format | undefined {
	const end = bytes.indexOf(LF, start);
	if (end < 0 || end > HEAD_BYTES) return undefined;
	const line = bytes.subarray(start, end);
	// The header's accents reveal the page: `RAZÓN` has 0xD3 in Windows-1252 and 0xE0 in cp850. Without accents all pages agree.
	const encoding = sniffEncoding(line);
	const header = splitCsv(decodeText(line, encoding).trimEnd()).map(normaliseText);
	const find = (name: string) => header.findIndex((column) => column.startsWith(name));
	const [document, name, activity, date, status, regime] = [
		find("RNC"),
		find("RAZON SOCIAL"),
		find("ACTIVIDAD"),
		find("FECHA"),
		find("ESTADO"),
		find("REGIMEN"),
	] as const;
	const places = new Set([document, name, activity, date, status, regime]);
	if (places.has(-1) || places.size !== header.length) return undefined;
	return {
		name: "csv",
		encoding: encoding === "utf-8" ? sniffEncoding(bytes) : encoding,
		firstByte: end + 1,
		columnCount: header.length,
		columns: { document, name, tradeName: undefined, activity, status, regime },
		split: splitCsv,
	};
}

function recogniseText(bytes: Uint8Array, start: number): Format | undefined {
	const head = decodeText(bytes.subarray(start, start + HEAD_BYTES), "windows-1252");
	const lines = head.split("\n").slice(0, 100);
	const whole = lines.filter((line) => splitText(line).length === TEXT_COLUMN_COUNT && /^\s*[0-9]/.test(line));
	const written = lines.filter((line) => line.trim() !== "");
	if (whole.length === 0 || whole.length * 2 < written.length) return undefined;
	return {
		name: "text",
		encoding: sniffEncoding(bytes),
		firstByte: start,
		columnCount: TEXT_COLUMN_COUNT,
		columns: textColumns,
		split: splitText,
	};
}

function splitText(line: string): string[] {
	return line.split("|");
}

/** Splits at `","`, so that a stray quote inside a name does no harm. A line without quotes is split at its commas. */
function splitCsv(line: string): string[] {
	if (!line.includes('"')) return line.split(",");
	const from = line.startsWith('"') ? 1 : 0;
	const to = line.length > from && line.endsWith('"') ? line.length - 1 : line.length;
	return line.slice(from, to).split('","');
}
