/**
 * Document numbers as numbers that sort as their texts do: the digits filled up to eleven with zeros, doubled, plus one when there were
 * eleven. `131880681` becomes 13188068100 × 2, `13188068100` the same plus one: the shorter text stands first.
 */

const NINE_DIGITS = 200;

/** Every key is below. */
export const KEY_BOUND = 2 * 10 ** 11;

/** The key of a number of 9 or 11 digits. */
export function keyOf(digits: string): number {
	return keyOfValue(Number(digits), digits.length);
}

/** The same from the number's value and how many digits it is written with. */
export function keyOfValue(value: number, digits: number): number {
	return digits === 9 ? value * NINE_DIGITS : value * 2 + 1;
}

export function isElevenDigits(key: number): boolean {
	// The remainder of numbers beyond 32 bits would be computed digit by digit.
	return Math.floor(key / 2) * 2 !== key;
}

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

/** Where a key's search in a table of `mask + 1` slots begins. */
export function slotOf(key: number, mask: number): number {
	const high = Math.floor(key / 2 ** 32);
	// The low 32 bits by way of a signed number: the processor turns no larger one into an integer.
	const low = ((key - high * 2 ** 32 - 2 ** 31) | 0) ^ -(2 ** 31);
	let hash = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
	return (hash ^ (hash >>> 16)) & mask;
}
