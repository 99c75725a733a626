/** Takes entries out of a snapshot: as the bytes that are answered, or as values. */
import type { RegistryEntry } from "../entry";
import { countDigits, writeDigits } from "./document-key";
import { findRow } from "./lookup";
import type { Snapshot } from "./open";

const numberLabel = Buffer.from('{"rnc":"');
const nameLabel = Buffer.from('","name":"');
const tradeNameLabel = Buffer.from('","trade_name":"');

/** The entry's JSON, `payment_regime` last; written into `room` where it is given and large enough. */
export function entryBytesAt(snapshot: Snapshot, row: number, room?: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
	const ending = snapshot.endings[row] ?? 0;
	return writeEntry(snapshot, row, snapshot.endingStarts[ending + 1] ?? 0, room);
}

/** The entry's JSON without `payment_regime` and without the closing brace. */
export function itemBytesAt(snapshot: Snapshot, row: number): Uint8Array<ArrayBuffer> {
	const ending = snapshot.endings[row] ?? 0;
	return writeEntry(snapshot, row, (snapshot.endingStarts[ending] ?? 0) + (snapshot.endingCuts[ending] ?? 0));
}

function writeEntry(
	snapshot: Snapshot,
	row: number,
	endingTo: number,
	room?: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
	const { keys, texts, textStarts, endings, endingStarts, endingTexts } = snapshot;
	const nameStart = textStarts[2 * row] ?? 0;
	const tradeNameStart = textStarts[2 * row + 1] ?? 0;
	const textEnd = textStarts[2 * row + 2] ?? 0;
	const endingFrom = endingStarts[endings[row] ?? 0] ?? 0;
	const key = keys[row] ?? 0;
	const labelsBytes = numberLabel.length + nameLabel.length + tradeNameLabel.length;
	const size = labelsBytes + countDigits(key) + textEnd - nameStart + endingTo - endingFrom;
	const bytes = room && size <= room.length ? room.subarray(0, size) : Buffer.allocUnsafe(size);
	let length = copyBytes(bytes, 0, numberLabel, 0, numberLabel.length);
	length += writeDigits(key, bytes, length);
	length = copyBytes(bytes, length, nameLabel, 0, nameLabel.length);
	length = copyBytes(bytes, length, texts, nameStart, tradeNameStart);
	length = copyBytes(bytes, length, tradeNameLabel, 0, tradeNameLabel.length);
	length = copyBytes(bytes, length, texts, tradeNameStart, textEnd);
	copyBytes(bytes, length, endingTexts, endingFrom, endingTo);
	return bytes;
}

/** So few bytes are copied faster here than by a call into the runtime. */
function copyBytes(target: Uint8Array, at: number, source: Uint8Array, from: number, to: number): number {
	const shift = at - from;
	for (let i = from; i < to; i++) target[i + shift] = source[i] ?? 0;
	return to + shift;
}

export function entryAt(snapshot: Snapshot, row: number): RegistryEntry {
	return JSON.parse(Buffer.from(entryBytesAt(snapshot, row)).toString()) as RegistryEntry;
}

/** The entry of a number of 9 or 11 digits. */
export function lookupEntry(snapshot: Snapshot, digits: string): RegistryEntry | undefined {
	const row = findRow(snapshot, digits);
	return row === undefined ? undefined : entryAt(snapshot, row);
}
