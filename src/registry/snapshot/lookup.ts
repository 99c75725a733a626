/** Finds entries by document number. */
import { keyOf, slotOf } from "./document-key";
import type { Snapshot } from "./open";

/** The address of the entry of a number of 9 or 11 digits; undefined when the snapshot does not have it. */
export function findAddress(snapshot: Snapshot, digits: string): number | undefined {
	return findAddressOfKey(snapshot, keyOf(digits));
}

export function findAddressOfKey({ entries, slots }: Snapshot, key: number): number | undefined {
	const { keys } = entries;
	const mask = slots.length - 1;
	for (let slot = slotOf(key, mask); ; slot = (slot + 1) & mask) {
		const held = slots[slot] ?? 0;
		if (held === 0) return undefined;
		if (keys[held - 1] === key) return held - 1;
	}
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
