/**
 * Document numbers as numbers that sort like their texts: the digits padded with zeros to eleven, doubled, plus one if there were eleven.
 * `131880681` becomes 13188068100 × 2, and `13188068100` becomes the same plus one, so the shorter text comes first.
 */

import { markCold } from "./cold-code";
import type { EntrySections } from "./open";

const NINE_DIGITS = 200;
const ZERO = 0x30;
const NINE = 0x39;
const HYPHEN = 0x2d;
const SPACE = 0x20;

export const KEY_BOUND = 2 * 10 ** 11;

/** No number sorts after it. */
export const LAST_DOCUMENT = "99999999999";

export function keyOf(digits: string): number {
	return keyOfValue(Number(digits), digits.length);
}

/** The same, from the number's value and its count of digits. */
export function keyOfValue(value: number, digits: number): number {
	return digits === 9 ? value * NINE_DIGITS : value * 2 + 1;
}

/**
 * The key of a number as written, with hyphens and spaces anywhere; NaN unless 9 or 11 digits remain. The same rule as
 * `parseTaxpayerDocument`, in one pass and without a new string.
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

/** Writes the digits of a key; returns how many. */
export function writeDigits(key: number, target: Uint8Array, at: number): number {
	const length = countDigits(key);
	// Two halves that fit into 32 bits, where integer division is cheap.
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
	// The remainder of a number beyond 32 bits would be computed digit by digit.
	return Math.floor(key / 2) * 2 !== key;
}

export const countDigits = (key: number): number => (isElevenDigits(key) ? 11 : 9);

function numberOf(key: number): number {
	return isElevenDigits(key) ? (key - 1) / 2 : key / NINE_DIGITS;
}

export function digitsOf(key: number): string {
	return String(numberOf(key)).padStart(isElevenDigits(key) ? 11 : 9, "0");
}

/** The keys of all numbers that start with these digits, as a half-open range. */
export function keyRangeOf(prefix: string): readonly [number, number] {
	if (prefix.length > 11) return [0, 0];
	const unit = 2 * 10 ** (11 - prefix.length);
	// A number of 9 digits does not start with 10 digits, although the padding gives both the same key.
	return [Number(prefix) * unit + (prefix.length > 9 ? 1 : 0), (Number(prefix) + 1) * unit];
}

export function lowHalfOf(key: number): number {
	return key - Math.floor(key / 2 ** 32) * 2 ** 32;
}

/** Where the search for a key starts in a table of `mask + 1` slots. */
export function slotOf(key: number, mask: number): number {
	const high = (key / 2 ** 32) | 0;
	// The low 32 bits, through a signed number: the processor converts no larger number to an integer.
	const low = ((key - high * 2 ** 32 - 2 ** 31) | 0) ^ -(2 ** 31);
	let hash = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
	return (hash ^ (hash >>> 16)) & mask;
}

/**
 * Builds and verifies the hash table over the keys. Source: format.ts, section `slots`.
 *
 * Keys hash to distant slots, so nearly every access misses the cache. The code reads the first slots of a whole batch of keys up front.
 * The processor then fetches them in parallel instead of one after another.
 */

const BATCH = 64;

/** The table of the rows' `addresses`. Throws: RangeError if the keys do not ascend. */
export function fillSlots({ keys }: { readonly keys: Float64Array }, addresses: Uint32Array): Uint32Array {
	const size = 2 ** Math.max(3, Math.ceil(Math.log2(keys.length * 2)));
	// Filled sequentially first: reading a fresh page before writing it costs a second page fault.
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

/** Whether the table leads to every row's entry and holds nothing else. */
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

/** Writes to `firsts` where the search for each key of the batch starts, and reads those slots. The result goes behind them. */
function readFirsts(slots: Uint32Array, keys: Float64Array, from: number, to: number, firsts: Int32Array): void {
	const mask = slots.length / 2 - 1;
	let read = 0;
	for (let row = from; row < to; row++) {
		const slot = slotOf(keys[row] ?? 0, mask);
		firsts[row - from] = slot;
		read |= slots[2 * slot] ?? 0;
	}
	// Kept, because the compiler drops reads whose result is unused.
	firsts[BATCH] = read;
}

function countHeld(slots: Uint32Array): number {
	let held = 0;
	for (let i = 0; i < slots.length; i += 2) if (slots[i] !== 0) held++;
	return held;
}

markCold(fillSlots, isHashTable, countHeld);
