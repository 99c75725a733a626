/**
 * Links for programs that cannot send a key, such as OpenRefine. A link acts for the key that made it, for anyone who has the link.
 *
 *   capability   44 characters: 24 random bytes and a keyed digest of them, in base64url
 *
 * The digest shows that we gave it, so a guessed link costs no query, and one that we gave and no longer know has ended.
 *
 * Gap: a link ends with its key: when the key expires, is revoked or rotated, or loses the scope `registry:read`. It works only from addresses
 * that the key allows. Owners cannot be suspended; when their keys are revoked, their links end too.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { actorOf, recordAudit } from "../../identity/audit-log";
import { retryOnFailure, type Sql } from "../../platform/database";
import type { Call, Operation, Principal } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { type Clock, newId } from "../../platform/values";
import { deleteLink, findLink, insertLink, type LinkRow, selectLinks } from "./links-store";

/** The caller of a key in force; undefined for any other key. */
export type FindKeyCaller = (
	keyId: string,
) => Promise<{ readonly principal: Principal; readonly allowsAddress: (address: string) => boolean } | undefined>;

type LinksDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	/** Proves that a capability is ours; the same in every process and after every restart. */
	readonly linkKey: Uint8Array;
	readonly findKeyCaller: FindKeyCaller;
};

export type Links = {
	/** The only time that the capability is known. */
	readonly create: (call: Call, holder: Holder, days: number) => Promise<LinkRow & { readonly capability: string }>;
	readonly list: (ownerId: string, after: string | undefined, limit: number) => Promise<LinkRow[]>;
	/** False if the owner has no such link. This process refuses the link at once, others within `KEPT_MS`. */
	readonly revoke: (call: Call, ownerId: string, id: string) => Promise<boolean>;
	/** Throws: not-found for what is no link of ours, and from an address that the key does not allow; link-expired. */
	readonly findCaller: NonNullable<Operation["findCaller"]>;
};

export type Holder = { readonly ownerId: string; readonly keyId: string };

const RANDOM_BYTES = 24;
const MAC_BYTES = 9;
const FORM = /^[\w-]{44}$/;
const DAY_MS = 86_400_000;
/** How long a process goes on with what it knows of a link and its key. */
const KEPT_MS = 2_000;
const KEPT_MAX = 10_000;
const SCOPE = "registry:read";

type Found = { readonly link: LinkRow; readonly caller: NonNullable<Awaited<ReturnType<FindKeyCaller>>> };
type Kept = { readonly found: Promise<Found | undefined>; readonly until: number };

export function createLinks({ sql, clock, linkKey, findKeyCaller }: LinksDeps): Links {
	const kept = new Map<string, Kept>();

	const read = async (digest: Uint8Array): Promise<Found | undefined> => {
		const link = await retryOnFailure(() => findLink(sql, digest));
		const caller = link && (await findKeyCaller(link.keyId));
		return link && caller?.principal.scopes.has(SCOPE) ? { link, caller } : undefined;
	};
	const find = (digest: Uint8Array): Promise<Found | undefined> => {
		const name = hexOf(digest);
		const now = performance.now();
		const known = kept.get(name);
		if (known && now < known.until) return known.found;
		if (kept.size >= KEPT_MAX) kept.clear();
		const found = read(digest).catch((error: unknown) => {
			kept.delete(name);
			throw error;
		});
		kept.set(name, { found, until: now + KEPT_MS });
		return found;
	};

	return {
		create: async (call, { ownerId, keyId }, days) => {
			const capability = makeCapability(linkKey);
			const createdAt = clock.now();
			const link = { id: newId(), keyId, createdAt, expiresAt: new Date(createdAt.getTime() + days * DAY_MS) };
			await sql.begin(async (tx) => {
				await insertLink(tx, { ...link, ownerId, digest: digestOf(capability) });
				const entry = { action: "reconcile-link.create", subject: link.id, details: { days } };
				await recordAudit(tx, { actor: actorOf(call), at: createdAt, ...entry });
			});
			return { ...link, capability };
		},
		list: (ownerId, after, limit) =>
			retryOnFailure(() => selectLinks(sql, { ownerId, now: clock.now(), after, limit })),
		revoke: async (call, ownerId, id) => {
			const digest = await sql.begin(async (tx) => {
				const deleted = await deleteLink(tx, ownerId, id);
				const entry = { action: "reconcile-link.revoke", subject: id, details: {} };
				if (deleted) await recordAudit(tx, { actor: actorOf(call), at: clock.now(), ...entry });
				return deleted;
			});
			if (digest) kept.delete(hexOf(digest));
			return digest !== undefined;
		},
		findCaller: async ({ capability = "" }, remoteAddress) => {
			if (!isOurs(linkKey, capability)) throw new Problem("not-found");
			const found = await find(digestOf(capability));
			if (!found || found.link.expiresAt <= clock.now()) throw new Problem("link-expired");
			if (!found.caller.allowsAddress(remoteAddress)) throw new Problem("not-found");
			return found.caller.principal;
		},
	};
}

function makeCapability(key: Uint8Array): string {
	const random = randomBytes(RANDOM_BYTES);
	return Buffer.concat([random, macOf(key, random)]).toString("base64url");
}

function isOurs(key: Uint8Array, capability: string): boolean {
	if (!FORM.test(capability)) return false;
	const bytes = Buffer.from(capability, "base64url");
	return timingSafeEqual(macOf(key, bytes.subarray(0, RANDOM_BYTES)), bytes.subarray(RANDOM_BYTES));
}

function macOf(key: Uint8Array, random: Uint8Array): Buffer {
	return createHmac("sha256", key).update(random).digest().subarray(0, MAC_BYTES);
}

/** A plain hash suffices, because the random part cannot be guessed. */
function digestOf(capability: string): Uint8Array {
	return new Uint8Array(Bun.SHA256.hash(capability).buffer);
}

const hexOf = (digest: Uint8Array) => Buffer.from(digest).toString("hex");
