/** SQL of the dead letters that a probe may send. */
import type { Sql, Tx } from "../../platform/database";
import type { WebhookEndpoint } from "../endpoints";
import { type Attempt, allAttempts, type DeliveryPlace, isBehind } from "./store";

type Target = Pick<WebhookEndpoint, "id" | "tenantId" | "ordering">;

const deadLetters = (sql: Sql | Tx, { id, tenantId }: Omit<Target, "ordering">) =>
	sql`d.tenant_id = ${tenantId} and d.endpoint_id = ${id} and d.status = 'dead' and d.recoveries_left > 0`;

/** No earlier event of the same document is under way, which a letter must not overtake. */
const isFree = (sql: Sql | Tx, { ordering }: Target) => (ordering === "none" ? sql`true` : sql`not ${isBehind(sql)}`);

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

/** Writes a probe's attempt. A letter that arrived becomes delivered, unless it was queued again in the meantime; one that was removed is skipped. */
export async function writeProbe(
	tx: Tx,
	{ tenantId, id }: DeliveryPlace,
	attempt: Attempt,
	hasArrived: boolean,
): Promise<void> {
	const { at, durationMs, responseStatus, error, responseBody } = attempt;
	const isOver = tx`d.status = 'dead' and ${hasArrived}`;
	await tx`
		update deliveries d set attempts = ${allAttempts(tx)}, at = ${at}, duration_ms = ${durationMs}, response_status = ${responseStatus},
			error = ${error}, response_body = ${responseBody}, status = case when ${isOver} then 'delivered' else d.status end,
			ended_at = case when ${isOver} then now() else d.ended_at end, reason = case when ${isOver} then null else d.reason end
		where d.tenant_id = ${tenantId} and d.id = ${id}`;
}
