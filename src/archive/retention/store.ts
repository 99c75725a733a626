/** SQL of retention. Functions of the database change the index and check the rules themselves. */
import { LOCKS, type Sql, type Tx, tryLock } from "../../platform/database";
import { firstIdAt } from "../../platform/values";
import { RETENTION_YEARS } from "../documents/archive-document";
import { type ListCursor, objectKeyOf } from "../documents/store";
import type { Reading, Steadiness } from "./steady-clock";

/** Locks removals until the transaction ends. False if another process has the lock. */
export function lockRemovals(tx: Tx): Promise<boolean> {
	return tryLock(tx, LOCKS.archiveRetention);
}

/** The database's clock, the newest archived time, and the history of readings. */
export async function readClocks(
	sql: Sql,
): Promise<Pick<Reading, "database" | "newest"> & { readonly before: Steadiness | undefined }> {
	const [row] = await sql<{ database: Date; newest: Date | null; steadySince: Date | null; seenAt: Date | null }[]>`
		select clock_timestamp() as database,
			greatest(
				(select max(s.decided_at) from shards a
					cross join lateral (select decided_at from seals where shard = a.shard order by leaf desc limit 1) s),
				(select made_at from archive_checkpoints order by number desc limit 1)
			) as newest,
			(select clock_steady_since from deployment) as "steadySince", (select clock_seen_at from deployment) as "seenAt"`;
	if (!row) throw new Error("the database returned no time");
	const { database, newest, steadySince, seenAt } = row;
	return { database, newest: newest ?? undefined, before: steadySince && seenAt ? { steadySince, seenAt } : undefined };
}

export async function saveSteadiness(sql: Sql, { steadySince, seenAt }: Steadiness): Promise<void> {
	await sql`select note_clock(${seenAt}, ${steadySince})`;
}

export type KeptObject = ListCursor & {
	readonly objectKey: string;
	readonly versionId: string | null;
	readonly tenantId: string;
	/** Hex. */
	readonly sha256: string;
	readonly retainUntil: Date;
};

const columns = (sql: Sql) => sql`
	${objectKeyOf(sql)} as "objectKey", s.version_id as "versionId", s.tenant_id as "tenantId", s.doc_id as "docId", s.n,
	encode(s.sha256, 'hex') as sha256, s.decided_at as "decidedAt", s.retain_until as "retainUntil"`;

/**
 * Objects after a cursor whose retention ended before a moment, in the order of their documents. A document gets its id before its decision, so the
 * ids bound the partitions to be read.
 */
export async function findOver(
	sql: Sql,
	before: Date,
	after: Pick<KeptObject, "docId" | "tenantId" | "n"> | undefined,
	limit: number,
): Promise<KeptObject[]> {
	const youngest = new Date(before);
	youngest.setUTCFullYear(youngest.getUTCFullYear() - RETENTION_YEARS);
	return sql<KeptObject[]>`
		select ${columns(sql)} from seals s
		where s.retain_until < ${before} and s.removed_at is null and s.doc_id < ${firstIdAt(youngest)}
			${after === undefined ? sql`` : sql`and (s.doc_id, s.tenant_id, s.n) > (${after.docId}, ${after.tenantId}, ${after.n})`}
		order by s.doc_id, s.tenant_id, s.n limit ${limit}`;
}

/** Marks an object as removed. False if its retention is not over by the database's clock, or it does not exist. */
export async function removeObject(tx: Tx, { tenantId, docId, n }: KeptObject): Promise<boolean> {
	const [row] = await tx<{ removed: boolean }[]>`select remove_seal(${tenantId}, ${docId}, ${n}) as removed`;
	return row?.removed ?? false;
}

/** The months of partitions that began more than ten years and a month ago, oldest first. Shape: their first days. */
export async function findOldMonths(sql: Sql): Promise<string[]> {
	const rows = await sql<{ month: string }[]>`
		select to_date(right(c.relname, 7), 'YYYY_MM')::text as month from pg_inherits i join pg_class c on c.oid = i.inhrelid
		where i.inhparent = 'seals'::regclass and c.relname ~ '_\\d{4}_\\d\\d$'
			and to_date(right(c.relname, 7), 'YYYY_MM') + make_interval(years => ${RETENTION_YEARS}, months => 1) <= now() at time zone 'UTC'
		order by 1`;
	return rows.map(({ month }) => month);
}

/** Drops the documents, verdicts and seals of a month. Returns how many seals there were; undefined if the month has to stay for now. */
export async function dropMonth(sql: Sql, month: string): Promise<number | undefined> {
	return sql.begin(async (tx) => {
		await tx`set local statement_timeout = 0`;
		const [row] = await tx<{ seals: number | null }[]>`select drop_month(${month})::float8 as seals`;
		return row?.seals ?? undefined;
	});
}

/** Deletes some of what stayed when its month was dropped, and whose time is over now. Returns how many seals. */
export async function dropLeftDocuments(sql: Sql): Promise<number> {
	const [row] = await sql<{ seals: number }[]>`select drop_left_documents()::float8 as seals`;
	return row?.seals ?? 0;
}

/** A company's documents, or one of them. */
export type Target = { readonly tenantId: string; readonly docId?: string };

export async function countObjects(sql: Sql, { tenantId, docId }: Target): Promise<number> {
	const [row] = await sql<{ objects: number }[]>`
		select count(*)::int as objects from seals
		where tenant_id = ${tenantId} and removed_at is null ${docId === undefined ? sql`` : sql`and doc_id = ${docId}`}`;
	return row?.objects ?? 0;
}

/** Objects after a cursor with a shorter retention. */
export async function findShorter(
	sql: Sql,
	{ tenantId, docId }: Target,
	until: Date,
	after: ListCursor | undefined,
	limit: number,
): Promise<KeptObject[]> {
	return sql<KeptObject[]>`
		select ${columns(sql)} from seals s
		where s.tenant_id = ${tenantId} and s.removed_at is null and s.retain_until < ${until}
			${docId === undefined ? sql`` : sql`and s.doc_id = ${docId}`}
			${after === undefined ? sql`` : sql`and (s.decided_at, s.doc_id, s.n) > (${after.decidedAt}, ${after.docId}, ${after.n})`}
		order by s.decided_at, s.doc_id, s.n limit ${limit}`;
}

/** Returns how many were extended. */
export async function extendObjects(
	tx: Tx,
	tenantId: string,
	objects: readonly Pick<KeptObject, "docId" | "n">[],
	until: Date,
): Promise<number> {
	const [row] = await tx<{ extended: number }[]>`
		select extend_seals(${tenantId}, ${objects.map(({ docId }) => docId)}::uuid[], ${objects.map(({ n }) => n)}::int[], ${until}) as extended`;
	return row?.extended ?? 0;
}
