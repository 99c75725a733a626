/** SQL that writes events and what became of their deliveries. The feed and the delivery log have stores of their own. */
import { createHash } from "node:crypto";
import type { PendingQuery, Row } from "postgres";
import { type Sql, type Tx, toJsonText } from "../../platform/database";
import {
	type LoggedKey,
	leaseParts,
	type Message,
	type NewMessage,
	OUTBOX_KINDS,
	type Outcome,
} from "../../platform/outbox";
import { timeOfId } from "../../platform/values";
import type { EndpointPlace } from "../endpoints";
import { RECOVERIES_MAX } from "./retry-schedule";

/** Characters that the ids of an event and of its deliveries have in common, with hyphens. */
const COMMON = 24;

/**
 * The id of a delivery follows from its event and its endpoint, so it is known before there is a row: the event's id with another end. Deliveries
 * are therefore in the order of their events. `functions/delivery_id.sql` does the same.
 */
export function deliveryIdOf(tenantId: string, eventId: string, endpointId: string): string {
	const bytes = Buffer.from((tenantId + eventId + endpointId).replaceAll("-", ""), "hex");
	return eventId.slice(0, COMMON) + createHash("sha256").update(bytes).digest("hex").slice(0, 12);
}

/** The smallest and the largest id that the event of a delivery may have. */
export function eventRangeOf(deliveryId: string): { readonly first: string; readonly last: string } {
	const common = deliveryId.slice(0, COMMON);
	return { first: `${common}000000000000`, last: `${common}ffffffffffff` };
}

type EventRow = {
	/** A UUIDv7 of the time at which it happened. */
	readonly id: string;
	readonly tenantId: string;
	readonly sequence: number;
	readonly event: string;
	readonly docId: string;
	readonly docVersion: number | null;
	readonly body: string;
	readonly endpointIds: readonly string[];
};

/** The numbers that a transaction has taken of a tenant, and the version of its endpoints; null if it never had one. */
export type Numbers = { readonly sequences: number[]; readonly version: string | null };

/**
 * Takes the next event numbers, so many for each tenant. Other events of these tenants wait until this transaction ends, and so do changes of
 * their endpoints. The order of ids keeps two transactions from waiting for each other.
 */
export async function takeNumbers(tx: Tx, counts: ReadonlyMap<string, number>): Promise<Map<string, Numbers>> {
	const rows = await tx<{ tenantId: string; last: number; version: string | null }[]>`
		insert into heads as h (tenant_id, last_sequence)
		select tenant_id, count from unnest(${[...counts.keys()]}::uuid[], ${[...counts.values()]}::int[]) as n(tenant_id, count)
		order by tenant_id
		on conflict (tenant_id) do update set last_sequence = h.last_sequence + excluded.last_sequence
		returning tenant_id as "tenantId", last_sequence as last, endpoints_version as version`;
	return new Map(
		rows.map(({ tenantId, last, version }) => {
			const count = counts.get(tenantId) ?? 0;
			return [tenantId, { sequences: Array.from({ length: count }, (_, i) => last - count + 1 + i), version }];
		}),
	);
}

export async function insertEvents(tx: Tx, events: readonly EventRow[]): Promise<void> {
	await tx`
		insert into events (tenant_id, sequence, id, event, doc_id, doc_version, body, endpoint_ids)
		select "tenantId", sequence, id, event, "docId", "docVersion", body,
			array(select x::uuid from json_array_elements_text("endpointIds") with ordinality i(x, n) order by n)
		from json_to_recordset(${toJsonText(events)}::text::json) as e("tenantId" uuid, sequence bigint, id uuid, event text,
			"docId" uuid, "docVersion" int, body text, "endpointIds" json)`;
}

export type DeliveryStatus = "pending" | "delivered" | "failed" | "dead";

