/** Reads lines as text, whatever they contain, and joins records that were broken over several lines. */
import { parseTaxpayerDocument } from "../../../platform/values";
import type { RegistryEntry } from "../../entry";
import { isGarbled } from "./encoding";
import type { Format } from "./format";

export const LINE_LENGTH_MAX = 4_000;
/** Maximum number of lines of one broken record. */
const PIECES_MAX = 4;
const CONTROL_Z = "\x1a";

export type RefusalReason =
	| "column-count"
	| "broken-record"
	| "document-form"
	| "control-character"
	| "too-long"
	| "duplicate";

type RecordSink = {
	readonly take: (entry: RegistryEntry) => void;
	readonly refuse: (reason: RefusalReason) => void;
	readonly countGarbled: () => void;
};

type RecordJoiner = {
	readonly take: (line: string) => void;
	readonly refuseTooLong: () => void;
	/** Drops an unfinished record, because a complete line follows it. */
	readonly abandonRecord: () => void;
	/** Returns true if a record was left unfinished. */
	readonly end: () => boolean;
};

export function joinRecords(format: Format, sink: RecordSink): RecordJoiner {
	let pieces: string[] = [];
	const abandonRecord = () => {
		if (pieces.length === 0) return;
		for (const _ of pieces) sink.refuse("broken-record");
		pieces = [];
	};
	const refuseTooLong = () => {
		abandonRecord();
		sink.refuse("too-long");
	};
	const takeFields = (fields: readonly string[]) => {
		const entry = readEntry(format, fields);
		if (!entry) {
			sink.refuse("document-form");
			return;
		}
		const texts = entry.name + BETWEEN + entry.trade_name + BETWEEN + entry.economic_activity;
		if (isGarbled(texts)) sink.countGarbled();
		if (control.test(texts + entry.status + entry.payment_regime)) sink.refuse("control-character");
		else sink.take(entry);
	};
	const take = (written: string): void => {
		const line = written.trimEnd();
		if (line === "" || line === CONTROL_Z) return;
		if (line.length > LINE_LENGTH_MAX) {
			refuseTooLong();
			return;
		}
		const fields = format.split(line);
		if (fields.length >= format.columnCount) {
			abandonRecord();
			if (fields.length === format.columnCount) takeFields(fields);
			else sink.refuse("column-count");
			return;
		}
		const joined = [...pieces, line];
		const joinedFields = format.split(joined.join(" "));
		if (joinedFields.length === format.columnCount) {
			pieces = [];
			takeFields(joinedFields);
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
		end: () => {
			const isCut = pieces.length > 0;
			abandonRecord();
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
