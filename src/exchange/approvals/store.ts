/** All SQL on words: writing one, which happens once, finding them, and their signed documents. */
import { ARCHIVE_KINDS } from "../../archive";
import type { Sql, Tx } from "../../platform/database";
import { append } from "../../platform/outbox";
import type { ReceivedDocument } from "../reception";
import type { ApprovalRow, DeliveryRow, NewApproval } from "./approval";

/** The outbox message that archives a signed word; its subject is the approval. */
export const ARCHIVE_APPROVAL_KIND = ARCHIVE_KINDS.approval;

const columns = (sql: Sql | Tx) => sql`
	a.id, a.tenant_id as "tenantId", a.direction, a.received_document_id as "receivedDocumentId", a.doc_id as "docId",
	a.issuer_rnc as "issuerRnc", a.buyer_rnc as "buyerRnc", a.encf, a.issue_date::text as "issueDate", a.total::text as total, a.decision,
	a.reason, a.purchase_order as "purchaseOrder", a.signer, a.decided_at as "decidedAt", a.created_at as "createdAt"`;

/** Answers whether it was written: there is one word on a document. Waits for a transaction that is writing another one. */
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

/** A tenant's own word, or one that it was told. */
export async function findApproval(sql: Sql | Tx, tenantId: string, id: string): Promise<ApprovalRow | undefined> {
	return (await findWhere(sql, sql`a.tenant_id = ${tenantId} and a.id = ${id}`))[0];
}

/** The word on a received document. */
export async function findByReceived(sql: Sql | Tx, tenantId: string, id: string): Promise<ApprovalRow | undefined> {
	return (await findWhere(sql, sql`a.tenant_id = ${tenantId} and a.received_document_id = ${id}`))[0];
}

/** A tenant's own word on another document of the number that a received one has, unless the authority has rejected that one. */
export async function findOnNumber(sql: Sql | Tx, document: ReceivedDocument): Promise<ApprovalRow | undefined> {
	const { id, tenantId, issuerRnc, encf, segment } = document;
	const found = await findWhere(
		sql,
		sql`
		a.tenant_id = ${tenantId} and a.direction = 'out' and a.received_document_id in (
			select o.id from received_documents o join received_standings s on s.document_id = o.id and s.authority_status <> 'rejected'
			where o.tenant_id = ${tenantId} and o.issuer_rnc = ${issuerRnc} and o.encf = ${encf} and o.segment = ${segment} and o.id <> ${id}
		)`,
	);
	return found[0];
}

/** The words on received documents, those that there are. */
export async function findByReceivedMany(sql: Sql, tenantId: string, ids: readonly string[]): Promise<ApprovalRow[]> {
	if (ids.length === 0) return [];
	const these = sql`a.received_document_id = any(${[...ids]}::uuid[])`;
	return findWhere(sql, sql`a.tenant_id = ${tenantId} and ${these}`, ids.length);
}

/** The word on a tenant's own invoice. */
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
	/** Days at UTC-4, `YYYY-MM-DD`. */
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	readonly after?: string | undefined;
};

/** Newest first; one more than `limit` tells that there are more. */
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

/** In JSON a time is a text. */
type FlatDelivery = Omit<DeliveryRow, "endedAt"> & { readonly endedAt: string | null };

async function findWhere(sql: Sql | Tx, condition: ReturnType<Sql>, limit = 1): Promise<ApprovalRow[]> {
	const rows = await sql<(NewApproval & { readonly deliveries: readonly FlatDelivery[] })[]>`
		select ${columns(sql)}, coalesce((
			select json_agg(json_build_object('receiver', d.receiver, 'status', d.status, 'messages', d.messages, 'endedAt', d.ended_at,
				'attempts', (select count(*)::int from approval_attempts t where t.approval_id = d.approval_id and t.receiver = d.receiver))
				order by d.receiver desc)
			from approval_deliveries d where d.approval_id = a.id), '[]') as deliveries
		from approvals a where ${condition} order by a.id desc limit ${limit}`;
	return rows.map((row) => ({
		...row,
		deliveries: row.deliveries.map((one) => ({ ...one, endedAt: one.endedAt === null ? null : new Date(one.endedAt) })),
	}));
}

export type SignedBytes = { readonly bytes: Uint8Array; readonly sha256: Uint8Array };

/** Keeps the first signed document of a word, for the archive too, and answers whichever is kept. */
export async function keepDocument(
	tx: Tx,
	of: { readonly approvalId: string; readonly tenantId: string; readonly signedAt: Date } & SignedBytes,
): Promise<SignedBytes> {
	const { approvalId, tenantId } = of;
	const rows = await tx`
		insert into approval_documents (approval_id, tenant_id, bytes, sha256, signed_at)
		values (${approvalId}, ${tenantId}, ${of.bytes}, ${of.sha256}, ${of.signedAt}) on conflict do nothing returning 1`;
	if (rows.length === 1) await append(tx, { kind: ARCHIVE_APPROVAL_KIND, tenantId, subject: approvalId });
	const kept = await findDocument(tx, of.approvalId);
	if (!kept) throw new Error(`the document of approval ${of.approvalId} was kept and is not there`);
	return kept;
}

export async function findDocument(sql: Sql | Tx, approvalId: string): Promise<SignedBytes | undefined> {
	const [row] = await sql<SignedBytes[]>`
		select bytes, sha256 from approval_documents where approval_id = ${approvalId}`;
	return row;
}
