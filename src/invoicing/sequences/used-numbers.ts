/** SQL of the numbers that documents have. */
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
