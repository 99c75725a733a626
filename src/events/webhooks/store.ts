/** SQL that writes events, deliveries and attempts. The feed and the delivery log have stores of their own. */
import { type Sql, type Tx, toJsonText } from "../../platform/database";
import { leaseParts, type Message, type Outcome } from "../../platform/outbox";
import type { EndpointPlace } from "../endpoints";
import { RECOVERIES_MAX } from "./retry-schedule";

type EventRow = {
	readonly id: string;
	readonly tenantId: string;
	readonly sequence: number;
	readonly event: string;
	readonly docId: string;
	readonly docVersion: number | null;
	readonly body: string;
	readonly occurredAt: Date;
};

/**
 * Takes the next event numbers, so many for each tenant. Other events of these tenants wait until this transaction ends. The order of ids
 * keeps two transactions from waiting for each other.
 */
export async function takeSequences(tx: Tx, counts: ReadonlyMap<string, number>): Promise<Map<string, number[]>> {
	const rows = await tx<{ tenantId: string; last: number }[]>`
		insert into event_counters as c (tenant_id, last_sequence)
		select tenant_id, count from unnest(${[...counts.keys()]}::uuid[], ${[...counts.values()]}::int[]) as n(tenant_id, count)
		order by tenant_id
		on conflict (tenant_id) do update set last_sequence = c.last_sequence + excluded.last_sequence
		returning tenant_id as "tenantId", last_sequence as last`;
	return new Map(
		rows.map(({ tenantId, last }) => {
			const count = counts.get(tenantId) ?? 0;
			return [tenantId, Array.from({ length: count }, (_, i) => last - count + 1 + i)];
		}),
	);
}

export type NewDelivery = { readonly id: string; readonly endpointId: string; readonly event: EventRow };

export async function insertEvents(
	tx: Tx,
	events: readonly EventRow[],
	deliveries: readonly NewDelivery[],
): Promise<void> {
	await tx`
		with written as (
			insert into events (tenant_id, sequence, id, event, doc_id, doc_version, body, occurred_at)
			select "tenantId", sequence, id, event, "docId", "docVersion", body, "occurredAt"
			from json_to_recordset(${toJsonText(events)}::text::json) as e("tenantId" uuid, sequence bigint, id uuid, event text,
				"docId" uuid, "docVersion" int, body text, "occurredAt" timestamptz)
		)
		insert into deliveries (id, tenant_id, endpoint_id, event_id, sequence, event, doc_id)
		select id, tenant_id, endpoint_id, event_id, sequence, event, doc_id
		from json_to_recordset(${toJsonText(
			deliveries.map(({ id, endpointId, event }) => ({
				id,
				tenant_id: event.tenantId,
				endpoint_id: endpointId,
				event_id: event.id,
				sequence: event.sequence,
				event: event.event,
				doc_id: event.docId,
			})),
		)}::text::json) as d(id uuid, tenant_id uuid, endpoint_id uuid, event_id uuid, sequence bigint, event text, doc_id uuid)`;
}

export type DeliveryStatus = "pending" | "delivered" | "failed" | "dead";

export type Delivery = {
	readonly id: string;
	readonly tenantId: string;
	readonly endpointId: string;
	readonly eventId: string;
	readonly event: string;
	readonly docId: string;
	readonly status: DeliveryStatus;
	readonly reason: string | null;
	/** The bytes to send. */
	readonly body: string;
	/** True if an earlier event of the document is still under way to the same endpoint. */
	readonly isBehind: boolean;
};

/** Where a delivery lies: its tenant and its id. */
export type DeliveryPlace = Pick<Delivery, "id" | "tenantId">;

