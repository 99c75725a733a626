/** SQL of the documents that a person has to look at: refused ones that were not issued again, and those that wait for long; and what replaced others. */
import { plannedForValues, type Sql } from "../../../platform/database";
import { OUTBOX_KINDS } from "../../../platform/outbox";
import { firstIdAt } from "../../../platform/values";
import { type AmountColumns, readAmounts } from "../model/amounts";
import type { InvoiceFacts, InvoiceRow } from "../model/invoice-row";
import { findInvoice } from "../model/store";
import { nearTo } from "../model/stored-document";
import { reissueIdOf } from "./draft";

export type RefusedInvoice = {
	readonly docId: string;
	readonly encf: string;
	readonly type: string;
	/** The authority's code of a rejected document. */
	readonly code: string | null;
	/** Of a failed document, as it is shown. */
	readonly failure: { readonly code: string; readonly retryable: boolean } | null;
	/** When it was refused. */
	readonly at: Date;
	readonly facts: Omit<InvoiceFacts, "issueDate">;
};

/** So many are looked at; more count as so many. */
const REFUSED_MAX = 200;

type Refusal = Pick<RefusedInvoice, "docId" | "code" | "failure" | "at">;

const DAY_MS = 86_400_000;

/** Rejected documents of some days up to now, newest first, without those that were issued again. */
export async function findRejected(sql: Sql, tenantId: string, now: Date, days: number): Promise<RefusedInvoice[]> {
	const [first, last] = [-days, 1].map((ahead) => firstIdAt(new Date(now.getTime() + ahead * DAY_MS)));
	const refusals = await plannedForValues(sql<Refusal[]>`
		select doc_id as "docId", code, null as failure, decided_at as at from verdicts
		where tenant_id = ${tenantId} and status = 'r' and doc_id between ${first ?? null}::uuid and ${last ?? null}::uuid
		order by doc_id desc limit ${REFUSED_MAX}`);
	return withoutReissued(sql, tenantId, refusals);
}

/** The same of failed ones, of all times. */
export async function findFailed(sql: Sql, tenantId: string): Promise<RefusedInvoice[]> {
	const refusals = await sql<Refusal[]>`
		select doc_id as "docId", null as code, failure, updated_at as at from open_documents
		where tenant_id = ${tenantId} and status = 'f' order by doc_id desc limit ${REFUSED_MAX}`;
	return withoutReissued(sql, tenantId, refusals);
}

async function withoutReissued(sql: Sql, tenantId: string, refusals: readonly Refusal[]): Promise<RefusedInvoice[]> {
	if (refusals.length === 0) return [];
	const isNear = nearTo(sql, refusals);
	const docIds = refusals.map(({ docId }) => docId);
	type Found = Pick<RefusedInvoice, "docId" | "encf" | "type"> &
		AmountColumns &
		Pick<InvoiceFacts, "customerRnc" | "customerName">;
	const rows = await plannedForValues(sql<Found[]>`
		select d.doc_id as "docId", d.encf, d.type::text as type, d.customer_rnc as "customerRnc",
			d.customer_name as "customerName", d.subtotal::text as subtotal, d.tax::text as tax, d.shown
		from documents d
		where d.tenant_id = ${tenantId} and d.doc_id = any(${docIds}::uuid[]) and ${isNear(sql`d.doc_id`)} and d.test_set_id is null
			and not exists (
				select from names n where n.tenant_id = ${tenantId} and n.kind = 'i' and n.name = ${reissueIdOf("")} || d.doc_id::text
			)
			and not exists (
				select from names n
				where n.tenant_id = ${tenantId} and n.kind = d.environment and n.name = d.encf and n.doc_id <> d.doc_id
			)`);
	const found = new Map(rows.map((row) => [row.docId, row]));
	return refusals.flatMap((refusal) => {
		const row = found.get(refusal.docId);
		if (!row) return [];
		const { encf, type, customerRnc, customerName, subtotal, tax, shown } = row;
		const facts = { customerRnc, customerName, ...readAmounts({ subtotal, tax, shown }) };
		return [{ ...refusal, encf, type, facts }];
	});
}

/**
 * The document that replaced a refused one: it has the own id of its draft, or its number. One that was issued again under another number and another
 * own id is not known.
 */
export async function findReplacement(
	sql: Sql,
	{ tenantId, docId, encf, status }: Pick<InvoiceRow, "tenantId" | "docId" | "encf" | "status">,
): Promise<{ docId: string; encf: string } | undefined> {
	if (status !== "rejected" && status !== "failed") return undefined;
	const isNear = nearTo(sql, [{ docId }]);
	const [named] = await sql<{ docId: string }[]>`
		select doc_id as "docId" from names where tenant_id = ${tenantId} and kind = 'i' and name = ${reissueIdOf(docId)}
		union all
		select n.doc_id from documents d join names n on n.tenant_id = ${tenantId} and n.kind = d.environment and n.name = ${encf}
		where d.tenant_id = ${tenantId} and d.doc_id = ${docId} and ${isNear(sql`d.doc_id`)} and n.doc_id <> ${docId}
		limit 1`;
	const found = named && (await findInvoice(sql, tenantId, named.docId));
	return found && { docId: found.docId, encf: found.encf };
}

export type Waiting = {
	/** Documents that have waited for longer than so many seconds. */
	readonly overdue: number;
	readonly oldest: Date | null;
	/** Documents that wait and were received before a time. */
	readonly earlier: number;
};

/** The documents that wait for the authority for more than a moment. */
export async function measureWaiting(
	sql: Sql,
	tenantId: string,
	{ overdueSeconds, before }: { readonly overdueSeconds: number; readonly before: Date },
): Promise<Waiting> {
	const isOverdue = sql`created_at < now() - make_interval(secs => ${overdueSeconds})`;
	const [row] = await sql<Waiting[]>`
		select count(*) filter (where ${isOverdue}) as overdue, min(created_at) filter (where ${isOverdue}) as oldest,
			count(*) filter (where subject < ${firstIdAt(before)}::uuid) as earlier
		from outbox
		where shard = shard_of(${tenantId}) and tenant_id = ${tenantId} and state = 'ready' and kind = ${OUTBOX_KINDS.submitInvoice}`;
	return row ?? { overdue: 0, oldest: null, earlier: 0 };
}
