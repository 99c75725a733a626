/**
 * Numbers distinct byte strings in the order in which they turn up.
 *
 * This is asked for every word of every entry, so it works on whole numbers of four bytes, not on bytes:
 *
 *   staging   the string that is asked for, filled up with zeros to a multiple of four
 *   content   the strings that are known, one behind another, filled up alike
 *   slots     open-addressed hash table, four numbers a slot in one line of the processor's cache: id + 1 (0 where empty), hash,
 *             length in bytes, place in `content`; at most half full
 */

import { grownIntegers, grownNumbers } from "./growing";
import { runSeldom } from "./run-seldom";

export type ByteDictionary = {
	/** The number of the string that `stage` was given the room for and that was written there, a new one when it was never seen. */
	readonly internStaged: (length: number) => number;
	/** Where to write a string of at most so many bytes before `internStaged`; good until the next call. */
	readonly stage: (lengthMax: number) => Uint8Array;
	/** The number of `source[from … to)`, a new one when it was never seen. */
	readonly intern: (source: Uint8Array, from: number, to: number) => number;
	/** The number of three numbers, each a string of four bytes. */
	readonly internNumbers: (first: number, second: number, third: number) => number;
	readonly size: () => number;
	/** String `id` is `bytes[starts[id] … starts[id + 1])`. */
	readonly content: () => { readonly bytes: Uint8Array; readonly starts: Uint32Array };
};

const WORD_BYTES = 4;
const SLOT_BITS = 2;
const SLOT_NUMBERS = 1 << SLOT_BITS;

export function createByteDictionary(): ByteDictionary {
	let stagingBytes = new Uint8Array(1 << 8);
	let staging = new Int32Array(stagingBytes.buffer);
	let content: Int32Array = new Int32Array(1 << 12);
	let contentEnd = 0;
	let slots: Int32Array = new Int32Array(SLOT_NUMBERS << 11);
	/** Number → length in bytes. */
	let lengths: Uint32Array = new Uint32Array(1 << 10);
	let size = 0;

	const growSlots = () => {
		const grown = new Int32Array(slots.length * 2);
		const mask = grown.length - 1;
		for (let from = 0; from < slots.length; from += SLOT_NUMBERS) {
			if (slots[from] === 0) continue;
			let slot = ((slots[from + 1] ?? 0) << SLOT_BITS) & mask;
			while (grown[slot] !== 0) slot = (slot + SLOT_NUMBERS) & mask;
			for (let i = 0; i < SLOT_NUMBERS; i++) grown[slot + i] = slots[from + i] ?? 0;
		}
		slots = grown;
	};
	const append = (length: number, words: number, hash: number, slot: number): number => {
		const id = size++;
		content = grownIntegers(content, contentEnd + words);
		content.set(staging.subarray(0, words), contentEnd);
		if (size > lengths.length) lengths = grownNumbers(lengths, size);
		lengths[id] = length;
		slots[slot] = size;
		slots[slot + 1] = hash;
		slots[slot + 2] = length;
		slots[slot + 3] = contentEnd;
		contentEnd += words;
		if (size * 2 * SLOT_NUMBERS > slots.length) growSlots();
		return id;
	};
	const stage = (lengthMax: number): Uint8Array => {
		// One word more, so that zeros fit behind the longest string.
		if (lengthMax + WORD_BYTES > stagingBytes.length) {
			stagingBytes = new Uint8Array(2 ** Math.ceil(Math.log2(lengthMax + WORD_BYTES)));
			staging = new Int32Array(stagingBytes.buffer);
		}
		return stagingBytes;
	};
	const internStaged = (length: number): number => {
		const asked = staging;
		const words = (length + WORD_BYTES - 1) >>> 2;
		// What is left of a longer string before this one stands behind its last byte.
		if ((length & 3) !== 0) asked[words - 1] = (asked[words - 1] ?? 0) & ((1 << ((length & 3) * 8)) - 1);
		const hash = hashOf(asked, words, length);
		const known = slots;
		const mask = known.length - 1;
		let slot = (hash << SLOT_BITS) & mask;
		for (let held = known[slot] ?? 0; held !== 0; held = known[slot] ?? 0) {
			if (known[slot + 1] === hash && known[slot + 2] === length) {
				if (isEqual(content, known[slot + 3] ?? 0, asked, words)) return held - 1;
			}
			slot = (slot + SLOT_NUMBERS) & mask;
		}
		return append(length, words, hash, slot);
	};
	return {
		stage,
		internStaged,
		intern: (source, from, to) => {
			const target = stage(to - from);
			for (let i = from, j = 0; i < to; i++, j++) target[j] = source[i] ?? 0;
			return internStaged(to - from);
		},
		internNumbers: (first, second, third) => {
			staging[0] = first;
			staging[1] = second;
			staging[2] = third;
			return internStaged(3 * WORD_BYTES);
		},
		size: () => size,
		content: () => unpad(content, lengths.subarray(0, size)),
	};
}

/** Kept a signed integer of 32 bits: an unsigned one would be computed in floating point. */
function hashOf(staging: Int32Array, words: number, length: number): number {
	let hash = Math.imul(length, 0x9e3779b1);
	for (let i = 0; i < words; i++) {
		hash = Math.imul(hash ^ (staging[i] ?? 0), 0x85ebca6b);
		hash ^= hash >>> 15;
	}
	hash = Math.imul(hash, 0xc2b2ae35);
	return hash ^ (hash >>> 16);
}

function isEqual(content: Int32Array, start: number, staging: Int32Array, words: number): boolean {
	for (let i = 0; i < words; i++) if (content[start + i] !== staging[i]) return false;
	return true;
}

/** The strings without what fills them up. */
function unpad(content: Int32Array, lengths: Uint32Array) {
	const padded = new Uint8Array(content.buffer);
	const starts = new Uint32Array(lengths.length + 1);
	for (let id = 0; id < lengths.length; id++) starts[id + 1] = (starts[id] ?? 0) + (lengths[id] ?? 0);
	const bytes = new Uint8Array(starts[lengths.length] ?? 0);
	let from = 0;
	for (let id = 0; id < lengths.length; id++) {
		const length = lengths[id] ?? 0;
		const start = starts[id] ?? 0;
		for (let i = 0; i < length; i++) bytes[start + i] = padded[from + i] ?? 0;
		from += (length + WORD_BYTES - 1) & -WORD_BYTES;
	}
	return { bytes, starts };
}

runSeldom(unpad);
