/**
 * Numbers distinct byte strings in order of appearance. It runs for every word of every entry, so it works on four-byte integers instead of
 * bytes:
 *
 *   staging   the string to look up, padded with zeros to a multiple of four
 *   content   the known strings, one after another, padded alike
 *   slots     open-addressed hash table, four numbers per slot in one cache line: id + 1 (0 if empty), hash,
 *             length in bytes, offset in `content`; at most half full
 */
import { markCold } from "../../index/index";

export type ByteDictionary = {
	/**
	 * The number of the string written to the staging area; a new one if it is unknown. `hash` is `mixHash` applied to `HASH_SEED` and the
	 * string's integers in turn, which the writer has at hand.
	 */
	readonly internStaged: (length: number, hash: number) => number;
	/** Where to write a string of at most `lengthMax` bytes before `internStaged`: four bytes per integer, lowest first. Valid until the next call. */
	readonly stage: (lengthMax: number) => Int32Array;
	/** The number of `source[from … to)`; a new one if it is unknown. */
	readonly intern: (source: Uint8Array, from: number, to: number) => number;
	/** The number of three integers, as one string of twelve bytes. */
	readonly internNumbers: (first: number, second: number, third: number) => number;
	readonly size: () => number;
	/** String `id` is `bytes[starts[id] … starts[id + 1])`. */
	readonly content: () => { readonly bytes: Uint8Array; readonly starts: Uint32Array };
};

const WORD_BYTES = 4;
const SLOT_BITS = 2;
const SLOT_NUMBERS = 1 << SLOT_BITS;

export function createByteDictionary(): ByteDictionary {
	let staging: Int32Array = new Int32Array(1 << 6);
	let content: Int32Array = new Int32Array(1 << 12);
	let contentEnd = 0;
	let slots: Int32Array = new Int32Array(SLOT_NUMBERS << 11);
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
	const stage = (lengthMax: number): Int32Array => {
		staging = grownIntegers(staging, countWords(lengthMax));
		return staging;
	};
	const internStaged = (length: number, mixed: number): number => {
		const wanted = staging;
		const words = countWords(length);
		const hash = finishHash(mixed, length);
		const known = slots;
		const mask = known.length - 1;
		let slot = (hash << SLOT_BITS) & mask;
		for (let held = known[slot] ?? 0; held !== 0; held = known[slot] ?? 0) {
			if (known[slot + 1] === hash && known[slot + 2] === length) {
				if (isEqual(content, known[slot + 3] ?? 0, wanted, words)) return held - 1;
			}
			slot = (slot + SLOT_NUMBERS) & mask;
		}
		return append(length, words, hash, slot);
	};
	/** The same for a staged string that has not been hashed yet. */
	const internWritten = (length: number): number => {
		let hash = HASH_SEED;
		for (let i = 0; i < countWords(length); i++) hash = mixHash(hash, staging[i] ?? 0);
		return internStaged(length, hash);
	};
	return {
		stage,
		internStaged,
		intern: (source, from, to) => {
			const target = stage(to - from).fill(0, 0, countWords(to - from));
			for (let i = from, j = 0; i < to; i++, j++)
				target[j >>> 2] = (target[j >>> 2] ?? 0) | ((source[i] ?? 0) << ((j & 3) * 8));
			return internWritten(to - from);
		},
		internNumbers: (first, second, third) => {
			staging[0] = first;
			staging[1] = second;
			staging[2] = third;
			return internWritten(3 * WORD_BYTES);
		},
		size: () => size,
		content: () => unpad(content, lengths.subarray(0, size)),
	};
}

export const HASH_SEED = 0x2545f491;

/** Adds four bytes to a hash. The result stays a signed 32-bit integer, because an unsigned one would be computed in floating point. */
export function mixHash(hash: number, word: number): number {
	const mixed = Math.imul(hash ^ word, 0x85ebca6b);
	return mixed ^ (mixed >>> 15);
}

function finishHash(mixed: number, length: number): number {
	const hash = Math.imul(mixed ^ length, 0xc2b2ae35);
	return hash ^ (hash >>> 16);
}

function countWords(length: number): number {
	return (length + WORD_BYTES - 1) >>> 2;
}

function isEqual(content: Int32Array, start: number, staging: Int32Array, words: number): boolean {
	for (let i = 0; i < words; i++) if (content[start + i] !== staging[i]) return false;
	return true;
}

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

markCold(unpad);

export function grownBytes(bytes: Uint8Array<ArrayBuffer>, needed: number): Uint8Array<ArrayBuffer> {
	if (needed <= bytes.length) return bytes;
	const grown = new Uint8Array(Math.max(needed, bytes.length * 2));
	grown.set(bytes);
	return grown;
}

export function grownNumbers(numbers: Uint32Array, needed: number): Uint32Array {
	if (needed <= numbers.length) return numbers;
	const grown = new Uint32Array(Math.max(needed, numbers.length * 2));
	grown.set(numbers);
	return grown;
}

export function grownKeys(keys: Float64Array, needed: number): Float64Array {
	if (needed <= keys.length) return keys;
	const grown = new Float64Array(Math.max(needed, keys.length * 2));
	grown.set(keys);
	return grown;
}

function grownIntegers(numbers: Int32Array, needed: number): Int32Array {
	if (needed <= numbers.length) return numbers;
	const grown = new Int32Array(Math.max(needed, numbers.length * 2));
	grown.set(numbers);
	return grown;
}
