/** SQL of the delivery log that tenants read. A delivery without a row is pending. */
import { plannedForValues, type Sql, type Tx } from "../../../platform/database";
import { loggedDocuments, OUTBOX_KINDS, waitingSubjects } from "../../../platform/outbox";
import { firstIdAt, timeOfId } from "../../../platform/values";
import type { EndpointPlace } from "../../endpoints";
import { type Attempt, allAttempts, countAttempts, type DeliveryStatus, eventRangeOf, undelivered } from "../store";
import type { MeasuredDeliveries } from "./stats";

export type MadeAttempt = Attempt & { readonly n: number };

export type DeliveryRow = {
	readonly id: string;
	readonly webhookId: string;
	readonly event: string;
	readonly docId: string;
	readonly sequence: number;
	readonly status: DeliveryStatus;
	readonly reason: string | null;
	/** When it was delivered or died. */
	readonly endedAt: Date | null;
	readonly last: Omit<MadeAttempt, "responseBody"> | null;
};

type DeliveryFilter = {
	readonly webhookId?: string | undefined;
	readonly status?: string | undefined;
	readonly event?: string | undefined;
	readonly docId?: string | undefined;
	/** The last delivery of the page before. */
	readonly after?: string | undefined;
};

const columns = (sql: Sql | Tx) => sql`
	x.id, coalesce(d.endpoint_id, x.endpoint_id) as "webhookId", e.event, e.doc_id as "docId", e.sequence, coalesce(d.status, 'pending') as status,
	d.reason, d.ended_at as "endedAt", case when d.at is not null then json_build_object(
		'n', ${countAttempts(sql)}, 'at', d.at, 'durationMs', d.duration_ms, 'responseStatus', d.response_status, 'error', d.error
	) end as last`;

/** The deliveries of event `e`, each with its row if it has one. The offset makes the planner look each up. */
const ofEvent = (sql: Sql | Tx) => sql`
	cross join lateral (select delivery_id(e.tenant_id, e.id, u) as id, u as endpoint_id from unnest(e.endpoint_ids) u) x
	left join lateral (select * from deliveries r where r.tenant_id = e.tenant_id and r.id = x.id offset 0) d on true`;

/** A tenant's deliveries, newest first; one row more than `limit` means that there are more. */
export async function listDeliveries(
	sql: Sql,
	tenantId: string,
	filter: DeliveryFilter,
	limit: number,
): Promise<DeliveryRow[]> {
	const { webhookId, event, docId, after } = filter;
	return sql<DeliveryRow[]>`
		select ${columns(sql)} from ${source(sql, tenantId, filter.status)}
			${webhookId === undefined ? sql`` : sql`and coalesce(d.endpoint_id, x.endpoint_id) = ${webhookId}`}
			${event === undefined ? sql`` : sql`and e.event = ${event}`}
			${docId === undefined ? sql`` : sql`and e.doc_id = ${docId}`}
			${after === undefined ? sql`` : sql`and x.id < ${after} and e.id <= ${eventRangeOf(after).last}`}
		order by e.id desc, x.id desc limit ${limit + 1}`;
}

/** Few deliveries wait, have failed or are dead, so a list of those starts with them; other lists follow the events. */
function source(sql: Sql, tenantId: string, status?: string) {
	const all = sql`events e ${ofEvent(sql)} where e.tenant_id = ${tenantId}`;
	if (status === undefined) return all;
	if (status === "delivered") return sql`${all} and d.status = 'delivered'`;
	// The indexes are of these constants.
	const few =
		status === "pending"
			? sql`${waitingSubjects(sql, tenantId, OUTBOX_KINDS.deliverWebhook)} union
				select id from (${undelivered(sql, sql`select ${tenantId}::uuid as tenant_id, doc_id from (${loggedDocuments(sql, tenantId)}) l`)}) u`
			: status === "dead"
				? sql`select id from deliveries where tenant_id = ${tenantId} and status = 'dead'`
				: sql`select id from deliveries where tenant_id = ${tenantId} and status in ('pending', 'failed')`;
	// The offset makes the planner look each event up, instead of computing the ids of all deliveries.
	return sql`
		(${few}) w(id)
		cross join lateral (
			select * from events
			where tenant_id = ${tenantId}
				and id between (left(w.id::text, 24) || '000000000000')::uuid and (left(w.id::text, 24) || 'ffffffffffff')::uuid
			offset 0
		) e
		${ofEvent(sql)}
		where x.id = w.id and coalesce(d.status, 'pending') = ${status}`;
}

