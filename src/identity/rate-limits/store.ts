/** All SQL of limits: counted calls and shared buckets. */
import type { Sql } from "../../platform/database";

export type Counted = {
	/** False: the calls were beyond the quota and are not counted. */
	readonly isWithin: boolean;
	readonly used: number;
	/** Seconds until the oldest counted call leaves the window. */
	readonly freesInSeconds: number;
	readonly slot: number;
};

type Row = { readonly slot: number; readonly counts: number[]; readonly now: number; readonly intoSlice: number };

/**
 * Counts calls of a subject if all of them are within the quota: one statement, for all processes, by the database's clock. The commit does
 * not wait for the disk; a server that crashes forgets the last calls. `calls` is at most the quota.
 */
export async function countCalls(
	sql: Sql,
	{
		subjectId,
		policy,
		quota,
		windowSeconds,
		calls,
	}: { subjectId: string; policy: string; quota: number; windowSeconds: number; calls: number },
): Promise<Counted> {
	const sliceSeconds = windowSeconds / SLICES;
	// `greatest`: after the clock was set back, counting continues in the latest slice.
	const now = sql`greatest(c.slot, excluded.slot)`;
	const live = sql`case when c.slot - mod(c.slot - place, ${SLICES}::bigint) > ${now} - ${SLICES} then count else 0 end`;
	const ring = sql`unnest(c.counts) with ordinality as u(count, n), lateral (select u.n - 1 as place) p`;
	const time = sql`select floor(extract(epoch from now()) / ${sliceSeconds}::float8)::bigint as slot`;
	const counted = await sql<Row[]>`
		with t as materialized (${time})
		insert into call_counts as c (subject_id, policy, slot, counts)
		select ${subjectId}, ${policy}, t.slot,
			array(select case when place = mod(t.slot, ${SLICES}::bigint) then ${calls}::int else 0 end from generate_series(0, ${SLICES - 1}) place order by place)
		from t
		on conflict (subject_id, policy) do update set slot = ${now}, counts = array(
			select ${live} + case when place = mod(${now}, ${SLICES}::bigint) then ${calls}::int else 0 end from ${ring} order by place
		)
		where (select sum(${live}) from ${ring}) + ${calls}::int <= ${quota}
		returning c.slot, c.counts, c.slot as now, ${intoSlice(sql, sliceSeconds)} as "intoSlice",
			set_config('synchronous_commit', 'off', true)`;
	const [row] =
		counted.length > 0
			? counted
			: await sql<Row[]>`
				with t as materialized (${time})
				select c.slot, c.counts, greatest(t.slot, c.slot) as now, ${intoSlice(sql, sliceSeconds)} as "intoSlice"
				from call_counts c, t where c.subject_id = ${subjectId} and c.policy = ${policy}`;
	if (!row) throw new Error(`the calls of ${subjectId} under ${policy} are not counted`);
	const { used, slicesLeft } = readWindow(row.slot, row.counts, row.now);
	const freesInSeconds = Math.max(0, Math.ceil(slicesLeft * sliceSeconds - row.intoSlice));
	return { isWithin: counted.length > 0, used, freesInSeconds, slot: Number(row.slot) };
}

/** Takes one call out of its slice. Returns how many count then; undefined when the slice no longer counts. */
export async function uncountCall(
	sql: Sql,
	{ subjectId, policy, slot }: { subjectId: string; policy: string; slot: number },
): Promise<number | undefined> {
	const place = slot % SLICES;
	const rows = await sql<{ slot: number; counts: number[] }[]>`
		update call_counts set counts[${place + 1}] = counts[${place + 1}] - 1
		where subject_id = ${subjectId} and policy = ${policy} and slot - ${slot}::bigint < ${SLICES} and counts[${place + 1}] > 0
		returning slot, counts, set_config('synchronous_commit', 'off', true)`;
	const [row] = rows;
	return row && readWindow(row.slot, row.counts, row.slot).used;
}

/** What a process has taken from one bucket. */
export type SharedBucket = {
	readonly subject: string;
	/** From the policy. */
	readonly place: string;
	readonly quota: number;
	readonly perSecond: number;
	readonly taken: number;
};

const PLACES_MAX = 5_000;

/**
 * Takes from the shared buckets what a process has given out in the last `withinSeconds`; returns each level, by its position in the list.
 * Tokens that came back in that time may be among those taken, so they are added before the bucket is capped. Rows are locked in a fixed
 * order to avoid deadlocks.
 */
