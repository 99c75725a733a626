/** SQL of how many companies soon sign no more, told to whoever watches the service. */
import type { Sql } from "../../platform/database";

/** Of certificates that sign now: how many have ended, and how many end within so many days from now, those of fewer days among them. */
export type CertificatesEnding = {
	readonly ended: number;
	readonly in1d: number;
	readonly in7d: number;
	readonly in30d: number;
};

/**
 * Of companies that are not closed. One that another will have replaced before its end does not count, as it is not worth a notice to its owner
 * either; nor does one whose successor's day has come, which signs from then on.
 */
export async function countEnding(sql: Sql, now: Date): Promise<CertificatesEnding> {
	const within = (days: number) =>
		sql`(count(*) filter (where c.not_after >= ${now} and c.not_after <= ${now}::timestamptz + ${days} * interval '1 day'))::int`;
	const [row] = await sql<CertificatesEnding[]>`
		select (count(*) filter (where c.not_after < ${now}))::int as ended,
			${within(1)} as "in1d", ${within(7)} as "in7d", ${within(30)} as "in30d"
		from signing_certificates c
		where c.status in ('active', 'scheduled') and c.not_after <= ${now}::timestamptz + interval '30 days'
			and (c.status = 'active' or c.activate_at <= ${now})
			and exists (select 1 from companies o where o.tenant_id = c.tenant_id and o.status <> 'closed')
			and not exists (
				select 1 from signing_certificates next
				where next.tenant_id = c.tenant_id and next.status = 'scheduled' and next.id <> c.id
					and (next.activate_at <= ${now} or (next.activate_at <= c.not_after and next.not_after > c.not_after))
			)`;
	return row ?? { ended: 0, in1d: 0, in7d: 0, in30d: 0 };
}
