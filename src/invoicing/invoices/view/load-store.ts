/** SQL of a tenant's load: its queue, and how long verdicts take. */
import type { Sql } from "../../../platform/database";
import { loggedDocuments, OUTBOX_KINDS } from "../../../platform/outbox";
import { firstIdAt } from "../../../platform/values";
import { nearTo } from "../model/stored-document";
import { ID_DAYS } from "./list-store";

export type Load = {
	readonly queue: { readonly pending: number; readonly oldestSeconds: number };
	/** From acknowledgement to verdict; null without verdicts. */
	readonly verdictLatency: { readonly p50Seconds: number | null; readonly p99Seconds: number | null };
};

const VERDICTS_MAX = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Measures a tenant's queue and the latency of the newest verdicts of the last hour. */
export async function measureLoad(sql: Sql, tenantId: string, now: Date): Promise<Load> {
	const [queue, verdictLatency] = await Promise.all([measureQueue(sql, tenantId), measureLatency(sql, tenantId, now)]);
	return { queue, verdictLatency };
}

/** A tenant's documents without a verdict. */
export async function measureQueue(sql: Sql, tenantId: string): Promise<Load["queue"]> {
	const logged = await sql<{ docId: string }[]>`select doc_id as "docId" from (${loggedDocuments(sql, tenantId)}) l`;
	const isLogged = nearTo(sql, logged);
	// Without logged documents, the plan of a join over every part of three tables would take longer than the answer.
	const ofLog =
		logged.length === 0
			? sql``
			: sql`
			union all
			select d.received_at from documents d
			where d.tenant_id = ${tenantId} and d.doc_id = any(${logged.map(({ docId }) => docId)}::uuid[]) and ${isLogged(sql`d.doc_id`)}
				and not exists (
					select from verdicts v where v.tenant_id = d.tenant_id and v.doc_id = d.doc_id and ${isLogged(sql`v.doc_id`)}
				)
				and not exists (select from open_documents o where o.tenant_id = d.tenant_id and o.doc_id = d.doc_id and o.status = 'f')
				and not exists (select from outbox o where o.tenant_id = d.tenant_id and o.subject = d.doc_id and o.kind = ${OUTBOX_KINDS.submitInvoice})`;
	const [waiting] = await sql<Load["queue"][]>`
		select count(*) as pending, floor(greatest(0, coalesce(extract(epoch from now() - min(since)), 0)))::int as "oldestSeconds"
		from (
			select o.created_at as since from outbox o
			where o.shard = shard_of(${tenantId}) and o.tenant_id = ${tenantId} and o.state = 'ready' and o.kind = ${OUTBOX_KINDS.submitInvoice}
			${ofLog}
		) waiting`;
	return waiting ?? { pending: 0, oldestSeconds: 0 };
}

async function measureLatency(sql: Sql, tenantId: string, now: Date): Promise<Load["verdictLatency"]> {
	const idAt = (ms: number) => firstIdAt(new Date(now.getTime() + ms));
	const isRecent = (id: ReturnType<Sql>) =>
		sql`${id} between ${idAt(-HOUR_MS - ID_DAYS * DAY_MS)}::uuid and ${idAt(ID_DAYS * DAY_MS)}::uuid`;
	const [verdicts] = await sql<Load["verdictLatency"][]>`
		select round((percentile_disc(0.5) within group (order by seconds))::numeric, 2)::float8 as "p50Seconds",
			round((percentile_disc(0.99) within group (order by seconds))::numeric, 2)::float8 as "p99Seconds"
		from (
			select greatest(0, extract(epoch from v.decided_at - d.received_at))::float8 as seconds
			from documents d join verdicts v on v.tenant_id = d.tenant_id and v.doc_id = d.doc_id and ${isRecent(sql`v.doc_id`)}
			where d.tenant_id = ${tenantId} and ${isRecent(sql`d.doc_id`)} and d.received_at >= ${new Date(now.getTime() - HOUR_MS)}
			order by d.received_at desc limit ${VERDICTS_MAX}
		) lately`;
	return verdicts ?? { p50Seconds: null, p99Seconds: null };
}
