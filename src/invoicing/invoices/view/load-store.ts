/** How a tenant's documents fare: what waits for a verdict, and how long verdicts took. */
import type { Sql } from "../../../platform/database";
import { SUBMIT_KIND } from "../model/message-kinds";

export type Load = {
	readonly queue: { readonly pending: number; readonly oldestSeconds: number };
	/** From the acknowledgement to the verdict; null without any. */
	readonly verdictLatency: { readonly p50Seconds: number | null; readonly p99Seconds: number | null };
};

const VERDICTS_MAX = 1_000;
const HOUR_MS = 3_600_000;

/** Of the last hour's documents the newest ones, by receipt; of those that wait all. Neither reads what is older. */
export async function measureLoad(sql: Sql, tenantId: string, now: Date): Promise<Load> {
	const [[waiting], [verdicts]] = await Promise.all([
		sql<Load["queue"][]>`
			select count(*) as pending, floor(greatest(0, coalesce(extract(epoch from now() - min(created_at)), 0)))::int as "oldestSeconds"
			from (
				select created_at, kind from outbox where tenant_id = ${tenantId} and state = 'ready'
				union all
				select created_at, kind from outbox where tenant_id = ${tenantId} and state = 'working'
			) held where kind = ${SUBMIT_KIND}`,
		sql<Load["verdictLatency"][]>`
			select round((percentile_disc(0.5) within group (order by seconds))::numeric, 2)::float8 as "p50Seconds",
				round((percentile_disc(0.99) within group (order by seconds))::numeric, 2)::float8 as "p99Seconds"
			from (
				select greatest(0, extract(epoch from decided_at - received_at))::float8 as seconds from invoices
				where tenant_id = ${tenantId} and received_at >= ${new Date(now.getTime() - HOUR_MS)}
					and status in ('accepted', 'rejected')
				order by received_at desc limit ${VERDICTS_MAX}
			) lately`,
	]);
	return {
		queue: waiting ?? { pending: 0, oldestSeconds: 0 },
		verdictLatency: verdicts ?? { p50Seconds: null, p99Seconds: null },
	};
}