export type Delivery = {
	readonly id: string;
	readonly tenantId: string;
	readonly endpointId: string;
	/** Of its event. */
	readonly sequence: number;
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

/**
 * Whether an earlier event of the document of `d` is still under way to the same endpoint: it has a row that says so, or none.
 */
export const isBehind = (sql: Sql | Tx) => sql`(
	exists (
		select 1 from deliveries o
		where o.tenant_id = d.tenant_id and o.endpoint_id = d.endpoint_id and o.doc_id = d.doc_id and o.sequence < d.sequence
			and o.status in ('pending', 'failed')
	) or exists (
		select 1 from events p
		where p.tenant_id = d.tenant_id and p.doc_id = d.doc_id and p.sequence < d.sequence and d.endpoint_id = any(p.endpoint_ids)
			and not exists (
				select 1 from deliveries o
				where o.tenant_id = d.tenant_id and o.id = delivery_id(d.tenant_id, p.id, d.endpoint_id)
			)
	)
)`;

export async function findDeliveries(
	sql: Sql | Tx,
	places: readonly DeliveryPlace[],
): Promise<(Delivery | undefined)[]> {
	if (places.length === 0) return [];
	const ids = places.map(({ id }) => id);
	const ranges = ids.map(eventRangeOf);
	const [firsts, lasts] = [ranges.map(({ first }) => first), ranges.map(({ last }) => last)];
	const inTime = sql`between ${firsts.toSorted()[0] ?? ""} and ${lasts.toSorted().at(-1) ?? ""}`;
	const rows = await sql<Delivery[]>`
		select d.id, d.tenant_id as "tenantId", d.endpoint_id as "endpointId", d.sequence, d.event, d.doc_id as "docId", d.status, d.reason,
			d.body, ${isBehind(sql)} as "isBehind"
		from (
			select w.id, e.tenant_id, coalesce(r.endpoint_id, x) as endpoint_id, e.sequence, e.event, e.doc_id,
				coalesce(r.status, 'pending') as status, r.reason, e.body
			from unnest(${ids}::uuid[], ${places.map(({ tenantId }) => tenantId)}::uuid[], ${firsts}::uuid[], ${lasts}::uuid[])
				as w(id, tenant_id, first, last)
			join events e on e.tenant_id = w.tenant_id and e.id between w.first and w.last and e.id ${inTime}
			join lateral unnest(e.endpoint_ids) x on delivery_id(e.tenant_id, e.id, x) = w.id
			left join deliveries r on r.tenant_id = w.tenant_id and r.id = w.id and r.id ${inTime}
		) d`;
	const byId = new Map(rows.map((row) => [row.id, row]));
	return places.map(({ id }) => byId.get(id));
}

/**
 * A query of the deliveries of documents' events that have not ended. `documents` is a query of `tenant_id` and `doc_id`. The offsets make the
 * planner look each one up, instead of reading all of them.
 */
export const undelivered = (sql: Sql | Tx, documents: PendingQuery<Row[]>) => sql`
	select x.id, e.tenant_id, e.doc_id from (${documents}) w
	cross join lateral (
		select * from events o where o.tenant_id = w.tenant_id and o.doc_id = w.doc_id offset 0
	) e
	cross join lateral (select delivery_id(e.tenant_id, e.id, u) as id from unnest(e.endpoint_ids) u) x
	left join lateral (
		select r.status from deliveries r where r.tenant_id = e.tenant_id and r.id = x.id offset 0
	) d on true
	where coalesce(d.status, 'pending') in ('pending', 'failed')`;

/** The messages of `undelivered`, in the order of the events. */
export async function findUndelivered(sql: Sql | Tx, documents: readonly LoggedKey[]): Promise<NewMessage[]> {
	const those = sql`
		select * from unnest(${documents.map(({ tenantId }) => tenantId)}::uuid[], ${documents.map(({ docId }) => docId)}::uuid[])
			as k(tenant_id, doc_id)`;
	const rows = await sql<(LoggedKey & { id: string })[]>`
		select u.id, u.tenant_id as "tenantId", u.doc_id as "docId" from (${undelivered(sql, those)}) u order by u.id`;
	return rows.map(({ id, ...key }) => ({ kind: OUTBOX_KINDS.deliverWebhook, subject: id, ...key }));
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
	readonly delivery: Delivery;
	readonly attempt: Attempt;
	readonly outcome: Outcome;
};

/** All attempts that `d` has, oldest first; null without any. They become the earlier ones when another is written. */
export const allAttempts = (sql: Sql | Tx) => sql`
	case when d.at is null then d.attempts else coalesce(d.attempts, '[]') || jsonb_build_object(
		'at', d.at, 'durationMs', d.duration_ms, 'responseStatus', d.response_status, 'error', d.error, 'responseBody', d.response_body
	) end`;

/**
 * Writes attempts of different deliveries. An attempt that was made is always written; its outcome only if the caller still holds the message.
 * Returns for each whether it does.
 */
export async function writeAttempts(sql: Sql | Tx, all: readonly Attempted[]): Promise<boolean[]> {
	const rows = await sql<{ id: string }[]>`
		with ${leaseParts(sql, all)}, made as materialized (
			select * from json_to_recordset(${toJsonText(all.map(toColumns))}::text::json) as m(
				message_id uuid, tenant_id uuid, id uuid, sequence bigint, endpoint_id uuid, doc_id uuid, at timestamptz, duration_ms int,
				response_status int, error text, response_body text, status text, reason text
			)
		), written as (
			insert into deliveries as d (
				tenant_id, id, sequence, endpoint_id, doc_id, at, duration_ms, response_status, error, response_body, status, reason, ended_at
			)
			select m.tenant_id, m.id, m.sequence, m.endpoint_id, m.doc_id, m.at, m.duration_ms, m.response_status, m.error, m.response_body,
				case when h.id is null then 'pending' else m.status end, case when h.id is not null then m.reason end,
				case when h.id is not null and m.status <> 'failed' then now() end
			from made m left join held h on h.id = m.message_id
			on conflict (tenant_id, id) do update set
				attempts = ${allAttempts(sql)}, at = excluded.at, duration_ms = excluded.duration_ms,
				response_status = excluded.response_status, error = excluded.error, response_body = excluded.response_body,
				status = case excluded.status when 'pending' then d.status else excluded.status end,
				reason = coalesce(excluded.reason, d.reason), ended_at = coalesce(excluded.ended_at, d.ended_at)
		)
		select id from held`;
	const leased = new Set(rows.map((row) => row.id));
	return all.map(({ message }) => leased.has(message.id));
}

function toColumns({ message, delivery, attempt, outcome }: Attempted) {
	const { tenantId, id, sequence, endpointId, docId } = delivery;
	return {
		message_id: message.id,
		...{ tenant_id: tenantId, id, sequence, endpoint_id: endpointId, doc_id: docId },
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
export async function markDead(sql: Sql | Tx, delivery: Delivery, reason: string): Promise<void> {
	const { tenantId, id, sequence, endpointId, docId } = delivery;
	await sql`
		insert into deliveries (tenant_id, id, sequence, endpoint_id, doc_id, status, reason, ended_at, recoveries_left)
		values (${tenantId}, ${id}, ${sequence}, ${endpointId}, ${docId}, 'dead', ${reason}, now(), 0)
		on conflict (tenant_id, id) do update set
			status = excluded.status, reason = excluded.reason, ended_at = excluded.ended_at, recoveries_left = excluded.recoveries_left`;
}

/** A delivery that used all its attempts, with the last answer. */
export type DeadLetter = {
	readonly deliveryId: string;
	readonly tenantId: string;
	readonly webhookId: string;
	readonly event: string;
	readonly docId: string;
	/** Of the document, as the event states it. */
	readonly encf: string | null;
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
	const rows = await sql<Omit<DeadLetter, "createdAt">[]>`
		select d.id as "deliveryId", d.tenant_id as "tenantId", d.endpoint_id as "webhookId", e.event, d.doc_id as "docId",
			e.body::json->>'encf' as encf, d.ended_at as "deadAt", d.reason, ${countAttempts(sql)} as attempts, d.response_status as "responseStatus", d.error
		from deliveries d join events e on e.tenant_id = d.tenant_id and e.sequence = d.sequence
		where d.status = 'dead'
			${page.tenantId === undefined ? sql`` : sql`and d.tenant_id = ${page.tenantId}`}
			${page.after === undefined ? sql`` : sql`and d.id > ${page.after}`}
		order by d.id ${page.limit === undefined ? sql`` : sql`limit ${page.limit}`}`;
	return rows.map((row) => ({ ...row, createdAt: timeOfId(row.deliveryId) }));
}

/** How many attempts `d` has. */
export const countAttempts = (sql: Sql | Tx) =>
	sql`coalesce(jsonb_array_length(d.attempts), 0) + (d.at is not null)::int`;

/** The tenant of a dead letter. */
export async function findTenantOf(sql: Sql, id: string): Promise<string | undefined> {
	const [row] = await sql<{ tenantId: string }[]>`
		select tenant_id as "tenantId" from deliveries where id = ${id} and status = 'dead'`;
	return row?.tenantId;
}

/** A delivery that has had a result, locked until the transaction ends. */
export async function lockDelivery(
	tx: Tx,
	{ tenantId, id }: DeliveryPlace,
): Promise<Pick<Delivery, "id" | "tenantId" | "endpointId" | "sequence" | "status"> | undefined> {
	const [row] = await tx<Delivery[]>`
		select id, tenant_id as "tenantId", endpoint_id as "endpointId", sequence, status
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
		select id from deliveries where tenant_id = ${tenantId} and endpoint_id = ${id} and status = 'dead' and ended_at >= ${since}
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
		select id from deliveries where tenant_id = ${tenantId} and endpoint_id = ${id} and status = 'dead' and ended_at >= ${since}
			${after === undefined ? sql`` : sql`and id > ${after}`}
		order by id limit 1 offset ${than}`;
	return rows.length > 0;
}

/** The name of an event, and the endpoints that its deliveries go to. */
export async function findTargets(
	tx: Tx,
	{ tenantId, id, sequence }: Pick<Delivery, "tenantId" | "id" | "sequence">,
): Promise<{ event: string; endpointIds: string[] } | undefined> {
	const { first, last } = eventRangeOf(id);
	const [row] = await tx<{ event: string; endpointIds: string[] }[]>`
		select e.event, array(
			select coalesce(d.endpoint_id, x) from unnest(e.endpoint_ids) x
			left join deliveries d on d.tenant_id = e.tenant_id and d.id = delivery_id(e.tenant_id, e.id, x)
		) as "endpointIds"
		from events e where e.tenant_id = ${tenantId} and e.sequence = ${sequence} and e.id between ${first} and ${last}`;
	return row;
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
		update deliveries set status = 'pending', endpoint_id = ${endpointId}, ended_at = null, reason = null,
			recoveries_left = ${by === "hand" ? RECOVERIES_MAX : tx`recoveries_left - 1`}
		where tenant_id = ${tenantId} and id = any(${[...ids]}::uuid[])`;
}
