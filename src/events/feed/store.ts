/** SQL of the feed: a tenant's events in order, and the removal of old ones. */
import { retryOnFailure, type Sql } from "../../platform/database";
import { firstIdAt } from "../../platform/values";

export type FeedRow = { readonly id: string; readonly sequence: number; readonly event: string; readonly body: string };

export type FeedPage = {
	/** The newest event that is committed; 0 before the first. */
	readonly last: number;
	/** Null if it has been deleted, or there is none. */
	readonly lastId: string | null;
	/** The id of the event at the requested position; null likewise. */
	readonly afterId: string | null;
	/** All events up to this one have been deleted. */
	readonly swept: number;
	readonly rows: readonly FeedRow[];
};

/**
 * Events after a position, oldest first, with the ends of the feed, all from one snapshot. An event up to `last` that is not among the rows does
 * not match the filter. `patterns` are names or `family.%`; undefined means all.
 */
export function readFeed(
	sql: Sql,
	tenantId: string,
	after: number,
	patterns: readonly string[] | undefined,
	limit: number,
): Promise<FeedPage> {
	return retryOnFailure(async () => {
		const [page] = await sql<FeedPage[]>`
			select coalesce(max(c.last_sequence), 0) as last, coalesce(max(c.swept_sequence), 0) as swept,
				(select id from events where tenant_id = ${tenantId} and sequence = max(c.last_sequence)) as "lastId",
				(select id from events where tenant_id = ${tenantId} and sequence = ${after}) as "afterId", coalesce((
				select json_agg(e order by e.sequence) from (
					select id, sequence, event, body from events
					where tenant_id = ${tenantId} and sequence > ${after}
						${patterns === undefined ? sql`` : sql`and event like any(${[...patterns]}::text[])`}
					order by sequence limit ${limit}
				) e
			), '[]') as rows
			from heads c where c.tenant_id = ${tenantId}`;
		if (!page) throw new Error("an aggregate has a row");
		return page;
	});
}

export async function findLast(sql: Sql, tenantIds: readonly string[]): Promise<Map<string, number>> {
	const rows = await sql<{ tenantId: string; last: number }[]>`
		select tenant_id as "tenantId", last_sequence as last from heads where tenant_id = any(${[...tenantIds]}::uuid[])`;
	return new Map(rows.map(({ tenantId, last }) => [tenantId, last]));
}

/**
 * Removes events of the weeks before a time, with their deliveries: first the feed stops showing them, then those go that no delivery needs any
 * more. Dead letters are needed until `deadBefore`. Heads are locked in the order in which events take numbers, and only briefly: transactions that
 * write events wait for them. Returns the count of what was removed: whole weeks, and single events that had been kept for longer.
 */
export async function sweepEvents(sql: Sql, before: Date, deadBefore: Date): Promise<number> {
	const monday = mondayBefore(before);
	await sql`
		with old as materialized (
			select tenant_id, max(sequence) as sequence from events where id < ${firstIdAt(monday)} group by tenant_id
		), taken as materialized (
			select h.tenant_id, old.sequence from heads h join old using (tenant_id)
			where h.swept_sequence < old.sequence order by h.tenant_id for update of h
		)
		update heads h set swept_sequence = taken.sequence from taken where h.tenant_id = taken.tenant_id`;
	const [row] = await sql<{ swept: number }[]>`select sweep_events(${monday}, ${deadBefore})::int as swept`;
	return row?.swept ?? 0;
}

/** The start of the week of a time, in UTC. */
function mondayBefore(time: Date): Date {
	return new Date(
		Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate() - ((time.getUTCDay() + 6) % 7)),
	);
}
