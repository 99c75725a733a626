/** Writes what entries are answered with: what each has alone, and once for all that share it what stands behind the names. */
import type { EntryColumns } from "./columns";
import { writeDigits } from "./document-key";
import { countUnits, HEAD_BYTES, UNIT_BYTES, viewEntries } from "./entry-layout";
import { REGIME_LABEL } from "./format";
import { CHUNK_BITS, CHUNK_RECORDS, type Names } from "./names";
import type { SnapshotWriter } from "./write-file";

const PIECE_BYTES = 4 * 1024 * 1024;
const numberLabel = Buffer.from('{"rnc":"');
const nameLabel = Buffer.from('","name":"');
const tradeNameLabel = Buffer.from('","trade_name":"');
/** The number among them. */
const LABELS_BYTES_MAX = numberLabel.length + 11 + nameLabel.length + tradeNameLabel.length;
const PIECE_UNITS = PIECE_BYTES / UNIT_BYTES;
/** An address and one more must fit into 32 bits. */
const UNITS_MAX = 0xffffffff - 1;
/** Escaping makes at most two bytes of one. */
const ESCAPED_MAX = 2;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Writes the sections `entries`, `entry-starts`, `ending-starts`, `ending-cuts` and `ending-texts`; answers row → address. */
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

/** What each entry has alone, in the order of rows; byte for byte what `JSON.stringify` would give. */
function writeOwn(
	{ keys, records }: EntryColumns,
	endings: Uint32Array,
	{ chunks }: Names,
	section: ReturnType<SnapshotWriter["begin"]>,
): Uint32Array {
	const addresses = new Uint32Array(records.length + 1);
	const piece = viewEntries(new ArrayBuffer(PIECE_BYTES), 0, PIECE_BYTES);
	let units = 0;
	let unitsBefore = 0;
	const flush = (): void => {
		section.append(piece.bytes.subarray(0, units * UNIT_BYTES));
		unitsBefore += units;
		units = 0;
	};
	for (let row = 0; row < records.length; row++) {
		const record = records[row] ?? 0;
		const chunk = chunks[record >>> CHUNK_BITS];
		if (!chunk) throw new RangeError(`record ${record} has no names`);
		const at = 2 * (record & (CHUNK_RECORDS - 1));
		const nameStart = chunk.starts[at] ?? 0;
		const tradeNameStart = chunk.starts[at + 1] ?? 0;
		const end = chunk.starts[at + 2] ?? 0;
		if (units + countUnits(LABELS_BYTES_MAX + ESCAPED_MAX * (end - nameStart)) > PIECE_UNITS) flush();
		addresses[row] = unitsBefore + units;
		const key = keys[row] ?? 0;
		const textFrom = units * UNIT_BYTES + HEAD_BYTES;
		let to = textFrom + numberLabel.copy(piece.bytes, textFrom);
		to += writeDigits(key, piece.bytes, to);
		to += nameLabel.copy(piece.bytes, to);
		to = putText(piece.bytes, to, chunk.texts, nameStart, tradeNameStart);
		to += tradeNameLabel.copy(piece.bytes, to);
		to = putText(piece.bytes, to, chunk.texts, tradeNameStart, end);
		piece.keys[units] = key;
		piece.numbers[2 * units + 2] = endings[row] ?? 0;
		piece.numbers[2 * units + 3] = to - textFrom;
		units += countUnits(to - textFrom);
		piece.bytes.fill(0, to, units * UNIT_BYTES);
	}
	flush();
	section.end();
	if (unitsBefore > UNITS_MAX) throw new RangeError(`expected at most 32 GiB of entries, got ${unitsBefore} times 8`);
	addresses[records.length] = unitsBefore;
	return addresses;
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
