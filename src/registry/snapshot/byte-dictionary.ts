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
	let slots: Uint32Array = new Uint32Array(1 << 12);
	let hashes: Uint32Array = new Uint32Array(1 << 10);
	let starts: Uint32Array = new Uint32Array(1 << 10);
	let bytes: Uint8Array = new Uint8Array(1 << 14);
	let size = 0;
	let end = 0;

	const grow = () => {
		slots = new Uint32Array(slots.length * 2);
		const mask = slots.length - 1;
		for (let id = 0; id < size; id++) {
			let slot = (hashes[id] ?? 0) & mask;
			while (slots[slot] !== 0) slot = (slot + 1) & mask;
			slots[slot] = id + 1;
		}
	};
	const isAt = (id: number, source: Uint8Array, from: number, to: number): boolean => {
		const start = starts[id] ?? 0;
		const stop = id + 1 < size ? (starts[id + 1] ?? 0) : end;
		if (stop - start !== to - from) return false;
		for (let i = start, j = from; i < stop; i++, j++) if (bytes[i] !== source[j]) return false;
		return true;
	};
	return {
		intern: (source, from, to) => {
			let hash = 0x811c9dc5;
			for (let i = from; i < to; i++) hash = Math.imul(hash ^ (source[i] ?? 0), 0x01000193);
			hash = (hash ^ (hash >>> 15)) >>> 0;
			const mask = slots.length - 1;
			let slot = hash & mask;
			for (let held = slots[slot] ?? 0; held !== 0; held = slots[slot] ?? 0) {
				if (hashes[held - 1] === hash && isAt(held - 1, source, from, to)) return held - 1;
				slot = (slot + 1) & mask;
			}
			const id = size++;
			hashes = grownNumbers(hashes, size);
			starts = grownNumbers(starts, size + 1);
			bytes = grownBytes(bytes, end + to - from);
			hashes[id] = hash;
			starts[id] = end;
			for (let i = from; i < to; i++) bytes[end++] = source[i] ?? 0;
			starts[size] = end;
			slots[slot] = size;
			if (size * 2 > slots.length) grow();
			return id;
		},
		size: () => size,
		content: () => ({ bytes: bytes.subarray(0, end), starts: starts.subarray(0, size + 1) }),
	};
}
