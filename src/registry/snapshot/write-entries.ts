/** Writes what entries are answered with: the two names of each, and once for all that share it what stands behind them. */
import type { EntryColumns } from "./columns";
import { REGIME_LABEL } from "./format";
import { CHUNK_BITS, CHUNK_RECORDS, type Names } from "./names";
import type { SnapshotWriter } from "./write-file";

const PIECE_BYTES = 4 * 1024 * 1024;
/** Escaping makes at most two bytes of one. */
const ESCAPED_MAX = 2;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Writes the sections `texts`, `text-starts`, `endings`, `ending-starts`, `ending-cuts` and `ending-texts`. */
export function writeEntries(columns: EntryColumns, names: Names, writer: SnapshotWriter): void {
	writer.write("text-starts", writeTexts(columns.records, names, writer.begin("texts")));
	const { endings, texts } = useEndings(columns);
	writer.write("endings", endings);
	const bytes = texts.map((text) => Buffer.from(text));
	const starts = new Uint32Array(bytes.length + 1);
	const cuts = Uint32Array.from(bytes, (one) => one.lastIndexOf(REGIME_LABEL));
	bytes.forEach((one, i) => {
		starts[i + 1] = (starts[i] ?? 0) + one.length;
	});
	writer.write("ending-starts", starts);
	writer.write("ending-cuts", cuts);
	writer.write("ending-texts", Buffer.concat(bytes));
}

/** Names and commercial names in the order of rows as JSON has them, byte for byte what `JSON.stringify` would give. */
function writeTexts(
	records: Uint32Array,
	{ chunks }: Names,
	section: ReturnType<SnapshotWriter["begin"]>,
): Uint32Array {
	const starts = new Uint32Array(2 * records.length + 1);
	let piece: Uint8Array = new Uint8Array(PIECE_BYTES);
	let length = 0;
	let written = 0;
	for (let row = 0; row < records.length; row++) {
		const record = records[row] ?? 0;
		const chunk = chunks[record >>> CHUNK_BITS];
		if (!chunk) throw new RangeError(`record ${record} has no names`);
		const at = 2 * (record & (CHUNK_RECORDS - 1));
		const nameStart = chunk.starts[at] ?? 0;
		const tradeNameStart = chunk.starts[at + 1] ?? 0;
		const end = chunk.starts[at + 2] ?? 0;
		const room = ESCAPED_MAX * (end - nameStart);
		if (length + room > piece.length) {
			section.append(piece.subarray(0, length));
			written += length;
			length = 0;
			if (room > piece.length) piece = new Uint8Array(room);
		}
		starts[2 * row] = written + length;
		length = putText(piece, length, chunk.texts, nameStart, tradeNameStart);
		starts[2 * row + 1] = written + length;
		length = putText(piece, length, chunk.texts, tradeNameStart, end);
	}
	section.append(piece.subarray(0, length));
	section.end();
	written += length;
	if (written > 0xffffffff) throw new RangeError(`expected at most 4 GiB of names, got ${written} bytes`);
	starts[2 * records.length] = written;
	return starts;
}

function putText(target: Uint8Array, at: number, texts: Uint8Array, from: number, to: number): number {
	let end = at;
	for (let i = from; i < to; i++) {
		const byte = texts[i] ?? 0;
		if (byte < 0x20) throw new RangeError("expected the texts of an entry to hold no control characters");
		if (byte === QUOTE || byte === BACKSLASH) target[end++] = BACKSLASH;
		target[end++] = byte;
	}
	return end;
}

/** Row → ending, and the endings' texts: those alone that a row has, for what is erased must leave nothing behind. */
function useEndings(columns: EntryColumns) {
	const numbers = new Int32Array(columns.endingParts.length / 3).fill(-1);
	const texts: string[] = [];
	for (const ending of listUsed(columns.endings, numbers.length)) {
		numbers[ending] = texts.length;
		texts.push(writeEnding(columns, ending));
	}
	return { endings: columns.endings.map((ending) => numbers[ending] ?? 0), texts };
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
