/** SQL for decisions, their signed documents and their deliveries. */
import type { RawAnswer } from "../../authority/client";
import type { Sql, Tx } from "../../platform/database";
import { append, OUTBOX_KINDS } from "../../platform/outbox";
import type { ReceivedDocument } from "../reception";
import type { ApprovalRow, DeliveryMessage, DeliveryRow, DeliveryStatus, NewApproval, Receiver } from "./approval";

const columns = (sql: Sql | Tx) => sql`
	a.id, a.tenant_id as "tenantId", a.direction, a.received_document_id as "receivedDocumentId", a.doc_id as "docId",
	a.issuer_rnc as "issuerRnc", a.buyer_rnc as "buyerRnc", a.encf, a.issue_date::text as "issueDate", a.total::text as total, a.decision,
	a.reason, a.purchase_order as "purchaseOrder", a.signer, a.decided_at as "decidedAt", a.created_at as "createdAt"`;

/** Returns whether the decision was written; a document has only one. Waits for a concurrent transaction that writes another. */
export async function insertApproval(tx: Tx, a: NewApproval): Promise<boolean> {
	const rows = await tx`
		insert into approvals (
			id, tenant_id, direction, received_document_id, doc_id, issuer_rnc, buyer_rnc, encf, issue_date, total, decision, reason,
			purchase_order, signer, decided_at, created_at
		) values (
			${a.id}, ${a.tenantId}, ${a.direction}, ${a.receivedDocumentId}, ${a.docId}, ${a.issuerRnc}, ${a.buyerRnc}, ${a.encf},
			${a.issueDate}, ${a.total}, ${a.decision}, ${a.reason}, ${a.purchaseOrder}, ${a.signer}, ${a.decidedAt}, ${a.createdAt}
		) on conflict do nothing returning id`;
	return rows.length === 1;
}

/** A decision that a tenant made or received. */
export async function findApproval(sql: Sql | Tx, tenantId: string, id: string): Promise<ApprovalRow | undefined> {
	return (await findWhere(sql, sql`a.tenant_id = ${tenantId} and a.id = ${id}`))[0];
}

export async function findByReceived(sql: Sql | Tx, tenantId: string, id: string): Promise<ApprovalRow | undefined> {
	return (await findWhere(sql, sql`a.tenant_id = ${tenantId} and a.received_document_id = ${id}`))[0];
}

/** A tenant's decision on another document under a received document's number, unless the authority has rejected that other one. */
export async function findOnNumber(sql: Sql | Tx, document: ReceivedDocument): Promise<ApprovalRow | undefined> {
	const { id, tenantId, issuerRnc, encf, segment } = document;
	const found = await findWhere(
		sql,
		sql`
		a.tenant_id = ${tenantId} and a.direction = 'out' and a.received_document_id in (
			select o.id from received_documents o
			join received_standings s on s.tenant_id = o.tenant_id and s.document_id = o.id and s.authority_status <> 'rejected'
			where o.tenant_id = ${tenantId} and o.issuer_rnc = ${issuerRnc} and o.encf = ${encf} and o.segment = ${segment} and o.id <> ${id}
		)`,
	);
	return found[0];
}

/** The existing decisions on received documents. */
export async function findByReceivedMany(sql: Sql, tenantId: string, ids: readonly string[]): Promise<ApprovalRow[]> {
	if (ids.length === 0) return [];
	const these = sql`a.received_document_id = any(${[...ids]}::uuid[])`;
	return findWhere(sql, sql`a.tenant_id = ${tenantId} and ${these}`, ids.length);
}

export async function findByInvoice(sql: Sql | Tx, tenantId: string, docId: string): Promise<ApprovalRow | undefined> {
	return (await findWhere(sql, sql`a.tenant_id = ${tenantId} and a.doc_id = ${docId}`))[0];
}

export type ApprovalFilter = {
	readonly direction?: string | undefined;
	/** An invoice, or a received document. */
	readonly docId?: string | undefined;
	readonly decision?: string | undefined;
	/** True: those with a delivery that ended without arriving. */
	readonly isUndelivered?: boolean;
	/** Days in UTC-4, `YYYY-MM-DD`. */
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	readonly after?: string | undefined;
};

