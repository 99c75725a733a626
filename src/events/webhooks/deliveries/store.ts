/** SQL of the delivery log: what tenants read, and the removal of old deliveries. */
import type { Sql, Tx } from "../../../platform/database";
import { OUTBOX_KINDS, removeDead } from "../../../platform/outbox";
import { firstIdAt } from "../../../platform/values";

import type { Attempt, DeliveryStatus } from "../store";

export type MadeAttempt = Attempt & { readonly n: number };

export type DeliveryRow = {
	readonly id: string;
	readonly webhookId: string;
	readonly event: string;
	readonly docId: string;
	readonly sequence: number;
	readonly status: DeliveryStatus;
	readonly reason: string | null;
	readonly createdAt: Date;
	readonly deliveredAt: Date | null;
	readonly deadAt: Date | null;
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
	d.id, d.endpoint_id as "webhookId", d.event, d.doc_id as "docId", d.sequence, d.status, d.reason, d.created_at as "createdAt",
	d.delivered_at as "deliveredAt", d.dead_at as "deadAt", to_json(a) as last`;

const lastAttempt = (sql: Sql | Tx) => sql`
	left join lateral (
		select n, at, duration_ms as "durationMs", response_status as "responseStatus", error
		from delivery_attempts where tenant_id = d.tenant_id and delivery_id = d.id order by n desc limit 1
	) a on true`;

/** A tenant's deliveries, newest first; one row more than `limit` means that there are more. */
export async function listDeliveries(
	sql: Sql,
	tenantId: string,
	filter: DeliveryFilter,
	limit: number,
): Promise<DeliveryRow[]> {
	const { webhookId, status, event, docId, after } = filter;
	return sql<DeliveryRow[]>`
		select ${columns(sql)} from deliveries d ${lastAttempt(sql)}
		where d.tenant_id = ${tenantId}
			${webhookId === undefined ? sql`` : sql`and d.endpoint_id = ${webhookId}`}
			${status === undefined ? sql`` : sql`and d.status = ${status}`}
			${event === undefined ? sql`` : sql`and d.event = ${event}`}
			${docId === undefined ? sql`` : sql`and d.doc_id = ${docId}`}
			${after === undefined ? sql`` : sql`and d.id < ${after}`}
		order by d.id desc limit ${limit + 1}`;
}

/** A tenant's delivery with its body and all attempts, oldest first. */
export async function findDelivery(
	sql: Sql | Tx,
	tenantId: string,
	id: string,
): Promise<(DeliveryRow & { readonly body: string; readonly attempts: readonly MadeAttempt[] }) | undefined> {
	const [[row], attempts] = await Promise.all([
		sql<(DeliveryRow & { body: string })[]>`
			select ${columns(sql)}, e.body from deliveries d join events e on e.id = d.event_id and e.tenant_id = d.tenant_id ${lastAttempt(sql)}
			where d.tenant_id = ${tenantId} and d.id = ${id}`,
		sql<MadeAttempt[]>`
			select n, at, duration_ms as "durationMs", response_status as "responseStatus", error, response_body as "responseBody"
			from delivery_attempts where tenant_id = ${tenantId} and delivery_id = ${id} order by n`,
	]);
	return row && { ...row, attempts };
}

const BATCH = 5_000;

/**
 * Deletes a batch of deliveries that began and arrived before a time, and of dead letters from before another time, with their attempts and dead
 * messages. The id holds the time at which a delivery began; an old letter that was sent again arrived long after that. Returns the count.
 */
export function sweepDeliveries(sql: Sql, before: Date, deadBefore: Date): Promise<number> {
	return sql.begin(async (tx) => {
		const hasArrived = tx`status = 'delivered' and (delivered_at >= ${before}) is not true`;
		const isOver = tx`id < ${firstIdAt(before)} and (${hasArrived} or (status = 'dead' and id < ${firstIdAt(deadBefore)}))`;
		// Locked before their messages, in the order of `reopen`. A letter that is being sent again now is skipped.
		const found = await tx<{ tenantId: string; subject: string }[]>`
			select tenant_id as "tenantId", id as subject from deliveries where ${isOver} order by id limit ${BATCH} for update skip locked`;
		const ids = found.map(({ subject }) => subject);
		await removeDead(tx, OUTBOX_KINDS.deliverWebhook, found);
		return (await tx`delete from deliveries where id = any(${ids}::uuid[]) and ${isOver}`).count;
	});
}
