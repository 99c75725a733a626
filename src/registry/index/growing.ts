/** Typed arrays that grow: the builder does not know beforehand how much there will be. */

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

export function grownIntegers(numbers: Int32Array, needed: number): Int32Array {
	if (needed <= numbers.length) return numbers;
	const grown = new Int32Array(Math.max(needed, numbers.length * 2));
	grown.set(numbers);
	return grown;
}
