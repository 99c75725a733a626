/** Digits of secrets that people copy by hand: letters and figures only, so that a double click selects the whole. */
import { randomBytes } from "node:crypto";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Random text; each character carries 5.95 bits. */
export function randomBase62(length: number): string {
	let text = "";
	while (text.length < length) {
		for (const byte of randomBytes(length)) {
			// 248 is the last multiple of 62 in a byte: taking more would favour the first digits.
			if (byte < 248 && text.length < length) text += DIGITS.charAt(byte % 62);
		}
	}
	return text;
}

/** A non-negative integer with leading zeros. */
export function toBase62(value: number, width: number): string {
	let text = "";
	for (let rest = value; text.length < width; rest = Math.floor(rest / 62)) text = DIGITS.charAt(rest % 62) + text;
	return text;
}
