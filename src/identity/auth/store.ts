/** All SQL of access except key lineage (`key-lineage.ts`). Times are passed in, so that one clock decides about every expiry. */

import type { JWK } from "jose";
import { announce } from "../../platform/changes";
import type { Sql, Tx } from "../../platform/database";
import { LOCKS, lockNameOf } from "../../platform/database";
import type { Plan } from "../../platform/operation";
import type { Environment } from "../../platform/values";
import type { ApiKey } from "./api-key";

export type KeyRow = ApiKey & { readonly digest: Buffer };

export const keyColumns = (sql: Sql | Tx) => sql`
	id, owner_id as "ownerId", prefix, label, plan, scopes, environment, ip_allow_list as "ipAllowList", tenant_ids as "tenantIds",
	contact_emails as "contactEmails", made_by as "createdBy", follows, created_at as "createdAt", last_used_at as "lastUsedAt", expires_at as "expiresAt",
	revoked_at as "revokedAt"`;

export async function insertOwner(tx: Tx, owner: { id: string; label: string; now: Date }): Promise<void> {
	await tx`insert into owners (id, label, created_at) values (${owner.id}, ${owner.label}, ${owner.now})`;
}

export async function isOwner(tx: Tx, id: string): Promise<boolean> {
	return (await tx`select 1 from owners where id = ${id}`).length > 0;
}

/** Other processes learn of it at once: one of them may have found that it does not exist, and copies are without it. */
export async function insertKey(tx: Tx, key: KeyRow): Promise<void> {
	await tx`
		insert into api_keys (id, owner_id, prefix, digest, label, plan, scopes, environment, ip_allow_list, tenant_ids, contact_emails,
			made_by, follows, created_at, expires_at)
		values (${key.id}, ${key.ownerId}, ${key.prefix}, ${key.digest}, ${key.label}, ${key.plan}, ${[...key.scopes]},
			${key.environment}, ${[...key.ipAllowList]}, ${[...key.tenantIds]}::uuid[], ${[...key.contactEmails]}, ${key.createdBy},
			${key.follows}, ${key.createdAt}, ${key.expiresAt})`;
	await announce(tx, "key", key.digest.toString("hex"));
}

export async function findKey(sql: Sql, digest: Buffer): Promise<KeyRow | undefined> {
	const [row] = await sql<KeyRow[]>`select ${keyColumns(sql)}, digest from api_keys where digest = ${digest}`;
	return row;
}

export async function findKeyById(sql: Sql, id: string): Promise<KeyRow | undefined> {
	const [row] = await sql<KeyRow[]>`select ${keyColumns(sql)}, digest from api_keys where id = ${id}`;
	return row;
}

/** What a process without a database needs of a key. */
export type CopiedKey = Pick<
	ApiKey,
	"id" | "ownerId" | "plan" | "scopes" | "environment" | "ipAllowList" | "tenantIds"
> & {
	/** In hex. */
	readonly digest: string;
	/** RFC 3339. */
	readonly expiresAt: string | null;
};

export type KeyCopy = {
	/** SHA-256 of the text, in hex. */
	readonly version: string;
	/** JSON of all `CopiedKey`; undefined if the version is the known one. */
	readonly keys: string | undefined;
};

/** All keys that are not revoked. The database writes the text, so that a known version costs this process nothing. */
export async function copyKeys(sql: Sql | Tx, knownVersion: string | undefined): Promise<KeyCopy> {
	const [row] = await sql<{ version: string; keys: string | null }[]>`
		with copied as (
			select coalesce(json_agg(json_build_object(
				'digest', encode(digest, 'hex'), 'id', id, 'ownerId', owner_id, 'plan', plan, 'scopes', scopes,
				'environment', environment, 'ipAllowList', ip_allow_list, 'tenantIds', tenant_ids,
				'expiresAt', to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
			) order by id), '[]')::text as keys from api_keys where revoked_at is null
		), hashed as (select keys, encode(sha256(convert_to(keys, 'UTF8')), 'hex') as version from copied)
		select version, case when version is distinct from ${knownVersion ?? null} then keys end as keys from hashed`;
	if (!row) throw new Error("the copy of the keys was not returned");
	return { version: row.version, keys: row.keys ?? undefined };
}

/** Newest first; those of one owner, or all. */
export async function selectKeys(sql: Sql, ownerId: string | undefined): Promise<ApiKey[]> {
	return [
		...(await sql<ApiKey[]>`
			select ${keyColumns(sql)} from api_keys
			where ${ownerId ?? null}::uuid is null or owner_id = ${ownerId ?? null}
			order by created_at desc, id desc`),
	];
}

