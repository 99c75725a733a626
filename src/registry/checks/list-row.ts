import { type Message, msg } from "../../platform/problem";
/** A row of a customer's list, and what makes a list unreadable. */

export type ListRow = {
	/** Where a spreadsheet shows it; the first is 1. */
	readonly row: number;
	readonly cells: readonly string[];
};

/** The list cannot be read. `column` counts from 1; null where no column is to blame. */
export class ListError extends Error {
	constructor(
		readonly row: number | null,
		readonly column: number | null,
		/** What is there instead, as a noun phrase. */
		readonly found: Message,
	) {
		super(`list unreadable at row ${row}, column ${column}: ${found}`);
		this.name = "ListError";
	}
}

export const ROWS_MAX = 1_000_000;
export const COLUMNS_MAX = 256;
/** The most that a spreadsheet's cell holds. Units: UTF-16 units. */
export const CELL_MAX = 32_767;
/** A longer row is a quotation mark that is never closed, or no list at all. Units: UTF-16 units. */
export const ROW_TEXT_MAX = 1 << 20;

/** Characters that no spreadsheet writes: control characters but tab and line ends, and those that are never characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

/** Throws: ListError. */
export function checkRow({ row, cells }: ListRow): void {
	if (cells.length > COLUMNS_MAX) throw new ListError(row, COLUMNS_MAX + 1, msg`more than ${COLUMNS_MAX} columns`);
	for (let i = 0; i < cells.length; i++) {
		const cell = cells[i] ?? "";
		if (cell.length > CELL_MAX) throw new ListError(row, i + 1, msg`a text of more than ${CELL_MAX} characters`);
		if (forbidden.test(cell)) throw new ListError(row, i + 1, msg`a control character`);
	}
}
