/** Writes the entries as the JSON that they are answered with, byte for byte what `JSON.stringify` would give. */
import type { EntryColumns } from "./columns";
import { isElevenDigits, numberOf } from "./document-key";

const PIECE_BYTES = 4 * 1024 * 1024;
/** Escaping makes at most two bytes of one. */
const ESCAPED_MAX = 2;
/** Beyond that the source repeats itself so little that keeping them would only cost memory. */
const ENDINGS_MAX = 50_000;
/** More than the labels and the number take. */
const LABELS_BYTES = 64;
const numberLabel = Buffer.from('{"rnc":"');
const nameLabel = Buffer.from('","name":"');
const tradeNameLabel = Buffer.from('","trade_name":"');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const HALF_DIGITS = 6;
const HALF = 10 ** HALF_DIGITS;

/** Writes all rows into the section and gives where each begins, with one more element that closes the last. */
export function writeEntries(
	columns: EntryColumns,
	section: { readonly append: (bytes: Uint8Array) => void; readonly end: () => void },
): Uint32Array {
	const { keys, records, texts, textStarts } = columns;
	const endings = createEndings(columns);
	const starts = new Uint32Array(keys.length + 1);
	let piece: Uint8Array = new Uint8Array(PIECE_BYTES);
	let length = 0;
	let written = 0;
	for (let row = 0; row < keys.length; row++) {
		const record = records[row] ?? 0;
		const nameStart = textStarts[2 * record] ?? 0;
		const tradeStart = textStarts[2 * record + 1] ?? 0;
		const textEnd = textStarts[2 * record + 2] ?? 0;
		const ending = endings(record);
		const room = LABELS_BYTES + ESCAPED_MAX * (textEnd - nameStart) + ending.length;
		if (length + room > piece.length) {
			section.append(piece.subarray(0, length));
			written += length;
			length = 0;
			if (room > piece.length) piece = new Uint8Array(room);
		}
		starts[row] = written + length;
		length = putBytes(piece, length, numberLabel);
		length = putDigits(piece, length, keys[row] ?? 0);
		length = putBytes(piece, length, nameLabel);
		length = putText(piece, length, texts, nameStart, tradeStart);
		length = putBytes(piece, length, tradeNameLabel);
		length = putText(piece, length, texts, tradeStart, textEnd);
		piece.set(ending, length);
		length += ending.length;
	}
	section.append(piece.subarray(0, length));
	section.end();
	written += length;
	if (written > 0xffffffff) throw new RangeError(`expected at most 4 GiB of entries, got ${written} bytes`);
	starts[keys.length] = written;
	return starts;
}

function putBytes(target: Uint8Array, at: number, bytes: Uint8Array): number {
	for (let i = 0; i < bytes.length; i++) target[at + i] = bytes[i] ?? 0;
	return at + bytes.length;
}

function putDigits(target: Uint8Array, at: number, key: number): number {
	const end = at + (isElevenDigits(key) ? 11 : 9);
	const number = numberOf(key);
	// In two halves, each small enough for whole-number arithmetic.
	const high = Math.floor(number / HALF);
	putHalf(target, end - HALF_DIGITS, end, number - high * HALF);
	putHalf(target, at, end - HALF_DIGITS, high);
	return end;
}

function putHalf(target: Uint8Array, from: number, to: number, number: number): void {
	let rest = number | 0;
	for (let i = to - 1; i >= from; i--) {
		const tenth = (rest / 10) | 0;
		target[i] = ZERO + rest - tenth * 10;
		rest = tenth;
	}
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

/** What stands behind the commercial name. There are a few thousand combinations of activity, status and regime at most. */
function createEndings({ activities, statuses, regimes, activityTexts, statusTexts, regimeTexts }: EntryColumns) {
	const known = new Map<number, Uint8Array>();
	return (record: number): Uint8Array => {
		const activity = activities[record] ?? 0;
		const status = statuses[record] ?? 0;
		const regime = regimes[record] ?? 0;
		const combination = (activity * statusTexts.length + status) * regimeTexts.length + regime;
		const found = known.get(combination);
		if (found) return found;
		const made = Buffer.from(
			`","economic_activity":${JSON.stringify(activityTexts[activity])},"status":${JSON.stringify(statusTexts[status])},"payment_regime":${JSON.stringify(regimeTexts[regime])}}`,
		);
		if (known.size < ENDINGS_MAX) known.set(combination, made);
		return made;
	};
}
