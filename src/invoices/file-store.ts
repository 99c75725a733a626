/** All SQL on what a document leaves behind: signed bytes, the authority's answers, its history, and all of it for the archive. */
import type { Sql, Tx } from "../database";
import type { InvoiceRow, Phase, Status } from "./invoice-row";
import { columns } from "./store";

export async function findSignedDocument(
	sql: Sql | Tx,
	docId: string,
	kind: "ecf" | "summary",
): Promise<{ bytes: Uint8Array; sha256: Uint8Array } | undefined> {
	const [row] = await sql<{ bytes: Uint8Array; sha256: Uint8Array }[]>`
		select bytes, sha256 from signed_documents where doc_id = ${docId} and kind = ${kind}`;
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
	docId: string,
	answers: readonly AuthorityAnswerRow[],
): Promise<void> {
	if (answers.length === 0) return;
	await sql`
		insert into authority_answers ${sql(
			answers.map((a) => ({
				doc_id: docId,
				at: a.at,
				operation: a.operation,
				http_status: a.httpStatus,
				media_type: a.mediaType,
				body: a.body,
			})),
		)}`;
}

export async function findAnswers(sql: Sql | Tx, docId: string): Promise<AuthorityAnswerRow[]> {
	return sql<AuthorityAnswerRow[]>`
		select at, operation, http_status as "httpStatus", media_type as "mediaType", body
		from authority_answers where doc_id = ${docId} order by n`;
}

/** The answers to many documents, each one's in their order. */
export async function findAnswersOf(
	sql: Sql | Tx,
	docIds: readonly string[],
): Promise<(AuthorityAnswerRow & { readonly docId: string })[]> {
	return sql<(AuthorityAnswerRow & { docId: string })[]>`
		select doc_id as "docId", at, operation, http_status as "httpStatus", media_type as "mediaType", body
		from authority_answers where doc_id = any(${[...docIds]}::uuid[]) order by n`;
}

/** Everything that is archived of a document. */
export type ClosedFile = {
	readonly invoice: InvoiceRow;
	readonly ecf: Uint8Array | null;
	readonly summary: Uint8Array | null;
	readonly answers: readonly AuthorityAnswerRow[];
	readonly history: readonly HistoryRow[];
};

type ClosedFileRow = InvoiceRow & {
	readonly ecf: Uint8Array | null;
	readonly summary: Uint8Array | null;
	readonly answers: (Omit<AuthorityAnswerRow, "at"> & { at: string })[];
	readonly history: (Omit<HistoryRow, "at"> & { at: string })[];
};

/** The files of these documents, in their order. */
export async function findClosedFiles(sql: Sql, docIds: readonly string[]): Promise<(ClosedFile | undefined)[]> {
	const rows = await sql<ClosedFileRow[]>`
		select ${columns(sql)},
			(select bytes from signed_documents d where d.doc_id = i.doc_id and d.kind = 'ecf') as ecf,
			(select bytes from signed_documents d where d.doc_id = i.doc_id and d.kind = 'summary') as summary,
			coalesce((
				select json_agg(json_build_object('at', a.at, 'operation', a.operation, 'httpStatus', a.http_status,
					'mediaType', a.media_type, 'body', a.body) order by a.n)
				from authority_answers a where a.doc_id = i.doc_id
			), '[]'::json) as answers,
			coalesce((
				select json_agg(json_build_object('version', h.version, 'at', h.at, 'status', h.status, 'phase', h.phase,
					'detail', h.detail) order by h.version)
				from (${historyOf(sql)}) h
			), '[]'::json) as history
		from invoices i where i.doc_id = any(${[...docIds]}::uuid[])`;
	const byId = new Map(
		rows.map(({ ecf, summary, answers, history, ...invoice }) => [
			invoice.docId,
			{ invoice, ecf, summary, answers: answers.map(toTimed), history: history.map(toTimed) },
		]),
	);
	return docIds.map((docId) => byId.get(docId));
}

function toTimed<T extends { readonly at: string }>(row: T): Omit<T, "at"> & { at: Date } {
	return { ...row, at: new Date(row.at) };
}

export type HistoryRow = {
	readonly version: number;
	readonly at: Date;
	readonly status: Status;
	readonly phase: Phase;
	readonly detail: string | null;
};

/** SQL of the history of a row `i` of invoices. Its first entry is not written: the document itself says when it was received. */
function historyOf(sql: Sql | Tx): ReturnType<Sql> {
	return sql`
		select 1 as version, i.received_at as at, 'pending' as status, 'queued' as phase, 'signed and stored' as detail
		where not exists (select 1 from invoice_history f where f.doc_id = i.doc_id and f.version = 1)
		union all
		select w.version, w.at, w.status, w.phase, w.detail from invoice_history w where w.doc_id = i.doc_id`;
}

/** Oldest first, whole or a page of it. */
export async function findHistory(
	sql: Sql | Tx,
	docId: string,
	afterVersion = 0,
	limit: number | null = null,
): Promise<HistoryRow[]> {
	return sql<HistoryRow[]>`
		select h.* from invoices i, lateral (${historyOf(sql)}) h
		where i.doc_id = ${docId} and h.version > ${afterVersion} order by h.version limit ${limit}`;
}
