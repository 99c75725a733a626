/** All SQL of the checks. */
import { lockNameOf, type Sql, type Tx } from "../../platform/database";
import type { Layout } from "./list-layout";
import type { Counts } from "./result-file";

export type CheckRow = {
	readonly id: string;
	/** Who is counted: the key's owner; behind the demo key, a digest of the address. */
	readonly subject: string;
	readonly host: string;
	/** `ended` by its customer or by its age: nothing but the row is left, or soon will be. */
	readonly status: "running" | "done" | "failed" | "ended";
	readonly createdAt: Date;
	readonly finishedAt: Date | null;
	readonly expiresAt: Date;
	readonly rows: number;
	readonly done: number;
	readonly counts: Counts | null;
	readonly layout: Layout | null;
	/** The day of the verdicts; null for the day of the check. */
	readonly asOf: string | null;
	readonly runId: string | null;
	readonly clearedOf: string | null;
	/** Who sent the list, for the usage. */
	readonly keyId: string | null;
	readonly tenantId: string | null;
	readonly ownerId: string | null;
};

const columns = (sql: Sql | Tx) => sql`
	id, subject, host, status, created_at as "createdAt", finished_at as "finishedAt", expires_at as "expiresAt", rows, done, counts,
	layout, as_of::text as "asOf", run_id as "runId", cleared_of as "clearedOf", key_id as "keyId", tenant_id as "tenantId", owner_id as "ownerId"`;

/** How long a process may be silent before another continues its check. */
const LEASE_SECONDS = 15;

export async function insertCheck(
	tx: Tx,
	check: Pick<
		CheckRow,
		"id" | "subject" | "host" | "createdAt" | "expiresAt" | "asOf" | "keyId" | "tenantId" | "ownerId"
	> & {
		readonly layout: Layout;
	},
): Promise<void> {
	const { id, subject, host, createdAt, expiresAt, layout, asOf, keyId, tenantId, ownerId } = check;
	await tx`
		insert into registry_checks (id, subject, host, status, created_at, expires_at, rows, layout, as_of, key_id, tenant_id, owner_id)
		values (${id}, ${subject}, ${host}, 'running', ${createdAt}, ${expiresAt}, ${layout.rows},
			${tx.json({ ...layout, columns: [...layout.columns] })}, ${asOf}, ${keyId}, ${tenantId}, ${ownerId})`;
}

/** Rows of the subject's lists since a time, and its checks under way; the caller holds the subject's lock until it commits. */
export async function measureUse(
	tx: Tx,
	subject: string,
	since: Date,
): Promise<{ readonly rows: number; readonly running: number }> {
	await tx`select pg_advisory_xact_lock(hashtextextended(${lockNameOf("registryChecks", subject)}, 0))`;
	const [row] = await tx<{ rows: string; running: string }[]>`
		select coalesce(sum(rows) filter (where created_at >= ${since}), 0) as rows, count(*) filter (where status = 'running') as running
		from registry_checks where subject = ${subject}`;
	return { rows: Number(row?.rows ?? 0), running: Number(row?.running ?? 0) };
}

/** Who may read and end a check: behind the demo key the bearer's company from any address, or else the address. */
export type Holder = { readonly subject: string; readonly isShared: boolean; readonly tenantId: string | undefined };

function isHeldBy(sql: Sql, { subject, isShared, tenantId }: Holder) {
	if (!isShared) return sql`subject = ${subject}`;
	return tenantId === undefined ? sql`subject = ${subject} and tenant_id is null` : sql`tenant_id = ${tenantId}`;
}

export async function findCheck(sql: Sql, holder: Holder, id: string, now: Date): Promise<CheckRow | undefined> {
	const [row] = await sql<CheckRow[]>`
		select ${columns(sql)} from registry_checks
		where id = ${id} and ${isHeldBy(sql, holder)} and status <> 'ended' and expires_at > ${now}`;
	return row;
}