export async function shareBuckets(
	sql: Sql,
	buckets: readonly SharedBucket[],
	withinSeconds: number,
): Promise<Map<number, number>> {
	const levels = new Map<number, number>();
	const within = sql`${withinSeconds}::float8`;
	const elapsed = sql`greatest(0, extract(epoch from excluded.as_of - b.as_of)::float8)`;
	for (let from = 0; from < buckets.length; from += PLACES_MAX) {
		const some = buckets.slice(from, from + PLACES_MAX);
		const placeOf = new Map(some.map(({ subject, place }, i) => [`${place} ${subject}`, from + i]));
		const rows = await sql<{ subject: string; policy: string; level: number }[]>`
			insert into rate_buckets as b (subject, policy, quota, per_second, level, taken, as_of)
			select t.subject, t.policy, t.quota, t.per_second,
				greatest(-t.quota, least(t.quota, t.quota + t.per_second * ${within} - t.taken)), t.taken, now()
			from unnest(
				${some.map(({ subject }) => subject)}::text[], ${some.map(({ place }) => place)}::text[],
				${some.map(({ quota }) => quota)}::float8[], ${some.map(({ perSecond }) => perSecond)}::float8[],
				${some.map(({ taken }) => taken)}::float8[]
			) as t(subject, policy, quota, per_second, taken)
			order by t.subject, t.policy
			on conflict (subject, policy) do update set
				quota = excluded.quota,
				per_second = excluded.per_second,
				level = greatest(-excluded.quota, least(
					excluded.quota,
					least(excluded.quota, b.level + excluded.per_second * greatest(0, ${elapsed} - ${within}))
						+ excluded.per_second * least(${elapsed}, ${within}) - excluded.taken
				)),
				taken = excluded.taken,
				as_of = greatest(b.as_of, excluded.as_of)
			returning subject, policy, level, set_config('synchronous_commit', 'off', true)`;
		for (const { subject, policy, level } of rows) {
			const place = placeOf.get(`${policy} ${subject}`);
			if (place !== undefined) levels.set(place, level);
		}
	}
	return levels;
}

/** Removes full buckets. Locked rows are skipped, because waiting for them could deadlock. */
export async function deleteFullBuckets(sql: Sql): Promise<number> {
	const deleted = await sql`
		delete from rate_buckets where (subject, policy) in (
			select subject, policy from rate_buckets
			where level + per_second * extract(epoch from now() - as_of) >= quota and as_of < now() - interval '1 minute'
			for update skip locked
		)`;
	return deleted.count;
}

export async function deleteCounts(sql: Sql, policy: string, sliceSeconds: number): Promise<number> {
	const deleted = await sql`
		delete from call_counts
		where policy = ${policy} and slot < floor(extract(epoch from now()) / ${sliceSeconds}::float8) - ${2 * SLICES}::int`;
	return deleted.count;
}

/** Seconds since the start of the current slice. */
function intoSlice(sql: Sql, sliceSeconds: number) {
	const seconds = sql`extract(epoch from now())::float8`;
	return sql`(${seconds} - floor(${seconds} / ${sliceSeconds}::float8) * ${sliceSeconds}::float8)`;
}

/**
 * A sliding window as a ring of slices: the counts of the last 120 slices of time, including the current one.
 *
 *   slice 7 in a ring of 5:  index 0 1 2 3 4
 *                            slice 5 6 7 3 4
 *
 * It covers the window less a part of a slice, so a caller within the limit is never refused. Its size does not depend on the limit. Gap:
 * what "per hour" means; a fixed hour would allow two hours' calls around its end.
 */
export const SLICES = 120;

export type Window = {
	/** Calls that count now. */
	readonly used: number;
	/** Slices until the oldest of them leaves the window; 0 without any. */
	readonly slicesLeft: number;
};

/** Reads a ring as of slice `now`, which is not before its own. */
export function readWindow(slot: number, counts: readonly number[], now: number): Window {
	const slices = counts
		.map((count, place) => ({ count, slice: slot - ((slot - place) % SLICES) }))
		.filter(({ count, slice }) => count > 0 && slice > now - SLICES);
	const oldest = Math.min(...slices.map(({ slice }) => slice));
	return {
		used: slices.reduce((sum, { count }) => sum + count, 0),
		slicesLeft: slices.length > 0 ? oldest + SLICES - now : 0,
	};
}
