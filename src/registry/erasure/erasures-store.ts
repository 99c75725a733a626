/** SQL between the erasures that the database has and those that a host keeps beside it. */
import type { Sql, Tx } from "../../platform/database";
import { eraseChanges } from "../changes/changes-store";
import { PURGED_CHANNEL } from "./tombstones-store";

export type ErasureRow = {
	readonly purgeId: string;
	/** In hex; null once it is reversed. */
	readonly digest: string | null;
	readonly purgedAt: Date;
	readonly legalBasis: string;
	readonly requestReference: string;
	readonly requestedBy: string;
	readonly reason: string;
	readonly reversedAt: Date | null;
};

const columns = (sql: Sql) => sql`
	purge_id as "purgeId", encode(digest, 'hex') as digest, purged_at as "purgedAt", legal_basis as "legalBasis",
	request_reference as "requestReference", requested_by as "requestedBy", reason, reversed_at as "reversedAt"`;

export async function listErasures(sql: Sql): Promise<ErasureRow[]> {
	return sql<ErasureRow[]>`select ${columns(sql)} from registry_tombstones`;
}

export async function findErasure(
	sql: Sql,
	by: { readonly purgeId: string } | { readonly digest: string },
): Promise<ErasureRow | undefined> {
	const [row] = await sql<ErasureRow[]>`
		select ${columns(sql)} from registry_tombstones
		where ${"purgeId" in by ? sql`purge_id = ${by.purgeId}` : sql`digest = decode(${by.digest}, 'hex')`}`;
	return row;
}

/**
 * Writes an erasure that the database has not, takes its changes out of the feed and tells every process; false when another process has
 * written it, or the number is erased anyway. Of a reversed one the record is written, and the next ingest takes the entry again.
 */
export async function restoreErasure(tx: Tx, erasure: ErasureRow): Promise<boolean> {
	const digest = erasure.digest === null ? null : Buffer.from(erasure.digest, "hex");
	const rows = await tx`
		insert into registry_tombstones (digest, purge_id, purged_at, legal_basis, request_reference, requested_by, reason, reversed_at)
		values (${digest}, ${erasure.purgeId}, ${erasure.purgedAt}, ${erasure.legalBasis}, ${erasure.requestReference},
			${erasure.requestedBy}, ${erasure.reason}, ${erasure.reversedAt})
		on conflict do nothing returning purge_id`;
	if (rows.length === 0) return false;
	if (digest) {
		await eraseChanges(tx, digest);
		await tx`select pg_notify(${PURGED_CHANNEL}, ${erasure.digest})`;
	}
	return true;
}
