/** Finds entries by document number and reads them, as bytes to send or as values. */
import type { RegistryEntry } from "../entry";
import { keyOf, lowHalfOf, slotOf } from "./document-key";
import { type EntrySections, endingAt, HEAD_BYTES, type Snapshot, textBytesAt, UNIT_BYTES } from "./open";
import { dateOfDay } from "./start-date";

/** The address of the entry of a number with 9 or 11 digits; undefined if the snapshot does not have it. */
export function findAddress(snapshot: Snapshot, digits: string): number | undefined {
	return findAddressOfKey(snapshot, keyOf(digits));
}

export function findAddressOfKey({ entries, slots }: Snapshot, key: number): number | undefined {
	const mask = slots.length / 2 - 1;
	const low = lowHalfOf(key);
	let slot = slotOf(key, mask);
	// A table is at most half full, but a damaged one may have no empty slot left.
	for (let left = mask; left >= 0; left--) {
		const held = slots[2 * slot] ?? 0;
		if (held === 0) return undefined;
		// The half key in the slot rules out most others without a look at their entries, which are not in any cache.
		if (slots[2 * slot + 1] === low && entries.keys[held - 1] === key) return held - 1;
		slot = (slot + 1) & mask;
	}
	return undefined;
}

export function countRowsBefore(snapshot: Snapshot, key: number): number {
	const { keys } = snapshot;
	let low = 0;
	let high = keys.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((keys[middle] ?? 0) < key) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** When the taxpayer started to operate, as a date; undefined if unknown. */
export function startedOnOf(snapshot: Snapshot, key: number): string | undefined {
	const row = countRowsBefore(snapshot, key);
	return snapshot.keys[row] === key ? dateOfDay(snapshot.startDays[row] ?? 0) : undefined;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Far above the length of any line of a source. A damaged length could otherwise allocate gigabytes. Units: bytes. */
const SIZE_MAX = 1 << 20;

/** The JSON of the entry at an address, `payment_regime` last; written into `buffer` if given. */
export function entryBytesAt(snapshot: EntrySections, address: number, buffer?: ResponseBuffer): Buffer<ArrayBuffer> {
	const { entries, endingStarts } = snapshot;
	const ending = endingAt(entries, address);
	const endingTo = endingStarts[ending + 1] ?? 0;
	const size = checkSize(textBytesAt(entries, address) + endingTo - (endingStarts[ending] ?? 0));
	const bytes = buffer ? buffer.take(size) : Buffer.allocUnsafe(size);
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

/** Copies a row's item into `target`, which must have space for it; returns where the item ends. */
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

export function entryAt(snapshot: EntrySections, row: number): RegistryEntry {
	return readEntry(snapshot, snapshot.entryStarts[row] ?? 0);
}

export function lookupEntry(snapshot: Snapshot, digits: string): RegistryEntry | undefined {
	const address = findAddress(snapshot, digits);
	return address === undefined ? undefined : readEntry(snapshot, address);
}

function readEntry(snapshot: EntrySections, address: number): RegistryEntry {
	return JSON.parse(entryBytesAt(snapshot, address, readingBuffer).toString()) as RegistryEntry;
}

/** Memory that successive answers are written into. Allocating it for each answer would cost more than the answer. */

export type ResponseBuffer = {
	/** Returns `size` bytes that are valid until the next call. The caller must use them before other code runs. */
	readonly take: (size: number) => Buffer<ArrayBuffer>;
};

/** Few entries are longer; shorter lengths get a cached view each. Units: bytes. */
const VIEWS_BYTES_MAX = 1_024;

/** Requests above `bytesMax` get memory of their own. */
export function createResponseBuffer(bytesMax: number): ResponseBuffer {
	const bytes = Buffer.alloc(bytesMax);
	const views: Buffer<ArrayBuffer>[] = [];
	return {
		take: (size) => {
			if (size > bytesMax) return Buffer.allocUnsafe(size);
			if (size > VIEWS_BYTES_MAX) return bytes.subarray(0, size);
			const view = views[size] ?? bytes.subarray(0, size);
			views[size] = view;
			return view;
		},
	};
}

/** For entries that are parsed at once. */
const readingBuffer = createResponseBuffer(VIEWS_BYTES_MAX);
