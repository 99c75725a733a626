/** What all secrets of the service have in common: the word of their environment, their digest, how two are compared. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Environment } from "../../platform/values";

/** The word in keys (`ak_test_…`), client secrets (`cs_test_…`) and refresh tokens (`rt_test_…`). */
export const ENVIRONMENT_WORDS = {
	production: "live",
	staging: "stg",
	sandbox: "test",
	"public-sandbox": "demo",
} as const satisfies Record<Environment, string>;

/** A new random refresh token; base62 of 256 bits. */
export function makeRefreshToken(environment: Environment): string {
	return `rt_${ENVIRONMENT_WORDS[environment]}_${randomBase62(43)}`;
}

/** The form of an environment's refresh tokens: other text is not looked up. */
export function refreshTokenForm(environment: Environment): RegExp {
	return new RegExp(`^rt_${ENVIRONMENT_WORDS[environment]}_[0-9A-Za-z]{43}$`);
}

/** SHA-256. A plain hash suffices: our secrets carry 130 bits and more, so guessing one from its digest is hopeless. */
export function digestOf(secret: string): Buffer {
	return Buffer.from(Bun.SHA256.hash(secret).buffer);
}

/** The same as hex text, for the key of a map. */
export function hexDigestOf(secret: string): string {
	return Bun.SHA256.hash(secret, "hex");
}

/** What an unknown secret is compared with, so that it takes as long as a known one. */
const NO_DIGEST = Buffer.alloc(32);

/** Compares in a time that tells nothing about either; an absent expectation is compared too, and never equal. */
export function digestsEqual(expected: Uint8Array | undefined, got: Uint8Array): boolean {
	const isEqual = timingSafeEqual(expected ?? NO_DIGEST, got);
	return expected !== undefined && isEqual;
}

/** Digits of secrets that people copy by hand: letters and figures only, so that a double click selects the whole. */

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
