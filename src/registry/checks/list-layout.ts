/** Finds out how a list is written and which of its columns have numbers and names. */

import { msg } from "../../platform/problem";
import { parseTaxpayerDocument } from "../../platform/values";
import { normaliseText } from "../index/index";
import { checkRow, ListError, type ListRow, ROWS_MAX } from "./list-row";
import { type Delimiter, type Encoding, findDelimiter, findEncoding, readCsv, readPieces } from "./read-csv";
import { readXlsx } from "./read-xlsx";

/** How a file is read. Plain data, so that it can cross to a thread and be stored. */
export type Layout = {
	readonly format: "csv" | "xlsx";
	/** Null for a spreadsheet. */
	readonly encoding: Encoding | null;
	readonly delimiter: Delimiter | null;
	readonly hasHeader: boolean;
	/** Distinct names of the columns, in order. */
	readonly columns: readonly string[];
	/** Index of the column; null if there is none. */
	readonly numberColumn: number | null;
	readonly nameColumn: number | null;
	/** Without the header and blank ones. */
	readonly rows: number;
	/** Rows with a name and no number. */
	readonly namedRows: number;
	/** Rows with a number. */
	readonly numberedRows: number;
};

/** Columns that the caller names, by their header or their position from 1. */
export type ColumnChoice = { readonly numberColumn?: string; readonly nameColumn?: string };

export const NAMED_ROWS_MAX = 50_000;
const SAMPLE_ROWS = 100;
const STEP_ROWS = 250;

type Reading = Pick<Layout, "format" | "encoding" | "delimiter">;
type Columns = Pick<Layout, "hasHeader" | "columns" | "numberColumn" | "nameColumn">;

/** The rows of a list; undefined between steps of what takes long without a row. Throws: ListError. */
export function readRows(path: string, { format, encoding, delimiter }: Reading): Generator<ListRow | undefined> {
	return format === "xlsx" ? readXlsx(path) : readCsv(path, encoding ?? "utf-8", delimiter ?? ",");
}

/** Reads the whole list in steps, so that a list that is accepted can be read to its end. Throws: ListError. */
export function* scanList(path: string, choice: ColumnChoice): Generator<undefined, Layout> {
	const reading = yield* findReading(path);
	const sample: ListRow[] = [];
	let columns: Columns | undefined;
	const counts = { rows: 0, namedRows: 0, numberedRows: 0 };
	const take = (row: ListRow, known: Columns): void => {
		checkRow(row);
		checkWidth(row, known.columns.length);
		const { number, name } = cellsOf(row, known);
		counts.rows++;
		if (number !== "") counts.numberedRows++;
		else if (name !== "") counts.namedRows++;
		if (counts.rows > ROWS_MAX) throw new ListError(row.row, null, msg`more than ${ROWS_MAX} rows`);
		if (counts.namedRows > NAMED_ROWS_MAX) {
			throw new ListError(row.row, null, msg`more than ${NAMED_ROWS_MAX} rows with a name and no number`);
		}
	};
	const takeSample = (): Columns => {
		const found = findColumns(sample, reading.format, choice);
		for (const row of found.hasHeader ? sample.slice(1) : sample) take(row, found);
		return found;
	};
	let read = 0;
	for (const row of readRows(path, reading)) {
		if (columns && row) take(row, columns);
		else if (row) {
			sample.push(row);
			if (sample.length === SAMPLE_ROWS) columns = takeSample();
		}
		if (!row || ++read % STEP_ROWS === 0) yield undefined;
	}
	columns ??= takeSample();
	if (counts.rows === 0) throw new ListError(null, null, msg`no row below the header`);
	return { ...reading, ...columns, ...counts };
}

function* findReading(path: string): Generator<undefined, Reading> {
	for (const piece of readPieces(path, 4)) {
		if (piece.toString("latin1").startsWith("PK")) return { format: "xlsx", encoding: null, delimiter: null };
		break;
	}
	const encoding = yield* findEncoding(path);
	return { format: "csv", encoding, delimiter: findDelimiter(path, encoding) };
}

/** The cells that are checked, without blanks around them. */
export function cellsOf(
	{ cells }: ListRow,
	{ numberColumn, nameColumn }: Pick<Layout, "numberColumn" | "nameColumn">,
): { readonly number: string; readonly name: string } {
	return {
		number: numberColumn === null ? "" : (cells[numberColumn] ?? "").trim(),
		name: nameColumn === null ? "" : (cells[nameColumn] ?? "").trim(),
	};
}

/** Surplus cells mean a separator within an unquoted text, and then every column behind it is a wrong one. */
function checkWidth({ row, cells }: ListRow, width: number): void {
	for (let i = width; i < cells.length; i++) {
		if (cells[i]?.trim()) throw new ListError(row, i + 1, msg`${cells.length} cells, expected ${width}`);
	}
}

