/** Reads the numbers of a list: CSV or NDJSON, one number with its reference a line. */
import { type Message, msg, Problem } from "../../platform/problem";
import { isXmlText, parseTaxpayerDocument } from "../../platform/values";
import { keyOf } from "../index/index";
import type { Watched } from "./numbers";

export const NUMBERS_MAX = 100_000;
export const REFERENCE_MAX = 64;

/** Characters of a line: a number, a reference whose characters may be escaped, and the names around them. */
const LINE_MAX = 500;

/** Lines of a file. Throws: list-unreadable. */
export function readDocumentLines(bytes: Uint8Array, mediaType: string): Watched[] {
	const isJson = mediaType.includes("json");
	const text = decode(bytes);
	const watched: Watched[] = [];
	// Line by line: a hostile file would become millions of texts, or a line with millions of members.
	for (let [row, from] = [1, 0]; from < text.length; row++) {
		const end = text.indexOf("\n", from);
		const to = end < 0 ? text.length : end;
		if (to - from > LINE_MAX) throw unreadable(row, "document", msg`a line of more than ${LINE_MAX} characters`);
		if (row > NUMBERS_MAX + 1) throw unreadable(row, "document", msg`more than ${NUMBERS_MAX} lines`);
		const line = text.slice(from, to).trim();
		from = to + 1;
		if (line === "") continue;
		const cells = isJson ? readJsonLine(line, row) : readCells(line);
		// The first line may name the columns.
		if (!isJson && row === 1 && !/\d/.test(cells[0] ?? "")) continue;
		watched.push(toWatched(cells[0] ?? "", cells[1] ?? "", row));
	}
	return watched;
}

/** One number. Throws: list-unreadable; invalid-document-format where the number is not in a file. */
export function toWatched(document: string, reference: string, row?: number): Watched {
	const parsed = parseTaxpayerDocument(document.trim());
	if (!parsed) {
		if (row === undefined) throw new Problem("invalid-document-format");
		throw unreadable(row, "document", describe(document));
	}
	const text = reference.trim();
	const isFit = text.length <= REFERENCE_MAX && isXmlText(text) && !/[\r\n]/.test(text);
	if (!isFit && row === undefined) {
		const fault = {
			pointer: "/documents",
			code: "illegal-reference",
			detail: msg`One line of ${REFERENCE_MAX} characters.`,
		};
		throw new Problem("validation-error", { faults: [fault] });
	}
	if (!isFit) throw unreadable(row ?? 0, "reference", describe(reference));
	return { key: keyOf(parsed.digits), reference: text };
}

function decode(bytes: Uint8Array): string {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		throw unreadable(1, "document", msg`bytes that are not UTF-8`);
	}
}

function readJsonLine(line: string, row: number): string[] {
	let value: unknown;
	try {
		value = JSON.parse(line);
	} catch {
		throw unreadable(row, "document", describe(line));
	}
	const { document, reference = "", ...others } = (value ?? {}) as Record<string, unknown>;
	if (typeof document !== "string" || typeof reference !== "string" || Object.keys(others).length > 0)
		throw unreadable(row, "document", describe(line));
	return [document, reference];
}

/** Two cells, divided by a comma, a semicolon or a tab; quotes around a cell are removed. */
function readCells(line: string): string[] {
	const [, document = "", reference = ""] = /^([^,;\t]*)(?:[,;\t](.*))?$/.exec(line) ?? [];
	return [document, reference].map((cell) =>
		cell
			.trim()
			.replace(/^"(.*)"$/, "$1")
			.replaceAll('""', '"'),
	);
}

const describe = (text: string) => JSON.stringify(text.slice(0, 40));

function unreadable(row: number, column: string, found: string | Message): Problem {
	const detail = msg`Row ${row}, column ${column}: found ${found}.`;
	return new Problem("list-unreadable", {
		detail,
		faults: [{ pointer: `/${row}`, code: "unreadable", detail, row, column, found: String(found) }],
	});
}
