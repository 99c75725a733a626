/** All SQL of the changes. Triggers of access write changes too (`src/platform/database/functions`). */
import type { Sql, Tx } from "../database";

/**
 *   kind                      subject
 *   key                       digest of the API key, in hex
 *   client                    client id
 *   token                     `jti`
 *   signing-keys              empty
 *   session                   digest of a session's token, in hex
 *   user                      id of a person whose rights or factors changed
 *   registry-ingested         empty: the runs or the history have changed
 *   registry-purged           digest of the erased number, in hex
 *   registry-purge-reversed   id of the purge
 *   deployment                name of the setting
 */
export type ChangeKind =
	| "key"
	| "client"
	| "token"
	| "signing-keys"
	| "session"
	| "user"
	| "registry-ingested"
	| "registry-purged"
	| "registry-purge-reversed"
	| "deployment";

export type ChangeRow = { readonly kind: string; readonly subject: string };

/** Announces a change to every process, in the transaction of the change. */
export async function announce(tx: Tx, kind: ChangeKind, subject = ""): Promise<void> {
	await tx`insert into changes (kind, subject) values (${kind}, ${subject})`;
}

/** What a poll found. `snapshot` is what the next one starts from. */
export type Polled = {
	readonly snapshot: string;
	/** Changes with the server and the database, also when a standby takes over. */
	readonly server: string;
	/** By the database's clock, in milliseconds. */
	readonly atMs: number;
	readonly changes: readonly ChangeRow[];
};

/**
 * The changes that are visible now and were not in the snapshot of the poll before, in the order in which they were written; none without
 * a snapshot. Ids are not in commit order, and a transaction may be open for long, so neither ids nor times would find each change once.
 */
export async function pollChanges(sql: Sql, since?: string): Promise<Polled> {
	const after = since ?? null;
	const [row] = await sql<Polled[]>`
		select pg_current_snapshot()::text as snapshot, (extract(epoch from now()) * 1000)::float8 as "atMs",
			pg_postmaster_start_time()::text || (select oid::text from pg_database where datname = current_database()) as server,
			(select coalesce(json_agg(json_build_object('kind', c.kind, 'subject', c.subject) order by c.id), '[]') from changes c
				where c.xid >= pg_snapshot_xmin(${after}::pg_snapshot) and not pg_visible_in_snapshot(c.xid, ${after}::pg_snapshot)
			) as changes`;
	if (!row) throw new Error("a poll of the changes returned no row");
	return row;
}

/** How long changes are kept. A process that was away for longer has missed some. */
export const CHANGES_KEPT_MS = 3_600_000;

/** Deletes old changes and returns how many. */
export async function sweepChanges(sql: Sql): Promise<number> {
	return (await sql`delete from changes where at < now() - make_interval(secs => ${CHANGES_KEPT_MS / 1_000})`).count;
}
