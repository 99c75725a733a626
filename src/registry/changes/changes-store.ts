/**
 * All SQL of the registry's history: the runs, and what each changed.
 *
 * Changes are numbered one after another; only the ingest writes them, and there is one ingest at a time. A feed can be read from
 * where the oldest kept set begins. Where a difference is unknown all that was kept before goes, so that nobody reads over
 * the gap without noticing.
 *
 * A restored database counts on from where it stands, so numbers may come a second time. Marks do not: each set draws one, and a place is told by
 * its number and the mark of the set that it stands in.
 *
 * An erasure removes its rows by digest. Both sides are safe against each other: the ingest, once its rows are written, bars new
 * tombstones until it commits and removes the rows of those that stand; an erasure that waits for it finds the rest.
 */
import { patiently, type Sql, type Tx } from "../../platform/database";
import { newId } from "../../platform/values";
import type { RegistryChange } from "../index/index";

/** Sets of changes that are kept. */
export const SETS_KEPT = 30;

const ROWS_A_STATEMENT = 5_000;

/**
 * Writes what a run changed, after the run's own row and in its transaction, as late as can be: from here to the commit an
 * erasure waits. Drops the sets that are too old.
 */
export async function recordChanges(
	tx: Tx,
	runId: string,
	changes: Iterable<RegistryChange> | AsyncIterable<RegistryChange>,
	digestOf: (digits: string) => Uint8Array,
): Promise<void> {
	const head = headOf(await listSets(tx));
	const ordinal = await insertSet(tx, runId, head, newId());
	const startsAfter = head.number;
	let endsAt = startsAfter;
	let rows: RegistryChange[] = [];
	const write = async () => {
		const kinds = rows.map((row) => row.kind);
		const documents = rows.map((row) => row.document);
		const digests = documents.map((document) => Buffer.from(digestOf(document)).toString("hex"));
		await tx`
			insert into registry_changes (number, ordinal, kind, document, digest)
			select ${endsAt}::bigint + i, ${ordinal}::bigint, kind, document, decode(digest, 'hex')
			from unnest(${kinds}::text[], ${documents}::text[], ${digests}::text[]) with ordinality as t (kind, document, digest, i)`;
		endsAt += rows.length;
		rows = [];
	};
	for await (const change of changes) {
		if (rows.push(change) === ROWS_A_STATEMENT) await write();
	}
	if (rows.length > 0) await write();
	await tx`update registry_change_sets set ends_at = ${endsAt} where ordinal = ${ordinal}`;
	// With their changes these are many rows, and the ingest has no time-out.
	await patiently(tx`lock table registry_tombstones in share mode`);
	await patiently(tx`delete from registry_changes c using registry_tombstones t where c.digest = t.digest`);
	await patiently(tx`
		delete from registry_change_sets
		where ordinal not in (select ordinal from registry_change_sets order by ordinal desc limit ${SETS_KEPT})`);
}

/** Notes that a run was taken into use whose difference from the one before is not known. Every cursor given so far expires. */
export async function recordBreak(tx: Tx, runId: string): Promise<void> {
	// A number that stands for what is not told: a reader who has all the rest is still one behind.
	const number = headOf(await listSets(tx)).number + 1;
	const mark = newId();
	await patiently(tx`delete from registry_change_sets`);
	await insertSet(tx, runId, { number, mark }, mark);
}

/** Removes every change of an erased document; in the transaction that writes its tombstone. */
export async function eraseChanges(tx: Tx, digest: Uint8Array): Promise<void> {
	await tx`delete from registry_changes where digest = ${digest}`;
}

/** Where a reader stands: behind the change of this number, as the set with this mark has it. */
export type Place = {
	readonly number: number;
	/** Null in sets from before there were marks, and before the first set. */
	readonly mark: string | null;
};

type SetRow = {
	readonly runId: string;
	readonly startsAfter: number;
	readonly endsAt: number;
	readonly mark: string | null;
	readonly markBefore: string | null;
};

/** All that are kept, oldest first: each begins where the one before it ends. */
async function listSets(tx: Tx): Promise<SetRow[]> {
	return tx<SetRow[]>`
		select run_id as "runId", starts_after as "startsAfter", ends_at as "endsAt", mark, mark_before as "markBefore"
		from registry_change_sets order by ordinal`;
}

/** The place of a number; one in front of a set belongs to what was there before, so that the set which follows changes nothing about it. */
function placeIn(sets: readonly SetRow[], number: number): Place {
	const within = sets.find((set) => set.startsAfter < number && number <= set.endsAt);
	if (within) return { number, mark: within.mark };
	return { number, mark: sets.find((set) => set.startsAfter === number)?.markBefore ?? null };
}

function headOf(sets: readonly SetRow[]): Place {
	return placeIn(sets, sets.at(-1)?.endsAt ?? 0);
}

/** A run that the feed has gone past already is one that was gone back to: that is told of now, not of when the run ended. */
async function insertSet(tx: Tx, runId: string, behind: Place, mark: string): Promise<number> {
	const [row] = await tx<{ ordinal: number }[]>`
		insert into registry_change_sets (run_id, starts_after, ends_at, mark, mark_before, at)
		select r.id, ${behind.number}, ${behind.number}, ${mark}, ${behind.mark},
			case when latest.at > r.finished_at then greatest(latest.at, clock_timestamp()) else r.finished_at end
		from registry_runs r, (select max(at) as at from registry_change_sets) latest where r.id = ${runId}
		returning ordinal`;
	if (!row) throw new Error("a set of changes has no ordinal after it was written");
	return row.ordinal;
}

export type ChangeRow = RegistryChange & {
	readonly number: number;
	readonly runId: string;
	/** When the run ended, or was gone back to. Never before the change in front of it. */
	readonly at: Date;
};

export type Feed = {
	/** Readers behind this have missed what is no longer kept. */
	readonly floor: number;
	/** Number of the last change up to which the run in use goes. */
	readonly head: number;
	/** Number of the last change of all; another process may use a later run. */
	readonly last: number;
	/** The place of a number between `floor` and `last`. */
	readonly placeOf: (number: number) => Place;
	/** At most as many as asked for, ascending. */
	readonly rows: readonly ChangeRow[];
};

/**
 * Reads changes behind `after`, or from the beginning, up to the given run. All of one moment: a set that is dropped meanwhile is read
 * as a whole or not at all. Nothing is read for a run that was never recorded.
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
			select c.number, c.kind, c.document, s.run_id as "runId", s.at
			from registry_changes c join registry_change_sets s using (ordinal)
			where c.number > ${question.after ?? floor} and c.number <= ${head}
			order by c.number limit ${question.limit}`;
		return { floor, head, last, placeOf: (number) => placeIn(sets, number), rows };
	});
}