export async function findDeliveries(sql: Sql, places: readonly DeliveryPlace[]): Promise<(Delivery | undefined)[]> {
	const ids = sql`${places.map(({ id }) => id)}::uuid[]`;
	const rows = await sql<Delivery[]>`
		select d.id, d.tenant_id as "tenantId", d.endpoint_id as "endpointId", d.event_id as "eventId", d.event,
			d.doc_id as "docId", d.status, d.reason, e.body,
			exists (
				select 1 from deliveries earlier
				where earlier.tenant_id = d.tenant_id and earlier.endpoint_id = d.endpoint_id and earlier.doc_id = d.doc_id and earlier.sequence < d.sequence
					and earlier.status in ('pending', 'failed')
			) as "isBehind"
		from unnest(${ids}, ${places.map(({ tenantId }) => tenantId)}::uuid[]) as w(id, tenant_id)
		join deliveries d on d.id = w.id and d.tenant_id = w.tenant_id
		join events e on e.id = d.event_id and e.tenant_id = d.tenant_id
		where d.id = any(${ids})`;
	const byId = new Map(rows.map((row) => [row.id, row]));
	return places.map(({ id }) => byId.get(id));
}

export type Attempt = {
	readonly at: Date;
	readonly durationMs: number;
	readonly responseStatus: number | null;
	readonly error: string | null;
	readonly responseBody: string;
};

export type Attempted = {
	readonly message: Message;
	readonly deliveryId: string;
	readonly endpointId: string;
	readonly attempt: Attempt;
	readonly outcome: Outcome;
};

/**
 * Writes attempts of different deliveries, each under its delivery's next number. An attempt that was made is always written; its outcome only
 * if the caller still holds the message. Returns for each whether it does.
 */
export async function writeAttempts(sql: Sql | Tx, all: readonly Attempted[]): Promise<boolean[]> {
	const rows = await sql<{ id: string }[]>`
		with ${leaseParts(sql, all)}, made as materialized (
			select * from json_to_recordset(${toJsonText(all.map(toColumns))}::text::json) as m(
				message_id uuid, tenant_id uuid, delivery_id uuid, at timestamptz, duration_ms int, response_status int, error text, response_body text,
				status text, reason text
			)
		), written as (
			insert into delivery_attempts (tenant_id, delivery_id, n, at, duration_ms, response_status, error, response_body)
			select m.tenant_id, m.delivery_id, coalesce((
					select max(a.n) from delivery_attempts a where a.tenant_id = m.tenant_id and a.delivery_id = m.delivery_id
				), 0) + 1, m.at, m.duration_ms, m.response_status, m.error, m.response_body
			from made m
		), marked as (
			update deliveries d set status = m.status, reason = coalesce(m.reason, d.reason),
				delivered_at = case m.status when 'delivered' then now() else d.delivered_at end,
				dead_at = case m.status when 'dead' then now() else d.dead_at end
			from made m join held h on h.id = m.message_id
			where d.id = any(${all.map((one) => one.deliveryId)}::uuid[]) and d.id = m.delivery_id and d.tenant_id = m.tenant_id
		)
		select id from held`;
	const leased = new Set(rows.map((row) => row.id));
	return all.map(({ message }) => leased.has(message.id));
}

function toColumns({ message, deliveryId, attempt, outcome }: Attempted) {
	return {
		message_id: message.id,
		tenant_id: message.tenantId,
		delivery_id: deliveryId,
		at: attempt.at,
		duration_ms: attempt.durationMs,
		response_status: attempt.responseStatus,
		error: attempt.error,
		response_body: attempt.responseBody,
		status: outcome.kind === "done" ? "delivered" : outcome.kind === "dead" ? "dead" : "failed",
		reason: outcome.kind === "dead" ? outcome.reason : null,
	};
}

/** Marks a delivery without an enabled endpoint as dead. No probe will send it. */
export async function markDead(sql: Sql | Tx, { tenantId, id }: DeliveryPlace, reason: string): Promise<void> {
	await sql`
		update deliveries set status = 'dead', dead_at = now(), reason = ${reason}, recoveries_left = 0
		where tenant_id = ${tenantId} and id = ${id}`;
}

/** A delivery that used all its attempts, with the last answer. */
type DeadLetter = {
	readonly deliveryId: string;
	readonly tenantId: string;
	readonly webhookId: string;
	readonly event: string;
	readonly docId: string;
	readonly createdAt: Date;
	readonly deadAt: Date;
	readonly reason: string;
	readonly attempts: number;
	readonly responseStatus: number | null;
	readonly error: string | null;
};

