/** The SQL that tells which number a document would get, and takes none. */
import { dayOfTenant } from "../../companies";
import type { Sql } from "../../platform/database";
import type { NumberRange } from "./number-ranges";
import { numbersLeft, type TypeKey } from "./store";
import { usedNumbers } from "./used-numbers";

/** The lowest number of the sequence that is used next, ended holds given back and documents' own numbers left out. */
export async function findNext(
	sql: Sql,
	key: TypeKey,
	now: Date,
): Promise<{ number: number; expiresOn: string | null } | undefined> {
	// With an offset the planner works a sequence's numbers out once.
	const [row] = await sql<{ number: number; expiresOn: string | null }[]>`
		select lower(u.unused)::float8 as number, s.expires_on::text as "expiresOn"
		from sequences s, lateral (
			select s.tenant_id, s.type, s.free + coalesce(range_agg(h.numbers), '{}') as among from sequence_holds h
			where h.tenant_id = s.tenant_id and h.type = s.type and h.sequence_id = s.id and h.expires_at <= now()
		) w, lateral (select w.among - ${usedNumbers(sql)} as unused offset 0) u
		where s.tenant_id = ${key.tenantId} and s.type = ${key.type} and not isempty(u.unused)
			and (s.expires_on is null or s.expires_on >= ${dayOfTenant(sql, key.tenantId, now)})
		order by s.expires_on nulls last, s.numbers limit 1`;
	return row;
}

/** The lowest number of a range that no document and no void has. */
export async function findNextOf(sql: Sql, key: TypeKey, range: NumberRange): Promise<number | undefined> {
	const [row] = await sql<{ number: number | null }[]>`select lower(${numbersLeft(sql, key, range)})::float8 as number`;
	return row?.number ?? undefined;
}
