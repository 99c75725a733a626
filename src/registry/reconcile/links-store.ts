/** All SQL of the links for reconciliation. */
import type { Sql, Tx } from "../../platform/database";

export type LinkRow = {
	readonly id: string;
	readonly keyId: string;
	readonly createdAt: Date;
	readonly expiresAt: Date;
};

export type NewLink = LinkRow & { readonly ownerId: string; readonly digest: Uint8Array };

const columns = (sql: Sql | Tx) => sql`id, key_id as "keyId", created_at as "createdAt", expires_at as "expiresAt"`;

/** Also removes the owner's expired links: a link that we gave and no longer know has expired or was revoked. */
export async function insertLink(tx: Tx, { id, digest, ownerId, keyId, createdAt, expiresAt }: NewLink): Promise<void> {
	await tx`delete from registry_reconcile_links where owner_id = ${ownerId} and expires_at <= ${createdAt}`;
	await tx`
		insert into registry_reconcile_links (id, digest, owner_id, key_id, created_at, expires_at)
		values (${id}, ${digest}, ${ownerId}, ${keyId}, ${createdAt}, ${expiresAt})`;
}

export async function findLink(sql: Sql, digest: Uint8Array): Promise<LinkRow | undefined> {
	const [row] = await sql<LinkRow[]>`select ${columns(sql)} from registry_reconcile_links where digest = ${digest}`;
	return row;
}

/** An owner's links that have not expired, oldest first. */
export async function selectLinks(
	sql: Sql,
	{ ownerId, now, after, limit }: { ownerId: string; now: Date; after: string | undefined; limit: number },
): Promise<LinkRow[]> {
	return sql<LinkRow[]>`
		select ${columns(sql)} from registry_reconcile_links
		where owner_id = ${ownerId} and expires_at > ${now} ${after === undefined ? sql`` : sql`and id > ${after}`}
		order by id limit ${limit}`;
}

/** The digest of the deleted link; undefined if the owner has no such link. */
export async function deleteLink(tx: Tx, ownerId: string, id: string): Promise<Uint8Array | undefined> {
	const [row] = await tx<{ digest: Uint8Array }[]>`
		delete from registry_reconcile_links where id = ${id} and owner_id = ${ownerId} returning digest`;
	return row?.digest;
}
