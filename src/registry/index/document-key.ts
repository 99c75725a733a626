/**
 * Document numbers as numbers that sort as their texts do: the digits filled up to eleven with zeros, doubled, plus one when there were
 * eleven. `131880681` becomes 13188068100 × 2, `13188068100` the same plus one: the shorter text stands first.
 */

import { markCold } from "./cold-code";
import type { EntrySections } from "./open";

const NINE_DIGITS = 200;
const ZERO = 0x30;
const NINE = 0x39;
const HYPHEN = 0x2d;
const SPACE = 0x20;

/** Every key is below. */
export const KEY_BOUND = 2 * 10 ** 11;

/** No number comes behind it. */
export const LAST_DOCUMENT = "99999999999";

/** The key of a number of 9 or 11 digits. */
export function keyOf(digits: string): number {
	return keyOfValue(Number(digits), digits.length);
}

/** The same from the number's value and how many digits it is written with. */
export function keyOfValue(value: number, digits: number): number {
	return digits === 9 ? value * NINE_DIGITS : value * 2 + 1;
}

/**
 * The key of a number as it may be written, hyphens and spaces anywhere; NaN unless 9 or 11 digits remain. The same rule as that of
 * `values`, in one pass and without a text.
 */
export function keyOfWritten(text: string): number {
	let value = 0;
	let digits = 0;
	for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i);
		if (code === HYPHEN || code === SPACE) continue;
		if (code < ZERO || code > NINE || ++digits > 11) return Number.NaN;
		value = value * 10 + code - ZERO;
	}
	return digits === 9 || digits === 11 ? keyOfValue(value, digits) : Number.NaN;
}

/** Writes the digits of a key; answers how many. */
export function writeDigits(key: number, target: Uint8Array, at: number): number {
	const length = countDigits(key);
	// Two halves that fit into 32 bits, where whole division is cheap.
	const value = numberOf(key);
	const high = Math.floor(value / 1e6);
	writeHalf(value - high * 1e6, target, at + length - 6, 6);
	writeHalf(high, target, at, length - 6);
	return length;
}

function writeHalf(value: number, target: Uint8Array, at: number, length: number): void {
	let rest = value | 0;
	for (let i = at + length - 1; i >= at; i--) {
		const tenth = (rest / 10) | 0;
		target[i] = ZERO + rest - tenth * 10;
		rest = tenth;
	}
}

export function isElevenDigits(key: number): boolean {
	// The remainder of numbers beyond 32 bits would be computed digit by digit.
	return Math.floor(key / 2) * 2 !== key;
}

export const countDigits = (key: number): number => (isElevenDigits(key) ? 11 : 9);

function numberOf(key: number): number {
	return isElevenDigits(key) ? (key - 1) / 2 : key / NINE_DIGITS;
}

export function digitsOf(key: number): string {
	return String(numberOf(key)).padStart(isElevenDigits(key) ? 11 : 9, "0");
}

/** The keys of all numbers that begin with these digits: from the first up to, not including, the second. */
export function keyRangeOf(prefix: string): readonly [number, number] {
	if (prefix.length > 11) return [0, 0];
	const unit = 2 * 10 ** (11 - prefix.length);
	// A number of 9 digits does not begin with 10, though the fill makes its key the same.
	return [Number(prefix) * unit + (prefix.length > 9 ? 1 : 0), (Number(prefix) + 1) * unit];
}

/** The lower 32 bits of a key. */
export function lowHalfOf(key: number): number {
	return key - Math.floor(key / 2 ** 32) * 2 ** 32;
}

/** Where a key's search in a table of `mask + 1` slots begins. */
export function slotOf(key: number, mask: number): number {
	const high = (key / 2 ** 32) | 0;
	// The low 32 bits by way of a signed number: the processor turns no larger one into an integer.
	const low = ((key - high * 2 ** 32 - 2 ** 31) | 0) ^ -(2 ** 31);
	let hash = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
	return (hash ^ (hash >>> 16)) & mask;
}

/**
 * The hash table over the keys, filled and verified; format.ts tells what it holds.
 *
 * A key's place is nowhere near the one before it, so nearly every look at the table is one at memory that no cache holds. The first slots of a
 * whole batch of keys are therefore read before the first of them is needed: the processor fetches them side by side, where it would wait
 * for one after another.
 */

const BATCH = 64;

/** The table of the rows' `addresses`. Throws: RangeError for keys that do not ascend. */
export function fillSlots({ keys }: { readonly keys: Float64Array }, addresses: Uint32Array): Uint32Array {
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

markCold(fillSlots, isHashTable, countHeld);
