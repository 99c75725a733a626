/** Takes entries out of a snapshot: as the bytes that are answered, or as values. */
import type { RegistryEntry } from "../entry";
import type { Room } from "../response-buffer";
import { endingAt, HEAD_BYTES, textBytesAt, UNIT_BYTES } from "./entry-layout";
import { findAddress } from "./lookup";
import type { EntrySections, Snapshot } from "./open";

type Bytes = Uint8Array<ArrayBuffer>;

/** Far above what a line of a source can become. A damaged length would otherwise be taken as memory, up to gigabytes. Units: bytes. */
const SIZE_MAX = 1 << 20;

/** The JSON of the entry at an address, `payment_regime` last; written into `room` where it is given. */
export function entryBytesAt(snapshot: EntrySections, address: number, room?: Room): Bytes {
	const { entries, endingStarts } = snapshot;
	const ending = endingAt(entries, address);
	const endingTo = endingStarts[ending + 1] ?? 0;
	const size = checkSize(textBytesAt(entries, address) + endingTo - (endingStarts[ending] ?? 0));
	const bytes = room ? room.take(size) : Buffer.allocUnsafe(size);
	copyEntry(snapshot, address, endingTo, bytes, 0);
	return bytes;
}

/** The length of a row's item: its entry's JSON without `payment_regime` and without the closing brace. Units: bytes. */
export function itemSizeAt({ entries, entryStarts, endingCuts }: Snapshot, row: number): number {
	const address = entryStarts[row] ?? 0;
	return checkSize(textBytesAt(entries, address) + (endingCuts[endingAt(entries, address)] ?? 0));
}

function checkSize(size: number): number {
	if (size >= 0 && size <= SIZE_MAX) return size;
	throw new RangeError(`the snapshot is damaged: it has an entry of ${size} bytes`);
}

/** Copies a row's item into `target`, which has room for it; answers where it ends. */
export function copyItem(snapshot: Snapshot, row: number, target: Bytes, at: number): number {
	const address = snapshot.entryStarts[row] ?? 0;
	const ending = endingAt(snapshot.entries, address);
	const endingTo = (snapshot.endingStarts[ending] ?? 0) + (snapshot.endingCuts[ending] ?? 0);
	return copyEntry(snapshot, address, endingTo, target, at);
}

function copyEntry(snapshot: EntrySections, address: number, endingTo: number, target: Bytes, at: number): number {
	const { entries, endingStarts, endingTexts } = snapshot;
	const textFrom = address * UNIT_BYTES + HEAD_BYTES;
	const endingAtTarget = at + entries.bytes.copy(target, at, textFrom, textFrom + textBytesAt(entries, address));
	const endingFrom = endingStarts[endingAt(entries, address)] ?? 0;
	return endingAtTarget + endingTexts.copy(target, endingAtTarget, endingFrom, endingTo);
}

/** The entry of a row. */
export function entryAt(snapshot: EntrySections, row: number): RegistryEntry {
	return readEntry(snapshot, snapshot.entryStarts[row] ?? 0);
}

/** The entry of a number of 9 or 11 digits. */
export function lookupEntry(snapshot: Snapshot, digits: string): RegistryEntry | undefined {
	const address = findAddress(snapshot, digits);
	return address === undefined ? undefined : readEntry(snapshot, address);
}

function readEntry(snapshot: EntrySections, address: number): RegistryEntry {
	return JSON.parse(Buffer.from(entryBytesAt(snapshot, address)).toString()) as RegistryEntry;
}
