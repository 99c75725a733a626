/**
 * Reads lines as text, whatever they contain: joins records that were broken over several lines and puts lines aside that have more cells
 * than columns.
 */
import { parseTaxpayerDocument } from "../../../platform/values";
import type { RegistryEntry } from "../../entry";
import { dayOfText, keyOfWritten } from "../../index/index";
import { isGarbled } from "./encoding";
import { type Format, hasSurplusInTexts } from "./format";
import { createSplitter } from "./surplus-bars";

export const LINE_LENGTH_MAX = 4_000;
/** Maximum number of lines of one broken record. */
const PIECES_MAX = 4;
/** Maximum number of lines put aside, about 1 % of the authority's file. */
const ASIDE_MAX = 10_000;
const CONTROL_Z = "\x1a";

export type RefusalReason =
	| "column-count"
	| "broken-record"
	| "document-form"
	| "control-character"
	| "too-long"
	| "duplicate";

type RecordSink = {
	/** `startedOn` is a day, see start-date.ts. */
	readonly take: (entry: RegistryEntry, startedOn: number) => void;
	/** `found` says what is wrong, `line` is as written; of an overlong line it is a part or empty. */
	readonly refuse: (reason: RefusalReason, found: string, line: string) => void;
	readonly countGarbled: () => void;
	/** Called for a line with surplus bars that became an entry. */
	readonly countSplit: (isHealed: boolean, line: string) => void;
};

/** What the other lines of the source have. */
export type CleanLines = {
	readonly activities: () => readonly string[];
	/** Which of these keys they have. */
	readonly listTaken: (keys: ReadonlySet<number>) => ReadonlySet<number>;
};

type RecordJoiner = {
	readonly take: (line: string) => void;
	readonly refuseTooLong: (line?: string) => void;
	/** Drops an unfinished record, because a complete line follows it. */
	readonly abandonRecord: () => void;
	/** Reads the lines that were put aside. Returns true if a record was left unfinished. */
	readonly end: (clean: CleanLines) => boolean;
};

export function joinRecords(format: Format, sink: RecordSink): RecordJoiner {
	let pieces: string[] = [];
	const aside: { readonly key: number; readonly fields: readonly string[]; readonly line: string }[] = [];
	const describeColumns = (count: number) => `${count} columns, expected ${format.columnCount}`;
	const abandonRecord = () => {
		if (pieces.length === 0) return;
		for (const piece of pieces) sink.refuse("broken-record", describeColumns(format.split(piece).length), piece);
		pieces = [];
	};
	const refuseTooLong = (line = "") => {
		abandonRecord();
		sink.refuse("too-long", `more than ${LINE_LENGTH_MAX} characters`, line);
	};
	/** Returns whether the fields became an entry. */
	const takeFields = (fields: readonly string[], line: string): boolean => {
		const entry = readEntry(format, fields);
		if (!entry) {
			sink.refuse("document-form", "no number of 9 or 11 digits", line);
			return false;
		}
		const texts = entry.name + BETWEEN + entry.trade_name + BETWEEN + entry.economic_activity;
		if (isGarbled(texts)) sink.countGarbled();
		if (control.test(texts + entry.status + entry.payment_regime)) {
			sink.refuse("control-character", "a control character in a served column", line);
			return false;
		}
		const { startDate } = format.columns;
		sink.take(entry, startDate === undefined ? 0 : dayOfText(fields[startDate] ?? ""));
		return true;
	};
	const takeSurplus = (fields: readonly string[], line: string): void => {
		const key = keyOfWritten(cleanCell(fields[0] ?? ""));
		const isKept = aside.length < ASIDE_MAX && !Number.isNaN(key) && hasSurplusInTexts(format, fields);
		if (isKept) aside.push({ key, fields, line });
		else sink.refuse("column-count", describeColumns(fields.length), line);
	};
	/** A clean line with the same number is better, wherever it stands. */
	const takeAside = (clean: CleanLines): void => {
		if (aside.length === 0) return;
		const split = createSplitter(format, clean.activities());
		const taken = clean.listTaken(new Set(aside.map(({ key }) => key)));
		for (const { key, fields, line } of aside) {
			const { cells, isHealed } = split(fields);
			if (taken.has(key)) sink.refuse("duplicate", "a line without surplus bars has the number", line);
			else if (takeFields(cells, line)) sink.countSplit(isHealed, line);
		}
	};
	const take = (written: string): void => {
		const line = written.trimEnd();
		if (line === "" || line === CONTROL_Z) return;
		if (line.length > LINE_LENGTH_MAX) {
			refuseTooLong(line);
			return;
		}
		const fields = format.split(line);
		if (fields.length >= format.columnCount) {
			abandonRecord();
			if (fields.length === format.columnCount) takeFields(fields, line);
			else takeSurplus(fields, line);
			return;
		}
		const joined = [...pieces, line];
		const joinedFields = format.split(joined.join(" "));
		if (joinedFields.length === format.columnCount) {
			pieces = [];
			takeFields(joinedFields, joined.join(" "));
		} else if (joinedFields.length < format.columnCount && joined.length < PIECES_MAX) pieces = joined;
		else {
			abandonRecord();
			pieces = [line];
		}
	};
	return {
		take,
		refuseTooLong,
		abandonRecord,
		end: (clean) => {
			const isCut = pieces.length > 0;
			abandonRecord();
			takeAside(clean);
			return isCut;
		},
	};
}

function readEntry({ columns }: Format, fields: readonly string[]): RegistryEntry | undefined {
	const cell = (column: number | undefined) => cleanCell(column === undefined ? "" : (fields[column] ?? ""));
	const document = parseTaxpayerDocument(cell(columns.document));
	if (!document) return undefined;
	return {
		rnc: document.digits,
		name: cell(columns.name),
		trade_name: cell(columns.tradeName),
		economic_activity: cell(columns.activity),
		status: cell(columns.status).toUpperCase(),
		payment_regime: cell(columns.regime).toUpperCase(),
	};
}

const untidy = /["\t\r]|\s\s|^\s|\s$/;

export function cleanCell(cell: string): string {
	return untidy.test(cell) ? cell.replace(/"/g, "").replace(/\s+/g, " ").trim() : cell;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const control = /[\x00-\x1f\x7f-\x9f]/;
/** Separates the end of one text from the start of the next. */
const BETWEEN = " ";
