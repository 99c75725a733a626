/** What PostgreSQL wrote for some documents: its own counters, read before and after. */
import type { Sql } from "../src/platform/database";

export type DatabaseWork = {
	readonly transactions: number;
	readonly inserted: number;
	/** Pieces of long values, stored in tables of their own. */
	readonly toastInserted: number;
	readonly updated: number;
	/** Those of `updated` that touched no index. */
	readonly hotUpdated: number;
	readonly deleted: number;
};

/** A session that is idle reports its counters after ten seconds. */
const REPORTED_AFTER_MS = 10_500;

/**
 * Keeps the server from checkpoints: after one, each page that is touched is logged in full once, and figures would depend on how many
 * checkpoints a round met. Needs the superuser.
 */
export async function withoutCheckpoints(sql: Sql): Promise<void> {
	await sql`alter system set checkpoint_timeout = '1d'`;
	await sql`alter system set max_wal_size = '64GB'`;
	await sql`select pg_reload_conf()`;
	await sql`checkpoint`;
}

/** The counters so far, once every session has reported. */
export async function readDatabaseWork(sql: Sql, { smoke }: { readonly smoke: boolean }): Promise<DatabaseWork> {
	if (!smoke) await Bun.sleep(REPORTED_AFTER_MS);
	const [row] = await sql<DatabaseWork[]>`
		select
			(select xact_commit::float8 from pg_stat_database where datname = current_database()) as transactions,
			sum(n_tup_ins) filter (where schemaname <> 'pg_toast')::float8 as inserted,
			sum(n_tup_ins) filter (where schemaname = 'pg_toast')::float8 as "toastInserted",
			sum(n_tup_upd)::float8 as updated, sum(n_tup_hot_upd)::float8 as "hotUpdated",
			sum(n_tup_del) filter (where schemaname <> 'pg_toast')::float8 as deleted
		from pg_stat_all_tables where schemaname not in ('pg_catalog', 'information_schema')`;
	if (!row) throw new Error("a sum has a row");
	return row;
}

/** Write-ahead log written so far. Units: bytes. */
export async function readWal(sql: Sql): Promise<number> {
	const [row] = await sql<{ wal: number }[]>`
		select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal`;
	return row?.wal ?? Number.NaN;
}

/** Size of the database without dead rows. Rewrites every table. Units: bytes. */
export async function measureStored(sql: Sql): Promise<number> {
	await sql`vacuum (full)`;
	const [row] = await sql<{ size: number }[]>`select pg_database_size(current_database())::float8 as size`;
	return row?.size ?? Number.NaN;
}

/** What time removes: the papers after some days, what reports a document after a month. */
const GONE = {
	afterDays: ["papers", "steps", "request_keys", "changes"],
	afterMonth: ["events", "deliveries", "work_log"],
} as const;

/** Removes what a database does not hold any more of documents that old, and measures it. Units: bytes. */
export async function measureAged(sql: Sql, age: keyof typeof GONE): Promise<number> {
	await sql.begin(async (tx) => {
		// No trigger keeps a table from it.
		await tx`set local session_replication_role = replica`;
		const there = await tx<{ name: string }[]>`
			select name from unnest(${[...GONE[age]]}::text[]) name where to_regclass(name) is not null`;
		for (const { name } of there) await tx`truncate ${tx(name)}`;
	});
	return measureStored(sql);
}
