/** SQL of the numbers that documents use, and of settling documents whose numbers still count as free. */

import { dayAhead } from "../../companies";
import type { Sql, Tx } from "../../platform/database";
import { formatRanges, type NumberRange, parseRanges, toEncf } from "./number-ranges";
import type { TypeKey } from "./store";

/** From here on a number has ten digits and a single form. */
const SHORT_END = 1_000_000_000;

/** Which of these numbers documents use already, since callers may number documents themselves. */
export async function findUsed(tx: Tx, key: TypeKey, ranges: readonly NumberRange[]): Promise<NumberRange[]> {
	const [row] = await tx<{ used: string }[]>`
		select used_numbers(${key.tenantId}, ${key.type}, ${formatRanges(ranges)}::int8multirange)::text as used`;
	return parseRanges(row?.used ?? "{}");
}

export async function findFirstUsed(tx: Tx, key: TypeKey, range: NumberRange): Promise<number | undefined> {
	const [row] = await tx<{ number: number }[]>`
		select substr(name, 4)::float8 as number from names
		where tenant_id = ${key.tenantId} and kind = any(number_kinds(${key.tenantId})) and length(name) = 13
			and name >= ${toEncf(key.type, range.first)} and name <= ${toEncf(key.type, range.last)}
		order by name limit 1`;
	return row?.number;
}

/**
 * Which of `ranges` documents use, and which of `few` they use in a form of eleven or twelve characters, as all environments but production accept. Short
 * forms are looked up one by one, because in text order each lies among a hundred numbers of thirteen characters.
 */
export async function findTaken(
	tx: Tx,
	key: TypeKey,
	ranges: readonly NumberRange[],
	few: readonly NumberRange[],
): Promise<{ readonly used: NumberRange[]; readonly short: NumberRange[] }> {
	if (few.length === 0) return { used: await findUsed(tx, key, ranges), short: [] };
	const form = (digits: number) => tx`'E' || w.type || lpad(n::text, greatest(${digits}::int, length(n::text)), '0')`;
	const [row] = await tx<{ used: string; short: string }[]>`
		select used_numbers(w.tenant_id, w.type, w.among)::text as used, (
			select coalesce(range_agg(int8range(n, n + 1)), '{}')::text from unnest(${formatRanges(few)}::int8multirange) r
			cross join lateral generate_series(lower(r), least(upper(r), ${SHORT_END}::bigint) - 1) n
			cross join lateral (
				select 1 from names i
				where i.tenant_id = w.tenant_id and i.kind = any(number_kinds(w.tenant_id)) and i.name = any(array[${form(8)}, ${form(9)}]) offset 0
			) i
		) as short
		from (select ${key.tenantId}::uuid as tenant_id, ${key.type}::text as type, ${formatRanges(ranges)}::int8multirange as among) w`;
	return { used: parseRanges(row?.used ?? "{}"), short: parseRanges(row?.short ?? "{}") };
}

/**
 * SQL that joins to a sequence `s` the documents `i` under its free numbers, or some of them. Their issuers numbered them. Settled numbers leave `free`, so no
 * mark of progress is needed.
 */
export function joinDocumentsInFree(sql: Sql | Tx, among?: readonly NumberRange[]): ReturnType<Sql> {
	// The offset forces an index scan for each range, as in `used_numbers`.
	return sql`
		cross join unnest(${among ? sql`s.free * ${formatRanges(among)}::int8multirange` : sql`s.free`}) r
		cross join lateral (
			select d.encf, d.received_at from names n join documents d on d.tenant_id = n.tenant_id and d.doc_id = n.doc_id
			where n.tenant_id = s.tenant_id and n.kind = any(number_kinds(s.tenant_id)) and length(n.name) = 13
				and n.name >= 'E' || s.type || lpad(lower(r)::text, 10, '0')
				and n.name <= 'E' || s.type || lpad((upper(r) - 1)::text, 10, '0')
			offset 0
		) i`;
}

/** SQL of the day (UTC-4) on which a document `i` was received. */
export function dayReceived(sql: Sql | Tx): ReturnType<Sql> {
	return sql`((i.received_at at time zone 'UTC') - interval '4 hours')::date`;
}

export async function findUnsettled(sql: Sql): Promise<TypeKey[]> {
	return sql<TypeKey[]>`
		select distinct s.tenant_id as "tenantId", s.type from sequences s
		where exists (select from (select s.tenant_id, s.type, s.free) s ${joinDocumentsInFree(sql)})`;
}

/** Removes used numbers from `free` and counts them by day. Returns how many. The caller has locked the type. */
export async function settleDocuments(
	tx: Tx,
	key: TypeKey,
	limits: { readonly among?: readonly NumberRange[]; readonly countMax: number },
): Promise<number> {
	const [row] = await tx<{ count: number }[]>`
		with found as materialized (
			select s.id, substr(i.encf, 4)::bigint as number, ${dayReceived(tx)} as day
			from sequences s ${joinDocumentsInFree(tx, limits.among)}
			where s.tenant_id = ${key.tenantId} and s.type = ${key.type} limit ${limits.countMax}
		), counted as (
			insert into sequence_usage as u (tenant_id, type, day, given)
			select ${key.tenantId}, ${key.type}, day, count(*) from found group by day
			on conflict (tenant_id, type, day) do update set given = u.given + excluded.given
		), settled as (
			update sequences s set free = s.free - f.numbers
			from (select id, range_agg(int8range(number, number + 1)) as numbers from found group by id) f
			where s.tenant_id = ${key.tenantId} and s.id = f.id
		)
		select count(*)::int as count from found`;
	return row?.count ?? 0;
}

/** Types of active companies that have reached a threshold without notification, by each tenant's day. */
export async function findToNotify(sql: Sql, percentages: readonly number[], now: Date): Promise<TypeKey[]> {
	return sql<TypeKey[]>`
		select t.tenant_id as "tenantId", t.type
		from sequence_types t
		join companies c on c.tenant_id = t.tenant_id and c.status = 'active'
		join lateral (
			select coalesce(sum((select sum(upper(r) - lower(r)) from unnest(s.free) r)) filter (
				where s.expires_on is null or s.expires_on >= ${dayAhead(sql, now, sql`c.clock_ahead_seconds`)}
			), 0) as available
			from sequences s where s.tenant_id = t.tenant_id and s.type = t.type having count(*) > 0
		) l on true
		where exists (
			select from unnest(${[...percentages]}::int[]) percent
			where l.available * 100 <= percent * t.capacity and (t.low_told is null or percent < t.low_told)
		)`;
}

/** The last sequence of a type in the order of use. */
export async function findLast(tx: Tx, { tenantId, type }: TypeKey): Promise<string | undefined> {
	const [row] = await tx<{ id: string }[]>`
		select id from sequences where tenant_id = ${tenantId} and type = ${type}
		order by expires_on desc nulls first, numbers desc limit 1`;
	return row?.id;
}