/** The key that this call revoked; undefined for an unknown or already revoked key. */
export async function revokeKeyRow(
	tx: Tx,
	id: string,
	now: Date,
): Promise<{ readonly digest: Buffer; readonly ownerId: string | null } | undefined> {
	const [row] = await tx<{ digest: Buffer; ownerId: string | null }[]>`
		update api_keys set revoked_at = ${now} where id = ${id} and revoked_at is null
		returning digest, owner_id as "ownerId"`;
	return row;
}

/**
 * Several processes see the same key, so the database limits this to once a minute. A locked key is skipped: waiting for several keys could
 * deadlock, and a later use is noted as well.
 */
export async function saveKeyUse(sql: Sql, ids: readonly string[], now: Date): Promise<void> {
	await sql`
		update api_keys set last_used_at = ${now}
		where id in (
			select id from api_keys
			where id = any(${[...ids]}::uuid[])
				and (last_used_at is null or last_used_at <= ${now}::timestamptz - interval '1 minute')
			for no key update skip locked
		)`;
}

export type Client = {
	/** `cli_` and 32 hex digits; `demo` for the demo client. */
	readonly clientId: string;
	readonly tenantId: string;
	/** The owner of the key that created the company; null for the demo key's companies. */
	readonly ownerId: string | null;
	/** The plan of the key that created the company. */
	readonly plan: Plan;
	/** The most that a token of this client may do. */
	readonly scopes: readonly string[];
	readonly environment: Environment;
	readonly secretDigest: Buffer;
	readonly createdAt: Date;
	/** End of its grace period, once newer credentials have replaced it. */
	readonly expiresAt: Date | null;
	readonly revokedAt: Date | null;
};

export async function insertClient(tx: Tx, client: Client): Promise<void> {
	await tx`
		insert into oauth_clients (client_id, tenant_id, owner_id, plan, scopes, environment, secret_digest, created_at)
		values (${client.clientId}, ${client.tenantId}, ${client.ownerId}, ${client.plan}, ${[...client.scopes]},
			${client.environment}, ${client.secretDigest}, ${client.createdAt})`;
}

export async function findClient(sql: Sql | Tx, clientId: string): Promise<Client | undefined> {
	const [row] = await sql<Client[]>`
		select client_id as "clientId", tenant_id as "tenantId", owner_id as "ownerId", plan, scopes, environment,
			secret_digest as "secretDigest", created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt"
		from oauth_clients where client_id = ${clientId}`;
	return row;
}

export async function updatePlanOfClients(tx: Tx, tenantId: string, plan: Plan): Promise<void> {
	await tx`update oauth_clients set plan = ${plan} where tenant_id = ${tenantId}`;
}

/** The newest client of a company, while it is in force. */
export async function findClientOf(sql: Sql, tenantId: string, now: Date): Promise<Client | undefined> {
	const [row] = await sql<{ clientId: string }[]>`
		select client_id as "clientId" from oauth_clients
		where tenant_id = ${tenantId} and revoked_at is null and (expires_at is null or expires_at > ${now})
		order by expires_at is null desc, created_at desc limit 1`;
	return row && findClient(sql, row.clientId);
}

/** To whom a company belongs, by its newest client; every company has had one since its registration. */
export async function findCompanyOwner(
	sql: Sql,
	tenantId: string,
): Promise<Pick<Client, "ownerId" | "plan" | "environment"> | undefined> {
	const [row] = await sql<Pick<Client, "ownerId" | "plan" | "environment">[]>`
		select owner_id as "ownerId", plan, environment from oauth_clients
		where tenant_id = ${tenantId} order by created_at desc, client_id limit 1`;
	return row;
}

/** Those of these companies that belong to an owner. Every company has had a client since its registration. */
export async function findCompanyIdsOf(
	tx: Tx,
	ownerId: string | null,
	tenantIds: readonly string[],
): Promise<string[]> {
	const rows = await tx<{ tenantId: string }[]>`
		select distinct tenant_id as "tenantId" from oauth_clients
		where owner_id is not distinct from ${ownerId}::uuid and tenant_id = any(${[...tenantIds]}::uuid[])`;
	return rows.map(({ tenantId }) => tenantId);
}

/** Ends the current clients of a company, none later than its own end. */
export async function limitClients(tx: Tx, tenantId: string, expiresAt: Date): Promise<void> {
	await tx`
		update oauth_clients set expires_at = ${expiresAt}
		where tenant_id = ${tenantId} and (expires_at is null or expires_at > ${expiresAt})`;
}

type DemoRow = {
	readonly plan: Plan;
	readonly scopes: readonly string[];
	readonly environment: Environment;
	readonly now: Date;
};

