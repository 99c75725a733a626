/** All SQL of the ingest runs. */
import { announce } from "../../platform/changes";
import { LOCKS, type Sql, type Tx, tryLock } from "../../platform/database";

export type RunRow = {
	readonly runId: string;
	readonly attemptedAt: Date;
	readonly result: "ok" | "refused" | "failed";
	readonly reason: string | null;
	readonly source: string;
	readonly sourceEtag: string | null;
	readonly sourceSha256: string | null;
	readonly recordCount: number;
	readonly added: number | null;
	readonly changed: number | null;
	readonly removed: number | null;
	readonly refused: number;
	readonly suppressed: number;
	/** Lines with surplus bars that became entries; of the guessed ones, the surplus was added to the name. */
	readonly healed: number;
	readonly guessed: number;
	/** Columns of the source that are not read. */
	readonly columnsIgnored: readonly string[];
	/** Members of an entry that the source lacks and that were taken from an earlier run, and from which. */
	readonly fieldsKept: readonly string[];
	readonly fieldsFromRun: string | null;
	readonly durationMs: number;
	readonly finishedAt: Date;
	readonly confirmedAt: Date;
};

export type LastAttempt = { readonly at: Date; readonly result: "ok" | "unchanged" | "refused" | "failed" };

/**
 * Takes the ingest lock until the transaction ends; false if another process holds it. `idleMaxMs` is how long the transaction may be idle
 * before the server ends it and releases the lock.
 */
export async function takeIngestLock(tx: Tx, idleMaxMs: number): Promise<boolean> {
	await tx`select set_config('statement_timeout', '0', true)`;
	// With the lock, because the process may be paused or cut off when it gets it.
	return tryLock(tx, LOCKS.registryIngest, `${idleMaxMs}ms`);
}

/** Number of good runs whose data stays available. */
const KEPT_RUNS = 3;

/** The latest good runs, whose files are kept. */
export async function listKeptRuns(sql: Sql | Tx): Promise<string[]> {
	const rows = await sql<{ id: string }[]>`
		select id from registry_runs where result = 'ok' order by attempt desc limit ${KEPT_RUNS}`;
	return rows.map(({ id }) => id);
}

const columns = (sql: Sql | Tx) => sql`
	id as "runId", attempted_at as "attemptedAt", result, reason, source, source_etag as "sourceEtag",
	source_sha256 as "sourceSha256", record_count as "recordCount", added, changed, removed, refused, suppressed,
	healed, guessed, columns_ignored as "columnsIgnored", fields_kept as "fieldsKept", fields_from_run as "fieldsFromRun",
	duration_ms as "durationMs", finished_at as "finishedAt", confirmed_at as "confirmedAt"`;

export async function findRun(sql: Sql | Tx, runId: string): Promise<RunRow | undefined> {
	const [row] = await sql<RunRow[]>`
		select ${columns(sql)} from registry_runs where id = ${runId}`;
	return row;
}

/** How many runs there were up to this one, by their ids, which have an order in time. Runs are never deleted. */
export async function findRunOrdinal(sql: Sql, runId: string): Promise<number> {
	const [row] = await sql<{ ordinal: number }[]>`
		select count(*)::int as ordinal from registry_runs where id <= ${runId}`;
	return row?.ordinal ?? 0;
}

const ROLLED_BACK = "the operator went back to run ";

export async function listRunsAfter(tx: Tx, runId: string): Promise<string[]> {
	const rows = await tx<{ id: string }[]>`
		select id from registry_runs where attempt > (select attempt from registry_runs where id = ${runId})`;
	return rows.map(({ id }) => id);
}

/** Makes an earlier good run the last one again. */
export async function rollBackTo(tx: Tx, runId: string): Promise<void> {
	await tx`
		update registry_runs set result = 'refused', reason = ${ROLLED_BACK + runId}
		where result = 'ok' and attempt > (select attempt from registry_runs where id = ${runId})`;
	await announce(tx, "registry-ingested");
}

/** SHA-256 of sources that the operator rolled back from → why they are rejected. */
export async function listRejectedSources(sql: Sql | Tx): Promise<Record<string, string>> {
	const rows = await sql<{ sha256: string; reason: string }[]>`
		select source_sha256 as sha256, reason from registry_runs
		where result = 'refused' and source_sha256 is not null and starts_with(reason, ${ROLLED_BACK})
			and source_sha256 not in (select source_sha256 from registry_runs where result = 'ok' and source_sha256 is not null)`;
	return Object.fromEntries(
		rows.map(({ sha256, reason }) => [
			sha256,
			`the source is still that of a run that was rolled back: ${reason}; force it`,
		]),
	);
}

export async function findLastGoodRun(sql: Sql | Tx): Promise<RunRow | undefined> {
	const [row] = await sql<RunRow[]>`
		select ${columns(sql)} from registry_runs where result = 'ok' order by attempt desc limit 1`;
	return row;
}

/** The latest runs, newest first, including refused and failed ones. */
export async function listRuns(sql: Sql, limit = 100): Promise<RunRow[]> {
	return sql<RunRow[]>`
		select ${columns(sql)} from registry_runs order by attempt desc limit ${limit}`;
}

export async function findLastAttempt(sql: Sql | Tx): Promise<LastAttempt | undefined> {
	const [row] = await sql<LastAttempt[]>`
		select attempted_at as at, attempt_result as result
		from registry_runs order by attempt desc limit 1`;
	return row;
}

export async function insertRun(tx: Tx, run: RunRow): Promise<void> {
	await tx`
		insert into registry_runs (id, attempted_at, attempt_result, result, reason, source, source_etag, source_sha256, record_count,
			added, changed, removed, refused, suppressed, healed, guessed, columns_ignored, fields_kept, fields_from_run, duration_ms,
			finished_at, confirmed_at)
		values (${run.runId}, ${run.attemptedAt}, ${run.result}, ${run.result}, ${run.reason}, ${run.source}, ${run.sourceEtag},
			${run.sourceSha256}, ${run.recordCount}, ${run.added}, ${run.changed}, ${run.removed}, ${run.refused},
			${run.suppressed}, ${run.healed}, ${run.guessed}, ${run.columnsIgnored}, ${run.fieldsKept}, ${run.fieldsFromRun},
			${run.durationMs}, ${run.finishedAt}, ${run.confirmedAt})`;
	await announce(tx, "registry-ingested");
}

export async function confirmRun(
	tx: Tx,
	run: Pick<RunRow, "runId" | "attemptedAt" | "source" | "sourceEtag" | "confirmedAt">,
): Promise<void> {
	await tx`
		update registry_runs set attempt = nextval('registry_attempts'), attempted_at = ${run.attemptedAt},
			attempt_result = 'unchanged', source = ${run.source}, source_etag = ${run.sourceEtag}, confirmed_at = ${run.confirmedAt}
		where id = ${run.runId}`;
	await announce(tx, "registry-ingested");
}

export async function listRunsBefore(sql: Sql, before: string | undefined, limit: number): Promise<RunRow[]> {
	return sql<RunRow[]>`
		select ${columns(sql)} from registry_runs where ${before === undefined ? sql`true` : sql`id < ${before}`} order by id desc limit ${limit}`;
}
