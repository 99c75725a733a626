/** SQL of what a document leaves behind: signed bytes, the authority's answers, history, and all of it for the archive. */
import type { SealedTexts } from "../../../archive";
import type { Sql, Tx } from "../../../platform/database";
import { type DocKey, type InvoiceRow, listKeys, type Phase, type Status } from "./invoice-row";
import { readStep, type Step } from "./steps";
import {
	documentsOf,
	nearTo,
	paperColumns,
	paperJoins,
	readWhole,
	type Sources,
	type StoredPapers,
	toInvoiceRow,
	type WholeDocument,
} from "./stored-document";

/** These documents with their papers; unknown ones are left out. Throws: archive-unavailable. */
export async function findWhole(sources: Sources, keys: readonly DocKey[]): Promise<WholeDocument[]> {
	if (keys.length === 0) return [];
	const { sql } = sources;
	const isNear = nearTo(sql, keys);
	const rows = await sql<StoredPapers[]>`
		select ${paperColumns(sql, isNear)} from ${documentsOf(sql, keys, isNear)} ${paperJoins(sql, isNear)}`;
	return Promise.all(rows.map((row) => readWhole(sources, row)));
}

/** The signed e-CF of a document. Throws: archive-unavailable. */
export async function findSignedEcf(sources: Sources, key: DocKey): Promise<Uint8Array | undefined> {
	const [document] = await findWhole(sources, [key]);
	return document && Buffer.from(document.papers.ecf);
}

/** An accepted document with its signed bytes, for comparison with what a counterparty sends. */
export type AcceptedEcf = {
	readonly docId: string;
	readonly trackId: string;
	readonly type: string;
	readonly bytes: Uint8Array;
};

/** Throws: archive-unavailable. */
export async function findAcceptedEcf(
	sources: Sources,
	tenantId: string,
	encf: string,
): Promise<AcceptedEcf | undefined> {
	const { sql } = sources;
	const [row] = await sql<{ docId: string; type: string }[]>`
		select d.doc_id as "docId", d.type::text as type from holders_of(${tenantId}, ${[encf]}::text[]) h
		join documents d on d.tenant_id = ${tenantId} and d.doc_id = h.doc_id
		join verdicts v on v.tenant_id = d.tenant_id and v.doc_id = d.doc_id and v.status = 'a'`;
	const bytes = row && (await findSignedEcf(sources, { tenantId, docId: row.docId }));
	return bytes && { docId: row.docId, trackId: row.docId, type: row.type, bytes };
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

/** The answers on many documents, in their order per document. Throws: archive-unavailable. */
export async function findAnswersOf(
	{ sql, readSealed }: Sources,
	keys: readonly DocKey[],
): Promise<(AuthorityAnswerRow & { readonly docId: string })[]> {
	const [steps, dropped] = [await findSteps(sql, keys), await findDropped(sql, keys)];
	const sealed = await Promise.all(dropped.map(async (key) => toSealedAnswers(key.docId, await readSealed(key))));
	return [...toAnswers(steps), ...sealed.flat()];
}

/** Which of these documents have no papers and no steps any more. */
async function findDropped(sql: Sql | Tx, keys: readonly DocKey[]): Promise<DocKey[]> {
	if (keys.length === 0) return [];
	const isNear = nearTo(sql, keys);
	return sql<DocKey[]>`
		select d.tenant_id as "tenantId", d.doc_id as "docId" from ${documentsOf(sql, keys, isNear)}
		where not exists (select from papers p where p.tenant_id = d.tenant_id and p.doc_id = d.doc_id and ${isNear(sql`p.doc_id`)})`;
}

function toSealedAnswers(docId: string, { manifest, texts }: SealedTexts) {
	return manifest.answers.map(({ entry, at, ...answer }) => ({
		...answer,
		docId,
		at: new Date(at),
		body: texts[entry] ?? "",
	}));
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

/** The history, oldest first, whole or one page. Throws: archive-unavailable. */
export async function findHistory(
	{ sql, readSealed }: Sources,
	{ tenantId, docId, receivedAt }: DocKey & Pick<InvoiceRow, "receivedAt">,
	afterVersion = 0,
	limit?: number,
): Promise<HistoryRow[]> {
	const keys = [{ tenantId, docId }];
	const [steps, [dropped]] = [await findSteps(sql, keys), await findDropped(sql, keys)];
	const history = dropped ? toSealedHistory(await readSealed(dropped)) : toHistory(receivedAt, steps);
	return history.filter(({ version }) => version > afterVersion).slice(0, limit);
}

function toSealedHistory({ texts }: SealedTexts): HistoryRow[] {
	const entries = JSON.parse(texts["events.json"] ?? "[]") as (Omit<HistoryRow, "at"> & { readonly at: string })[];
	return entries.map((entry) => ({ ...entry, at: new Date(entry.at) }));
}

export type ClosedFile = {
	readonly invoice: InvoiceRow;
	readonly ecf: Uint8Array;
	readonly summary: Uint8Array | null;
	readonly answers: readonly AuthorityAnswerRow[];
	readonly history: readonly HistoryRow[];
};

/** The files of these documents, in their order, from one snapshot. Undefined for one whose papers were dropped. */
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
		documents.flatMap((document) => {
			const whole = toInvoiceRow(document);
			if (!whole) return [];
			const { row: invoice, papers } = whole;
			const steps = stepsOf.get(invoice.docId) ?? [];
			const file: ClosedFile = {
				invoice,
				ecf: Buffer.from(papers.ecf),
				summary: papers.summary === undefined ? null : Buffer.from(papers.summary),
				answers: toAnswers(steps).map(({ docId: _, ...answer }) => answer),
				history: toHistory(invoice.receivedAt, steps),
			};
			return [[invoice.docId, file]];
		}),
	);
	return keys.map(({ docId }) => files.get(docId));
}
