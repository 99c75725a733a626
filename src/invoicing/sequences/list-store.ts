/** The SQL of what is shown of sequences. Documents that their issuers numbered themselves count as soon as they are stored. */
import type { Sql, Tx } from "../../platform/database";
import { dayReceived, joinDocumentsInFree } from "./settle-store";
import { usedNumbers } from "./used-numbers";

export type SequenceRow = {
	readonly id: string;
	readonly type: string;
	readonly first: number;
	readonly last: number;
	readonly next: number | null;
	readonly available: number;
	readonly expiresOn: string | null;
};

/** A tenant's sequences, by type and in the order in which they are used. */
export async function findSequences(sql: Sql | Tx, tenantId: string, id?: string): Promise<SequenceRow[]> {
	// With an offset the planner works a sequence's numbers out once.
	return sql<SequenceRow[]>`
		select s.id, s.type, lower(s.numbers)::float8 as first, (upper(s.numbers) - 1)::float8 as last, lower(u.unused)::float8 as next,
			(select coalesce(sum(upper(r) - lower(r)), 0)::float8 from unnest(u.unused) r) as available, s.expires_on::text as "expiresOn"
		from sequences s, lateral (select s.tenant_id, s.type, s.free as among) w,
			lateral (select w.among - ${usedNumbers(sql)} as unused offset 0) u
		where s.tenant_id = ${tenantId} ${id === undefined ? sql`` : sql`and s.id = ${id}`}
		order by s.type, s.expires_on nulls last, s.numbers`;
}

/** Numbers given or used since a day, by type, and the first day of them. */
export async function findUsage(
	sql: Sql,
	tenantId: string,
	since: string,
): Promise<{ type: string; given: number; firstDay: string }[]> {
	return sql<{ type: string; given: number; firstDay: string }[]>`
		select type, sum(given)::float8 as given, min(day)::text as "firstDay" from (
			select type, day, given from sequence_usage where tenant_id = ${tenantId}
			union all
			select s.type, ${dayReceived(sql)}, 1 from sequences s ${joinDocumentsInFree(sql)} where s.tenant_id = ${tenantId}
		) u where day >= ${since}::date group by type`;
}
