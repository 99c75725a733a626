/** Finds entries by document number. */
import { keyOf, lowHalfOf, slotOf } from "./document-key";
import type { Snapshot } from "./open";

/** The address of the entry of a number of 9 or 11 digits; undefined when the snapshot does not have it. */
export function findAddress(snapshot: Snapshot, digits: string): number | undefined {
	return findAddressOfKey(snapshot, keyOf(digits));
}

export function findAddressOfKey({ entries, slots }: Snapshot, key: number): number | undefined {
	const mask = slots.length / 2 - 1;
	const low = lowHalfOf(key);
	let slot = slotOf(key, mask);
	// A table is at most half full, but one that a disk has damaged may have no empty slot left.
	for (let left = mask; left >= 0; left--) {
		const held = slots[2 * slot] ?? 0;
		if (held === 0) return undefined;
		// The slot's own half tells most others apart without a look at their entries, each of which is a place that no cache holds.
		if (slots[2 * slot + 1] === low && entries.keys[held - 1] === key) return held - 1;
		slot = (slot + 1) & mask;
	}
	return undefined;
}

/** How many rows stand before this key. */
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
