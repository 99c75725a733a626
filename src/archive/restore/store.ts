/** SQL of restoring the index. One transaction writes all of it and blocks archiving. */
import { codeOf, LOCKS, type Tx, toJsonText } from "../../platform/database";
import { findLeaves } from "../checkpoints";

/** A row of the index. Members from the document's manifest are null if it could not be read. */
export type RestoredRow = {
	readonly docId: string;
	readonly tenantId: string;
	/** Hex. */
	readonly sha256: string;
	/** Null for an object that was removed before its line was written. */
	readonly bytes: number | null;
	readonly decidedAt: string;
	readonly retainUntil: string | null;
	readonly versionId: string | null;
	readonly encf: string | null;
	readonly type: string | null;
	readonly status: string | null;
	readonly isRemoved: boolean;
};

/** A row whose place in its log and its chain was published. */
export type PlacedRow = RestoredRow & {
	readonly log: number;
	readonly leafIndex: number;
	readonly chainIndex: number;
};

/** Blocks archiving until the transaction ends. */
export async function lockLeaves(tx: Tx): Promise<void> {
	await tx`select pg_advisory_xact_lock(${LOCKS.archiveLeaves}, shard) from shards order by shard`;
}

/** Raised by `append_seals`. */
const OTHER_LEAF = "SL032";

/** Adds rows in the order of their decisions behind the leaves that exist. */
export async function appendRows(tx: Tx, rows: readonly RestoredRow[]): Promise<void> {
	await tx`select count(*) from append_seals(${toJsonText(rows)}::text::json)`;
}

/**
 * Adds the rows of a log that are new, at their leaves; `size` is how many leaves it has. Throws RestoreRefusedError if a row, new or not, differs
 * from what the index has then.
 */
export async function restoreRows(tx: Tx, size: number, rows: readonly PlacedRow[]): Promise<void> {
	const [first] = rows;
	if (!first) return;
	try {
		await appendRows(
			tx,
			rows.filter(({ leafIndex }) => leafIndex >= size),
		);
	} catch (error) {
		if (codeOf(error) === OTHER_LEAF && error instanceof Error) throw new RestoreRefusedError(error.message, error);
		throw error;
	}
	const stored = await findLeaves(tx, first.log, first.leafIndex, first.leafIndex + rows.length);
	for (const [i, row] of rows.entries()) {
		const own = stored[i];
		const isSame =
			own?.leafIndex === row.leafIndex &&
			own.tenantId === row.tenantId &&
			own.docId === row.docId &&
			own.sha256 === row.sha256 &&
			own.decidedAt.toISOString() === row.decidedAt &&
			own.chainIndex === row.chainIndex &&
			(own.bytes === null || row.bytes === null || own.bytes === row.bytes);
		if (!isSame)
			throw new RestoreRefusedError(`leaf ${row.leafIndex} of log ${row.log} is another one than the index has`);
	}
}

/** Counts objects of the index whose leaves are, in each log, from one size on up to another. */
export async function countRows(tx: Tx, from: readonly number[], to: readonly number[]): Promise<number> {
	const [row] = await tx<{ count: number }[]>`
		select count(*) from unnest(${[...from]}::bigint[], ${[...to]}::bigint[]) with ordinality as l (first, bound, place)
		join seals s on s.shard = l.place - 1 and s.leaf >= l.first and s.leaf < l.bound and s.removed_at is null`;
	return row?.count ?? 0;
}

/** The database's clock, which decides whether an object's retention is over. */
export async function readNow(tx: Tx): Promise<Date> {
	const [row] = await tx<{ now: Date }[]>`select now()`;
	if (!row) throw new Error("expected the time");
	return row.now;
}

/** The index cannot be restored from this archive, or not in this database. Nothing was changed. */
export class RestoreRefusedError extends Error {
	constructor(
		readonly reason: string,
		cause?: unknown,
	) {
		super(`the archive's index was not restored: ${reason}`, { cause });
		this.name = "RestoreRefusedError";
	}
}