/** False if there is none that has not ended. */
export async function endCheck(sql: Sql, holder: Holder, id: string, now: Date): Promise<boolean> {
	const rows = await sql`
		update registry_checks set status = 'ended', counts = null, layout = null, lease_until = null
		where id = ${id} and ${isHeldBy(sql, holder)} and status <> 'ended' and expires_at > ${now} returning id`;
	return rows.length > 0;
}

/**
 * Takes what there is to do at this host: checks that no process works on, results that hold erased entries, files that have ended. Each
 * for one process at a time.
 */
export async function takeDue(sql: Sql, host: string, fingerprint: string, now: Date): Promise<CheckRow[]> {
	return sql<CheckRow[]>`
		update registry_checks set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
		where id in (
			select id from registry_checks
			where host = ${host} and (lease_until is null or lease_until < now()) and (
				status = 'running' or layout is not null and expires_at <= ${now} or status = 'done' and cleared_of <> ${fingerprint}
			)
			order by created_at limit 20 for update skip locked
		)
		returning ${columns(sql)}`;
}

/** Takes one result in order to remove erased entries; undefined while another process does. */
export async function takeResult(sql: Sql, id: string): Promise<CheckRow | undefined> {
	const [row] = await sql<CheckRow[]>`
		update registry_checks set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
		where id = ${id} and status = 'done' and (lease_until is null or lease_until < now())
		returning ${columns(sql)}`;
	return row;
}

export async function renewLeases(sql: Sql, ids: readonly string[]): Promise<void> {
	await sql`
		update registry_checks set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
		where id = any(${[...ids]}) and lease_until is not null`;
}

/** Another process may continue at once. */
export async function releaseLeases(sql: Sql, ids: readonly string[]): Promise<void> {
	await sql`update registry_checks set lease_until = null where id = any(${[...ids]})`;
}

/** From which data the check is made. */
export async function saveStart(sql: Sql, id: string, runId: string, clearedOf: string): Promise<void> {
	await sql`update registry_checks set run_id = ${runId}, cleared_of = ${clearedOf} where id = ${id}`;
}

/** False if the check has ended. */
export async function saveProgress(sql: Sql, id: string, done: number, counts: Counts): Promise<boolean> {
	const rows = await sql`
		update registry_checks set done = ${done}, counts = ${sql.json({ ...counts })},
			lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
		where id = ${id} and status = 'running' returning id`;
	return rows.length > 0;
}

/** False if the check has ended. */
export async function saveDone(
	sql: Sql | Tx,
	id: string,
	result: { readonly done: number; readonly counts: Counts; readonly finishedAt: Date; readonly expiresAt: Date },
): Promise<boolean> {
	const { done, counts, finishedAt, expiresAt } = result;
	const rows = await sql`
		update registry_checks set status = 'done', done = ${done}, counts = ${sql.json({ ...counts })}, finished_at = ${finishedAt},
			expires_at = ${expiresAt}, lease_until = null
		where id = ${id} and status = 'running' returning id`;
	return rows.length > 0;
}

export async function saveFailed(sql: Sql, id: string, finishedAt: Date): Promise<void> {
	await sql`
		update registry_checks set status = 'failed', finished_at = ${finishedAt}, lease_until = null where id = ${id} and status = 'running'`;
}

export async function saveErased(sql: Sql, id: string, counts: Counts, clearedOf: string): Promise<void> {
	await sql`
		update registry_checks set counts = ${sql.json({ ...counts })}, cleared_of = ${clearedOf}, lease_until = null
		where id = ${id} and status = 'done'`;
}

export async function saveEnded(sql: Sql, id: string): Promise<void> {
	await sql`
		update registry_checks set status = 'ended', counts = null, layout = null, lease_until = null where id = ${id}`;
}

/** The checks whose files this host keeps. */
export async function listKept(sql: Sql, host: string): Promise<Set<string>> {
	const rows = await sql<{ id: string }[]>`select id from registry_checks where host = ${host} and status <> 'ended'`;
	return new Set(rows.map(({ id }) => id));
}

/** Removes rows that no longer count. */
export async function sweepEnded(sql: Sql, before: Date): Promise<void> {
	await sql`delete from registry_checks where status = 'ended' and created_at < ${before}`;
}
