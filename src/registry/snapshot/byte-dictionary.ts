/** Numbers distinct byte strings in the order in which they turn up. */
import { grownBytes, grownNumbers } from "./growing";

export type ByteDictionary = {
	/** The number of `source[from … to)`, a new one when it was never seen. */
	readonly intern: (source: Uint8Array, from: number, to: number) => number;
	readonly size: () => number;
	/** String `id` is `bytes[starts[id] … starts[id + 1])`. */
	readonly content: () => { readonly bytes: Uint8Array; readonly starts: Uint32Array };
};

export function createByteDictionary(): ByteDictionary {
	let slots: Int32Array = new Int32Array(1 << 12);
	let hashes: Int32Array = new Int32Array(1 << 10);
	let starts: Uint32Array = new Uint32Array(1 << 10);
	let bytes: Uint8Array = new Uint8Array(1 << 14);
	let size = 0;

	const growSlots = () => {
		slots = new Int32Array(slots.length * 2);
		const mask = slots.length - 1;
		for (let id = 0; id < size; id++) {
			let slot = (hashes[id] ?? 0) & mask;
			while (slots[slot] !== 0) slot = (slot + 1) & mask;
			slots[slot] = id + 1;
		}
	};
	const append = (source: Uint8Array, from: number, to: number, hash: number, slot: number): number => {
		const id = size++;
		const start = starts[id] ?? 0;
		const end = start + to - from;
		if (size === hashes.length) {
			const grown = new Int32Array(hashes.length * 2);
			grown.set(hashes);
			hashes = grown;
			starts = grownNumbers(starts, hashes.length + 1);
		}
		bytes = grownBytes(bytes, end);
		bytes.set(source.subarray(from, to), start);
		hashes[id] = hash;
		starts[id + 1] = end;
		slots[slot] = id + 1;
		if (size * 2 > slots.length) growSlots();
		return id;
	};
	return {
		intern: (source, from, to) => {
			const hash = hashOf(source, from, to);
			const knownSlots = slots;
			const knownHashes = hashes;
			const mask = knownSlots.length - 1;
			let slot = hash & mask;
			for (let held = knownSlots[slot] ?? 0; held !== 0; held = knownSlots[slot] ?? 0) {
				if (knownHashes[held - 1] === hash) {
					const start = starts[held - 1] ?? 0;
					if (isEqual(bytes, start, starts[held] ?? 0, source, from, to)) return held - 1;
				}
				slot = (slot + 1) & mask;
			}
			return append(source, from, to, hash, slot);
		},
		size: () => size,
		content: () => ({ bytes: bytes.subarray(0, starts[size] ?? 0), starts: starts.subarray(0, size + 1) }),
	};
}

/** Of longer strings only so many bytes at either end are hashed: they differ there, or their length does, or they are compared. */
const HASHED_END = 8;

/** FNV-1a, kept a signed integer of 32 bits: an unsigned one would be computed in floating point. */
function hashOf(source: Uint8Array, from: number, to: number): number {
	let hash = (0x811c9dc5 ^ (to - from)) | 0;
	if (to - from <= 2 * HASHED_END) {
		for (let i = from; i < to; i++) hash = Math.imul(hash ^ (source[i] ?? 0), 0x01000193);
	} else {
		for (let i = from; i < from + HASHED_END; i++) hash = Math.imul(hash ^ (source[i] ?? 0), 0x01000193);
		for (let i = to - HASHED_END; i < to; i++) hash = Math.imul(hash ^ (source[i] ?? 0), 0x01000193);
	}
	return hash ^ (hash >>> 15);
}

function isEqual(a: Uint8Array, aFrom: number, aTo: number, b: Uint8Array, bFrom: number, bTo: number): boolean {
	if (aTo - aFrom !== bTo - bFrom) return false;
	for (let i = aFrom, j = bFrom; i < aTo; i++, j++) if (a[i] !== b[j]) return false;
	return true;
}