export async function saveDemoKey(
	sql: Sql,
	key: DemoRow & { id: string; digest: Buffer; prefix: string; label: string },
): Promise<void> {
	await sql`
		insert into api_keys (id, prefix, digest, label, plan, scopes, environment, created_at)
		values (${key.id}, ${key.prefix}, ${key.digest}, ${key.label}, ${key.plan}, ${[...key.scopes]}, ${key.environment},
			${key.now})
		on conflict (id) do update set plan = excluded.plan, scopes = excluded.scopes, environment = excluded.environment
		where (api_keys.plan, api_keys.scopes, api_keys.environment)
			is distinct from (excluded.plan, excluded.scopes, excluded.environment)`;
}

export async function isKeyRevoked(sql: Sql, id: string): Promise<boolean> {
	const [row] = await sql<[{ isRevoked: boolean }?]>`
		select revoked_at is not null as "isRevoked" from api_keys where id = ${id}`;
	return row?.isRevoked ?? true;
}

export async function saveDemoClient(
	sql: Sql,
	client: DemoRow & { clientId: string; tenantId: string; secretDigest: Buffer },
): Promise<void> {
	await sql`
		insert into oauth_clients (client_id, tenant_id, plan, scopes, environment, secret_digest, created_at)
		values (${client.clientId}, ${client.tenantId}, ${client.plan}, ${[...client.scopes]}, ${client.environment},
			${client.secretDigest}, ${client.now})
		on conflict (client_id) do update set plan = excluded.plan, scopes = excluded.scopes, environment = excluded.environment
		where (oauth_clients.plan, oauth_clients.scopes, oauth_clients.environment)
			is distinct from (excluded.plan, excluded.scopes, excluded.environment)`;
}

type RefreshToken = {
	readonly digest: Buffer;
	readonly family: string;
	readonly clientId: string;
	readonly scope: string;
	readonly accessJti: string;
	readonly accessExpiresAt: Date;
	readonly createdAt: Date;
	readonly expiresAt: Date;
	readonly usedAt: Date | null;
	readonly revokedAt: Date | null;
};

export async function insertRefreshToken(sql: Sql | Tx, token: RefreshToken): Promise<void> {
	await sql`
		insert into refresh_tokens (digest, family, client_id, scope, access_jti, access_expires_at, created_at, expires_at)
		values (${token.digest}, ${token.family}, ${token.clientId}, ${token.scope}, ${token.accessJti},
			${token.accessExpiresAt}, ${token.createdAt}, ${token.expiresAt})`;
}

/**
 * Locks a refresh token and its whole family: a transaction that revokes the family must see a token that another adds to it. The row is
 * read after the lock was taken, in its own snapshot.
 */
export async function takeRefreshToken(tx: Tx, digest: Buffer): Promise<RefreshToken | undefined> {
	const [found] = await tx<{ family: string }[]>`select family from refresh_tokens where digest = ${digest}`;
	if (!found) return undefined;
	await tx`select pg_advisory_xact_lock(hashtextextended(${lockNameOf("refreshFamily", found.family)}, 0))`;
	const [row] = await tx<RefreshToken[]>`
		select digest, family, client_id as "clientId", scope, access_jti as "accessJti",
			access_expires_at as "accessExpiresAt", created_at as "createdAt", expires_at as "expiresAt", used_at as "usedAt",
			revoked_at as "revokedAt"
		from refresh_tokens where digest = ${digest}`;
	return row;
}

export async function markRefreshTokenUsed(tx: Tx, digest: Buffer, now: Date): Promise<void> {
	await tx`update refresh_tokens set used_at = ${now} where digest = ${digest}`;
}

/** Ends every refresh token of a family and the access tokens issued with them; returns the ids of the latter. */
export async function revokeFamily(tx: Tx, family: string, now: Date): Promise<string[]> {
	// All of them first, in the order in which a test clock locks a company's.
	await tx`select 1 from refresh_tokens where family = ${family} order by digest for update`;
	await tx`update refresh_tokens set revoked_at = ${now} where family = ${family} and revoked_at is null`;
	const rows = await tx<{ jti: string }[]>`
		insert into revoked_tokens (jti, expires_at)
		select access_jti, access_expires_at from refresh_tokens
		where family = ${family} and access_expires_at > ${surelyOver(tx, now)}
		on conflict (jti) do update set ends_at = excluded.ends_at
		returning jti`;
	return rows.map((row) => row.jti);
}

/**
 * SQL of the time before which a token has expired for every process, considering the leeway and a clock that is ahead of the database's.
 */
const surelyOver = (tx: Tx, now: Date): ReturnType<Tx> =>
	tx`least(${now}::timestamptz, clock_timestamp()) - interval '5 minutes'`;

