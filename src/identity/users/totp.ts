/** Codes of authenticator apps. Source: RFC 6238 and RFC 4226, with the parameters that all apps support: SHA-1, six digits, 30 seconds. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const STEP_MS = 30_000;
const DIGITS = 6;
/** Source: RFC 4226, 4: a shared secret of 160 bits is recommended. */
const SECRET_BYTES = 20;
/** Steps before and after the present one that are accepted, for clocks that are apart. Source: RFC 6238, 5.2. */
const STEPS_APART = 1;
const CODE_PATTERN = /^\d{6}$/;

export function makeTotpSecret(): Buffer {
	return randomBytes(SECRET_BYTES);
}

/**
 * The step of a code's validity; undefined for a wrong code. A code works once: steps up to `lastStep`, the last one accepted, are refused.
 * `code` may contain spaces, as apps show it.
 */
export function checkTotp(secret: Uint8Array, code: string, atMs: number, lastStep = -1): number | undefined {
	const typed = code.replace(/\s/g, "");
	if (!CODE_PATTERN.test(typed)) return undefined;
	const now = Math.floor(atMs / STEP_MS);
	let accepted: number | undefined;
	for (let step = now - STEPS_APART; step <= now + STEPS_APART; step++) {
		const fits = timingSafeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(typed));
		if (fits && step > lastStep) accepted ??= step;
	}
	return accepted;
}

/** The code of a step. Source: RFC 4226, 5.3. */
export function codeAt(secret: Uint8Array, step: number): string {
	const counter = Buffer.alloc(8);
	counter.writeBigUInt64BE(BigInt(Math.max(0, step)));
	const mac = createHmac("sha1", secret).update(counter).digest();
	const offset = (mac.at(-1) ?? 0) & 0xf;
	const value = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff;
	return String(value % 10 ** DIGITS).padStart(DIGITS, "0");
}

/** What an authenticator app reads from a QR code. Source: Key Uri Format of Google Authenticator, which all apps follow. */
export function toTotpUri({
	secret,
	account,
	issuer,
}: {
	secret: Uint8Array;
	account: string;
	issuer: string;
}): string {
	const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
	return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Without padding. Source: RFC 4648, 6. */
export function toBase32(bytes: Uint8Array): string {
	let text = "";
	let bits = 0;
	let held = 0;
	for (const byte of bytes) {
		held = ((held << 8) | byte) & 0xf_ff;
		bits += 8;
		while (bits >= 5) {
			bits -= 5;
			text += BASE32.charAt((held >> bits) & 31);
		}
	}
	return bits > 0 ? text + BASE32.charAt((held << (5 - bits)) & 31) : text;
}

/** Undefined for what is not base32. Case and spaces do not count: some apps show groups. */
export function fromBase32(text: string): Buffer | undefined {
	const digits = text.toUpperCase().replace(/\s/g, "");
	if (!/^[A-Z2-7]+$/.test(digits)) return undefined;
	const bytes: number[] = [];
	let bits = 0;
	let held = 0;
	for (const digit of digits) {
		held = ((held << 5) | BASE32.indexOf(digit)) & 0xf_ff;
		bits += 5;
		if (bits < 8) continue;
		bits -= 8;
		bytes.push((held >> bits) & 0xff);
	}
	return Buffer.from(bytes);
}
