/**
 * Consultation numbers: 15 bytes in Crockford's base32, such as `4SH000-6P04QV-A8E1ET-BP8AF1`. Nothing is stored: the number itself says
 * what was answered, and a keyed digest proves it.
 *
 *   offset  bytes  meaning
 *        0      2  day that the answer is about, in days since 2000-01-01
 *        2      3  ordinal of the ingest run
 *        5      1  outcome: 1 found, 2 inactive, 3 not found
 *        6      9  HMAC-SHA256 over the bytes before, the document and the requester; cut to 72 bits
 *
 * Source: Crockford, Base 32: no I, L, O, U; read as written by hand, so `i` and `l` are 1 and `o` is 0.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { daysBetween } from "../../platform/values";

export const OUTCOMES = ["found", "inactive", "not_found"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type Consultation = {
	/** `YYYY-MM-DD`. */
	readonly date: string;
	readonly runOrdinal: number;
	readonly outcome: Outcome;
};

/** Whom the number is bound to. Digits. */
export type Parties = { readonly document: string; readonly requester: string | undefined };

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const FIRST_DAY = "2000-01-01";
const FACTS_BYTES = 6;
const MAC_BYTES = 9;
const BITS = (FACTS_BYTES + MAC_BYTES) * 8;
const BITS_A_DIGIT = 5;

export function writeNumber(key: Uint8Array, { date, runOrdinal, outcome }: Consultation, parties: Parties): string {
	const facts = Buffer.alloc(FACTS_BYTES);
	facts.writeUInt16BE(daysBetween(FIRST_DAY, date), 0);
	facts.writeUIntBE(runOrdinal, 2, 3);
	facts.writeUInt8(OUTCOMES.indexOf(outcome) + 1, 5);
	return encode(Buffer.concat([facts, macOf(key, facts, parties)]));
}

/** What a number says; undefined unless it was given for exactly these parties. */
export function readNumber(key: Uint8Array, text: string, parties: Parties): Consultation | undefined {
	const bytes = decode(text);
	if (!bytes) return undefined;
	const facts = bytes.subarray(0, FACTS_BYTES);
	if (!timingSafeEqual(bytes.subarray(FACTS_BYTES), macOf(key, facts, parties))) return undefined;
	const outcome = OUTCOMES[facts.readUInt8(5) - 1];
	const date = new Date(Date.parse(FIRST_DAY) + facts.readUInt16BE(0) * 86_400_000).toISOString().slice(0, 10);
	return outcome && { date, runOrdinal: facts.readUIntBE(2, 3), outcome };
}

function macOf(key: Uint8Array, facts: Uint8Array, { document, requester = "" }: Parties): Buffer {
	const hmac = createHmac("sha256", key).update(facts).update(`${document}|${requester}`);
	return hmac.digest().subarray(0, MAC_BYTES);
}

function encode(bytes: Buffer): string {
	let value = BigInt(`0x${bytes.toString("hex")}`);
	let digits = "";
	for (let bits = 0; bits < BITS; bits += BITS_A_DIGIT) {
		digits = `${DIGITS[Number(value & 31n)]}${digits}`;
		value >>= 5n;
	}
	return digits.replace(/.{6}(?=.)/g, "$&-");
}

/** Undefined for text that is no number. */
function decode(text: string): Buffer | undefined {
	const written = text.toUpperCase().replace(/-/g, "").replace(/[IL]/g, "1").replace(/O/g, "0");
	const values = [...written].map((digit) => DIGITS.indexOf(digit));
	if (values.length !== BITS / BITS_A_DIGIT || values.includes(-1)) return undefined;
	const value = values.reduce((sum, digit) => (sum << 5n) | BigInt(digit), 0n);
	return Buffer.from(value.toString(16).padStart(BITS / 4, "0"), "hex");
}
