/** SQL on the keys of one owner; the guard's is in `../store.ts`. For its owner a revoked key does not exist. */
import type { Sql, Tx } from "../../../platform/database";
import type { Environment } from "../../../platform/values";
import type { ApiKey } from "../api-key";
import { type KeyRow, keyColumns } from "../store";

export type Ring = {
	readonly ownerId: string;
	readonly environment: Environment;
	/** Only keys that open this company; absent for all of the owner. */
	readonly tenantId?: string | undefined;
};

const isOpen = (sql: Sql | Tx, { tenantId }: Ring) =>
	tenantId === undefined ? sql`` : sql`and (tenant_ids = '{}' or ${tenantId} = any(tenant_ids))`;

/** Serialises the creation of an owner's keys, so that their number is exact. */
export async function lockOwner(tx: Tx, ownerId: string): Promise<void> {
	await tx`select 1 from owners where id = ${ownerId} for no key update`;
}

export async function countKeys(tx: Tx, { ownerId, environment }: Ring, now: Date): Promise<number> {
	const [row] = await tx<{ count: number }[]>`
		select count(*)::int as count from api_keys
		where owner_id = ${ownerId} and environment = ${environment} and revoked_at is null
			and (expires_at is null or expires_at > ${now})`;
	return row?.count ?? 0;
}

/** Whether the owner has another key that opens all companies, has at least these scopes and ends no earlier. */
export async function hasEqualKey(tx: Tx, { ownerId, environment }: Ring, key: ApiKey): Promise<boolean> {
	const rows = await tx`
		select 1 from api_keys
		where owner_id = ${ownerId} and environment = ${environment} and revoked_at is null and id <> ${key.id}
			and tenant_ids = '{}' and scopes @> ${[...key.scopes]}::text[]
			and (expires_at is null or expires_at >= ${key.expiresAt}::timestamptz)
		limit 1`;
	return rows.length > 0;
}

/** Newest first, after a cursor; one more than `limit` shows that there are more. */
export async function selectKeyPage(sql: Sql, ring: Ring, after: string | undefined, limit: number): Promise<ApiKey[]> {
	return sql<ApiKey[]>`
		select ${keyColumns(sql)} from api_keys
		where owner_id = ${ring.ownerId} and environment = ${ring.environment} and revoked_at is null ${isOpen(sql, ring)}
			${after ? sql`and id < ${after}` : sql``}
		order by id desc limit ${limit + 1}`;
}

export async function findOwnKey(sql: Sql, ring: Ring, id: string): Promise<ApiKey | undefined> {
	const [row] = await sql<ApiKey[]>`
		select ${keyColumns(sql)} from api_keys
		where id = ${id} and owner_id = ${ring.ownerId} and environment = ${ring.environment} and revoked_at is null
			${isOpen(sql, ring)}`;
	return row;
}

/** The same, locked until the transaction ends. */
export async function lockOwnKey(tx: Tx, ring: Ring, id: string): Promise<KeyRow | undefined> {
	const [row] = await tx<KeyRow[]>`
		select ${keyColumns(tx)}, digest from api_keys
		where id = ${id} and owner_id = ${ring.ownerId} and environment = ${ring.environment} and revoked_at is null
			${isOpen(tx, ring)}
		for update`;
	return row;
}

/** Writes the changeable members of a key. */
export async function updateKey(tx: Tx, key: ApiKey): Promise<void> {
	await tx`
		update api_keys set label = ${key.label}, expires_at = ${key.expiresAt}, revoked_at = ${key.revokedAt},
			ip_allow_list = ${[...key.ipAllowList]}, tenant_ids = ${[...key.tenantIds]}::uuid[], contact_emails = ${[...key.contactEmails]}
		where id = ${key.id}`;
}
