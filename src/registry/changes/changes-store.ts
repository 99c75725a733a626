/**
 * All SQL of the changes that each run made.
 *
 * Changes are numbered consecutively. Only the ingest writes them, one at a time. A feed can be read from the start of the oldest set that
 * is kept. If a difference is unknown, all earlier sets are dropped, so that no reader skips the gap unnoticed.
 *
 * A restored database continues from its own last number, so numbers can repeat. Each set therefore has a random mark, and a position
 * consists of a number and the mark of its set.
 *
 * An erasure removes its rows by digest. The ingest, once its rows are written, blocks new tombstones until it commits and removes the rows
 * of existing ones. An erasure that waits for it removes the rest.
 */
import { type Sql, type Tx, withoutTimeout } from "../../platform/database";
import { newId } from "../../platform/values";
import type { RegistryChange } from "../index/index";

/** Gap: 31 days of daily runs and the run before them, so that a delta can lead from there. */
export const SETS_KEPT = 32;

type RecordedRun = { readonly runId: string; readonly finishedAt: Date };

type ErasedDigests = {
	readonly digestOf: (digits: string) => Uint8Array;
	/** Blocks erasures until the transaction ends; returns the digests of erased numbers, in hex. */
	readonly blockErasures: (tx: Tx) => Promise<readonly string[]>;
};

/** A value that a run changed. */
export type ChangedField = { readonly field: string; readonly was: string; readonly is: string };
/** `fields` is absent unless the entry changed. */
export type ChangeWithFields = RegistryChange & { readonly fields?: readonly ChangedField[] };

const ROWS_A_STATEMENT = 5_000;

/**
 * Writes the changes of a run in the run's transaction, after its row and as late as possible, because erasures wait from here to the
 * commit. Drops sets that are too old.
 */
export async function recordChanges(
	tx: Tx,
	run: RecordedRun,
	changes: Iterable<ChangeWithFields> | AsyncIterable<ChangeWithFields>,
	{ digestOf, blockErasures }: ErasedDigests,
): Promise<void> {
	const head = headOf(await listSets(tx));
	const ordinal = await insertSet(tx, run, head, newId());
	const startsAfter = head.number;
	let endsAt = startsAfter;
	let rows: ChangeWithFields[] = [];
	const write = async () => {
		const kinds = rows.map((row) => row.kind);
		const documents = rows.map((row) => row.document);
		const digests = documents.map((document) => Buffer.from(digestOf(document)).toString("hex"));
		const fields = rows.map((row) => (row.fields ? JSON.stringify(row.fields) : null));
		await tx`
			insert into registry_changes (number, ordinal, kind, document, digest, fields)
			select ${endsAt}::bigint + i, ${ordinal}::bigint, kind, document, decode(digest, 'hex'), fields::json
			from unnest(${kinds}::text[], ${documents}::text[], ${digests}::text[], ${fields}::text[])
				with ordinality as t (kind, document, digest, fields, i)`;
		endsAt += rows.length;
		rows = [];
	};
	for await (const change of changes) {
		if (rows.push(change) === ROWS_A_STATEMENT) await write();
	}
	if (rows.length > 0) await write();
	await tx`update registry_change_sets set ends_at = ${endsAt} where ordinal = ${ordinal}`;
	// These are many rows, and the ingest has no timeout.
	const erased = [...(await blockErasures(tx))];
	await withoutTimeout(tx`
		delete from registry_changes
		where digest in (select decode(erased, 'hex') from unnest(${erased}::text[]) erased)`);
	await withoutTimeout(tx`
		delete from registry_change_sets
		where ordinal not in (select ordinal from registry_change_sets order by ordinal desc limit ${SETS_KEPT})`);
}

/** Records a run whose difference from the previous one is unknown. Every cursor issued so far expires. */
export async function recordBreak(tx: Tx, run: RecordedRun): Promise<void> {
	// The number stands for the unknown changes, so that a reader of all earlier changes is still one behind.
	const number = headOf(await listSets(tx)).number + 1;
	const mark = newId();
	await withoutTimeout(tx`delete from registry_change_sets`);
	await insertSet(tx, run, { number, mark }, mark);
}

