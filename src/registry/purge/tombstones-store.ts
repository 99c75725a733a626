/**
 * All SQL of the erasures. A tombstone stands while it has a digest; a reversal takes that away and leaves the rest as a record.
 *
 * A reversed erasure has its entry returned by the first ingest that begins after it. Which one that was is noted, because otherwise a
 * source that has not changed would not be read again.
 */
import type { Sql, Tx } from "../../database";
import { eraseChanges } from "../changes/changes-store";

export type TombstoneRow = {
	readonly purgeId: string;
	readonly purgedAt: Date;
	readonly legalBasis: string;
	readonly requestReference: string;
	/** When a reversal was asked for, whether or not it can still be confirmed. */
	readonly proposedAt: Date | null;
	/** The key that asked for it. */
	readonly proposedBy: string | null;
	readonly reversedAt: Date | null;
};

type NewTombstone = Pick<TombstoneRow, "purgeId" | "purgedAt" | "legalBasis" | "requestReference"> & {
	readonly digest: Uint8Array;
	readonly requestedBy: string;
	readonly reason: string;
};

/** Told with the digest, in hex, of an entry that was erased. */
export const PURGED_CHANNEL = "registry_purged";

/** Told with the id of an erasure that was reversed. */
export const REVERSED_CHANNEL = "registry_purge_reversed";

/** Digests of everything that is erased, in hex. */
export async function listTombstones(sql: Sql | Tx): Promise<string[]> {
	const rows = await sql<{ digest: string }[]>`
		select encode(digest, 'hex') as digest from registry_tombstones where digest is not null`;
	return rows.map((row) => row.digest);
}

/**
 * Writes a tombstone unless one stands, takes its changes out of the feed, tells every process, and gives the one that stands. A proposal
 * to reverse that one is void: whoever erases again is not to be overruled by what was said before.
 */
export async function putTombstone(tx: Tx, tombstone: NewTombstone): Promise<TombstoneRow> {
	const [row] = await tx<TombstoneRow[]>`
		insert into registry_tombstones (digest, purge_id, purged_at, legal_basis, request_reference, requested_by, reason)
		values (${tombstone.digest}, ${tombstone.purgeId}, ${tombstone.purgedAt}, ${tombstone.legalBasis},
			${tombstone.requestReference}, ${tombstone.requestedBy}, ${tombstone.reason})
		on conflict (digest) do update set reversal_proposed_at = null, reversal_proposed_by = null
		returning purge_id as "purgeId", purged_at as "purgedAt", legal_basis as "legalBasis",
			request_reference as "requestReference", reversal_proposed_at as "proposedAt",
			reversal_proposed_by as "proposedBy", reversed_at as "reversedAt"`;
	if (!row) throw new Error("a tombstone is gone right after it was written");
	await eraseChanges(tx, tombstone.digest);
	await tx`select pg_notify(${PURGED_CHANNEL}, ${Buffer.from(tombstone.digest).toString("hex")})`;
	return row;
}

export async function findTombstone(sql: Sql, purgeId: string): Promise<TombstoneRow | undefined> {
	const [row] = await sql<TombstoneRow[]>`
		select purge_id as "purgeId", purged_at as "purgedAt", legal_basis as "legalBasis",
			request_reference as "requestReference", reversal_proposed_at as "proposedAt",
			reversal_proposed_by as "proposedBy", reversed_at as "reversedAt"
		from registry_tombstones where purge_id = ${purgeId}`;
	return row;
}

/** The same, and nobody else changes it until the transaction ends. */
export async function lockTombstone(tx: Tx, purgeId: string): Promise<TombstoneRow | undefined> {
	const [row] = await tx<TombstoneRow[]>`
		select purge_id as "purgeId", purged_at as "purgedAt", legal_basis as "legalBasis",
			request_reference as "requestReference", reversal_proposed_at as "proposedAt",
			reversal_proposed_by as "proposedBy", reversed_at as "reversedAt"
		from registry_tombstones where purge_id = ${purgeId} for update`;
	return row;
}

export async function proposeReversal(tx: Tx, purgeId: string, at: Date, by: string): Promise<void> {
	await tx`
		update registry_tombstones set reversal_proposed_at = ${at}, reversal_proposed_by = ${by}
		where purge_id = ${purgeId}`;
}

/** From here on nothing tells which document it was. */
export async function liftTombstone(tx: Tx, purgeId: string, at: Date): Promise<void> {
	await tx`update registry_tombstones set reversed_at = ${at}, digest = null where purge_id = ${purgeId}`;
	await tx`select pg_notify(${REVERSED_CHANNEL}, ${purgeId})`;
}

/** Reversed erasures whose entries no ingest has taken again yet. */
export async function listUnreturned(tx: Tx): Promise<string[]> {
	const rows = await tx<{ id: string }[]>`
		select purge_id as id from registry_tombstones where reversed_at is not null and returned_in is null`;
	return rows.map(({ id }) => id);
}

/** Notes that a run was built without leaving these out. */
export async function markReturned(tx: Tx, purgeIds: readonly string[], runId: string): Promise<void> {
	await tx`update registry_tombstones set returned_in = ${runId} where purge_id = any(${purgeIds as string[]})`;
}

/** Forgets which entries came back after a run: going back to it leaves them out again, until the next ingest. */
export async function forgetReturnsAfter(tx: Tx, runId: string): Promise<void> {
	await tx`
		update registry_tombstones set returned_in = null where returned_in in (
			select id from registry_runs where attempt > (select attempt from registry_runs where id = ${runId}))`;
}
