/**
 * The two formats in which the authority publishes the registry, distinguished by content.
 *
 *   text   no header; 11 columns between `|`: number, legal name, commercial name, activity, street, number, sector, phone,
 *          start date, status, payment regime
 *   csv    a header, then columns in double quotes between commas, in any order: number, legal name, activity, start date, status,
 *          payment regime
 *
 * Columns that were added are ignored: in CSV all that the header names otherwise, in text all after the eleventh.
 */

import { keyOfWritten, normaliseText } from "../../index/index";
import { KNOWN_REGIMES, KNOWN_STATUSES } from "../../known-values";
import { decodeText, type Encoding, sniffEncoding } from "./encoding";
import { SourceError } from "./source-error";

export type Format = {
	readonly name: "text" | "csv";
	readonly encoding: Encoding;
	readonly firstByte: number;
	readonly columnCount: number;
	readonly columns: Columns;
	/** Columns that were added to the format. */
	readonly ignored: readonly string[];
	readonly split: (line: string) => string[];
};

/** Column indexes; undefined for a column that the source lacks. */
export type Columns = {
	readonly document: number;
	readonly name: number;
	readonly tradeName: number | undefined;
	readonly activity: number;
	readonly startDate: number | undefined;
	readonly status: number;
	readonly regime: number;
};

const textColumns = {
	...{ document: 0, name: 1, tradeName: 2, activity: 3, startDate: 8, status: 9, regime: 10 },
} satisfies Columns;
const TEXT_COLUMN_COUNT = 11;
const HEAD_BYTES = 64 * 1024;
const COLUMNS_MAX = 100;
const LF = 0x0a;

/** Recognises the format. Throws: SourceError `refused` if it is neither. */
export function recogniseFormat(bytes: Uint8Array): Format {
	const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
	return recogniseCsv(bytes, start) ?? recogniseText(bytes, start);
}

function refuse(found: string): never {
	throw new SourceError("refused", `the source has neither of the authority's two formats: ${found}`);
}

/** The columns of the CSV format: how each is called, and the start by which it is found under a longer or shorter name. */
const csvColumns = {
	document: { title: "RNC", start: "RNC" },
	name: { title: "RAZON SOCIAL", start: "RAZON SOCIAL" },
	tradeName: { title: "NOMBRE COMERCIAL", start: "NOMBRE COMERCIAL" },
	activity: { title: "ACTIVIDAD ECONOMICA", start: "ACTIVIDAD" },
	startDate: { title: "FECHA DE INICIO OPERACIONES", start: "FECHA" },
	status: { title: "ESTADO", start: "ESTADO" },
	regime: { title: "REGIMEN DE PAGO", start: "REGIMEN" },
} as const satisfies Record<keyof Columns, { title: string; start: string }>;
const CSV_COLUMN_COUNT = 6;

function recogniseCsv(bytes: Uint8Array, start: number): Format | undefined {
	const end = bytes.indexOf(LF, start);
	if (end < 0 || end > HEAD_BYTES) return undefined;
	const line = bytes.subarray(start, end);
	// The header's accents reveal the page: `RAZÓN` has 0xD3 in Windows-1252 and 0xE0 in cp850. Without accents all pages agree.
	const encoding = sniffEncoding(line);
	const header = splitCsv(decodeText(line, encoding).trimEnd()).map(normaliseText);
	const document = findColumn(header, "document");
	const status = findColumn(header, "status");
	if (document === undefined || status === undefined || header.length > COLUMNS_MAX) return undefined;
	const name = findColumn(header, "name");
	const activity = findColumn(header, "activity");
	const regime = findColumn(header, "regime");
	const [tradeName, startDate] = [findColumn(header, "tradeName"), findColumn(header, "startDate")];
	const places = [document, name, tradeName, activity, startDate, status, regime];
	const ignored = header.filter((_, place) => !places.includes(place)).map(shorten);
	if (name === undefined || activity === undefined || regime === undefined) {
		const missing = Object.entries({ name, activity, regime }).flatMap(([column, place]) =>
			place === undefined ? csvColumns[column as keyof Columns].title : [],
		);
		const unknown = ignored.length > 0 ? `; unknown: ${ignored.join(", ")}` : "";
		return refuse(
			`a header of ${header.length} columns, expected ${CSV_COLUMN_COUNT}; missing: ${missing.join(", ")}${unknown}`,
		);
	}
	return {
		name: "csv",
		encoding: encoding === "utf-8" ? sniffEncoding(bytes) : encoding,
		firstByte: end + 1,
		columnCount: header.length,
		columns: { document, name, tradeName, activity, startDate, status, regime },
		ignored,
		split: splitCsv,
	};
}

