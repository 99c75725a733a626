/** SQL of what a document leaves behind: signed bytes, the authority's answers, history, and all of it for the archive. */
import type { Sql, Tx } from "../../../platform/database";
import { type DocKey, type InvoiceRow, listKeys, type Phase, type Status } from "./invoice-row";
import { readPapers } from "./papers";
import { readStep, type Step } from "./steps";
import { documentsOf, nearTo, paperColumns, paperJoins, type StoredPapers, toInvoiceRow } from "./stored-document";

export async function findSignedDocument(
	sql: Sql | Tx,
	{ tenantId, docId }: DocKey,
	kind: "ecf" | "summary",
): Promise<{ bytes: Uint8Array; sha256: Uint8Array } | undefined> {
	const [row] = await sql<{ body: Uint8Array; sha256: Uint8Array }[]>`
		select p.body, d.sha256 from papers p join documents d on d.tenant_id = p.tenant_id and d.doc_id = p.doc_id
		where p.tenant_id = ${tenantId} and p.doc_id = ${docId}`;
	const text = row && readPapers(row.body)[kind];
	if (!row || text === undefined) return undefined;
	const bytes = Buffer.from(text);
	return { bytes, sha256: kind === "ecf" ? row.sha256 : new Bun.CryptoHasher("sha256").update(bytes).digest() };
}

/** An accepted document with its signed bytes, for comparison with what a counterparty sends. */
export type AcceptedEcf = {
	readonly docId: string;
	readonly trackId: string;
	readonly type: string;
	readonly bytes: Uint8Array;
};

export async function findAcceptedEcf(sql: Sql, tenantId: string, encf: string): Promise<AcceptedEcf | undefined> {
	const [row] = await sql<{ docId: string; type: string; body: Uint8Array }[]>`
		select d.doc_id as "docId", d.type::text as type, p.body from holders_of(${tenantId}, ${[encf]}::text[]) h
		join documents d on d.tenant_id = ${tenantId} and d.doc_id = h.doc_id
		join verdicts v on v.tenant_id = d.tenant_id and v.doc_id = d.doc_id and v.status = 'a'
		join papers p on p.tenant_id = d.tenant_id and p.doc_id = d.doc_id`;
	return row && { docId: row.docId, trackId: row.docId, type: row.type, bytes: Buffer.from(readPapers(row.body).ecf) };
}

export type AuthorityAnswerRow = {
	readonly at: Date;
	readonly operation: string;
	readonly httpStatus: number | null;
	readonly mediaType: string | null;
	readonly body: string;
};

type StoredStep = Step & { readonly docId: string; readonly n: number };

/** What was written of many documents, in the order of each. */
export async function findSteps(sql: Sql | Tx, keys: readonly DocKey[]): Promise<StoredStep[]> {
	if (keys.length === 0) return [];
	const isNear = nearTo(sql, keys);
	const rows = await sql<{ docId: string; n: number; body: Uint8Array }[]>`
		select s.doc_id as "docId", s.n, s.body
		from ${listKeys(sql, keys)} join steps s on s.tenant_id = w.tenant_id and s.doc_id = w.doc_id and ${isNear(sql`s.doc_id`)}
		order by s.doc_id, s.n`;
	return rows.map(({ body, ...row }) => ({ ...readStep(body), ...row }));
}

/** The answers on many documents, in their order per document. */
export async function findAnswersOf(
	sql: Sql | Tx,
	keys: readonly DocKey[],
): Promise<(AuthorityAnswerRow & { readonly docId: string })[]> {
	return toAnswers(await findSteps(sql, keys));
}

/** Those of a holder that had lost its lease stand among the others by their time. */
function toAnswers(steps: readonly StoredStep[]): (AuthorityAnswerRow & { readonly docId: string })[] {
	return steps
		.flatMap(({ docId, answers = [] }) => answers.map((answer) => ({ ...answer, docId, at: new Date(answer.at) })))
		.toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

export type HistoryRow = {
	readonly version: number;
	readonly at: Date;
	readonly status: Status;
	readonly phase: Phase;
	readonly detail: string | null;
};

/** The entries of a history, oldest first. The first one is derived from the document, not stored. */
function toHistory(receivedAt: Date, steps: readonly StoredStep[]): HistoryRow[] {
	const entries = steps.flatMap(({ n, history = [] }) => (n > 0 ? history : []));
	return [
		{ version: 1, at: receivedAt, status: "pending", phase: "queued", detail: "signed and stored" },
		...entries.map((entry) => ({ ...entry, at: new Date(entry.at) })),
	];
}

/** The history, oldest first, whole or one page. */
export async function findHistory(
	sql: Sql | Tx,
	{ tenantId, docId, receivedAt }: DocKey & Pick<InvoiceRow, "receivedAt">,
	afterVersion = 0,
	limit?: number,
): Promise<HistoryRow[]> {
	const steps = await findSteps(sql, [{ tenantId, docId }]);
	return toHistory(receivedAt, steps)
		.filter(({ version }) => version > afterVersion)
		.slice(0, limit);
}

export type ClosedFile = {
	readonly invoice: InvoiceRow;
	readonly ecf: Uint8Array;
	readonly summary: Uint8Array | null;
	readonly answers: readonly AuthorityAnswerRow[];
	readonly history: readonly HistoryRow[];
};

/** The files of these documents, in their order, from one snapshot. */
export async function findClosedFiles(sql: Sql, keys: readonly DocKey[]): Promise<(ClosedFile | undefined)[]> {
	const isNear = nearTo(sql, keys);
	const [documents, all] = await sql.begin("isolation level repeatable read read only", (tx) =>
		Promise.all([
			tx<StoredPapers[]>`
				select ${paperColumns(sql, isNear)} from ${documentsOf(sql, keys, isNear)} ${paperJoins(sql, isNear)}`,
			findSteps(tx, keys),
		]),
	);
	const stepsOf = Map.groupBy(all, ({ docId }) => docId);
	const files = new Map(
		documents.map((document) => {
			const { row: invoice, papers } = toInvoiceRow(document);
			const steps = stepsOf.get(invoice.docId) ?? [];
			const file: ClosedFile = {
				invoice,
				ecf: Buffer.from(papers.ecf),
				summary: papers.summary === undefined ? null : Buffer.from(papers.summary),
				answers: toAnswers(steps).map(({ docId: _, ...answer }) => answer),
				history: toHistory(invoice.receivedAt, steps),
			};
			return [invoice.docId, file];
		}),
	);
	return keys.map(({ docId }) => files.get(docId));
}
