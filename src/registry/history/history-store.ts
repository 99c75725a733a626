/**
 * All SQL of the history: what each number held before each day on which it changed. The files of the runs are copies of it.
 *
 * The ingest writes its rows while erasures are blocked, and an erasure removes the rows of its number, so neither misses the other's.
 */
import { type Sql, type Tx, withoutTimeout } from "../../platform/database";
import { type HistoryRows, readHistoryRows } from "./build-history";
import type { HistoryStart, Moment } from "./history-file";
import { toIsoDay, type Was } from "./periods";

const ROWS_A_STATEMENT = 5_000;

/** From when the history is known, oldest first; empty before the first run. */
export async function listHistoryStarts(sql: Sql | Tx): Promise<HistoryStart[]> {
	return sql<HistoryStart[]>`
		select begins - date '1970-01-01' as day, run_id as "runId", is_imported as "isImported"
		from registry_history_starts order by begins`;
}

export async function insertHistoryStart(tx: Tx, { day, runId, isImported }: HistoryStart): Promise<void> {
	await tx`
		insert into registry_history_starts (begins, run_id, is_imported) values (${toIsoDay(day)}::date, ${runId}, ${isImported})`;
}

/** Forgets everything, for data whose difference from the earlier ones is unknown or wrong, and starts again. */
export async function restartHistory(tx: Tx, { day, runId }: Moment): Promise<void> {
	await withoutTimeout(tx`delete from registry_history`);
	await tx`delete from registry_history_starts`;
	await insertHistoryStart(tx, { day, runId, isImported: false });
}

/**
 * Writes the changes of runs, as late in the run's transaction as possible and while erasures are blocked. A second change on one day keeps
 * the first one's run and earlier values.
 */
export async function recordHistory(
	tx: Tx,
	rows: HistoryRows,
	isErased: ((key: number) => boolean) | undefined,
): Promise<void> {
	let keys: number[] = [];
	let days: string[] = [];
	let runIds: string[] = [];
	let texts: (string | null)[] = [];
	const write = async () => {
		await withoutTimeout(tx`
			insert into registry_history (document_key, until, run_id, existed, was)
			select key, until, run_id, was is not null, was::jsonb
			from unnest(${keys}::bigint[], ${days}::date[], ${runIds}::uuid[], ${texts}::text[]) t (key, until, run_id, was)
			on conflict (document_key, until) do update set was = excluded.was || registry_history.was
			where registry_history.existed and excluded.existed`);
		[keys, days, runIds, texts] = [[], [], [], []];
	};
	for (const { key, moment, text } of readHistoryRows(rows)) {
		if (isErased?.(key)) continue;
		days.push(toIsoDay(moment.day));
		runIds.push(moment.runId);
		texts.push(text === "" ? null : text);
		if (keys.push(key) === ROWS_A_STATEMENT) await write();
	}
	if (keys.length > 0) await write();
}

/** Removes the rows of erased numbers. Units: keys. */
export async function eraseHistory(tx: Tx, keys: readonly number[]): Promise<void> {
	await withoutTimeout(tx`delete from registry_history where document_key = any(${keys as number[]}::bigint[])`);
}

/**
 * Removes what abandoned runs changed. Starts again with the run that is returned to if the history began with an abandoned run, or if one of
 * them changed what an import was compared with.
 */
export async function rollBackHistory(tx: Tx, abandoned: readonly string[], to: Moment): Promise<void> {
	const starts = await listHistoryStarts(tx);
	const own = starts.find(({ isImported }) => !isImported);
	if (!own) return;
	const runIds = abandoned as string[];
	const rows = await tx`
		select 1 from registry_history where run_id = any(${runIds}) and until <= ${toIsoDay(own.day)}::date limit 1`;
	if (runIds.includes(own.runId) || (starts.length > 1 && rows.length > 0)) return restartHistory(tx, to);
	await withoutTimeout(tx`delete from registry_history where run_id = any(${runIds})`);
}

/** Removes the differences between the oldest import and the first run, which a newer import replaces. */
export async function removeDifferencesAt(tx: Tx, day: number): Promise<void> {
	await withoutTimeout(tx`delete from registry_history where until = ${toIsoDay(day)}::date`);
}

export type HistoryRow = { readonly key: number; readonly moment: Moment; readonly was: Was | undefined };

type StoredRow = { readonly key: number; readonly day: number; readonly runId: string; readonly was: Was | null };

/** What one number held before each day on which it changed, newest first; `was` is null where it had no entry. */
export type EarlierValues = { readonly until: string; readonly run_id: string; readonly was: Was | null };

export function listHistoryOf(sql: Sql | Tx, key: number): Promise<EarlierValues[]> {
	return sql<EarlierValues[]>`
		select until::text, run_id, was from registry_history where document_key = ${key} order by registry_history.until desc`;
}

const ROWS_A_READ = 1_000;

/** All rows, or those since a day, by key and day. */
export async function* readHistory(tx: Tx, sinceDay: number | undefined): AsyncGenerator<HistoryRow, void, void> {
	const since = sinceDay === undefined ? tx`true` : tx`until >= ${toIsoDay(sinceDay)}::date`;
	const read = tx<StoredRow[]>`
		select document_key as key, until - date '1970-01-01' as day, run_id as "runId", was
		from registry_history where ${since} order by document_key, until`;
	for await (const batch of read.cursor(ROWS_A_READ)) {
		for (const { key, day, runId, was } of batch) yield { key, moment: { day, runId }, was: was ?? undefined };
	}
}