/** Removes every change of an erased document, in the transaction that writes its tombstone; returns how many there were. */
export async function eraseChanges(tx: Tx, digest: Uint8Array): Promise<number> {
	const { count } = await tx`delete from registry_changes where digest = ${digest}`;
	return count;
}

/** The changes of one document, newest first. */
export async function listChangesOf(
	sql: Sql,
	digest: Uint8Array,
): Promise<{ readonly run_id: string; readonly kind: RegistryChange["kind"] }[]> {
	return sql<{ run_id: string; kind: RegistryChange["kind"] }[]>`
		select s.run_id, c.kind from registry_changes c join registry_change_sets s using (ordinal)
		where c.digest = ${digest} order by c.number desc`;
}

/** A reader's position: after the change with this number, in the set with this mark. */
export type FeedPosition = {
	readonly number: number;
	/** Null in sets older than marks, and before the first set. */
	readonly mark: string | null;
};

type SetRow = {
	readonly runId: string;
	readonly startsAfter: number;
	readonly endsAt: number;
	readonly mark: string | null;
	readonly markBefore: string | null;
};

/** All sets that are kept, oldest first; each starts where the previous one ends. */
async function listSets(tx: Tx): Promise<SetRow[]> {
	return tx<SetRow[]>`
		select run_id as "runId", starts_after as "startsAfter", ends_at as "endsAt", mark, mark_before as "markBefore"
		from registry_change_sets order by ordinal`;
}

/** The position of a number. At the start of a set it belongs to the set before, so that adding a set does not change it. */
function positionIn(sets: readonly SetRow[], number: number): FeedPosition {
	const within = sets.find((set) => set.startsAfter < number && number <= set.endsAt);
	if (within) return { number, mark: within.mark };
	return { number, mark: sets.find((set) => set.startsAfter === number)?.markBefore ?? null };
}

function headOf(sets: readonly SetRow[]): FeedPosition {
	return positionIn(sets, sets.at(-1)?.endsAt ?? 0);
}

/** A run that the feed has already passed was rolled back to. Its changes then date from now instead of the end of the run. */
async function insertSet(
	tx: Tx,
	{ runId, finishedAt }: RecordedRun,
	behind: FeedPosition,
	mark: string,
): Promise<number> {
	const [row] = await tx<{ ordinal: number }[]>`
		insert into registry_change_sets (run_id, starts_after, ends_at, mark, mark_before, at)
		select ${runId}, ${behind.number}, ${behind.number}, ${mark}, ${behind.mark},
			case when latest > ${finishedAt}::timestamptz then greatest(latest, clock_timestamp()) else ${finishedAt}::timestamptz end
		from (select max(at) as latest from registry_change_sets) sets
		returning ordinal`;
	if (!row) throw new Error("a new set of changes has no ordinal");
	return row.ordinal;
}

export type ChangeRow = RegistryChange & {
	/** Null unless the entry changed, and in changes of earlier versions. */
	readonly fields: readonly ChangedField[] | null;
	readonly number: number;
	readonly runId: string;
	/** When the run ended or was rolled back to; never before the preceding change. */
	readonly at: Date;
};

export type Feed = {
	/** Readers before this number have missed changes that are no longer kept. */
	readonly floor: number;
	readonly head: number;
	/** The last change of all; another process may use a later run. */
	readonly last: number;
	readonly positionOf: (number: number) => FeedPosition;
	/** Ascending, at most `limit`. */
	readonly rows: readonly ChangeRow[];
};

/**
 * Reads changes after `after`, or from the start, up to the given run. It reads one consistent state, so that a set dropped meanwhile is
 * read as a whole or not at all. A run without recorded changes yields none.
 */
export async function readFeed(
	sql: Sql,
	question: { readonly runId: string; readonly after: number | undefined; readonly limit: number },
): Promise<Feed> {
	return sql.begin("isolation level repeatable read read only", async (tx) => {
		const sets = await listSets(tx);
		const floor = sets[0]?.startsAfter ?? 0;
		const head = sets.findLast((set) => set.runId === question.runId)?.endsAt ?? floor;
		const last = sets.at(-1)?.endsAt ?? 0;
		const rows = await tx<ChangeRow[]>`
			select c.number, c.kind, c.document, c.fields, s.run_id as "runId", s.at
			from registry_changes c join registry_change_sets s using (ordinal)
			where c.number > ${question.after ?? floor} and c.number <= ${head}
			order by c.number limit ${question.limit}`;
		return { floor, head, last, positionOf: (number) => positionIn(sets, number), rows };
	});
}

