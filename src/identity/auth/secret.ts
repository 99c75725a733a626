/** What all secrets share: their environment's word, their digest and their comparison. */
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

/** SHA-256. A plain hash suffices, because our secrets have 130 bits and more and cannot be guessed. */
export function digestOf(secret: string): Buffer {
	return Buffer.from(Bun.SHA256.hash(secret).buffer);
}

/** The same in hex, as a map key. */
export function hexDigestOf(secret: string): string {
	return Bun.SHA256.hash(secret, "hex");
}

/** Compared with an unknown secret, so that it takes as long as a known one. */
const NO_DIGEST = Buffer.alloc(32);

/** Compares in constant time; an absent expectation is compared too, and is never equal. */
export function digestsEqual(expected: Uint8Array | undefined, got: Uint8Array): boolean {
	const isEqual = timingSafeEqual(expected ?? NO_DIGEST, got);
	return expected !== undefined && isEqual;
}

/** Alphabet of secrets that people copy by hand: a double click selects letters and digits as one word. */

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Random text; each character carries 5.95 bits. */
export function randomBase62(length: number): string {
	let text = "";
	while (text.length < length) {
		for (const byte of randomBytes(length)) {
			// 248 is the last multiple of 62 in a byte; beyond it, the first digits would be more frequent.
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
