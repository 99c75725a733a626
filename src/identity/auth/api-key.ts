/**
 * The form of API keys, checked before anything is looked up.
 *
 *   ak_test_7Hq2…22 base62…_0aB3xZ
 *   │  │    │               └ CRC-32 of all before the last underscore, base62: a mistyped key is known without a database
 *   │  │    └ 131 random bits
 *   │  └ environment: live, stg, test, demo
 *   └ kind
 *
 * The demo key is a literal outside this form; see demo.ts.
 */
import type { Plan, Scope } from "../../platform/operation";
import { type Environment, newId } from "../../platform/values";
import { DEFAULT_SCOPES } from "./scope";
import { ENVIRONMENT_WORDS, randomBase62, toBase62 } from "./secret";

/** An API key as it is kept: everything but the key. */
export type ApiKey = {
	readonly id: string;
	/** The customer who buys the service; null for the demo key alone. */
	readonly ownerId: string | null;
	/** The first characters, for recognition in lists. */
	readonly prefix: string;
	readonly label: string;
	readonly plan: Plan;
	readonly scopes: readonly string[];
	readonly environment: Environment;
	/** Addresses and CIDR ranges that may use the key; empty allows every address. */
	readonly ipAllowList: readonly string[];
	/** Who is told about changes of the interface. */
	readonly contactEmails: readonly string[];
	/** The key that made it; null where it was the operator. */
	readonly createdBy: string | null;
	/** The key in whose place it came; null where it was not made by rotating one. */
	readonly follows: string | null;
	readonly createdAt: Date;
	/** To the minute. */
	readonly lastUsedAt: Date | null;
	readonly expiresAt: Date | null;
	readonly revokedAt: Date | null;
};

export type NewApiKey = {
	readonly plan: Plan;
	readonly label: string;
	readonly environment: Environment;
	/** All but registry:purge and admin when left out. */
	readonly scopes?: readonly Scope[];
	/** A new owner is made when left out. */
	readonly ownerId?: string;
	readonly ipAllowList?: readonly string[];
	readonly contactEmails?: readonly string[];
	/** Nobody but the operator when left out. */
	readonly createdBy?: string;
	/** None when left out. */
	readonly follows?: string;
	readonly expiresAt?: Date | null;
};

/** A key at the only moment when its text is known. */
export type CreatedApiKey = ApiKey & { readonly key: string };

const form = /^ak_(live|stg|test|demo)_[0-9A-Za-z]{22}_[0-9A-Za-z]{6}$/;
const CHECKSUM_LENGTH = 6;
const PREFIX_RANDOM_LENGTH = 4;

/** A new key of an owner, not stored yet; its text is in it and nowhere else. */
export function drawKey(
	request: Omit<NewApiKey, "scopes"> & { readonly ownerId: string; readonly scopes?: readonly string[] },
	now: Date,
): CreatedApiKey {
	const key = makeApiKey(request.environment);
	return {
		key,
		id: newId(),
		ownerId: request.ownerId,
		prefix: prefixOf(key),
		label: request.label,
		plan: request.plan,
		scopes: request.scopes ?? DEFAULT_SCOPES,
		environment: request.environment,
		ipAllowList: request.ipAllowList ?? [],
		contactEmails: request.contactEmails ?? [],
		createdBy: request.createdBy ?? null,
		follows: request.follows ?? null,
		createdAt: now,
		lastUsedAt: null,
		expiresAt: request.expiresAt ?? null,
		revokedAt: null,
	};
}

/** A new random text. */
export function makeApiKey(environment: Environment): string {
	const body = `ak_${ENVIRONMENT_WORDS[environment]}_${randomBase62(22)}`;
	return `${body}_${checksumOf(body)}`;
}

/** True for a well-formed key of this environment whose checksum agrees. Says nothing about whether it exists. */
export function isApiKey(text: string, environment: Environment): boolean {
	const match = form.exec(text);
	if (match?.[1] !== ENVIRONMENT_WORDS[environment]) return false;
	const end = text.length - CHECKSUM_LENGTH - 1;
	return text.slice(end + 1) === checksumOf(text.slice(0, end));
}

/** The part that may be shown: kind, environment and four characters. */
export function prefixOf(key: string): string {
	return key.slice(0, key.indexOf("_", 3) + 1 + PREFIX_RANDOM_LENGTH);
}

function checksumOf(body: string): string {
	return toBase62(Bun.hash.crc32(body), CHECKSUM_LENGTH);
}