/** Newest first. One more than `limit` shows that there are more. */
export async function findApprovals(
	sql: Sql,
	tenantId: string,
	f: ApprovalFilter,
	limit: number,
): Promise<ApprovalRow[]> {
	return findWhere(
		sql,
		sql`
			a.tenant_id = ${tenantId}
			${f.direction === undefined ? sql`` : sql`and a.direction = ${f.direction}`}
			${f.docId === undefined ? sql`` : sql`and (a.doc_id = ${f.docId} or a.received_document_id = ${f.docId})`}
			${f.decision === undefined ? sql`` : sql`and a.decision = ${f.decision}`}
			${f.from === undefined ? sql`` : sql`and a.created_at >= (${`${f.from}T00:00:00-04:00`})::timestamptz`}
			${f.to === undefined ? sql`` : sql`and a.created_at < (${`${f.to}T00:00:00-04:00`})::timestamptz + interval '1 day'`}
			${
				f.isUndelivered === true
					? sql`and exists (
				select 1 from approval_deliveries u where u.tenant_id = a.tenant_id and u.approval_id = a.id
					and u.status in ('refused', 'unconfirmed', 'failed'))`
					: sql``
			}
			${f.after === undefined ? sql`` : sql`and a.id < ${f.after}`}`,
		limit + 1,
	);
}

/** JSON holds times as texts. */
type FlatDelivery = Omit<DeliveryRow, "endedAt"> & { readonly endedAt: string | null };

async function findWhere(sql: Sql | Tx, condition: ReturnType<Sql>, limit = 1): Promise<ApprovalRow[]> {
	const rows = await sql<(NewApproval & { readonly deliveries: readonly FlatDelivery[] })[]>`
		select ${columns(sql)}, coalesce((
			select json_agg(json_build_object('receiver', d.receiver, 'status', d.status, 'messages', d.messages, 'endedAt', d.ended_at,
				'attempts', (
					select count(*)::int from approval_papers t
					where t.tenant_id = d.tenant_id and t.approval_id = d.approval_id and t.receiver = d.receiver and t.kind = 'intent'
				)) order by d.receiver desc)
			from approval_deliveries d where d.tenant_id = a.tenant_id and d.approval_id = a.id), '[]') as deliveries
		from approvals a where ${condition} order by a.id desc limit ${limit}`;
	return rows.map((row) => ({
		...row,
		deliveries: row.deliveries.map((one) => ({ ...one, endedAt: one.endedAt === null ? null : new Date(one.endedAt) })),
	}));
}

/** A tenant's decision. */
type ApprovalKey = { readonly tenantId: string; readonly approvalId: string };
/** Its delivery to one of the receivers. */
export type DeliveryKey = ApprovalKey & { readonly receiver: Receiver };

export type SignedBytes = { readonly bytes: Uint8Array; readonly sha256: Uint8Array };

/** Stores the first signed document of a decision, also for the archive, and returns the stored one. */
export async function keepDocument(
	tx: Tx,
	of: ApprovalKey & { readonly signedAt: Date } & SignedBytes,
): Promise<SignedBytes> {
	const { approvalId, tenantId } = of;
	const rows = await tx`
		insert into approval_papers (tenant_id, approval_id, n, kind, body, sha256, at)
		values (${tenantId}, ${approvalId}, 0, 'document', ${of.bytes}, ${of.sha256}, ${of.signedAt}) on conflict do nothing returning 1`;
	if (rows.length === 1) await append(tx, { kind: OUTBOX_KINDS.archiveApproval, tenantId, subject: approvalId });
	const kept = await findDocument(tx, of);
	if (!kept) throw new Error(`the document of approval ${approvalId} was kept and is not there`);
	return kept;
}

