/** The callers that this process knows: keys, clients and revoked tokens, at most a second behind the database. */

import { BlockList, isIP } from "node:net";
import type { Change, ChangeFeed } from "../../platform/changes";
import type { Sql } from "../../platform/database";
import type { Principal } from "../../platform/operation";
import type { Log } from "../../platform/telemetry";
import { type Clock, parseRange } from "../../platform/values";
import { createGrace, type Grace } from "./grace";
import { createLookupCache, type LookupCache } from "./lookup-cache";
import { digestsEqual } from "./secret";
import { type Client, findClient, findKey, findTokenEnd, type KeyRow, saveKeyUse } from "./store";

/** The facts that decide whether a key is accepted. */
export type KeyFacts = Pick<
	KeyRow,
	"id" | "ownerId" | "plan" | "scopes" | "environment" | "ipAllowList" | "tenantIds" | "expiresAt" | "revokedAt"
>;

export type KnownKey = {
	readonly row: KeyFacts;
	/** The caller that the key alone identifies. */
	readonly principal: Principal;
	readonly allowsAddress: (address: string) => boolean;
};

export type Directory = {
	/** By the key's digest in hex. */
	readonly keys: LookupCache<KnownKey>;
	readonly clients: LookupCache<Client>;
	/** By `jti`: when the token ends before its time. */
	readonly tokens: LookupCache<{ readonly endsAt: Date | undefined }>;
	/** Drops what a change of this process made stale, without waiting for the notification. */
	readonly forget: (change: Change) => void;
	readonly grace: {
		/** Whether keys are accepted now without the database. */
		readonly isOn: () => boolean;
		/** Whether keys would be accepted if the database were away now. */
		readonly isPossible: () => boolean;
	};
	readonly close: () => void;
};

const KEYS_MAX = 50_000;
const CLIENTS_MAX = 50_000;
const TOKENS_MAX = 50_000;

/** Follows the changes from here on; nothing is cached yet that could have changed before. */
export function openDirectory(deps: {
	sql: Sql;
	changes: ChangeFeed;
	onSigningKeysChanged: () => void;
	/** How long known keys are accepted while the database is away. Gap: tokens are not, since most need a company's data. */
	graceSeconds: number;
}): Directory {
	const { sql, changes, onSigningKeysChanged, graceSeconds } = deps;
	const { currentUntil } = changes;
	const grace = createGrace(graceSeconds);
	const open = <V>(rowsMax: number, read: (key: string) => Promise<V | undefined>, further?: { grace: Grace }) =>
		createLookupCache({ read, rowsMax, currentUntil, ...further });

	const readKey = async (hex: string): Promise<KnownKey | undefined> => {
		const digest = Buffer.from(hex, "hex");
		const row = await findKey(sql, digest);
		return digestsEqual(row?.digest, digest) && row ? toKnownKey(row) : undefined;
	};
	const keys = open(KEYS_MAX, readKey, { grace });
	const clients = open(CLIENTS_MAX, (clientId) => findClient(sql, clientId));
	const tokens = open(TOKENS_MAX, async (jti) => ({ endsAt: await findTokenEnd(sql, jti) }));

	const forget = (change: Change): void => {
		if (change.kind === "key") keys.drop(change.subject);
		else if (change.kind === "client") clients.drop(change.subject);
		else if (change.kind === "token") tokens.drop(change.subject);
		else onSigningKeysChanged();
	};
	const close = changes.follow({
		kinds: ["key", "client", "token", "signing-keys"],
		onChange: forget,
		onGap: () => {
			for (const cache of [keys, clients, tokens]) cache.distrust();
			onSigningKeysChanged();
		},
		onSilence: onSigningKeysChanged,
		onAnswer: grace.noteAnswer,
		onFailure: grace.noteFailure,
	});
	const isPossible = () => keys.size() > 0 && performance.now() - currentUntil() < graceSeconds * 1_000;
	return { keys, clients, tokens, forget, grace: { isOn: grace.isOn, isPossible }, close };
}

export function toKnownKey(row: KeyFacts): KnownKey {
	const { environment, plan, ownerId, id: keyId, tenantIds } = row;
	const bound = tenantIds.length > 0 ? { companyIds: new Set(tenantIds) } : {};
	const principal: Principal = { environment, plan, ownerId, keyId, ...bound, scopes: new Set(row.scopes) };
	return { row, principal, allowsAddress: allowAddresses(row.ipAllowList) };
}

/** Records when keys were last used, outside the requests that use them. */

export type KeyUse = {
	readonly note: (keyId: string) => void;
	/** Writes what was noted; also runs every few seconds. */
	readonly flush: () => Promise<void>;
	readonly close: () => Promise<void>;
};

const FLUSH_EVERY_MS = 5_000;
const WRITE_EVERY_MS = 60_000;

export function openKeyUse(deps: { sql: Sql; clock: Clock; log: Log }): KeyUse {
	const { sql, clock, log } = deps;
	const writtenAt = new Map<string, number>();
	let noted = new Set<string>();

	const flush = async (): Promise<void> => {
		const now = clock.now();
		const due = [...noted].filter((id) => now.getTime() - (writtenAt.get(id) ?? 0) >= WRITE_EVERY_MS);
		noted = new Set();
		if (due.length === 0) return;
		try {
			await saveKeyUse(sql, due, now);
		} catch (err) {
			// Not repeated: the next use of the key is noted again.
			log.warn({ event: "key.use_write_failed", err, keys: due.length }, "cannot record the last use of keys");
			return;
		}
		for (const [id, at] of writtenAt) if (now.getTime() - at >= WRITE_EVERY_MS) writtenAt.delete(id);
		for (const id of due) writtenAt.set(id, now.getTime());
	};

	const timer = setInterval(flush, FLUSH_EVERY_MS);
	return {
		note: (keyId) => {
			noted.add(keyId);
		},
		flush,
		close: async () => {
			clearInterval(timer);
			await flush();
		},
	};
}

/** True for an address, or a CIDR range, that an allow-list may contain. */
export function isAddressRange(text: string): boolean {
	return parseRange(text) !== undefined;
}

/** Whether an address may use a key. An empty list allows all; a malformed entry allows none. */
export function allowAddresses(list: readonly string[]): (address: string) => boolean {
	if (list.length === 0) return () => true;
	const allowed = new BlockList();
	for (const range of list.map(parseRange)) {
		if (range) allowed.addSubnet(range.address, range.bits, range.family);
	}
	return (address) => {
		// A socket for both families shows an IPv4 caller as ::ffff:192.0.2.1.
		const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
		const version = isIP(plain);
		return version !== 0 && allowed.check(plain, version === 4 ? "ipv4" : "ipv6");
	};
}

/** True when every address of a range may use a key with this list; both must be well-formed. */
export function isWithin(list: readonly string[], text: string): boolean {
	const inner = parseRange(text);
	if (!inner) return false;
	return list.map(parseRange).some((outer) => {
		if (!outer || outer.family !== inner.family || outer.bits > inner.bits) return false;
		const allowed = new BlockList();
		allowed.addSubnet(outer.address, outer.bits, outer.family);
		return allowed.check(inner.address, inner.family);
	});
}