/** Ends an access token; false when it has expired or had been ended before. */
export async function insertRevokedToken(tx: Tx, jti: string, expiresAt: Date, now: Date): Promise<boolean> {
	const rows = await tx`
		insert into revoked_tokens as r (jti, expires_at)
		select ${jti}::uuid, ${expiresAt}::timestamptz where ${expiresAt}::timestamptz > ${surelyOver(tx, now)}
		on conflict (jti) do update set ends_at = excluded.ends_at where r.ends_at > excluded.ends_at
		returning jti`;
	return rows.length === 1;
}

/** When an access token ends before its time; otherwise undefined. */
export async function findTokenEnd(sql: Sql, jti: string): Promise<Date | undefined> {
	const [row] = await sql<{ endsAt: Date }[]>`select ends_at as "endsAt" from revoked_tokens where jti = ${jti}`;
	return row?.endsAt;
}

/** Brings forward the end of a company's tokens. Every process refuses ended ones within a second. */
export async function ageTokens(tx: Tx, tenantId: string, seconds: number): Promise<void> {
	const aged = tx`make_interval(secs => ${seconds})`;
	await tx`
		with taken as materialized (
			select digest from refresh_tokens
			where client_id in (select client_id from oauth_clients where tenant_id = ${tenantId}) and expires_at > now()
			order by digest for update
		), older as (
			update refresh_tokens r set expires_at = r.expires_at - ${aged}, access_expires_at = r.access_expires_at - ${aged}
			from taken t where r.digest = t.digest
			returning r.access_jti, r.access_expires_at
		)
		-- Kept until no process can take the token for a good one.
		insert into revoked_tokens as r (jti, expires_at, ends_at)
		select access_jti, now() + interval '1 day', access_expires_at from older
		on conflict (jti) do update set ends_at = least(r.ends_at, excluded.ends_at)`;
}

/** Removes tokens, and private parts of retired keys, that expired before a given time. Returns the number of tokens. */
export async function deleteExpired(sql: Sql, before: Date): Promise<number> {
	// Locked rows are skipped, because waiting for them could deadlock.
	const refresh = await sql`
		delete from refresh_tokens where digest in (
			select digest from refresh_tokens where expires_at < ${before} for update skip locked
		)`;
	const revoked = await sql`
		delete from revoked_tokens where jti in (
			select jti from revoked_tokens where expires_at < ${before} for update skip locked
		)`;
	await sql`
		update token_signing_keys set sealed_private_key = null
		where retire_at < ${before} and sealed_private_key is not null`;
	return refresh.count + revoked.count;
}

export type SigningKeyRow = {
	readonly kid: string;
	readonly publicJwk: JWK;
	readonly sealedPrivateKey: Buffer | null;
	readonly createdAt: Date;
	readonly retireAt: Date | null;
	/** Whether it signed receipts of erasures, before the registry had keys of its own. */
	readonly signedReceipts: boolean;
};

export async function lockSigningKeys(tx: Tx): Promise<void> {
	await tx`select pg_advisory_xact_lock(${LOCKS.signingKeys})`;
}

/** The keys in force and those that signed receipts, newest first. */
export async function selectSigningKeys(sql: Sql | Tx, now: Date): Promise<SigningKeyRow[]> {
	return [
		...(await sql<SigningKeyRow[]>`
			select kid, public_jwk as "publicJwk", sealed_private_key as "sealedPrivateKey", created_at as "createdAt",
				retire_at as "retireAt", signed_receipts as "signedReceipts"
			from token_signing_keys where retire_at is null or retire_at > ${now} or signed_receipts
			order by retire_at is null desc, created_at desc, kid`),
	];
}

export async function insertSigningKey(
	tx: Tx,
	key: { kid: string; publicJwk: Record<string, string>; sealedPrivateKey: Buffer; now: Date },
): Promise<void> {
	await tx`
		insert into token_signing_keys (kid, public_jwk, sealed_private_key, created_at)
		values (${key.kid}, ${tx.json(key.publicJwk)}, ${key.sealedPrivateKey}, ${key.now})`;
}

/** The earlier of this machine's time and the database's: what ends now must not go on because a clock is ahead. */
export async function earlierTime(tx: Tx, now: Date): Promise<Date> {
	const [row] = await tx<{ at: Date }[]>`select least(${now}::timestamptz, now()) as at`;
	return row?.at ?? now;
}

/** Ends all keys at a given time, none later than its own end; returns those that it has brought forward. */
export async function retireSigningKeys(tx: Tx, retireAt: Date): Promise<{ kid: string; retireAt: Date }[]> {
	return tx<{ kid: string; retireAt: Date }[]>`
		update token_signing_keys set retire_at = ${retireAt} where retire_at is null or retire_at > ${retireAt}
		returning kid, retire_at as "retireAt"`;
}

export async function endReceiptKeys(tx: Tx, kids: readonly string[]): Promise<void> {
	await tx`update token_signing_keys set signed_receipts = false where kid = any(${[...kids]}) and signed_receipts`;
}
