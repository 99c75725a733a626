/**
 * The hash table over the keys, filled and verified; format.ts tells what it holds.
 *
 * A key's place is nowhere near the one before it, so nearly every look at the table is one at memory that no cache holds. The first slots of a
 * whole batch of keys are therefore read before the first of them is needed: the processor fetches them side by side, where it would wait
 * for one after another.
 */
import type { EntryColumns } from "./columns";
import { digitsOf, lowHalfOf, slotOf } from "./document-key";
import type { EntrySections } from "./open";
import { runSeldom } from "./run-seldom";

const BATCH = 64;

/** The table of the rows' `addresses`. Throws: RangeError for keys that do not ascend. */
export function fillSlots({ keys }: Pick<EntryColumns, "keys">, addresses: Uint32Array): Uint32Array {
	const size = 2 ** Math.max(3, Math.ceil(Math.log2(keys.length * 2)));
	// Written to from front to back first: a fresh page that is read before it is written to costs the system twice.
	const slots = new Uint32Array(2 * size).fill(0);
	const firsts = new Int32Array(BATCH + 1);
	for (let from = 0; from < keys.length; from += BATCH) {
		const to = Math.min(from + BATCH, keys.length);
		readFirsts(slots, keys, from, to, firsts);
		for (let row = from; row < to; row++) {
			const key = keys[row] ?? 0;
			if (row > 0 && (keys[row - 1] ?? 0) >= key)
				throw new RangeError(`${digitsOf(key)} of the snapshot is out of order`);
			let slot = firsts[row - from] ?? 0;
			while (slots[2 * slot] !== 0) slot = (slot + 1) & (size - 1);
			slots[2 * slot] = (addresses[row] ?? 0) + 1;
			slots[2 * slot + 1] = lowHalfOf(key);
		}
	}
	return slots;
}

/** Whether the table leads to every row's entry, and holds nothing else. */
export function isHashTable({ keys, slots, entryStarts }: EntrySections): boolean {
	const mask = slots.length / 2 - 1;
	if (countHeld(slots) !== keys.length) return false;
	const firsts = new Int32Array(BATCH + 1);
	for (let from = 0; from < keys.length; from += BATCH) {
		const to = Math.min(from + BATCH, keys.length);
		readFirsts(slots, keys, from, to, firsts);
		for (let row = from; row < to; row++) {
			const wanted = (entryStarts[row] ?? 0) + 1;
			let slot = firsts[row - from] ?? 0;
			while (slots[2 * slot] !== 0 && slots[2 * slot] !== wanted) slot = (slot + 1) & mask;
			if (slots[2 * slot] !== wanted || slots[2 * slot + 1] !== lowHalfOf(keys[row] ?? 0)) return false;
		}
	}
	return true;
}

/** Tells in `firsts` where the search for each key of the batch begins, and reads there; what was read goes behind them. */
function readFirsts(slots: Uint32Array, keys: Float64Array, from: number, to: number, firsts: Int32Array): void {
	const mask = slots.length / 2 - 1;
	let read = 0;
	for (let row = from; row < to; row++) {
		const slot = slotOf(keys[row] ?? 0, mask);
		firsts[row - from] = slot;
		read |= slots[2 * slot] ?? 0;
	}
	// Kept, for what nobody uses is not read.
	firsts[BATCH] = read;
}

function countHeld(slots: Uint32Array): number {
	let held = 0;
	for (let i = 0; i < slots.length; i += 2) if (slots[i] !== 0) held++;
	return held;
}

runSeldom(fillSlots, isHashTable, countHeld);
