/** SQL of what a document leaves behind: signed bytes, the authority's answers, history, and all of it for the archive. */
import type { Sql, Tx } from "../../../platform/database";
import { type DocKey, type InvoiceRow, listKeys, type Phase, type Status } from "./invoice-row";

export async function findSignedDocument(
	sql: Sql | Tx,
	{ tenantId, docId }: DocKey,
	kind: "ecf" | "summary",
): Promise<{ bytes: Uint8Array; sha256: Uint8Array } | undefined> {
	const [row] = await sql<{ bytes: Uint8Array; sha256: Uint8Array }[]>`
		select bytes, sha256 from signed_documents where tenant_id = ${tenantId} and doc_id = ${docId} and kind = ${kind}`;
	return row;
}

/** An accepted document with its signed bytes, for comparison with what a counterparty sends. */
export type AcceptedEcf = {
	readonly docId: string;
	readonly trackId: string;
	readonly type: string;
	readonly bytes: Uint8Array;
};

export async function findAcceptedEcf(sql: Sql, tenantId: string, encf: string): Promise<AcceptedEcf | undefined> {
	const [row] = await sql<AcceptedEcf[]>`
		select i.doc_id as "docId", i.track_id as "trackId", i.type, s.bytes
		from invoices i join signed_documents s on s.tenant_id = i.tenant_id and s.doc_id = i.doc_id and s.kind = 'ecf'
		where i.tenant_id = ${tenantId} and i.encf = ${encf} and not i.encf_released and i.status = 'accepted'`;
	return row;
}

export type AuthorityAnswerRow = {
	readonly at: Date;
	readonly operation: string;
	readonly httpStatus: number | null;
	readonly mediaType: string | null;
	readonly body: string;
};

export async function insertAnswers(
	sql: Sql | Tx,
	{ tenantId, docId }: DocKey,
	answers: readonly AuthorityAnswerRow[],
): Promise<void> {
	if (answers.length === 0) return;
	await sql`
		insert into authority_answers ${sql(
			answers.map((a) => ({
				tenant_id: tenantId,
				doc_id: docId,
				at: a.at,
				operation: a.operation,
				http_status: a.httpStatus,
				media_type: a.mediaType,
				body: a.body,
			})),
		)}`;
}

/** The answers on many documents, in their order per document. */
export async function findAnswersOf(
	sql: Sql | Tx,
	keys: readonly DocKey[],
): Promise<(AuthorityAnswerRow & { readonly docId: string })[]> {
	return sql<(AuthorityAnswerRow & { docId: string })[]>`
		select doc_id as "docId", at, operation, http_status as "httpStatus", media_type as "mediaType", body
		from ${listKeys(sql, keys)} join authority_answers a using (tenant_id, doc_id) order by n`;
}

export type ClosedFile = {
	readonly invoice: ClosedInvoice;
	readonly ecf: Uint8Array | null;
	readonly summary: Uint8Array | null;
	readonly answers: readonly AuthorityAnswerRow[];
	readonly history: readonly HistoryRow[];
};

type ClosedInvoice = Pick<
	InvoiceRow,
	"docId" | "tenantId" | "type" | "encf" | "status" | "decidedAt" | "request" | "registry"
>;

/** The files of these documents, in their order, from one snapshot. */
export async function findClosedFiles(sql: Sql, keys: readonly DocKey[]): Promise<(ClosedFile | undefined)[]> {
	const these = listKeys(sql, keys);
	// One statement per table: rows aggregated as JSON cost half as much again on both sides.
	const [invoices, documents, answers, history] = await sql.begin("isolation level repeatable read read only", (tx) =>
		Promise.all([
			tx<ClosedInvoice[]>`
				select doc_id as "docId", tenant_id as "tenantId", type, encf, status, decided_at as "decidedAt", request, registry
				from ${these} join invoices i using (tenant_id, doc_id)`,
			// As text, because the protocol sends each byte of a bytea as two characters.
			tx<{ docId: string; kind: "ecf" | "summary"; text: string }[]>`
				select doc_id as "docId", kind, convert_from(bytes, 'UTF8') as text
				from ${these} join signed_documents d using (tenant_id, doc_id)`,
			findAnswersOf(tx, keys),
			tx<(HistoryRow & { docId: string })[]>`
				select i.doc_id as "docId", h.* from ${these} join invoices i using (tenant_id, doc_id), lateral (${historyOf(sql)}) h
				order by h.version`,
		]),
	);
	const byId = new Map(
		invoices.map((invoice) => [
			invoice.docId,
			{ invoice, ecf: null, summary: null, answers: [], history: [] } as OpenFile,
		]),
	);
	for (const { docId, kind, text } of documents) {
		const file = byId.get(docId);
		if (file) file[kind] = Buffer.from(text);
	}
	for (const { docId, ...answer } of answers) byId.get(docId)?.answers.push(answer);
	for (const { docId, ...step } of history) byId.get(docId)?.history.push(step);
	return keys.map(({ docId }) => byId.get(docId));
}

type OpenFile = {
	readonly invoice: ClosedInvoice;
	ecf: Uint8Array | null;
	summary: Uint8Array | null;
	readonly answers: AuthorityAnswerRow[];
	readonly history: HistoryRow[];
};

export type HistoryRow = {
	readonly version: number;
	readonly at: Date;
	readonly status: Status;
	readonly phase: Phase;
	readonly detail: string | null;
};

/** SQL of the history of a row `i` of invoices. Its first entry is derived from the row, not stored. */
function historyOf(sql: Sql | Tx): ReturnType<Sql> {
	return sql`
		select 1 as version, i.received_at as at, 'pending' as status, 'queued' as phase, 'signed and stored' as detail
		where not exists (
			select 1 from invoice_history f where f.tenant_id = i.tenant_id and f.doc_id = i.doc_id and f.version = 1
		)
		union all
		select w.version, w.at, w.status, w.phase, w.detail from invoice_history w
		where w.tenant_id = i.tenant_id and w.doc_id = i.doc_id`;
}

/** The last detail of a document's history; null if the entry has none. */
export async function findLastDetail(sql: Sql, { tenantId, docId }: DocKey): Promise<string | null> {
	const [row] = await sql<{ detail: string | null }[]>`
		select detail from invoice_history where tenant_id = ${tenantId} and doc_id = ${docId} order by version desc limit 1`;
	return row?.detail ?? null;
}

/** The history, oldest first, whole or one page. */
export async function findHistory(
	sql: Sql | Tx,
	{ tenantId, docId }: DocKey,
	afterVersion = 0,
	limit: number | null = null,
): Promise<HistoryRow[]> {
	return sql<HistoryRow[]>`
		select h.* from invoices i, lateral (${historyOf(sql)}) h
		where i.tenant_id = ${tenantId} and i.doc_id = ${docId} and h.version > ${afterVersion} order by h.version limit ${limit}`;
}
