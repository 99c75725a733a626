/** All SQL of the grants for downloads with natural persons. */
import type { Sql, Tx } from "../../platform/database";

export type DownloadGrant = { readonly ownerId: string; readonly terms: string; readonly grantedAt: Date };

export async function findGrant(sql: Sql, ownerId: string): Promise<DownloadGrant | undefined> {
	const [row] = await sql<DownloadGrant[]>`
		select owner_id as "ownerId", terms, granted_at as "grantedAt" from registry_download_grants where owner_id = ${ownerId}`;
	return row;
}

/** Grants, or replaces the terms of a grant. */
export async function putGrant(tx: Tx, { ownerId, terms, grantedAt }: DownloadGrant): Promise<void> {
	await tx`
		insert into registry_download_grants (owner_id, terms, granted_at) values (${ownerId}, ${terms}, ${grantedAt})
		on conflict (owner_id) do update set terms = excluded.terms, granted_at = excluded.granted_at`;
}

/** Returns false if there was none. */
export async function deleteGrant(tx: Tx, ownerId: string): Promise<boolean> {
	const deleted = await tx`delete from registry_download_grants where owner_id = ${ownerId}`;
	return deleted.count > 0;
}
