/** Takes entries out of a snapshot: as the bytes that are answered, or as values. */
import type { RegistryEntry } from "../entry";
import { countDigits, writeDigits } from "./document-key";
import { endingAt, HEAD_BYTES, lengthsAt, nameBytesOf, tradeNameBytesOf, UNIT_BYTES } from "./entry-layout";
import { findAddress } from "./lookup";
import type { Snapshot } from "./open";

const numberLabel = Buffer.from('{"rnc":"');
const nameLabel = Buffer.from('","name":"');
const tradeNameLabel = Buffer.from('","trade_name":"');

/** The JSON of the entry at an address, `payment_regime` last; written into `room` where it is given and large enough. */
export function entryBytesAt(
	snapshot: Snapshot,
	address: number,
	room?: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
	const ending = endingAt(snapshot.entries, address);
	return writeEntry(snapshot, address, snapshot.endingStarts[ending + 1] ?? 0, room);
}

/** The JSON of a row's entry without `payment_regime` and without the closing brace. */
export function itemBytesAt(snapshot: Snapshot, row: number): Uint8Array<ArrayBuffer> {
	const address = snapshot.entryStarts[row] ?? 0;
	const ending = endingAt(snapshot.entries, address);
	return writeEntry(snapshot, address, (snapshot.endingStarts[ending] ?? 0) + (snapshot.endingCuts[ending] ?? 0));
}

function writeEntry(
	snapshot: Snapshot,
	address: number,
	endingTo: number,
	room?: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
	const { entries, endingStarts, endingTexts } = snapshot;
	const lengths = lengthsAt(entries, address);
	const nameFrom = address * UNIT_BYTES + HEAD_BYTES;
	const tradeNameFrom = nameFrom + nameBytesOf(lengths);
	const textEnd = tradeNameFrom + tradeNameBytesOf(lengths);
	const endingFrom = endingStarts[endingAt(entries, address)] ?? 0;
	const key = entries.keys[address] ?? 0;
	const labelsBytes = numberLabel.length + nameLabel.length + tradeNameLabel.length;
	const size = labelsBytes + countDigits(key) + textEnd - nameFrom + endingTo - endingFrom;
	const bytes = room && size <= room.length ? room.subarray(0, size) : Buffer.allocUnsafe(size);
	let length = copyBytes(bytes, 0, numberLabel, 0, numberLabel.length);
	length += writeDigits(key, bytes, length);
	length = copyBytes(bytes, length, nameLabel, 0, nameLabel.length);
	length = copyBytes(bytes, length, entries.bytes, nameFrom, tradeNameFrom);
	length = copyBytes(bytes, length, tradeNameLabel, 0, tradeNameLabel.length);
	length = copyBytes(bytes, length, entries.bytes, tradeNameFrom, textEnd);
	copyBytes(bytes, length, endingTexts, endingFrom, endingTo);
	return bytes;
}

/** So few bytes are copied faster here than by a call into the runtime. */
function copyBytes(target: Uint8Array, at: number, source: Uint8Array, from: number, to: number): number {
	const shift = at - from;
	for (let i = from; i < to; i++) target[i + shift] = source[i] ?? 0;
	return to + shift;
}

/** The entry of a row. */
export function entryAt(snapshot: Snapshot, row: number): RegistryEntry {
	return readEntry(snapshot, snapshot.entryStarts[row] ?? 0);
}

/** The entry of a number of 9 or 11 digits. */
export function lookupEntry(snapshot: Snapshot, digits: string): RegistryEntry | undefined {
	const address = findAddress(snapshot, digits);
	return address === undefined ? undefined : readEntry(snapshot, address);
}

function readEntry(snapshot: Snapshot, address: number): RegistryEntry {
	return JSON.parse(Buffer.from(entryBytesAt(snapshot, address)).toString()) as RegistryEntry;
}
