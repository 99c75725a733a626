/** All SQL on the way of a word to its two receivers: where each stands, every sending, and the authority's answers. */
import type { RawAnswer } from "../../authority/client";
import type { Sql, Tx } from "../../platform/database";
import type { DeliveryMessage, DeliveryStatus, Receiver } from "./approval";

export async function insertDeliveries(tx: Tx, approvalId: string, tenantId: string): Promise<void> {
	await tx`
		insert into approval_deliveries (approval_id, receiver, tenant_id)
		values (${approvalId}, 'issuer', ${tenantId}), (${approvalId}, 'authority', ${tenantId})`;
}

export async function isPending(sql: Sql, approvalId: string, receiver: Receiver): Promise<boolean> {
	const rows = await sql`
		select 1 from approval_deliveries where approval_id = ${approvalId} and receiver = ${receiver} and status = 'pending'`;
	return rows.length === 1;
}

/** True when one of the sendings may have arrived: its outcome is unknown, or was never written. */
export async function mayHaveArrived(sql: Sql, approvalId: string, receiver: Receiver): Promise<boolean> {
	const rows = await sql`
		select 1 from approval_attempts
		where approval_id = ${approvalId} and receiver = ${receiver} and (result is null or result = 'unknown') limit 1`;
	return rows.length === 1;
}

/** Records that the bytes are about to be sent. */
export async function insertIntent(tx: Tx, approvalId: string, receiver: Receiver): Promise<number> {
	const [row] = await tx<{ n: number }[]>`
		insert into approval_attempts (approval_id, receiver, n)
		select ${approvalId}, ${receiver}, coalesce(max(n), 0) + 1 from approval_attempts
		where approval_id = ${approvalId} and receiver = ${receiver} returning n`;
	return row?.n ?? 0;
}

export async function finishAttempt(
	tx: Tx,
	of: { readonly approvalId: string; readonly receiver: Receiver; readonly n: number },
	result: string,
	detail: string,
): Promise<void> {
	await tx`
		update approval_attempts set result = ${result}, detail = ${detail.slice(0, 500)}, finished_at = now()
		where approval_id = ${of.approvalId} and receiver = ${of.receiver} and n = ${of.n}`;
}

/** Ends a delivery that is pending. */
export async function endDelivery(
	tx: Tx,
	of: { readonly approvalId: string; readonly receiver: Receiver },
	status: Exclude<DeliveryStatus, "pending">,
	messages: readonly DeliveryMessage[],
	at: Date,
): Promise<void> {
	await tx`
		update approval_deliveries
		set status = ${status}, messages = ${tx.json(messages.map((one) => ({ ...one })))}, ended_at = ${at}
		where approval_id = ${of.approvalId} and receiver = ${of.receiver} and status = 'pending'`;
}

/** Makes those pending again that ended without arriving; answers which. */
export async function reopenDeliveries(tx: Tx, approvalId: string): Promise<Receiver[]> {
	const rows = await tx<{ receiver: Receiver }[]>`
		update approval_deliveries set status = 'pending', messages = '[]', ended_at = null
		where approval_id = ${approvalId} and status in ('refused', 'unconfirmed', 'failed') returning receiver`;
	return rows.map(({ receiver }) => receiver);
}

export async function insertAnswers(
	sql: Sql,
	of: { readonly approvalId: string; readonly tenantId: string },
	answers: readonly RawAnswer[],
): Promise<void> {
	if (answers.length === 0) return;
	await sql`
		insert into approval_answers ${sql(
			answers.map((a) => ({
				...{ approval_id: of.approvalId, tenant_id: of.tenantId, at: a.at, operation: a.operation },
				...{ http_status: a.httpStatus, media_type: a.mediaType, body: a.body },
			})),
		)}`;
}
