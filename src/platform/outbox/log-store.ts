/** SQL of the work log: its entries, and the mark of each shard behind which they are finished. */
import type { Sql, Tx } from "../database";
import type { OwnHold } from "../lanes";
import { timeOfId } from "../values";

/** An entry as it is read. `nowMs`: the database's clock. */
export type LogRow = {
	readonly id: string;
	readonly tenantId: string;
	readonly docIds: readonly string[];
	readonly nowMs: number;
};

export type LoggedKey = { readonly tenantId: string; readonly docId: string };

const columns = (sql: Sql) => sql`
	w.id, w.tenant_id as "tenantId", w.doc_ids as "docIds", extract(epoch from now())::float8 * 1000 as "nowMs"`;
/** Leaves later partitions out. */
const isPast = (sql: Sql | Tx) => sql`w.id < first_id_at(now() + interval '1 minute')`;

/** For clocks of the database that differ, after its standby has taken over. */
const MARGIN_SECONDS = 60;

/**
 * The time before which no transaction that still writes has begun, and a minute ago at most. Units: epoch milliseconds by the database's clock. A
 * later read sees every entry from before, because an entry's id is of a moment within its transaction.
 */
export async function readHorizon(sql: Sql, marginSeconds = MARGIN_SECONDS): Promise<number> {
	const [row] = await sql<{ ms: number }[]>`
		select extract(epoch from least(now() - make_interval(secs => ${marginSeconds}), (
			select min(xact_start) from pg_stat_activity where backend_xid is not null and datname = current_database()
		)))::float8 * 1000 as ms`;
	return row?.ms ?? Number.NEGATIVE_INFINITY;
}

export type Since = { readonly seconds: number } | { readonly fromMs: number };

/** Entries of the last `seconds`, or from a moment on, the oldest first. */
export async function listLogged(sql: Sql, shards: readonly number[], since: Since): Promise<LogRow[]> {
	const from =
		"seconds" in since
			? sql`now() - make_interval(secs => ${since.seconds})`
			: sql`to_timestamp(${since.fromMs}::float8 / 1000)`;
	return sql<LogRow[]>`
		select ${columns(sql)} from work_log w
		where w.id >= first_id_at(${from}) and ${isPast(sql)} and w.shard = any(${[...shards]}::int[])
		order by w.id`;
}

/** Entries after the marks of these shards and after `after`, the oldest first. */
export async function listLoggedSince(
	sql: Sql,
	shards: readonly number[],
	after: string | undefined,
	limit: number,
): Promise<LogRow[]> {
	const those = sql`any(${[...shards]}::int[])`;
	const start =
		after === undefined
			? sql`w.id >= (select first_id_at(min(done_before)) from shards where shard = ${those})`
			: sql`w.id > ${after}`;
	return sql<LogRow[]>`
		select ${columns(sql)} from work_log w join shards s on s.shard = w.shard
		where ${start} and ${isPast(sql)} and w.shard = ${those} and w.id >= first_id_at(s.done_before)
		order by w.id limit ${limit}`;
}

/** `beforeMs`: entries from before are finished. Units: epoch milliseconds by the database's clock. */
type Mark = OwnHold & { readonly beforeMs: number };

/** Moves the marks of shards that are still the lane's. */
export async function moveMarks(sql: Sql, marks: readonly Mark[]): Promise<void> {
	const lanes = marks.map(({ lane }) => lane);
	const shards = marks.map(({ shard }) => shard);
	const terms = marks.map(({ term }) => term);
	const before = marks.map(({ beforeMs }) => beforeMs);
	await sql`
		update shards s set done_before = to_timestamp(m.before / 1000)
		from unnest(${lanes}::uuid[], ${shards}::int[], ${terms}::int[], ${before}::float8[]) m(lane, shard, term, before)
		where s.shard = m.shard and s.lane = m.lane and s.term = m.term and s.done_before < to_timestamp(m.before / 1000) - interval '5 seconds'`;
}

/** SQL of the documents of a tenant in entries that may not be finished, by what the database knows. */
export const loggedDocuments = (sql: Sql | Tx, tenantId: string) => sql`
	select unnest(w.doc_ids) as doc_id from work_log w
	where w.tenant_id = ${tenantId} and w.shard = shard_of(${tenantId}) and ${isPast(sql)}
		and w.id >= (select first_id_at(done_before) from shards where shard = shard_of(${tenantId}))`;

/** Those of these documents that are in entries that may not be finished. */
export async function findLogged(sql: Sql, documents: readonly LoggedKey[]): Promise<string[]> {
	const rows = await sql<{ docId: string }[]>`
		select d.doc_id as "docId"
		from unnest(${documents.map(({ tenantId }) => tenantId)}::uuid[], ${documents.map(({ docId }) => docId)}::uuid[]) as d (tenant_id, doc_id)
		where exists (
			select from work_log w join shards s on s.shard = w.shard
			where w.tenant_id = d.tenant_id and w.id >= first_id_at(s.done_before) and w.id >= (select first_id_at(min(done_before)) from shards)
				and ${isPast(sql)} and d.doc_id = any(w.doc_ids)
		)`;
	return rows.map(({ docId }) => docId);
}

/** Seconds since the oldest entry was written that may not be finished, in shards without a living owner; undefined without one. */
export async function measureUnowned(sql: Sql): Promise<number | undefined> {
	const [row] = await sql<{ id: string; nowMs: number }[]>`
		select w.id, extract(epoch from now())::float8 * 1000 as "nowMs" from work_log w join shards s on s.shard = w.shard
		where w.id >= (select first_id_at(min(done_before)) from shards) and ${isPast(sql)} and w.id >= first_id_at(s.done_before)
			and not exists (select from lanes l where l.lane = s.lane and l.lease_until > now())
		order by w.id limit 1`;
	return row && (row.nowMs - timeOfId(row.id).getTime()) / 1000;
}

/** By shard, the seconds since its oldest entry was written that may not be finished: a minute, as long as some are written. */
export async function measureLogs(sql: Sql): Promise<Map<number, number>> {
	const rows = await sql<{ shard: number; id: string; nowMs: number }[]>`
		select distinct on (w.shard) w.shard, w.id, extract(epoch from now())::float8 * 1000 as "nowMs"
		from work_log w join shards s on s.shard = w.shard
		where w.id >= (select first_id_at(min(done_before)) from shards) and ${isPast(sql)} and w.id >= first_id_at(s.done_before)
		order by w.shard, w.id`;
	return new Map(rows.map(({ shard, id, nowMs }) => [shard, (nowMs - timeOfId(id).getTime()) / 1000]));
}
