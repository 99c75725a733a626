/**
 * Document numbers as numbers that sort as their texts do: the digits filled up to eleven with zeros, doubled, plus one when there were
 * eleven. `131880681` becomes 13188068100 × 2, `13188068100` the same plus one: the shorter text stands first.
 */

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
