/** Recovery codes: ten single-use codes that stand for a lost second factor. */
import { randomBytes } from "node:crypto";
import { digestOf } from "../auth";

export const RECOVERY_CODES = 10;
/** 80 bits, so that a plain digest keeps them. */
const CODE_BYTES = 10;
/** Crockford's base32: no letter that is taken for a digit. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const GROUP = 4;

/** New codes, such as `7K2M-9QXR-04TB-HV6D`, as a person keeps them. */
export function makeRecoveryCodes(): string[] {
	return Array.from({ length: RECOVERY_CODES }, () => {
		let bits = BigInt(`0x${randomBytes(CODE_BYTES).toString("hex")}`);
		const groups: string[] = [];
		for (let group = 0; group < 4; group++) {
			let text = "";
			for (let at = 0; at < GROUP; at++, bits >>= 5n) text += ALPHABET.charAt(Number(bits & 31n));
			groups.push(text);
		}
		return groups.join("-");
	});
}

/** The digest by which a code is known; undefined for what is no code. Case, spaces and hyphens do not count, and O, I and L are digits. */
export function digestOfRecoveryCode(typed: string): Buffer | undefined {
	const code = typed.toUpperCase().replace(/[\s-]/g, "").replace(/O/g, "0").replace(/[IL]/g, "1");
	return /^[0-9A-HJKMNP-TV-Z]{16}$/.test(code) ? digestOf(`recovery|${code}`) : undefined;
}
