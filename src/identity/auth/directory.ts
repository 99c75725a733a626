/** The callers that this process knows: keys, clients and revoked tokens, at most a second behind the database. */
import type { Sql } from "../../platform/database";
import type { Principal } from "../../platform/operation";
import type { Log } from "../../platform/telemetry";
import { type Change, followChanges } from "./change-feed";
import type { Client } from "./client";
import { allowAddresses } from "./ip-allow-list";
import { createLookupCache, type LookupCache } from "./lookup-cache";
import { digestsEqual } from "./secret";
import { findClient, findKey, findTokenEnd, type KeyRow } from "./store";

export type KnownKey = {
	readonly row: KeyRow;
	/** The caller that the key alone makes. */
	readonly principal: Principal;
	readonly allowsAddress: (address: string) => boolean;
};

export type Directory = {
	/** By the key's digest in hex. */
	readonly keys: LookupCache<KnownKey>;
	readonly clients: LookupCache<Client>;
	/** By `jti`: when the token ends before its time. */
	readonly tokens: LookupCache<{ readonly endsAt: Date | undefined }>;
	/** Drops what a change made untrue, at once and without waiting to hear of it. */
	readonly forget: (change: Change) => void;
	readonly close: () => Promise<void>;
};

const KEYS_MAX = 50_000;
const CLIENTS_MAX = 50_000;
const TOKENS_MAX = 50_000;

export async function openDirectory(deps: {
	sql: Sql;
	log: Log;
	onSigningKeysChanged: () => void;
}): Promise<Directory> {
	const { sql, log, onSigningKeysChanged } = deps;
	let heardUntil = () => Number.NEGATIVE_INFINITY;
	const open = <V>(rowsMax: number, read: (key: string) => Promise<V | undefined>) =>
		createLookupCache({ read, rowsMax, heardUntil: () => heardUntil() });

	const keys = open(KEYS_MAX, async (hex) => {
		const digest = Buffer.from(hex, "hex");
		const row = await findKey(sql, digest);
		return digestsEqual(row?.digest, digest) && row ? toKnownKey(row) : undefined;
	});
	const clients = open(CLIENTS_MAX, (clientId) => findClient(sql, clientId));
	const tokens = open(TOKENS_MAX, async (jti) => ({ endsAt: await findTokenEnd(sql, jti) }));

	const forget = (change: Change): void => {
		if (change.kind === "key") keys.drop(change.subject);
		else if (change.kind === "client") clients.drop(change.subject);
		else if (change.kind === "token") tokens.drop(change.subject);
		else onSigningKeysChanged();
	};
	const feed = await followChanges({
		sql,
		log,
		onChange: forget,
		onGap: () => {
			for (const cache of [keys, clients, tokens]) cache.clear();
			onSigningKeysChanged();
		},
		onUnheard: onSigningKeysChanged,
	});
	heardUntil = feed.heardUntil;
	return { keys, clients, tokens, forget, close: feed.close };
}

function toKnownKey(row: KeyRow): KnownKey {
	const { environment, plan, ownerId, id: keyId } = row;
	const principal: Principal = { environment, plan, ownerId, keyId, scopes: new Set(row.scopes) };
	return { row, principal, allowsAddress: allowAddresses(row.ipAllowList) };
}