export async function findDocument(
	sql: Sql | Tx,
	{ tenantId, approvalId }: ApprovalKey,
): Promise<SignedBytes | undefined> {
	const [row] = await sql<SignedBytes[]>`
		select body as bytes, sha256 from approval_papers where tenant_id = ${tenantId} and approval_id = ${approvalId} and n = 0`;
	return row;
}

export async function insertDeliveries(tx: Tx, { tenantId, approvalId }: ApprovalKey): Promise<void> {
	await tx`
		insert into approval_deliveries (tenant_id, approval_id, receiver)
		values (${tenantId}, ${approvalId}, 'issuer'), (${tenantId}, ${approvalId}, 'authority')`;
}

export async function isPending(sql: Sql, { tenantId, approvalId, receiver }: DeliveryKey): Promise<boolean> {
	const rows = await sql`
		select 1 from approval_deliveries
		where tenant_id = ${tenantId} and approval_id = ${approvalId} and receiver = ${receiver} and status = 'pending'`;
	return rows.length === 1;
}

/** True if an attempt may have arrived: its outcome is unknown, or was never written. */
export async function mayHaveArrived(sql: Sql, { tenantId, approvalId, receiver }: DeliveryKey): Promise<boolean> {
	const rows = await sql`
		select 1 from approval_papers i
		where i.tenant_id = ${tenantId} and i.approval_id = ${approvalId} and i.receiver = ${receiver} and i.kind = 'intent' and not exists (
			select 1 from approval_papers r
			where r.tenant_id = i.tenant_id and r.approval_id = i.approval_id and r.attempt = i.n and r.result <> 'unknown'
		) limit 1`;
	return rows.length === 1;
}

/** Records that the bytes are about to be sent. */
export async function insertIntent(tx: Tx, { tenantId, approvalId, receiver }: DeliveryKey): Promise<number> {
	const [row] = await tx<{ n: number }[]>`
		insert into approval_papers (tenant_id, approval_id, kind, receiver)
		values (${tenantId}, ${approvalId}, 'intent', ${receiver}) returning n`;
	return row?.n ?? 0;
}

export async function finishAttempt(
	tx: Tx,
	of: DeliveryKey & { readonly n: number },
	result: string,
	detail: string,
): Promise<void> {
	await tx`
		insert into approval_papers (tenant_id, approval_id, kind, receiver, attempt, result, detail)
		values (${of.tenantId}, ${of.approvalId}, 'result', ${of.receiver}, ${of.n}, ${result}, ${detail.slice(0, 500)})`;
}

export async function endDelivery(
	tx: Tx,
	of: DeliveryKey,
	status: Exclude<DeliveryStatus, "pending">,
	messages: readonly DeliveryMessage[],
	at: Date,
): Promise<void> {
	await tx`
		update approval_deliveries
		set status = ${status}, messages = ${tx.json(messages.map((one) => ({ ...one })))}, ended_at = ${at}
		where tenant_id = ${of.tenantId} and approval_id = ${of.approvalId} and receiver = ${of.receiver} and status = 'pending'`;
}

/** Makes deliveries pending that ended without arriving, and returns their receivers. */
export async function reopenDeliveries(tx: Tx, { tenantId, approvalId }: ApprovalKey): Promise<Receiver[]> {
	const rows = await tx<{ receiver: Receiver }[]>`
		update approval_deliveries set status = 'pending', messages = '[]', ended_at = null
		where tenant_id = ${tenantId} and approval_id = ${approvalId} and status in ('refused', 'unconfirmed', 'failed')
		returning receiver`;
	return rows.map(({ receiver }) => receiver);
}

export async function insertAnswers(sql: Sql, of: ApprovalKey, answers: readonly RawAnswer[]): Promise<void> {
	if (answers.length === 0) return;
	await sql`
		insert into approval_papers ${sql(
			answers.map((a) => ({
				...{ tenant_id: of.tenantId, approval_id: of.approvalId, kind: "answer", at: a.at, operation: a.operation },
				...{ http_status: a.httpStatus, media_type: a.mediaType, body: Buffer.from(a.body) },
			})),
		)}`;
}
