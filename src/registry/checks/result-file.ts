/**
 * The files of a check: the list, its result, and the forms of the result that were asked for.
 *
 *   ID.list      what the customer sent; removed when the check is done
 *   ID.ndjson    the result, one line a row; a check that was killed continues behind its last whole line
 *   ID.SHA.csv   a form of the result, made when it is asked for, with its SHA-256
 */
import { closeSync, linkSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Layout } from "./list-layout";
import { readPieces } from "./read-csv";
import { openXlsx } from "./write-xlsx";

const WRITE_CHARACTERS = 256 * 1024;
/** Rows between two steps of a longer work. */
export const STEP_ROWS = 100;

export const VERDICTS = [
	"found",
	"inactive",
	"name_differs",
	"ambiguous",
	"not_found",
	"invalid",
	"duplicate",
] as const;
export type Verdict = (typeof VERDICTS)[number];
export type Counts = Readonly<Record<Verdict, number>>;
export const RESULT_FORMATS = ["csv", "xlsx", "ndjson"] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];

type Suggestion = { readonly number: string; readonly name: string; readonly score: number };
export type Finding = {
	readonly verdict: Verdict;
	/** The number as it is looked up; that of the matched entry for a name. */
	readonly number: string | null;
	readonly name: string | null;
	readonly status: string | null;
	readonly score: number | null;
	readonly suggestions: readonly Suggestion[];
};
export type ResultLine = Finding & { readonly row: number; readonly cells: Readonly<Record<string, string>> };

export type CheckFiles = { readonly list: string; readonly result: string };

/** `base` is the path without an ending. */
export function filesOf(base: string): CheckFiles {
	return { list: `${base}.list`, result: `${base}.ndjson` };
}

export type FormFile = { readonly path: string; readonly sha256: string };

/** The forms of a result that exist. */
export function findForms(base: string): (FormFile & { readonly form: string })[] {
	const prefix = `${basename(base)}.`;
	return readdirSync(dirname(base)).flatMap((name) => {
		const [, sha256, form] = name.startsWith(prefix) ? (/\.([0-9a-f]{64})\.(\w+)$/.exec(name) ?? []) : [];
		return sha256 === undefined || form === undefined ? [] : [{ path: join(dirname(base), name), sha256, form }];
	});
}
type Line = { readonly text: string /** Where the next one starts. Units: bytes. */; readonly end: number };

/** The whole lines of a file. */
export function* readLines(path: string): Generator<Line> {
	const file = openSync(path, "r");
	try {
		let rest: Buffer = Buffer.alloc(0);
		let position = 0;
		for (;;) {
			const piece = Buffer.allocUnsafe(WRITE_CHARACTERS);
			const count = readSync(file, piece);
			if (count === 0) return;
			const bytes = rest.length === 0 ? piece.subarray(0, count) : Buffer.concat([rest, piece.subarray(0, count)]);
			let at = 0;
			for (let end = bytes.indexOf(10, at); end >= 0; end = bytes.indexOf(10, at)) {
				yield { text: bytes.toString("utf8", at, end), end: position + end + 1 };
				at = end + 1;
			}
			position += at;
			rest = bytes.subarray(at);
		}
	} finally {
		closeSync(file);
	}
}

export function openOutput(path: string, flags: "a" | "wx") {
	const file = openSync(path, flags, 0o600);
	let text = "";
	const flush = () => {
		const bytes = Buffer.from(text);
		for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
		text = "";
	};
	return {
		add: (more: string) => {
			text += more;
			if (text.length >= WRITE_CHARACTERS) flush();
		},
		flush,
		close: () => closeSync(file),
	};
}

/** Makes a file with the result in a form. Throws: an Error if the result changed meanwhile. Runs in steps. */
export function* makeForm(
	base: string,
	form: ResultFormat,
	layout: Pick<Layout, "columns" | "delimiter">,
): Generator<undefined, FormFile> {
	const { result } = filesOf(base);
	const versionOf = () => statSync(result, { bigint: true }).ino;
	const version = versionOf();
	const temporary = `${base}.${form}.${process.pid}.making`;
	rmSync(temporary, { force: true });
	try {
		if (form === "ndjson") linkSync(result, temporary);
		else yield* writeForm(result, temporary, form, layout);
		const hash = new Bun.CryptoHasher("sha256");
		for (const piece of readPieces(temporary)) {
			hash.update(piece);
			yield undefined;
		}
		const sha256 = hash.digest("hex");
		const path = `${base}.${sha256}.${form}`;
		if (versionOf() !== version) throw new Error("the result changed while a form of it was made");
		renameSync(temporary, path);
		return { path, sha256 };
	} finally {
		rmSync(temporary, { force: true });
	}
}

const OWN_COLUMNS = ["verdict", "number", "name", "status", "score", "suggestions"];

function* writeForm(
	result: string,
	target: string,
	form: "csv" | "xlsx",
	layout: Pick<Layout, "columns" | "delimiter">,
): Generator<undefined, void> {
	const separator = layout.delimiter === ";" ? ";" : ",";
	const output = form === "csv" ? openOutput(target, "wx") : undefined;
	const sheet = form === "xlsx" ? openXlsx(target) : undefined;
	const add = (cells: readonly (string | number)[]) => {
		sheet?.add(cells);
		output?.add(`${cells.map((cell) => quoteFor(cell, separator)).join(separator)}\r\n`);
	};
	let lines = 0;
	try {
		// Spreadsheet programs take a text without the mark for Windows-1252.
		output?.add("\ufeff");
		add([...layout.columns, ...OWN_COLUMNS].map(disarm));
		for (const { text } of readLines(result)) {
			const { cells, verdict, number, name, status, score, suggestions } = JSON.parse(text) as ResultLine;
			add([
				...layout.columns.map((column) => disarm(cells[column] ?? "")),
				...[verdict, number ?? "", disarm(name ?? ""), status ?? "", score ?? ""],
				disarm(suggestions.map((one) => `${one.number} ${one.name} (${one.score})`).join("; ")),
			]);
			if (++lines % STEP_ROWS === 0) yield undefined;
		}
		output?.flush();
		sheet?.end();
	} finally {
		output?.close();
		sheet?.close();
	}
}

/** A spreadsheet program would run such a text as a formula. */
function disarm(text: string): string {
	return /^[=+\-@]/.test(text) ? `'${text}` : text;
}

function quoteFor(cell: string | number, separator: string): string {
	if (typeof cell === "number") return String(cell);
	const needsQuotes = cell.includes(separator) || /["\r\n]/.test(cell);
	return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
}
