/**
 * All SQL of the history: what each number held before each day on which it changed. The files of the runs are copies of it.
 *
 * Rows are differences between runs. A run whose difference from the one before is unknown begins a new era. Only the last era is read and
 * written; the rows of earlier ones stay, and count again after a rollback to one of their runs.
 *
 * The ingest writes its rows while erasures are blocked, and an erasure removes the rows of its number, so neither misses the other's.
 */
import { type Sql, type Tx, withoutTimeout } from "../../platform/database";
import { type HistoryRows, type HistoryStart, type Moment, readHistoryRows, toIsoDay, type Was } from "../history";

const ROWS_A_STATEMENT = 5_000;

const lastEra = (sql: Sql | Tx) => sql`(select coalesce(max(era), 0) from registry_history_starts)`;

/** From when the history is known, oldest first; empty before the first run. */
export async function listHistoryStarts(sql: Sql | Tx): Promise<HistoryStart[]> {
	return sql<HistoryStart[]>`
		select begins - date '1970-01-01' as day, run_id as "runId", is_imported as "isImported"
		from registry_history_starts where era = ${lastEra(sql)} order by begins`;
}

export async function insertHistoryStart(tx: Tx, { day, runId, isImported }: HistoryStart): Promise<void> {
	await tx`
		insert into registry_history_starts (era, begins, run_id, is_imported)
		values (${lastEra(tx)}, ${toIsoDay(day)}::date, ${runId}, ${isImported})`;
}

/** Begins an era, for data whose difference from the earlier ones is unknown. */
export async function beginEra(tx: Tx, { day, runId }: Moment): Promise<void> {
	await tx`
		insert into registry_history_starts (era, begins, run_id, is_imported)
		select coalesce(max(era) + 1, 0), ${toIsoDay(day)}::date, ${runId}::uuid, false from registry_history_starts`;
}

/** Removes the last era, whose rows are wrong. */
async function removeLastEra(tx: Tx): Promise<void> {
	await withoutTimeout(tx`delete from registry_history where era = ${lastEra(tx)}`);
	await tx`delete from registry_history_starts where era = ${lastEra(tx)}`;
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
			insert into registry_history (era, document_key, until, run_id, existed, was)
			select ${lastEra(tx)}, key, until, run_id, was is not null, was::jsonb
			from unnest(${keys}::bigint[], ${days}::date[], ${runIds}::uuid[], ${texts}::text[]) t (key, until, run_id, was)
			on conflict (document_key, until, era) do update set was = excluded.was || registry_history.was
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

/** Removes the rows of erased numbers, in every era. Units: keys. */
export async function eraseHistory(tx: Tx, keys: readonly number[]): Promise<void> {
	await withoutTimeout(tx`delete from registry_history where document_key = any(${keys as number[]}::bigint[])`);
}

/**
 * Removes what abandoned runs changed, and the eras that they began. Starts again with the run that is returned to if no era is left, or if
 * an abandoned run changed what an import was compared with.
 */
export async function rollBackHistory(tx: Tx, abandoned: readonly string[], to: Moment): Promise<void> {
	const runIds = abandoned as string[];
	const findOwn = async () => (await listHistoryStarts(tx)).at(-1);
	let own = await findOwn();
	if (!own) return;
	while (own && runIds.includes(own.runId)) {
		await removeLastEra(tx);
		own = await findOwn();
	}
	if (!own) return beginEra(tx, to);
	const begins = await listHistoryStarts(tx);
	const rows = await tx`
		select 1 from registry_history
		where era = ${lastEra(tx)} and run_id = any(${runIds}) and until <= ${toIsoDay(own.day)}::date limit 1`;
	if (begins.length > 1 && rows.length > 0) {
		await removeLastEra(tx);
		return beginEra(tx, to);
	}
	await withoutTimeout(tx`delete from registry_history where era = ${lastEra(tx)} and run_id = any(${runIds})`);
}

/** Removes the differences between the oldest import and the first run, which a newer import replaces. */
export async function removeDifferencesAt(tx: Tx, day: number): Promise<void> {
	await withoutTimeout(tx`
		delete from registry_history where era = ${lastEra(tx)} and until = ${toIsoDay(day)}::date`);
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

/** All rows of the last era, or those since a day, by key and day. */
export async function* readHistory(tx: Tx, sinceDay: number | undefined): AsyncGenerator<HistoryRow, void, void> {
	const since = sinceDay === undefined ? tx`true` : tx`until >= ${toIsoDay(sinceDay)}::date`;
	const read = tx<StoredRow[]>`
		select document_key as key, until - date '1970-01-01' as day, run_id as "runId", was
		from registry_history where era = ${lastEra(tx)} and ${since} order by document_key, until`;
	for await (const batch of read.cursor(ROWS_A_READ)) {
		for (const { key, day, runId, was } of batch) yield { key, moment: { day, runId }, was: was ?? undefined };
	}
}
