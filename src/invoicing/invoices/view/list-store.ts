/**
 * SQL of the list of invoices and of a tenant's load. The list is in order of receipt, so a day or a month is found without reading what came later.
 * Filters by buyer and type read the documents of the given days one by one.
 *
 * Rejected: the order of ids, which know the process's clock and not the sandbox's; an index by buyer, which would add an entry for each
 * invoice at a place that no cache holds.
 */

import type { Sql, Tx } from "../../../platform/database";
import { OUTBOX_KINDS } from "../../../platform/outbox";
import { timeOfId } from "../../../platform/values";
import type { InvoiceRow } from "../model/invoice-row";
import { columns, docIdsUnder } from "../model/store";

export type InvoiceFilter = {
	readonly encf?: string | undefined;
	readonly clientRequestId?: string | undefined;
	readonly type?: string | undefined;
	readonly status?: string | undefined;
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	readonly customerRnc?: string | undefined;
	/** Includes documents of certification test sets. */
	readonly withTestSets?: boolean;
	readonly after?: string | undefined;
};

/** A tenant's invoices, newest first. One more than `limit` means that there are more. */
export async function findInvoices(
	sql: Sql | Tx,
	tenantId: string,
	filter: InvoiceFilter,
	limit: number,
): Promise<InvoiceRow[]> {
	const { encf, clientRequestId, type, status, from, to, customerRnc, withTestSets = false, after } = filter;
	return sql<InvoiceRow[]>`
		select ${columns(sql)} from invoices i
		where i.tenant_id = ${tenantId}
			${withTestSets ? sql`` : sql`and i.test_set_id is null`}
			${encf === undefined ? sql`` : sql`and i.doc_id in (${docIdsUnder(sql, tenantId, [encf])})`}
			${clientRequestId === undefined ? sql`` : sql`and i.client_request_id = ${clientRequestId}`}
			${type === undefined ? sql`` : sql`and i.type = ${type}`}
			${status === undefined ? sql`` : sql`and i.status = ${status}`}
			${status === undefined || status === "accepted" ? sql`` : isNotAccepted(sql)}
			${from === undefined ? sql`` : sql`and i.received_at >= (${from}::date + interval '4 hours') at time zone 'UTC'`}
			${to === undefined ? sql`` : sql`and i.received_at < (${to}::date + interval '28 hours') at time zone 'UTC'`}
			${customerRnc === undefined ? sql`` : sql`and ${buyerOf(sql)} = ${customerRnc}`}
			${after === undefined ? sql`` : sql`and (i.received_at, i.doc_id) < (${receiptOf(sql, tenantId, after)}, ${after})`}
		order by i.received_at desc, i.doc_id desc limit ${limit + 1}`;
}

/** The condition of the index by status. The planner cannot derive it from a parameter's value. */
const isNotAccepted = (sql: Sql | Tx) => sql`and i.status <> 'accepted'`;

/** SQL of when a document was received. For one that is gone, the time of its id. */
function receiptOf(sql: Sql | Tx, tenantId: string, docId: string) {
	return sql`coalesce(
		(select received_at from invoices where tenant_id = ${tenantId} and doc_id = ${docId}), ${timeOfId(docId)}::timestamptz
	)`;
}

/** SQL of the digits of a document's buyer. The large request is read only for documents without sums. */
function buyerOf(sql: Sql | Tx) {
	return sql`case when i.sums is not null then i.sums ->> 'customerRnc'
		else translate(i.request::jsonb #>> '{customer,rnc}', '- ', '') end`;
}

export type Load = {
	readonly queue: { readonly pending: number; readonly oldestSeconds: number };
	/** From acknowledgement to verdict; null without verdicts. */
	readonly verdictLatency: { readonly p50Seconds: number | null; readonly p99Seconds: number | null };
};

const VERDICTS_MAX = 1_000;
const HOUR_MS = 3_600_000;

/** Measures a tenant's queue and the latency of the newest verdicts of the last hour. */
export async function measureLoad(sql: Sql, tenantId: string, now: Date): Promise<Load> {
	const [[waiting], [verdicts]] = await Promise.all([
		sql<Load["queue"][]>`
			select count(*) as pending, floor(greatest(0, coalesce(extract(epoch from now() - min(created_at)), 0)))::int as "oldestSeconds"
			from (
				select created_at, kind from outbox where tenant_id = ${tenantId} and state = 'ready'
				union all
				select created_at, kind from outbox where tenant_id = ${tenantId} and state = 'working'
			) held where kind = ${OUTBOX_KINDS.submitInvoice}`,
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