/** A tenant's delivery with its body and all attempts, oldest first. */
export async function findDelivery(
	sql: Sql | Tx,
	tenantId: string,
	id: string,
): Promise<(DeliveryRow & { readonly body: string; readonly attempts: readonly MadeAttempt[] }) | undefined> {
	const { first, last } = eventRangeOf(id);
	const [row] = await sql<(DeliveryRow & { body: string; attempts: Attempt[] })[]>`
		select ${columns(sql)}, e.body, coalesce(${allAttempts(sql)}, '[]') as attempts
		from events e ${ofEvent(sql)}
		where e.tenant_id = ${tenantId} and e.id between ${first} and ${last} and x.id = ${id}`;
	return row && { ...row, attempts: row.attempts.map((attempt, i) => ({ ...attempt, n: i + 1 })) };
}

/** The newest deliveries of a window that are looked at. */
const MEASURED_MAX = 20_000;

/** How the deliveries of an endpoint went whose events happened since `from`, in steps from there on. */
export async function measureDeliveries(
	sql: Sql,
	{ tenantId, id }: EndpointPlace,
	{ from, to, stepSeconds }: { readonly from: Date; readonly to: Date; readonly stepSeconds: number },
): Promise<MeasuredDeliveries> {
	const [row] = await plannedForValues(sql<
		(Pick<MeasuredDeliveries, "steps"> & {
			total: number;
			oldest: string | null;
			p50: number | null;
			p95: number | null;
		})[]
	>`
		with lately as materialized (
			select d.id, d.status, d.duration_ms from deliveries d
			where d.tenant_id = ${tenantId} and d.id >= ${firstIdAt(from)}::uuid and d.endpoint_id = ${id}
			order by d.id desc limit ${MEASURED_MAX + 1}
		)
		select count(*) as total, (select id from lately order by id limit 1) as oldest,
			percentile_disc(0.5) within group (order by duration_ms) filter (where status = 'delivered') as p50,
			percentile_disc(0.95) within group (order by duration_ms) filter (where status = 'delivered') as p95,
			(
				select coalesce(json_agg(s), '[]') from (
					select floor(extract(epoch from uuid_extract_timestamp(id) - ${from}::timestamptz) / ${stepSeconds})::int as step, status, count(*) as count
					from lately group by 1, 2
				) s
			) as steps
		from lately`);
	if (!row) throw new Error("expected a row of an aggregate");
	const isPartial = row.total > MEASURED_MAX;
	return {
		...{ from: isPartial && row.oldest ? timeOfId(row.oldest) : from, to, isPartial, steps: row.steps },
		...{ p50Ms: row.p50, p95Ms: row.p95 },
	};
}

/** Deliveries of an endpoint that did not arrive; no more than `UNDELIVERED_MAX` of each kind are counted. */
export type Undelivered = {
	readonly webhookId: string;
	readonly dead: number;
	/** Whose last attempt failed. */
	readonly failed: number;
};

const UNDELIVERED_MAX = 1_000;

/** Endpoints without any are left out. */
export async function countUndelivered(
	sql: Sql,
	tenantId: string,
	webhookIds: readonly string[],
): Promise<Undelivered[]> {
	// The indexes are of these constants.
	return sql<Undelivered[]>`
		select w.id as "webhookId", dead.count as dead, failed.count as failed
		from unnest(${[...webhookIds]}::uuid[]) w(id)
		cross join lateral (
			select count(*) as count from (
				select from deliveries where tenant_id = ${tenantId} and endpoint_id = w.id and status = 'dead' limit ${UNDELIVERED_MAX}
			) d
		) dead
		cross join lateral (
			select count(*) as count from (
				select from deliveries where tenant_id = ${tenantId} and endpoint_id = w.id and status in ('pending', 'failed') and status = 'failed'
				limit ${UNDELIVERED_MAX}
			) f
		) failed
		where dead.count > 0 or failed.count > 0`;
}
