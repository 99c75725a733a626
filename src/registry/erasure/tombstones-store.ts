/**
 * All SQL of the erasures. A tombstone is in force while it has a digest; a reversal removes the digest and leaves the rest as a record.
 *
 * The first ingest that starts after a reversal returns the entry. Its id is recorded, because an unchanged source would otherwise not be
 * read again. Until then the digest is held in another column: the run in use omits the entry, and must omit it in every file and on every
 * host that rebuilds it. Only an ingest includes the held ones.
 */

import { announce } from "../../platform/changes";
import { type Sql, type Tx, withoutTimeout } from "../../platform/database";
import { eraseChanges, forgetErasedNumber, keepErasedNumber } from "../changes";

export type TombstoneRow = {
	readonly purgeId: string;
	readonly purgedAt: Date;
	readonly legalBasis: string;
	readonly requestReference: string;
	/** When a reversal was proposed, whether or not it can still be confirmed. */
	readonly proposedAt: Date | null;
	readonly proposedBy: string | null;
	readonly reversedAt: Date | null;
};

type NewTombstone = Pick<TombstoneRow, "purgeId" | "purgedAt" | "legalBasis" | "requestReference"> & {
	readonly digest: Uint8Array;
	readonly requestedBy: string;
	readonly reason: string;
	/** For the deltas of the downloads, so that copies lose the entry. */
	readonly sealedNumber: Uint8Array;
	/** Whether copies may have the entry; changes that are kept show it too. */
	readonly isKnown: boolean;
};

/** Digests that the run in use omits, in hex: erased ones, and reversed ones that no ingest has returned yet. */
export async function listTombstones(sql: Sql | Tx): Promise<string[]> {
	const rows = await sql<{ digest: string }[]>`
		select encode(digest, 'hex') as digest from registry_tombstones where digest is not null
		union select encode(held_digest, 'hex') from registry_tombstones where held_digest is not null and returned_in is null`;
	return rows.map((row) => row.digest);
}

/** What a new run omits and returns, in one consistent state, so that no reversal falls between the two. */
type ErasedForRun = {
	/** Digests of erased numbers, in hex. */
	readonly digests: readonly string[];
	/** Reversed erasures whose entries no ingest has returned yet. */
	readonly unreturned: readonly string[];
};

export async function listErasedForRun(tx: Tx): Promise<ErasedForRun> {
	const rows = await tx<{ id: string; digest: string | null }[]>`
		select purge_id as id, encode(digest, 'hex') as digest from registry_tombstones
		where digest is not null or returned_in is null`;
	return {
		digests: rows.map(({ digest }) => digest).filter((digest) => digest !== null),
		unreturned: rows.filter(({ digest }) => digest === null).map(({ id }) => id),
	};
}

/**
 * Whether the run in use omits entries whose digests are lost, because they returned with a later run or while the database that had them
 * was lost.
 */
export async function omitsUnknownEntries(tx: Tx): Promise<boolean> {
	const rows = await tx`
		select 1 from registry_tombstones
		where reversed_at is not null and returned_in is null and held_digest is null limit 1`;
	return rows.length > 0;
}

/**
 * Writes a tombstone unless one is in force, removes its changes from the feed, notifies every process, and returns the tombstone in force.
 * A proposal to reverse that one is void, because a new erasure overrides it.
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
	if (!row) throw new Error("a new tombstone was not returned");
	const changes = await eraseChanges(tx, tombstone.digest);
	if (tombstone.isKnown || changes > 0) await keepErasedNumber(tx, tombstone.digest, tombstone.sealedNumber);
	await announce(tx, "registry-purged", Buffer.from(tombstone.digest).toString("hex"));
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

/** The tombstone of a document, standing or reversed. */
export async function findTombstoneOf(sql: Sql, digest: Uint8Array): Promise<TombstoneRow | undefined> {
	const [row] = await sql<{ purgeId: string }[]>`
		select purge_id as "purgeId" from registry_tombstones where digest = ${digest}`;
	return row && findTombstone(sql, row.purgeId);
}

/** As `findTombstone`, locked against changes until the transaction ends. */
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

/** Reverses a tombstone. Once an ingest has returned the entry, nothing identifies its document. */
export async function reverseTombstone(tx: Tx, purgeId: string, at: Date): Promise<void> {
	const rows = await tx<{ digest: Uint8Array }[]>`
		update registry_tombstones set reversed_at = ${at}, held_digest = digest, digest = null where purge_id = ${purgeId}
		returning held_digest as digest`;
	for (const { digest } of rows) await forgetErasedNumber(tx, digest);
	await announce(tx, "registry-purge-reversed", purgeId);
}

/** Records that a run was built with these entries, and forgets their digests. */
export async function markReturned(tx: Tx, purgeIds: readonly string[], runId: string): Promise<void> {
	await tx`
		update registry_tombstones set returned_in = ${runId}, held_digest = null where purge_id = any(${purgeIds as string[]})`;
}

/** Forgets which entries returned with these runs: a rollback past them omits the entries until the next ingest. */
export async function forgetReturns(tx: Tx, runIds: readonly string[]): Promise<void> {
	await tx`update registry_tombstones set returned_in = null where returned_in = any(${runIds as string[]})`;
}

/** Blocks erasures until the transaction ends; returns the digests of erased numbers, in hex. */
export async function blockErasures(tx: Tx): Promise<string[]> {
	await withoutTimeout(tx`lock table registry_tombstones in share mode`);
	const rows = await tx<{ digest: string }[]>`
		select encode(digest, 'hex') as digest from registry_tombstones where digest is not null`;
	return rows.map(({ digest }) => digest);
}

/** SQL that exchanges erasures between the database and the copy of a host. */

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
 * Writes an erasure that the database lacks, removes its changes from the feed and notifies every process. Returns false if another process
 * has written it or the number is erased anyway. For a reversed one only the record is written; the next ingest returns the entry.
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
		await announce(tx, "registry-purged", digest.toString("hex"));
	}
	return true;
}
