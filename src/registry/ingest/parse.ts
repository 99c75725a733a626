/**
 * The authority's file → entries, and a count of the lines that had to be refused, with reasons.
 *
 * The oddities that are healed: double and trailing spaces, stray quotes, blank columns (a single space), a record that
 * is broken over several lines, bytes of the other code page. Columns that are not served, such as the start date `00/00/0000`, are
 * not looked at. What is refused: a wrong count of columns, a number that has neither 9 nor 11 digits, control characters, a
 * line beyond any sense, and the earlier of two records with one number.
 */
import { parseTaxpayerDocument } from "../../values";
import { KNOWN_STATUSES, type RegistryEntry } from "../entry";
import { breathe } from "../snapshot/breathe";
import { decodeText } from "./encoding";
import { type Format, recogniseFormat } from "./format";

export type RefusalReason =
	| "column-count"
	| "broken-record"
	| "document-form"
	| "control-character"
	| "too-long"
	| "duplicate";

export type ParsedSource = {
	readonly format: Pick<Format, "name" | "encoding">;
	/** Ascending by document number, each number once. */
	readonly entries: readonly RegistryEntry[];
	readonly refused: Readonly<Record<RefusalReason, number>>;
	readonly refusedCount: number;
	/** Entries whose status is none of the known ones. */
	readonly unknownStatusCount: number;
	/** The last record is incomplete: the file was probably cut off. */
	readonly endsCut: boolean;
};

const CHUNK_BYTES = 1024 * 1024;
const LINE_LENGTH_MAX = 4_000;
/** Lines that one broken record may be spread over. */
const PIECES_MAX = 4;
const LF = 0x0a;
const CONTROL_Z = "\x1a";

/** Reads a whole file. Gives way to other work while it runs. Throws: SourceError `refused` for an unknown format. */
export async function parseSource(bytes: Uint8Array): Promise<ParsedSource> {
	const format = recogniseFormat(bytes);
	const collector = collectEntries(format);
	const joiner = joinRecords(format, collector);
	for (const line of readLines(bytes, format)) {
		if (line === undefined) await breathe();
		else joiner.take(line);
	}
	const endsCut = joiner.end();
	return { format: { name: format.name, encoding: format.encoding }, ...collector.finish(), endsCut };
}

/** The lines of the file; undefined after each stretch, where the caller may rest. A line beyond measure comes cut. */
function* readLines(bytes: Uint8Array, format: Format): Generator<string | undefined> {
	let start = format.firstByte;
	while (start < bytes.length) {
		let end = bytes.length;
		if (end - start > CHUNK_BYTES) {
			end = bytes.lastIndexOf(LF, start + CHUNK_BYTES) + 1;
			if (end <= start) {
				// One line fills the whole stretch: it is too long already, so its rest need not be decoded.
				const next = bytes.indexOf(LF, start + CHUNK_BYTES);
				yield "?".repeat(LINE_LENGTH_MAX + 1);
				start = next < 0 ? bytes.length : next + 1;
				continue;
			}
		}
		for (const line of decodeText(bytes.subarray(start, end), format.encoding).split("\n")) {
			const text = line.trimEnd();
			if (text !== "" && text !== CONTROL_Z) yield text;
		}
		yield undefined;
		start = end;
	}
}

type Collector = ReturnType<typeof collectEntries>;

/** Puts broken records together again. A line that is whole by itself ends an unfinished record before it. */
function joinRecords(format: Format, collector: Collector) {
	let pieces: string[] = [];
	const giveUp = () => {
		for (const _ of pieces) collector.refuse("broken-record");
		pieces = [];
	};
	const take = (line: string): void => {
		if (line.length > LINE_LENGTH_MAX) {
			giveUp();
			collector.refuse("too-long");
			return;
		}
		const fields = format.split(line);
		if (fields.length >= format.columnCount) {
			giveUp();
			if (fields.length === format.columnCount) collector.take(fields);
			else collector.refuse("column-count");
			return;
		}
		const joined = [...pieces, line];
		const joinedFields = format.split(joined.join(" "));
		if (joinedFields.length === format.columnCount) {
			pieces = [];
			collector.take(joinedFields);
		} else if (joinedFields.length < format.columnCount && joined.length < PIECES_MAX) pieces = joined;
		else {
			giveUp();
			pieces = [line];
		}
	};
	return {
		take,
		/** True when a record was left unfinished. */
		end: (): boolean => {
			const isCut = pieces.length > 0;
			giveUp();
			return isCut;
		},
	};
}

function collectEntries(format: Format) {
	const { columns } = format;
	const byDocument = new Map<string, RegistryEntry>();
	const refused: Record<RefusalReason, number> = {
		"column-count": 0,
		"broken-record": 0,
		"document-form": 0,
		"control-character": 0,
		"too-long": 0,
		duplicate: 0,
	};
	const refuse = (reason: RefusalReason): void => {
		refused[reason]++;
	};
	const once = createInterner();
	const read = (fields: readonly string[]): RegistryEntry | RefusalReason => {
		const cell = (column: number | undefined) => cleanCell(column === undefined ? "" : (fields[column] ?? ""));
		const document = parseTaxpayerDocument(cell(columns.document));
		if (!document) return "document-form";
		const entry: RegistryEntry = {
			rnc: document.digits,
			name: cell(columns.name),
			trade_name: cell(columns.tradeName),
			economic_activity: once(cell(columns.activity)),
			status: once(cell(columns.status).toUpperCase()),
			payment_regime: once(cell(columns.regime).toUpperCase()),
		};
		return hasControl(entry) ? "control-character" : entry;
	};
	const take = (fields: readonly string[]): void => {
		const entry = read(fields);
		if (typeof entry === "string") {
			refuse(entry);
			return;
		}
		if (byDocument.has(entry.rnc)) refuse("duplicate");
		byDocument.set(entry.rnc, entry);
	};
	const finish = () => {
		const entries: RegistryEntry[] = [];
		for (const document of [...byDocument.keys()].sort()) {
			const entry = byDocument.get(document);
			if (entry) entries.push(entry);
		}
		const known = new Set<string>(KNOWN_STATUSES);
		return {
			entries,
			refused,
			refusedCount: Object.values(refused).reduce((sum, n) => sum + n, 0),
			unknownStatusCount: entries.filter((entry) => !known.has(entry.status)).length,
		};
	};
	return { take, refuse, finish };
}

const untidy = /["\t\r]|\s\s|^\s|\s$/;

/** A cell without quotes and superfluous white space; blank becomes "". */
function cleanCell(cell: string): string {
	return untidy.test(cell) ? cell.replace(/"/g, "").replace(/\s+/g, " ").trim() : cell;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const control = /[\x00-\x1f\x7f-\x9f]/;

function hasControl(entry: RegistryEntry): boolean {
	return control.test(entry.name + entry.trade_name + entry.economic_activity + entry.status + entry.payment_regime);
}

/** A few hundred activities and a handful of statuses stand in hundreds of thousands of lines: each text is kept once. */
function createInterner(): (text: string) => string {
	const known = new Map<string, string>();
	return (text) => {
		const kept = known.get(text);
		if (kept !== undefined) return kept;
		known.set(text, text);
		return text;
	};
}
