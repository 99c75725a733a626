/** SQL of the numbers that documents have. */
import type { Sql, Tx } from "../database";

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
