/** Passwords of people: their hashes and the rules for new ones. */
import { createFairQueue } from "../../platform/concurrency";
import { type Message, msg } from "../../platform/problem";
import { isLongerThan, isShorterThan } from "../../platform/values";

export const PASSWORD_LENGTH_MIN = 12;
export const PASSWORD_LENGTH_MAX = 256;

/** 19 MiB and two passes. Source: OWASP, Password Storage Cheat Sheet. */
const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
/** Each takes 19 MiB and a thread for about 60 ms. */
const queue = createFairQueue({ places: 4, perKey: 4, waitingMax: 50, waitingMaxPerKey: 50 });
const ONE_LINE_OF_WORK = { key: "passwords" };
/** Of a text that has been forgotten; made with the same costs. */
const FORGOTTEN_HASH =
	"$argon2id$v=19$m=19456,t=2,p=1$uZNbaRb34RyAjbnxqqD2fwB4NiiA/qzH0fueVAYGQns$hJXt1P2rmeBMgIBRpx+CqiQk8KdWFQk0uLp/SEHouEk";
/** In place of a text that no password can be, so that it takes as long. */
const NO_PASSWORD = "-";

/** One spelling of a password: keyboards write the same letter in several ways. Source: NIST SP 800-63B, 3.1.1.2. */
const spell = (text: string): string => text.normalize("NFKC");

/** The hash of a password with its costs and salt. Throws: service-unavailable while too many passwords wait. */
export async function hashPassword(text: string): Promise<string> {
	return queue.run(() => Bun.password.hash(spell(text), ARGON2ID), ONE_LINE_OF_WORK);
}

/** Takes as long without a hash, and is false then. Throws: service-unavailable while too many passwords wait. */
export async function verifyPassword(text: string, hash: string | undefined): Promise<boolean> {
	const password = isLongerThan(text, PASSWORD_LENGTH_MAX) || text === "" ? NO_PASSWORD : spell(text);
	const fits = await queue.run(() => Bun.password.verify(password, hash ?? FORGOTTEN_HASH), ONE_LINE_OF_WORK);
	return fits && hash !== undefined;
}

/** What a new password must not contain. */
type Owner = { readonly email: string | null; readonly companyNames: readonly string[] };

const DIFFERENT_MIN = 5;
/** A shorter name is part of many words. */
const NAME_LENGTH_MIN = 4;

/** Why a new password is too weak; undefined if it is not. */
export function findWeakness(text: string, { email, companyNames }: Owner): Message | undefined {
	if (isLongerThan(text, PASSWORD_LENGTH_MAX)) return msg`A password has at most ${PASSWORD_LENGTH_MAX} characters.`;
	const password = spell(text);
	if (isShorterThan(password, PASSWORD_LENGTH_MIN))
		return msg`A password has at least ${PASSWORD_LENGTH_MIN} characters.`;
	if (new Set(password).size < DIFFERENT_MIN)
		return msg`A password has at least ${DIFFERENT_MIN} different characters.`;
	const plain = toPlain(password);
	const contains = (name: string) => name.length >= NAME_LENGTH_MIN && plain.includes(name);
	if (email !== null && contains(toPlain(email.slice(0, email.lastIndexOf("@")))))
		return msg`A password does not contain your e-mail address.`;
	if (companyNames.some((name) => contains(toPlain(name.replace(LEGAL_FORM, "")))))
		return msg`A password does not contain the name of your company.`;
	return undefined;
}

/** Endings that companies are known without. */
const LEGAL_FORM = /[\s,]+(?:s\.?\s?r\.?\s?l|s\.?\s?a\.?\s?s?|e\.?\s?i\.?\s?r\.?\s?l)\.?\s*$/i;

/** Letters and digits alone, without case and accents. */
function toPlain(text: string): string {
	return text
		.normalize("NFKD")
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, "");
}
