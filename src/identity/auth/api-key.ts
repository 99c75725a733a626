/**
 * The form of API keys, which is checked before any look-up.
 *
 *   ak_test_7Hq2…22 base62…_0aB3xZ
 *   │  │    │               └ CRC-32 of all before the last underscore, in base62: a mistyped key is recognised without the database
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

/** An API key as it is stored, without its text. */
export type ApiKey = {
	readonly id: string;
	/** The customer who buys the service; null for the demo key alone. */
	readonly ownerId: string | null;
	/** The first characters, to recognise the key in lists. */
	readonly prefix: string;
	readonly label: string;
	readonly plan: Plan;
	readonly scopes: readonly string[];
	readonly environment: Environment;
	/** Addresses and CIDR ranges that may use the key; empty allows every address. */
	readonly ipAllowList: readonly string[];
	/** The companies of the owner that the key opens; empty opens all. */
	readonly tenantIds: readonly string[];
	/** Who is notified of changes to the API. */
	readonly contactEmails: readonly string[];
	/** The key that created it; null where the operator or a person did. */
	readonly createdBy: string | null;
	/** The key that it replaced; null unless it was created by a rotation. */
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
	/** Default: all but registry:purge and admin. */
	readonly scopes?: readonly Scope[];
	/** Default: a new owner. */
	readonly ownerId?: string;
	readonly ipAllowList?: readonly string[];
	/** Default: all companies. */
	readonly tenantIds?: readonly string[];
	readonly contactEmails?: readonly string[];
	/** The key; null for the operator or a person, the default. */
	readonly createdBy?: string | null;
	/** Default: none. */
	readonly follows?: string;
	readonly expiresAt?: Date | null;
};

/** A key at the only moment when its text is known. */
export type CreatedApiKey = ApiKey & { readonly key: string };

const form = /^ak_(live|stg|test|demo)_[0-9A-Za-z]{22}_[0-9A-Za-z]{6}$/;
const CHECKSUM_LENGTH = 6;
const PREFIX_RANDOM_LENGTH = 4;

/** A new key of an owner, not stored yet; only this value contains its text. */
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
		tenantIds: request.tenantIds ?? [],
		contactEmails: request.contactEmails ?? [],
		createdBy: request.createdBy ?? null,
		follows: request.follows ?? null,
		createdAt: now,
		lastUsedAt: null,
		expiresAt: request.expiresAt ?? null,
		revokedAt: null,
	};
}

export function makeApiKey(environment: Environment): string {
	const body = `ak_${ENVIRONMENT_WORDS[environment]}_${randomBase62(22)}`;
	return `${body}_${checksumOf(body)}`;
}

/** True for a well-formed key of this environment with a correct checksum. It says nothing about whether the key exists. */
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
