/** SQL of the numbers that documents have. */

import { dayAhead } from "../../companies";
import type { Sql, Tx } from "../../platform/database";
import { formatRanges, type NumberRange, parseRanges, toEncf } from "./number-ranges";
import type { TypeKey } from "./store";

/** From here on a number has ten digits, and one form. */
const SHORT_END = 1_000_000_000;

/** SQL of the numbers of `w.type` inside `w.among` that documents of `w.tenant_id` have: what `used_numbers` of the database answers. */
export function usedNumbers(sql: Sql | Tx): ReturnType<Sql> {
	// One walk along the index for each range, forced by an order and an offset. Left to itself, as in the function, the planner reads all
	// documents of the tenant and compares each with each range.
	return sql`(
		select coalesce(range_agg(int8range(i.number, i.number + 1)), '{}') from unnest(w.among) r
		cross join lateral (
			select substr(i.encf, 4)::bigint as number from invoices i
			where i.tenant_id = w.tenant_id and not i.encf_released and length(i.encf) = 13
				and i.encf >= 'E' || w.type || lpad(lower(r)::text, 10, '0')
				and i.encf <= 'E' || w.type || lpad((upper(r) - 1)::text, 10, '0')
			order by i.encf offset 0
		) i
	)`;
}

/** Which of some numbers documents have already: a caller may number a document itself. */
export async function findUsed(tx: Tx, key: TypeKey, ranges: readonly NumberRange[]): Promise<NumberRange[]> {
	const [row] = await tx<{ used: string }[]>`
		select ${usedNumbers(tx)}::text as used
		from (select ${key.tenantId}::uuid as tenant_id, ${key.type}::text as type, ${formatRanges(ranges)}::int8multirange as among) w`;
	return parseRanges(row?.used ?? "{}");
}

/** The first number of a range that a document has. Of a range that has many only the first is read. */
export async function findFirstUsed(tx: Tx, key: TypeKey, range: NumberRange): Promise<number | undefined> {
	const [row] = await tx<{ number: number }[]>`
		select substr(encf, 4)::float8 as number from invoices
		where tenant_id = ${key.tenantId} and not encf_released and length(encf) = 13
			and encf >= ${toEncf(key.type, range.first)} and encf <= ${toEncf(key.type, range.last)}
		order by encf limit 1`;
	return row?.number;
}

/**
 * Which of some numbers documents have, and which of others, a few, documents have in a form of eleven or twelve characters, as all environments but production take. Of these
 * each is looked up for itself: by text, one such form lies among a hundred numbers of thirteen characters.
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
		select ${usedNumbers(tx)}::text as used, (
			select coalesce(range_agg(int8range(n, n + 1)), '{}')::text from unnest(${formatRanges(few)}::int8multirange) r
			cross join lateral generate_series(lower(r), least(upper(r), ${SHORT_END}::bigint) - 1) n
			cross join lateral (
				select 1 from invoices i
				where i.tenant_id = w.tenant_id and not i.encf_released and i.encf = any(array[${form(8)}, ${form(9)}]) offset 0
			) i
		) as short
		from (select ${key.tenantId}::uuid as tenant_id, ${key.type}::text as type, ${formatRanges(ranges)}::int8multirange as among) w`;
	return { used: parseRanges(row?.used ?? "{}"), short: parseRanges(row?.short ?? "{}") };
}

/**
 * SQL on documents whose numbers a sequence still has as free: their issuers numbered them, and storing them touched no sequence.
 *
 * Quirk: no mark tells how far was looked. What is settled leaves `free`, so among the free numbers there are only documents that are
 * new, and the unique index of e-NCFs leads to them.
 */

/** SQL that joins to a sequence `s` the documents `i` under numbers that it has as free, or under some of them. */
export function joinDocumentsInFree(sql: Sql | Tx, among?: readonly NumberRange[]): ReturnType<Sql> {
	// In order and with an offset: the planner would rather read all documents of the tenant and compare each with each range.
	return sql`
		cross join unnest(${among ? sql`s.free * ${formatRanges(among)}::int8multirange` : sql`s.free`}) r
		cross join lateral (
			select i.encf, i.received_at from invoices i
			where i.tenant_id = s.tenant_id and not i.encf_released and length(i.encf) = 13
				and i.encf >= 'E' || s.type || lpad(lower(r)::text, 10, '0')
				and i.encf <= 'E' || s.type || lpad((upper(r) - 1)::text, 10, '0')
			order by i.encf offset 0
		) i`;
}

/** SQL of the day (UTC-4) on which a document `i` came. */
export function dayReceived(sql: Sql | Tx): ReturnType<Sql> {
	return sql`((i.received_at at time zone 'UTC') - interval '4 hours')::date`;
}

/** Types with documents to settle. */
export async function findUnsettled(sql: Sql): Promise<TypeKey[]> {
	return sql<TypeKey[]>`
		select distinct s.tenant_id as "tenantId", s.type from sequences s
		where exists (select from (select s.tenant_id, s.type, s.free) s ${joinDocumentsInFree(sql)})`;
}

/** Takes numbers that documents have out of `free` and counts them by day; answers how many. The caller has locked the type. */
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
			from (select id, range_agg(int8range(number, number + 1)) as numbers from found group by id) f where s.id = f.id
		)
		select count(*)::int as count from found`;
	return row?.count ?? 0;
}

/** Types of active companies that have reached one of some percentages of which they were not told; by each tenant's own day. */
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

/** The sequence of a type that is used last. */
export async function findLast(tx: Tx, { tenantId, type }: TypeKey): Promise<string | undefined> {
	const [row] = await tx<{ id: string }[]>`
		select id from sequences where tenant_id = ${tenantId} and type = ${type}
		order by expires_on desc nulls first, numbers desc limit 1`;
	return row?.id;
}