export type ChangeSetText = {
	readonly runId: string;
	readonly ordinal: number;
	/** When the run was taken into use. */
	readonly at: Date;
	/** `added`, `changed` and `removed` by their first letter in front of the number, separated by commas. */
	readonly changes: string;
};

/** The changes of each set up to the last one of the run, oldest first. Empty if the run has none. */
export async function readChangeTexts(sql: Sql, runId: string): Promise<ChangeSetText[]> {
	return sql<ChangeSetText[]>`
		select s.run_id as "runId", s.ordinal, s.at,
			coalesce(string_agg(left(c.kind, 1) || c.document, ',' order by c.number), '') as changes
		from registry_change_sets s left join registry_changes c using (ordinal)
		where s.ordinal <= (select max(ordinal) from registry_change_sets where run_id = ${runId})
		group by s.ordinal
		order by s.ordinal`;
}

/** A number that was erased while the set with this ordinal was the newest. */
export type SealedNumber = { readonly ordinal: number; readonly sealed: Uint8Array };

/** Keeps an erased number for the deltas that lead from the runs which are kept; without such runs it keeps nothing. */
export async function keepErasedNumber(tx: Tx, digest: Uint8Array, sealed: Uint8Array): Promise<void> {
	await tx`
		insert into registry_erased_numbers (digest, ordinal, sealed_number)
		select ${digest}, max(ordinal), ${sealed} from registry_change_sets having count(*) > 0
		on conflict do nothing`;
}

export async function forgetErasedNumber(tx: Tx, digest: Uint8Array): Promise<void> {
	await tx`delete from registry_erased_numbers where digest = ${digest}`;
}

export async function listErasedNumbers(sql: Sql): Promise<SealedNumber[]> {
	return sql<SealedNumber[]>`select ordinal, sealed_number as sealed from registry_erased_numbers order by digest`;
}

/** The newest set of changes; 0 before the first. */
export async function findLastOrdinal(sql: Sql | Tx): Promise<number> {
	const [row] = await sql<{ ordinal: number }[]>`
		select coalesce(max(ordinal), 0)::bigint as ordinal from registry_change_sets`;
	return row?.ordinal ?? 0;
}

/** The changes of one set in memory: `documents` ascend by key, and `numbers` are those of the changes. */
export type SetOfChanges = {
	readonly ordinal: number;
	readonly runId: string;
	readonly documents: readonly string[];
	readonly numbers: readonly number[];
};

/** The next set after one, without the changed values; undefined if there is none. */
export async function findNextSet(sql: Sql | Tx, after: number): Promise<SetOfChanges | undefined> {
	const [set] = await sql<{ ordinal: number; runId: string }[]>`
		select ordinal, run_id as "runId" from registry_change_sets where ordinal > ${after} order by ordinal limit 1`;
	if (!set) return undefined;
	const rows = await sql<{ number: number; document: string }[]>`
		select number, document from registry_changes where ordinal = ${set.ordinal} order by number`;
	return { ...set, documents: rows.map(({ document }) => document), numbers: rows.map(({ number }) => number) };
}

export type KeptChange = RegistryChange & {
	readonly number: number;
	readonly fields: readonly ChangedField[] | null;
};

/** These changes, without those that were erased since. */
export async function findChanges(sql: Sql | Tx, numbers: readonly number[]): Promise<ChangeRow[]> {
	return sql<ChangeRow[]>`
		select c.number, c.kind, c.document, c.fields, s.run_id as "runId", s.at
		from registry_changes c join registry_change_sets s using (ordinal)
		where c.number = any(${[...numbers]}::bigint[]) order by c.number`;
}

/** These changes, without those that were erased since; an erasure waits until the transaction ends. */
export async function lockChanges(tx: Tx, numbers: readonly number[]): Promise<KeptChange[]> {
	return tx<KeptChange[]>`
		select number, kind, document, fields from registry_changes
		where number = any(${[...numbers]}::bigint[]) order by number for key share`;
}
