/** SQL of retention. Functions of the database change the index and check the rules themselves. */
import { LOCKS, type Sql, type Tx, tryLock } from "../../platform/database";
import type { ListCursor } from "../documents/store";
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
				(select decided_at from archive_leaves order by leaf_index desc limit 1),
				(select made_at from archive_checkpoints order by number desc limit 1)
			) as newest,
			(select steady_since from archive_clock) as "steadySince", (select seen_at from archive_clock) as "seenAt"`;
	if (!row) throw new Error("the database returned no time");
	const { database, newest, steadySince, seenAt } = row;
	return { database, newest: newest ?? undefined, before: steadySince && seenAt ? { steadySince, seenAt } : undefined };
}

export async function saveSteadiness(sql: Sql, { steadySince, seenAt }: Steadiness): Promise<void> {
	await sql`
		insert into archive_clock (steady_since, seen_at) values (${steadySince}, ${seenAt})
		on conflict (single) do update set steady_since = excluded.steady_since, seen_at = excluded.seen_at`;
}

export type KeptObject = {
	readonly objectKey: string;
	readonly versionId: string | null;
	readonly tenantId: string;
	readonly docId: string;
	/** Hex. */
	readonly sha256: string;
	readonly decidedAt: Date;
	readonly retainUntil: Date;
};

const columns = (sql: Sql) => sql`
	object_key as "objectKey", version_id as "versionId", tenant_id as "tenantId", doc_id as "docId", encode(sha256, 'hex') as sha256,
	decided_at as "decidedAt", retain_until as "retainUntil"`;

/** Objects after a cursor whose retention ended before a moment, the earliest end first. */
export async function findOver(
	sql: Sql,
	before: Date,
	after: Pick<KeptObject, "retainUntil" | "objectKey"> | undefined,
	limit: number,
): Promise<KeptObject[]> {
	return sql<KeptObject[]>`
		select ${columns(sql)} from archive_objects
		where retain_until < ${before}
			${after === undefined ? sql`` : sql`and (retain_until, object_key) > (${after.retainUntil}, ${after.objectKey})`}
		order by retain_until, object_key limit ${limit}`;
}

/** Removes an object from the index. False if its retention is not over by the database's clock, or it does not exist. */
export async function removeObject(tx: Tx, objectKey: string): Promise<boolean> {
	const [row] = await tx<{ removed: boolean }[]>`select sweep_archive_object(${objectKey}) as removed`;
	return row?.removed ?? false;
}

export type Target = { readonly tenantId: string } | { readonly docId: string };

export async function countObjects(sql: Sql, target: Target): Promise<number> {
	const [row] = await sql<{ objects: number }[]>`
		select count(*)::int as objects from archive_objects where ${isOf(sql, target)}`;
	return row?.objects ?? 0;
}

/** Objects after a cursor with a shorter retention. */
export async function findShorter(
	sql: Sql,
	target: Target,
	until: Date,
	after: ListCursor | undefined,
	limit: number,
): Promise<KeptObject[]> {
	return sql<KeptObject[]>`
		select ${columns(sql)} from archive_objects
		where ${isOf(sql, target)} and retain_until < ${until}
			${after === undefined ? sql`` : sql`and (decided_at, object_key) > (${after.decidedAt}, ${after.objectKey})`}
		order by decided_at, object_key limit ${limit}`;
}

const isOf = (sql: Sql, target: Target) =>
	"tenantId" in target ? sql`tenant_id = ${target.tenantId}` : sql`doc_id = ${target.docId}`;

/** Returns how many were extended. */
export async function extendObjects(tx: Tx, objectKeys: readonly string[], until: Date): Promise<number> {
	const [row] = await tx<{ extended: number }[]>`
		select extend_archive_retention(${[...objectKeys]}::text[], ${until}) as extended`;
	return row?.extended ?? 0;
}
