/** Writes the texts of entries: the part of each entry that it shares with no other, and the shared endings once. */
import {
	countUnits,
	type Entries,
	HEAD_BYTES,
	markCold,
	REGIME_LABEL,
	UNIT_BYTES,
	viewEntries,
	writeDigits,
} from "../../index/index";
import type { EntryColumns } from "./columns";
import { CHUNK_BITS, CHUNK_RECORDS, type Names } from "./names";
import type { SnapshotWriter } from "./write-file";

const WORD_BYTES = 4;
const PIECE_BYTES = 4 * 1024 * 1024;
/** Leaves space for the excess bytes after the last entry of a piece. */
const PIECE_UNITS = PIECE_BYTES / UNIT_BYTES - 1;
const numberLabel = toLabel('{"rnc":"');
const nameLabel = toLabel('","name":"');
const tradeNameLabel = toLabel('","trade_name":"');
const LABELS_BYTES_MAX = numberLabel.bytes + 11 + nameLabel.bytes + tradeNameLabel.bytes;
/** An address plus one must fit into 32 bits. */
const UNITS_MAX = 0xffffffff - 1;
const ESCAPED_MAX = 2;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Writes the sections `entries`, `entry-starts`, `ending-starts`, `ending-cuts` and `ending-texts`; returns row → address. */
export function writeEntries(columns: EntryColumns, names: Names, writer: SnapshotWriter): Uint32Array {
	const { endings, texts } = useEndings(columns);
	const addresses = writeOwn(columns, endings, names, writer.begin("entries"));
	writer.write("entry-starts", addresses);
	const bytes = texts.map((text) => Buffer.from(text));
	const starts = new Uint32Array(bytes.length + 1);
	const cuts = Uint32Array.from(bytes, (one) => one.lastIndexOf(REGIME_LABEL));
	bytes.forEach((one, i) => {
		starts[i + 1] = (starts[i] ?? 0) + one.length;
	});
	writer.write("ending-starts", starts);
	writer.write("ending-cuts", cuts);
	writer.write("ending-texts", Buffer.concat(bytes));
	return addresses;
}

/** The unshared part of each entry by row; byte for byte the output of `JSON.stringify`. */
function writeOwn(
	columns: EntryColumns,
	endings: Uint32Array,
	{ chunks }: Names,
	section: ReturnType<SnapshotWriter["begin"]>,
): Uint32Array {
	const rows = columns.records.length;
	const buffer = new ArrayBuffer(PIECE_BYTES);
	const filling: Filling = {
		...columns,
		endings,
		chunks,
		texts: chunks.map(({ texts }) => new DataView(texts.buffer, texts.byteOffset, texts.length)),
		addresses: new Uint32Array(rows + 1),
		piece: viewEntries(buffer, 0, PIECE_BYTES),
		view: new DataView(buffer),
		unitsBefore: 0,
		units: 0,
	};
	for (let row = 0; row < rows; ) {
		row = fillPiece(filling, row);
		section.append(filling.piece.bytes.subarray(0, filling.units * UNIT_BYTES));
		filling.unitsBefore += filling.units;
	}
	section.end();
	if (filling.unitsBefore > UNITS_MAX) {
		throw new RangeError(`expected at most 32 GiB of entries, got ${filling.unitsBefore} times 8`);
	}
	filling.addresses[rows] = filling.unitsBefore;
	return filling.addresses;
}

type Filling = Pick<EntryColumns, "keys" | "records"> &
	Pick<Names, "chunks"> & {
		readonly endings: Uint32Array;
		readonly texts: readonly DataView[];
		readonly addresses: Uint32Array;
		readonly piece: Entries;
		readonly view: DataView;
		unitsBefore: number;
		units: number;
	};