/** Headers of columns with numbers and with names, folded. */
const numberHeader =
	/^(RNC|CEDULA|DOCUMENTO|DOCUMENT|IDENTIFICACION|NUMERO|NUMBER|TAX ID|VAT|NIF|ID FISCAL)$|\b(RNC|CEDULA)\b|^(NO|NUM|NUMERO) (DE )?DOCUMENTO$/;
const nameHeader =
	/^(NOMBRE|NAME|CLIENTE|PROVEEDOR|SUPLIDOR|EMPRESA|CONTRIBUYENTE|COMPANY|CUSTOMER|SUPPLIER)$|\bRAZON SOCIAL\b|\b(LEGAL|TRADE|COMPANY) NAME\b|^NOMBRE (COMERCIAL|O |DEL? )/;

/** Throws: ListError if there is neither a column with numbers nor one with names. */
function findColumns(sample: readonly ListRow[], format: Layout["format"], choice: ColumnChoice): Columns {
	const [first] = sample;
	if (!first) throw new ListError(null, null, msg`no rows`);
	for (const row of sample) checkRow(row);
	const isNumber = (cell: string | undefined) => parseTaxpayerDocument(cell?.trim() ?? "") !== undefined;
	const hasHeader = !first.cells.some(isNumber) && sample.length > 1;
	const widthOf = ({ cells }: ListRow) => cells.findLastIndex((cell) => cell.trim() !== "") + 1;
	// A spreadsheet has cells beside its table; in a text, a longer row is a broken one.
	const width =
		format === "xlsx"
			? Math.max(...sample.map(widthOf))
			: Math.max(widthOf(first), hasHeader ? 1 : 0, first.cells.length);
	const headers = Array.from({ length: width }, (_, i) => (hasHeader ? (first.cells[i]?.trim() ?? "") : ""));
	const rows = hasHeader ? sample.slice(1) : sample;
	const shareOf = (column: number, isSuch: (cell: string) => boolean) => {
		const filled = rows.map(({ cells }) => cells[column]?.trim() ?? "").filter((cell) => cell !== "");
		return filled.length === 0 ? 0 : filled.filter(isSuch).length / filled.length;
	};
	const byHeader = (pattern: RegExp) => headers.findIndex((header) => pattern.test(normaliseText(header)));
	const byContent = (isSuch: (cell: string) => boolean, other: number) => {
		const fits = headers.flatMap((_, i) => (i !== other && shareOf(i, isSuch) >= 0.5 ? [i] : []));
		return fits.length === 1 ? (fits[0] ?? -1) : -1;
	};
	const chosen = (name: string | undefined): number | undefined => {
		if (name === undefined) return undefined;
		const folded = normaliseText(name);
		const found = headers.findIndex((header) => header === name || (folded !== "" && normaliseText(header) === folded));
		const position = /^[1-9]\d{0,2}$/.test(name) ? Number(name) - 1 : -1;
		const column = found >= 0 ? found : position;
		if (column >= 0 && column < width) return column;
		throw new ListError(first.row, null, msg`no column "${name}"; the columns are ${listOf(headers)}`);
	};
	const chosenName = chosen(choice.nameColumn);
	const number = chosen(choice.numberColumn) ?? orElse(byHeader(numberHeader), () => byContent(isNumber, -1));
	const hasLetters = (cell: string) => /\p{L}{3}/u.test(cell);
	const name = chosenName ?? orElse(byHeader(nameHeader), () => (hasHeader ? -1 : byContent(hasLetters, number)));
	if (number < 0 && name < 0) {
		throw new ListError(first.row, null, msg`no column of numbers or names; the columns are ${listOf(headers)}`);
	}
	if (number === name) throw new ListError(first.row, number + 1, msg`one column for both numbers and names`);
	return {
		hasHeader,
		columns: toDistinct(headers),
		numberColumn: number < 0 ? null : number,
		nameColumn: name < 0 ? null : name,
	};
}

const orElse = (found: number, next: () => number) => (found >= 0 ? found : next());

const SHOWN_COLUMNS = 10;

function listOf(headers: readonly string[]): string {
	const shown = headers.slice(0, SHOWN_COLUMNS).map((header, i) => (header === "" ? `${i + 1}` : header.slice(0, 40)));
	return shown.join(", ") + (headers.length > SHOWN_COLUMNS ? ", …" : "");
}

function toDistinct(headers: readonly string[]): string[] {
	const used = new Set<string>();
	return headers.map((header, i) => {
		const name = header === "" ? `column_${i + 1}` : header;
		let distinct = name;
		for (let n = 2; used.has(distinct); n++) distinct = `${name} (${n})`;
		used.add(distinct);
		return distinct;
	});
}
