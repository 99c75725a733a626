import type { Sql, Tx } from "../database";

export type EventRow = {
	readonly id: string;
	readonly tenantId: string;
	readonly sequence: number;
	readonly event: string;
	readonly docId: string;
	readonly docVersion: number | null;
	readonly body: string;
	readonly occurredAt: Date;
};

/** The tenant's next event number; others of the tenant wait until this transaction ends. */
export async function takeSequence(tx: Tx, tenantId: string): Promise<number> {
	const [row] = await tx<{ sequence: number }[]>`
		insert into event_counters as c (tenant_id, last_sequence) values (${tenantId}, 1)
		on conflict (tenant_id) do update set last_sequence = c.last_sequence + 1
		returning last_sequence as sequence`;
	if (!row) throw new Error(`tenant ${tenantId} got no event number`);
	return row.sequence;
}

export async function insertEvent(tx: Tx, e: EventRow): Promise<void> {
	await tx`
		insert into events (tenant_id, sequence, id, event, doc_id, doc_version, body, occurred_at)
		values (${e.tenantId}, ${e.sequence}, ${e.id}, ${e.event}, ${e.docId}, ${e.docVersion}, ${e.body}, ${e.occurredAt})`;
}

export async function insertDeliveries(
	tx: Tx,
	event: EventRow,
	deliveries: readonly { readonly id: string; readonly endpointId: string }[],
): Promise<void> {
	await tx`
		insert into deliveries ${tx(
			deliveries.map(({ id, endpointId }) => ({
				id,
				tenant_id: event.tenantId,
				endpoint_id: endpointId,
				event_id: event.id,
				sequence: event.sequence,
				event: event.event,
				doc_id: event.docId,
			})),
		)}`;
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
	/** Why it is dead. */
	readonly reason: string | null;
	/** What is sent. */
	readonly body: string;
	/** An earlier event of the same document is still on its way to the same endpoint. */
	readonly isBehind: boolean;
};

export async function findDelivery(sql: Sql, id: string): Promise<Delivery | undefined> {
	const [row] = await sql<Delivery[]>`
		select d.id, d.tenant_id as "tenantId", d.endpoint_id as "endpointId", d.event_id as "eventId", d.event,
			d.doc_id as "docId", d.status, d.reason, e.body,
			exists (
				select 1 from deliveries earlier
				where earlier.endpoint_id = d.endpoint_id and earlier.doc_id = d.doc_id and earlier.sequence < d.sequence
					and earlier.status in ('pending', 'failed')
			) as "isBehind"
		from deliveries d join events e on e.id = d.event_id
		where d.id = ${id}`;
	return row;
}

export type Attempt = {
	readonly at: Date;
	readonly durationMs: number;
	readonly responseStatus: number | null;
	readonly error: string | null;
	readonly responseBody: string;
};

/** Writes an attempt under the delivery's next number; locks the delivery until the transaction ends. */
export async function insertAttempt(tx: Tx, deliveryId: string, a: Attempt): Promise<void> {
	await tx`select 1 from deliveries where id = ${deliveryId} for update`;
	await tx`
		insert into delivery_attempts (delivery_id, n, at, duration_ms, response_status, error, response_body)
		select ${deliveryId}, coalesce(max(n), 0) + 1, ${a.at}, ${a.durationMs}, ${a.responseStatus}, ${a.error}, ${a.responseBody}
		from delivery_attempts where delivery_id = ${deliveryId}`;
}

export async function markDelivered(tx: Tx, id: string): Promise<void> {
	await tx`update deliveries set status = 'delivered', delivered_at = now() where id = ${id}`;
}

export async function markFailed(tx: Tx, id: string): Promise<void> {
	await tx`update deliveries set status = 'failed' where id = ${id}`;
}

export async function markDead(sql: Sql | Tx, id: string, reason: string): Promise<void> {
	await sql`update deliveries set status = 'dead', dead_at = now(), reason = ${reason} where id = ${id}`;
}

/** A delivery that used all its attempts, with what was last answered. */
export type DeadLetter = {
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

export type DeadLetterPage = {
	readonly tenantId?: string;
	/** The last delivery of the page before. */
	readonly after?: string;
	readonly limit?: number;
};

const DEAD_LETTERS_MAX = 1_000;

/** Dead letters, oldest first. */
export async function listDeadLetters(sql: Sql, page: DeadLetterPage = {}): Promise<DeadLetter[]> {
	return sql<DeadLetter[]>`
		select d.id as "deliveryId", d.tenant_id as "tenantId", d.endpoint_id as "webhookId", d.event, d.doc_id as "docId",
			d.created_at as "createdAt", d.dead_at as "deadAt", d.reason, coalesce(a.n, 0) as attempts,
			a.response_status as "responseStatus", a.error
		from deliveries d
		left join lateral (
			select n, response_status, error from delivery_attempts where delivery_id = d.id order by n desc limit 1
		) a on true
		where d.status = 'dead'
			${page.tenantId === undefined ? sql`` : sql`and d.tenant_id = ${page.tenantId}`}
			${page.after === undefined ? sql`` : sql`and d.id > ${page.after}`}
		order by d.id limit ${page.limit ?? DEAD_LETTERS_MAX}`;
}

/** A dead letter, locked until the transaction ends; undefined when it is none any more. */
export async function lockDeadLetter(
	tx: Tx,
	id: string,
): Promise<Pick<Delivery, "id" | "tenantId" | "endpointId" | "eventId" | "event"> | undefined> {
	const [row] = await tx<Delivery[]>`
		select id, tenant_id as "tenantId", endpoint_id as "endpointId", event_id as "eventId", event
		from deliveries where id = ${id} and status = 'dead' for update`;
	return row;
}

/** Endpoints that an event has been on its way to. */
export async function findEndpointsTold(tx: Tx, eventId: string): Promise<string[]> {
	const rows = await tx<{ id: string }[]>`select endpoint_id as id from deliveries where event_id = ${eventId}`;
	return rows.map((row) => row.id);
}

/** Makes a dead letter pending again, to an endpoint. */
export async function reopenDelivery(tx: Tx, id: string, endpointId: string): Promise<void> {
	await tx`
		update deliveries set status = 'pending', endpoint_id = ${endpointId}, dead_at = null, reason = null where id = ${id}`;
}