/** The column with the title, else the only one whose name starts like it. Throws: SourceError `refused` if several do. */
function findColumn(header: readonly string[], column: keyof Columns): number | undefined {
	const { title, start } = csvColumns[column];
	const exact = header.indexOf(title);
	if (exact >= 0) return exact;
	const found = header.flatMap((name, place) => (name.startsWith(start) ? [place] : []));
	if (found.length < 2) return found[0];
	return refuse(`several columns may be ${title}: ${found.map((place) => shorten(header[place] ?? "")).join(", ")}`);
}

const shorten = (name: string) => name.slice(0, 60);

/** Lines in which columns that were added behind the last one are looked for. */
const SAMPLE_LINES = 1_000;
const FITTING_PERCENT_MIN = 99;

function recogniseText(bytes: Uint8Array, start: number): Format {
	const head = decodeText(bytes.subarray(start, start + 4 * HEAD_BYTES), "windows-1252");
	// The last line may be cut off.
	const lines = head.split("\n", SAMPLE_LINES + 1);
	const written = (lines.length > 1 ? lines.slice(0, -1) : lines).filter((line) => line.trim() !== "");
	const first = written.slice(0, 100);
	const rows = first.filter((line) => /^\s*[0-9]/.test(line)).map(splitText);
	const whole = rows.filter((cells) => cells.length === TEXT_COLUMN_COUNT);
	const usual = { name: "text", columnCount: TEXT_COLUMN_COUNT } as const;
	const surplus = rows.filter((cells) => hasSurplusInTexts(usual, cells));
	const isUsual = whole.length > 0 && (whole.length + surplus.length) * 2 >= first.length;
	const columnCount = isUsual ? TEXT_COLUMN_COUNT : findLonger(written);
	return {
		name: "text",
		encoding: sniffEncoding(bytes),
		firstByte: start,
		columnCount,
		columns: textColumns,
		ignored: Array.from({ length: columnCount - TEXT_COLUMN_COUNT }, (_, i) => `column ${TEXT_COLUMN_COUNT + i + 1}`),
		split: splitText,
	};
}

/** The number of columns of a text with more than the usual ones. Throws: SourceError `refused` if the usual ones do not lead each line. */
function findLonger(lines: readonly string[]): number {
	const rows = lines.map(splitText);
	const counts = new Map<number, number>();
	for (const { length } of rows) counts.set(length, (counts.get(length) ?? 0) + 1);
	const [columnCount = 0] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
	if (columnCount < 2) refuse("no header names the columns, and no bars separate them");
	const found = `${columnCount} columns between bars in most lines, expected ${TEXT_COLUMN_COUNT}`;
	if (columnCount <= TEXT_COLUMN_COUNT || columnCount > COLUMNS_MAX) refuse(found);
	const fitting = rows.filter((cells) => cells.length === columnCount && fits(cells)).length;
	if (fitting * 100 >= rows.length * FITTING_PERCENT_MIN) return columnCount;
	return refuse(`${found}; number, status and regime are where they belong in ${fitting} of ${rows.length} lines`);
}

function fits(cells: readonly string[]): boolean {
	const { document, status, regime } = textColumns;
	return (
		!Number.isNaN(keyOfWritten(cells[document] ?? "")) && isKnownStatus(cells[status]) && isKnownRegime(cells[regime])
	);
}

const statuses = new Set<string>(KNOWN_STATUSES);
const regimes = new Set<string>(KNOWN_REGIMES);

function isKnownStatus(cell = ""): boolean {
	return statuses.has(cell.trim().toUpperCase());
}

/** An empty regime is usual too. */
function isKnownRegime(cell = ""): boolean {
	const regime = cell.trim().toUpperCase();
	return regime === "" || regimes.has(regime);
}

/** Cells more than columns in one line. */
const SURPLUS_MAX = 8;
const writtenDate = /^\s*(\d{2}\/\d{2}\/\d{4})?\s*$/;

/** Whether a line of the text format has surplus bars inside its texts: what stands before and behind them is what it should be. */
export function hasSurplusInTexts(
	{ name, columnCount }: Pick<Format, "name" | "columnCount">,
	cells: readonly string[],
): boolean {
	const surplus = cells.length - columnCount;
	if (name !== "text" || surplus < 1 || surplus > SURPLUS_MAX) return false;
	const behind = (column: number) => cells[column + surplus];
	return (
		writtenDate.test(behind(textColumns.startDate) ?? "") &&
		isKnownStatus(behind(textColumns.status)) &&
		isKnownRegime(behind(textColumns.regime))
	);
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
