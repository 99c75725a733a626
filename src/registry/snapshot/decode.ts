/** Takes entries out of a snapshot: as the bytes that are answered, or as values. */
import type { RegistryEntry } from "../entry";
import { endingAt, HEAD_BYTES, textBytesAt, UNIT_BYTES } from "./entry-layout";
import { findAddress } from "./lookup";
import type { Snapshot } from "./open";

type Bytes = Uint8Array<ArrayBuffer>;

/** The JSON of the entry at an address, `payment_regime` last; written into `room` where it is given and large enough. */
export function entryBytesAt(snapshot: Snapshot, address: number, room?: Bytes): Bytes {
	const ending = endingAt(snapshot.entries, address);
	return writeEntry(snapshot, address, snapshot.endingStarts[ending + 1] ?? 0, room);
}

/** The JSON of a row's entry without `payment_regime` and without the closing brace. */
export function itemBytesAt(snapshot: Snapshot, row: number): Bytes {
	const address = snapshot.entryStarts[row] ?? 0;
	const ending = endingAt(snapshot.entries, address);
	return writeEntry(snapshot, address, (snapshot.endingStarts[ending] ?? 0) + (snapshot.endingCuts[ending] ?? 0));
}

function writeEntry(snapshot: Snapshot, address: number, endingTo: number, room?: Bytes): Bytes {
	const { entries, endingStarts, endingTexts } = snapshot;
	const textFrom = address * UNIT_BYTES + HEAD_BYTES;
	const textBytes = textBytesAt(entries, address);
	const endingFrom = endingStarts[endingAt(entries, address)] ?? 0;
	const size = textBytes + endingTo - endingFrom;
	const bytes = room && size <= room.length ? room.subarray(0, size) : Buffer.allocUnsafe(size);
	entries.bytes.copy(bytes, 0, textFrom, textFrom + textBytes);
	endingTexts.copy(bytes, textBytes, endingFrom, endingTo);
	return bytes;
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