/** Fills the piece with the entries from `firstRow` on; returns the first row that does not fit. */
function fillPiece(filling: Filling, firstRow: number): number {
	const { keys, records, endings, chunks, texts, addresses, piece, view, unitsBefore } = filling;
	let units = 0;
	let row = firstRow;
	for (; row < records.length; row++) {
		const record = records[row] ?? 0;
		const chunk = chunks[record >>> CHUNK_BITS];
		const source = texts[record >>> CHUNK_BITS];
		if (!chunk || !source) throw new RangeError(`record ${record} has no names`);
		const at = 2 * (record & (CHUNK_RECORDS - 1));
		const nameStart = chunk.starts[at] ?? 0;
		const tradeNameStart = chunk.starts[at + 1] ?? 0;
		const end = chunk.starts[at + 2] ?? 0;
		if (units + countUnits(LABELS_BYTES_MAX + ESCAPED_MAX * (end - nameStart)) > PIECE_UNITS) break;
		addresses[row] = unitsBefore + units;
		const key = keys[row] ?? 0;
		const textFrom = units * UNIT_BYTES + HEAD_BYTES;
		let to = putLabel(view, textFrom, numberLabel);
		to += writeDigits(key, piece.bytes, to);
		to = putLabel(view, to, nameLabel);
		to = putText(view, to, source, nameStart, tradeNameStart);
		to = putLabel(view, to, tradeNameLabel);
		to = putText(view, to, source, tradeNameStart, end);
		piece.keys[units] = key;
		piece.numbers[2 * units + 2] = endings[row] ?? 0;
		piece.numbers[2 * units + 3] = to - textFrom;
		units += countUnits(to - textFrom);
		for (let rest = to; rest < units * UNIT_BYTES; rest++) view.setUint8(rest, 0);
	}
	if (row === firstRow) throw new RangeError(`the entry of row ${row} is larger than ${PIECE_BYTES} bytes`);
	filling.units = units;
	return row;
}

// Labels and texts are written four bytes at a time; excess bytes are overwritten by the next.

type Label = { readonly words: Int32Array; readonly bytes: number };

function toLabel(text: string): Label {
	const words = new Int32Array(Math.ceil(text.length / WORD_BYTES));
	new Uint8Array(words.buffer).set(Buffer.from(text));
	return { words, bytes: text.length };
}

function putLabel(target: DataView, at: number, { words, bytes }: Label): number {
	for (let i = 0; i < words.length; i++) target.setInt32(at + i * WORD_BYTES, words[i] ?? 0, true);
	return at + bytes;
}

function putText(target: DataView, at: number, texts: DataView, from: number, to: number): number {
	const shift = at - from;
	for (let i = from; i < to; i += WORD_BYTES) {
		const word = texts.getInt32(i, true);
		if (mayNeedEscape(word)) return putEscaped(target, i + shift, texts, i, to);
		target.setInt32(i + shift, word, true);
	}
	return to + shift;
}

/** Whether one of the four bytes is a control character, a quote or a backslash: the subtraction then borrows from its highest bit. */
function mayNeedEscape(word: number): boolean {
	const quotes = word ^ 0x22222222;
	const backslashes = word ^ 0x5c5c5c5c;
	const borrows =
		((word - 0x20202020) & ~word) | ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes);
	return (borrows & 0x80808080) !== 0;
}

function putEscaped(target: DataView, at: number, texts: DataView, from: number, to: number): number {
	let end = at;
	for (let i = from; i < to; i++) {
		const byte = texts.getUint8(i);
		if (byte < 0x20) throw new RangeError("expected the texts of an entry to hold no control characters");
		if (byte === QUOTE || byte === BACKSLASH) target.setUint8(end++, BACKSLASH);
		target.setUint8(end++, byte);
	}
	return end;
}

/** Row → ending, and the endings' texts. Only endings that a row uses are kept, because an erased entry must leave nothing behind. */
function useEndings(columns: EntryColumns) {
	const numbers = new Int32Array(columns.endingParts.length / 3).fill(-1);
	const texts: string[] = [];
	for (const ending of listUsed(columns.endings, numbers.length)) {
		numbers[ending] = texts.length;
		texts.push(writeEnding(columns, ending));
	}
	return { endings: renumber(columns.endings, numbers), texts };
}

function renumber(endings: Uint32Array, numbers: Int32Array): Uint32Array {
	const renumbered = new Uint32Array(endings.length);
	for (let row = 0; row < endings.length; row++) renumbered[row] = numbers[endings[row] ?? 0] ?? 0;
	return renumbered;
}

function listUsed(endings: Uint32Array, count: number): number[] {
	const used = new Uint8Array(count);
	for (let row = 0; row < endings.length; row++) used[endings[row] ?? 0] = 1;
	return Array.from(used.keys()).filter((ending) => used[ending] === 1);
}

function writeEnding(columns: EntryColumns, ending: number): string {
	const [activity = 0, status = 0, regime = 0] = columns.endingParts.subarray(3 * ending, 3 * ending + 3);
	const { activityTexts, statusTexts, regimeTexts } = columns;
	const [one, two, three] = [activityTexts[activity], statusTexts[status], regimeTexts[regime]].map((text) =>
		JSON.stringify(text),
	);
	return `","economic_activity":${one},"status":${two}${REGIME_LABEL}${three}}`;
}

markCold(listUsed, renumber);