type DeadLetterPage = {
	readonly tenantId?: string;
	/** The last delivery of the page before. */
	readonly after?: string;
	readonly limit?: number;
};

/** Dead letters, oldest first; all of them without a limit. */
export async function listDeadLetters(sql: Sql, page: DeadLetterPage = {}): Promise<DeadLetter[]> {
	return sql<DeadLetter[]>`
		select d.id as "deliveryId", d.tenant_id as "tenantId", d.endpoint_id as "webhookId", d.event, d.doc_id as "docId",
			d.created_at as "createdAt", d.dead_at as "deadAt", d.reason, coalesce(a.n, 0) as attempts,
			a.response_status as "responseStatus", a.error
		from deliveries d
		left join lateral (
			select n, response_status, error from delivery_attempts
			where tenant_id = d.tenant_id and delivery_id = d.id order by n desc limit 1
		) a on true
		where d.status = 'dead'
			${page.tenantId === undefined ? sql`` : sql`and d.tenant_id = ${page.tenantId}`}
			${page.after === undefined ? sql`` : sql`and d.id > ${page.after}`}
		order by d.id ${page.limit === undefined ? sql`` : sql`limit ${page.limit}`}`;
}

/** The tenant of a delivery. */
export async function findTenantOf(sql: Sql, id: string): Promise<string | undefined> {
	const [row] = await sql<{ tenantId: string }[]>`select tenant_id as "tenantId" from deliveries where id = ${id}`;
	return row?.tenantId;
}

/** A delivery, locked until the transaction ends. */
export async function lockDelivery(
	tx: Tx,
	{ tenantId, id }: DeliveryPlace,
): Promise<Pick<Delivery, "id" | "tenantId" | "endpointId" | "eventId" | "event" | "status"> | undefined> {
	const [row] = await tx<Delivery[]>`
		select id, tenant_id as "tenantId", endpoint_id as "endpointId", event_id as "eventId", event, status
		from deliveries where tenant_id = ${tenantId} and id = ${id} for update`;
	return row;
}

/** Ids of an endpoint's oldest letters that died since a time, locked until the transaction ends. */
export async function lockDeadLetters(
	tx: Tx,
	{ tenantId, id }: EndpointPlace,
	since: Date,
	limit: number,
	after?: string,
): Promise<string[]> {
	const rows = await tx<{ id: string }[]>`
		select id from deliveries where tenant_id = ${tenantId} and endpoint_id = ${id} and status = 'dead' and dead_at >= ${since}
			${after === undefined ? tx`` : tx`and id > ${after}`}
		order by id limit ${limit} for update`;
	return rows.map((row) => row.id);
}

/** Whether `lockDeadLetters` would find more than this number of letters. */
export async function isMoreDead(
	sql: Sql,
	{ tenantId, id }: EndpointPlace,
	since: Date,
	than: number,
	after?: string,
): Promise<boolean> {
	const rows = await sql`
		select id from deliveries where tenant_id = ${tenantId} and endpoint_id = ${id} and status = 'dead' and dead_at >= ${since}
			${after === undefined ? sql`` : sql`and id > ${after}`}
		order by id limit 1 offset ${than}`;
	return rows.length > 0;
}

export async function findReachedEndpoints(tx: Tx, tenantId: string, eventId: string): Promise<string[]> {
	const rows = await tx<{ id: string }[]>`
		select endpoint_id as id from deliveries where tenant_id = ${tenantId} and event_id = ${eventId}`;
	return rows.map((row) => row.id);
}

/** Makes deliveries pending again, to an endpoint. Each time by a probe uses up one recovery; a manual one restores them all. */
export async function reopenDeliveries(
	tx: Tx,
	tenantId: string,
	ids: readonly string[],
	endpointId: string,
	by: "hand" | "probe",
): Promise<void> {
	await tx`
		update deliveries set status = 'pending', endpoint_id = ${endpointId}, dead_at = null, delivered_at = null, reason = null,
			recoveries_left = ${by === "hand" ? RECOVERIES_MAX : tx`recoveries_left - 1`}
		where tenant_id = ${tenantId} and id = any(${[...ids]}::uuid[])`;
}
