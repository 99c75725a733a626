/** Rows of a CSV file. Source: RFC 4180; a semicolon separates too, as spreadsheets in Spanish save it. */

export type Separator = "," | ";";

export function separatorOf(text: string): Separator {
	const [first = ""] = text.split("\n", 1);
	return !first.includes(",") && first.includes(";") ? ";" : ",";
}

/** All rows that are not empty, each as its cells. */
export function readCsv(text: string, separator = separatorOf(text)): string[][] {
	const plain = text.replace(/^\uFEFF/, "");
	const rows: string[][] = [];
	let cells: string[] = [];
	let cell = "";
	let isQuoted = false;
	const endRow = () => {
		cells.push(cell);
		if (cells.some((one) => one !== "")) rows.push(cells);
		cells = [];
		cell = "";
	};
	for (let i = 0; i < plain.length; i++) {
		const sign = plain[i] ?? "";
		if (isQuoted) {
			if (sign !== '"') cell += sign;
			else if (plain[i + 1] === '"') cell += plain[++i];
			else isQuoted = false;
		} else if (sign === '"' && cell === "") isQuoted = true;
		else if (sign === separator) {
			cells.push(cell);
			cell = "";
		} else if (sign === "\n") endRow();
		else if (sign !== "\r") cell += sign;
	}
	if (cell !== "" || cells.length > 0) endRow();
	return rows;
}

/** One row with its end. */
export function writeCsvRow(cells: readonly string[], separator: Separator): string {
	const write = (cell: string) => (/[",;\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
	return `${cells.map(write).join(separator)}\r\n`;
}
