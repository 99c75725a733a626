/** SQL of what tenants see of sequences, and of the next number. Documents with numbers of their own count as soon as they are stored. */

import { dayOfTenant } from "../../companies";
import type { Sql, Tx } from "../../platform/database";
import type { NumberRange } from "./number-ranges";
import { numbersLeft, type TypeKey } from "./store";
import { dayReceived, joinDocumentsInFree } from "./used-numbers-store";

export type SequenceRow = {
	readonly id: string;
	readonly type: string;
	readonly first: number;
	readonly last: number;
	readonly next: number | null;
	readonly available: number;
	readonly expiresOn: string | null;
};

/** A tenant's sequences, by type and in the order of use. */
export async function findSequences(sql: Sql | Tx, tenantId: string, id?: string): Promise<SequenceRow[]> {
	// The offset makes the planner compute a sequence's numbers once.
	return sql<SequenceRow[]>`
		select s.id, s.type, lower(s.numbers)::float8 as first, (upper(s.numbers) - 1)::float8 as last, lower(u.unused)::float8 as next,
			(select coalesce(sum(upper(r) - lower(r)), 0)::float8 from unnest(u.unused) r) as available, s.expires_on::text as "expiresOn"
		from sequences s, lateral (select s.tenant_id, s.type, s.free as among) w,
			lateral (select w.among - used_numbers(w.tenant_id, w.type, w.among) as unused offset 0) u
		where s.tenant_id = ${tenantId} ${id === undefined ? sql`` : sql`and s.id = ${id}`}
		order by s.type, s.expires_on nulls last, s.numbers`;
}

/** Numbers given or used since a day, by type, with the first such day. */
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

/** The number that a document would get next, without taking it. */
export async function findNext(
	sql: Sql,
	key: TypeKey,
	now: Date,
): Promise<{ number: number; expiresOn: string | null } | undefined> {
	// The offset makes the planner compute a sequence's numbers once.
	const [row] = await sql<{ number: number; expiresOn: string | null }[]>`
		select lower(u.unused)::float8 as number, s.expires_on::text as "expiresOn"
		from sequences s, lateral (
			select s.tenant_id, s.type, s.free + coalesce(range_agg(h.numbers), '{}') as among from sequence_holds h
			where h.tenant_id = s.tenant_id and h.type = s.type and h.sequence_id = s.id and h.expires_at <= now()
		) w, lateral (select w.among - used_numbers(w.tenant_id, w.type, w.among) as unused offset 0) u
		where s.tenant_id = ${key.tenantId} and s.type = ${key.type} and not isempty(u.unused)
			and (s.expires_on is null or s.expires_on >= ${dayOfTenant(sql, key.tenantId, now)})
		order by s.expires_on nulls last, s.numbers limit 1`;
	return row;
}

/** The lowest number of a range without a document or a void. */
export async function findNextOf(sql: Sql, key: TypeKey, range: NumberRange): Promise<number | undefined> {
	const [row] = await sql<{ number: number | null }[]>`select lower(${numbersLeft(sql, key, range)})::float8 as number`;
	return row?.number ?? undefined;
}
