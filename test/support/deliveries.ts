/** Deliveries in the database, also those that have no row yet. */
import type { Sql, Tx } from "../../src/platform/database";

/** All deliveries, for a `from`. */
export const allDeliveries = (sql: Sql | Tx) => sql`(
	select e.tenant_id, x.id, e.sequence, coalesce(r.endpoint_id, x.endpoint_id) as endpoint_id, e.event, e.doc_id,
		coalesce(r.status, 'pending') as status, r.reason, r.ended_at, r.recoveries_left
	from events e
	cross join lateral (select delivery_id(e.tenant_id, e.id, u) as id, u as endpoint_id from unnest(e.endpoint_ids) u) x
	left join deliveries r on r.tenant_id = e.tenant_id and r.id = x.id
)`;

/** All attempts of deliveries, for a `from`. */
export const allAttempts = (sql: Sql | Tx) => sql`(
	select d.tenant_id, d.id as delivery_id, d.endpoint_id, a.n::int, (a.made->>'at')::timestamptz as at, (a.made->>'durationMs')::int as duration_ms,
		(a.made->>'responseStatus')::int as response_status, a.made->>'error' as error, a.made->>'responseBody' as response_body
	from deliveries d
	cross join lateral (select coalesce(d.attempts, '[]') || case when d.at is null then '[]' else jsonb_build_object(
		'at', d.at, 'durationMs', d.duration_ms, 'responseStatus', d.response_status, 'error', d.error, 'responseBody', d.response_body
	) end as all) l
	cross join lateral jsonb_array_elements(l.all) with ordinality a(made, n)
)`;

/** Gives deliveries a status, as if they had had results: all, or those for which a condition on `d` holds. */
export async function setStatus(
	sql: Sql | Tx,
	status: "pending" | "failed" | "delivered" | "dead",
	which: ReturnType<Sql> = sql`true`,
): Promise<void> {
	await sql`
		insert into deliveries (tenant_id, id, sequence, endpoint_id, doc_id, status, reason, ended_at)
		select tenant_id, id, sequence, endpoint_id, doc_id, ${status}, case when ${status} = 'dead' then 'six attempts failed' end,
			case when ${status} in ('delivered', 'dead') then now() end
		from ${allDeliveries(sql)} d where ${which}
		on conflict (tenant_id, id) do update
		set status = excluded.status, reason = excluded.reason, ended_at = excluded.ended_at`;
}
