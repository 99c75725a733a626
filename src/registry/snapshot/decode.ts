/** Takes entries out of a snapshot: as the bytes that are answered, or as values. */
import type { RegistryEntry } from "../entry";
import { digitsOf } from "./document-key";
import { findRow } from "./lookup";
import type { Snapshot } from "./open";

const numberLabel = '{"rnc":"';
const nameLabel = '","name":"';
const tradeNameLabel = Buffer.from('","trade_name":"');
/** With the longest number. */
const HEAD_BYTES_MAX = numberLabel.length + 11 + nameLabel.length;

/** The entry's JSON, `payment_regime` last. */
export function entryBytesAt(snapshot: Snapshot, row: number): Buffer<ArrayBuffer> {
	const ending = snapshot.endings[row] ?? 0;
	return writeEntry(snapshot, row, snapshot.endingStarts[ending + 1] ?? 0);
}

/** The entry's JSON without `payment_regime` and without the closing brace. */
export function itemBytesAt(snapshot: Snapshot, row: number): Buffer<ArrayBuffer> {
	const ending = snapshot.endings[row] ?? 0;
	return writeEntry(snapshot, row, (snapshot.endingStarts[ending] ?? 0) + (snapshot.endingCuts[ending] ?? 0));
}

function writeEntry(snapshot: Snapshot, row: number, endingTo: number): Buffer<ArrayBuffer> {
	const { keys, texts, textStarts, endings, endingStarts, endingTexts } = snapshot;
	const nameStart = textStarts[2 * row] ?? 0;
	const tradeNameStart = textStarts[2 * row + 1] ?? 0;
	const textEnd = textStarts[2 * row + 2] ?? 0;
	const endingFrom = endingStarts[endings[row] ?? 0] ?? 0;
	const bytesMax = HEAD_BYTES_MAX + textEnd - nameStart + tradeNameLabel.length + endingTo - endingFrom;
	const bytes = Buffer.allocUnsafe(bytesMax);
	let length = bytes.write(numberLabel + digitsOf(keys[row] ?? 0) + nameLabel, 0, "latin1");
	length += texts.copy(bytes, length, nameStart, tradeNameStart);
	length += tradeNameLabel.copy(bytes, length);
	length += texts.copy(bytes, length, tradeNameStart, textEnd);
	length += endingTexts.copy(bytes, length, endingFrom, endingTo);
	return bytes.subarray(0, length);
}

export function entryAt(snapshot: Snapshot, row: number): RegistryEntry {
	return JSON.parse(entryBytesAt(snapshot, row).toString()) as RegistryEntry;
}

/** The entry of a number of 9 or 11 digits. */
export function lookupEntry(snapshot: Snapshot, digits: string): RegistryEntry | undefined {
	const row = findRow(snapshot, digits);
	return row === undefined ? undefined : entryAt(snapshot, row);
}
