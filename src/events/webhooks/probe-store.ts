/** SQL of the dead letters that a probe may send. */
import type { Sql, Tx } from "../../platform/database";
import type { WebhookEndpoint } from "../endpoints";
import type { Attempt, DeliveryPlace } from "./store";

type Target = Pick<WebhookEndpoint, "id" | "tenantId" | "ordering">;

const deadLetters = (sql: Sql | Tx, { id, tenantId }: Omit<Target, "ordering">) =>
	sql`d.tenant_id = ${tenantId} and d.endpoint_id = ${id} and d.status = 'dead' and d.recoveries_left > 0`;

/** No earlier event of the same document is under way, which a letter must not overtake. */
const isFree = (sql: Sql | Tx, { ordering }: Target) =>
	ordering === "none"
		? sql`true`
		: sql`not exists (
			select 1 from deliveries e
			where e.tenant_id = d.tenant_id and e.endpoint_id = d.endpoint_id and e.doc_id = d.doc_id and e.sequence < d.sequence and e.status in ('pending', 'failed')
		)`;

/** The oldest dead letter of an endpoint that may go out now. */
export async function findOldest(sql: Sql, endpoint: Target): Promise<string | undefined> {
	const [row] = await sql<{ id: string }[]>`
		select d.id from deliveries d where ${deadLetters(sql, endpoint)} and ${isFree(sql, endpoint)} order by d.id limit 1`;
	return row?.id;
}

/** The newest dead letter, if it is another one and the first of its document. */
export async function findNewest(sql: Sql, endpoint: Target, oldest: string): Promise<string | undefined> {
	const [row] = await sql<{ id: string }[]>`
		select d.id from (
			select * from deliveries d where ${deadLetters(sql, endpoint)} and d.id > ${oldest} order by d.id desc limit 1
		) d
		where ${isFree(sql, endpoint)} and (${endpoint.ordering === "none"} or not exists (
			select 1 from deliveries e
			where e.tenant_id = d.tenant_id and e.endpoint_id = d.endpoint_id and e.status = 'dead' and e.id < d.id and e.doc_id = d.doc_id
		))`;
	return row?.id;
}

export async function hasDeadLetters(tx: Tx, endpoint: Omit<Target, "ordering">): Promise<boolean> {
	return (await tx`select 1 from deliveries d where ${deadLetters(tx, endpoint)} limit 1`).length > 0;
}

/** Ids of the oldest dead letters of an endpoint, locked until the transaction ends. */
export async function lockRecoverable(tx: Tx, endpoint: Target, limit: number): Promise<string[]> {
	const rows = await tx<{ id: string }[]>`
		select d.id from deliveries d where ${deadLetters(tx, endpoint)} order by d.id limit ${limit} for update`;
	return rows.map(({ id }) => id);
}

/** How many deliveries a probe has queued and no attempt has tried since. The literal 5 must match a partial index. */
export async function countQueued(sql: Sql, { id, tenantId }: Target): Promise<number> {
	const [row] = await sql<{ count: number }[]>`
		select count(*)::int as count from deliveries
		where tenant_id = ${tenantId} and endpoint_id = ${id} and status = 'pending' and recoveries_left < 5`;
	return row?.count ?? 0;
}

/**
 * Writes a probe's attempt under the letter's next number. A letter that arrived becomes delivered, unless it was queued again in the meantime.
 * A letter that was deleted is skipped.
 */
export async function writeProbe(
	tx: Tx,
	{ tenantId, id }: DeliveryPlace,
	attempt: Attempt,
	hasArrived: boolean,
): Promise<void> {
	const { at, durationMs, responseStatus, error, responseBody } = attempt;
	await tx`
		with letter as materialized (
			select tenant_id, id, status from deliveries where tenant_id = ${tenantId} and id = ${id} for update
		), written as (
			insert into delivery_attempts (tenant_id, delivery_id, n, at, duration_ms, response_status, error, response_body)
			select tenant_id, id, coalesce((
					select max(a.n) from delivery_attempts a where a.tenant_id = l.tenant_id and a.delivery_id = l.id
				), 0) + 1, ${at}::timestamptz, ${durationMs}::int, ${responseStatus}::int, ${error}::text, ${responseBody}::text
			from letter l
		)
		update deliveries d set status = 'delivered', delivered_at = now(), dead_at = null, reason = null
		from letter l
		where d.tenant_id = ${tenantId} and d.id = ${id} and d.id = l.id and l.status = 'dead' and ${hasArrived}`;
}
