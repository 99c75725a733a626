/**
 * SQL on stored invoices: finding them by any of their names, and changing one outside the steps of its submission. Other SQL on invoices:
 * `issue/issue-store.ts` for new ones, `issue/test-document.ts` for test sets, `submit/submission-store.ts` for steps, `file-store.ts` for files.
 */

import { SEGMENT_IN_QR_URL } from "../../../authority/client";
import type { Sql, Tx } from "../../../platform/database";
import { OUTBOX_KINDS } from "../../../platform/outbox";
import { type DocKey, type InvoiceRow, listKeys, type Status } from "./invoice-row";
import { AWAITING_CERTIFICATE } from "./status";

export const columns = (sql: Sql | Tx) => sql`
	${shortColumns(sql)}, i.request, i.acknowledgement, i.print, i.warnings, i.registry`;

/** All but the long texts. */
export const shortColumns = (sql: Sql | Tx) => sql`
	i.doc_id as "docId", i.track_id as "trackId", i.tenant_id as "tenantId", i.type, i.encf, i.client_request_id as "clientRequestId",
	i.signed_at as "signedAt",
	i.status, i.phase, i.authority_track_id as "authorityTrackId", i.authority, i.failure, i.contingency_since as "contingencySince",
	i.attempts, i.next_attempt_at as "nextAttemptAt", i.version, i.received_at as "receivedAt", i.updated_at as "updatedAt",
	i.decided_at as "decidedAt", i.test_set_id as "testSetId"`;

const shown = (sql: Sql | Tx) => sql`${columns(sql)}, ${derivedColumns(sql)}`;

/** A tenant's own invoice. Another tenant's is as absent as one that never existed. */
export async function findInvoice(sql: Sql | Tx, tenantId: string, docId: string): Promise<InvoiceRow | undefined> {
	const [row] = await sql<InvoiceRow[]>`
		select ${shown(sql)} from invoices i where i.tenant_id = ${tenantId} and i.doc_id = ${docId}`;
	return row;
}

/** The same without derived columns. */
export async function findStoredInvoice(sql: Sql | Tx, { tenantId, docId }: DocKey): Promise<InvoiceRow | undefined> {
	const [row] = await sql<InvoiceRow[]>`
		select ${columns(sql)} from invoices i where i.tenant_id = ${tenantId} and i.doc_id = ${docId}`;
	return row;
}

/** The statuses of these documents; unknown ones are left out. */
export async function findStatuses(sql: Sql, keys: readonly DocKey[]): Promise<Map<string, Status>> {
	const rows = await sql<{ docId: string; status: Status }[]>`
		select i.doc_id as "docId", i.status from ${listKeys(sql, keys)} join invoices i using (tenant_id, doc_id)`;
	return new Map(rows.map(({ docId, status }) => [docId, status]));
}

export async function findByClientRequestId(
	sql: Sql | Tx,
	tenantId: string,
	id: string,
): Promise<InvoiceRow | undefined> {
	const [row] = await sql<InvoiceRow[]>`
		select ${columns(sql)} from invoices i where i.tenant_id = ${tenantId} and i.client_request_id = ${id}`;
	return row;
}

/** SQL of the ids of a tenant's documents under these numbers. Held and released numbers have an index each, so each has its own query. */
export function docIdsUnder(sql: Sql | Tx, tenantId: string, encfs: readonly string[]) {
	const under = sql`select doc_id from invoices where tenant_id = ${tenantId} and encf = any(${[...encfs]}::text[])`;
	return sql`${under} and not encf_released union all ${under} and encf_released`;
}

/** A tenant's documents by any of three names, oldest first. */
export async function findInvoicesByAny(
	sql: Sql | Tx,
	tenantId: string,
	names: {
		readonly docIds: readonly string[];
		readonly encfs: readonly string[];
		readonly clientRequestIds: readonly string[];
	},
): Promise<InvoiceRow[]> {
	// Three index look-ups: an `or` over them would read all rows of the tenant.
	const named = (condition: ReturnType<typeof sql>) =>
		sql`select doc_id from invoices where tenant_id = ${tenantId} and ${condition}`;
	return sql<InvoiceRow[]>`
		select ${shown(sql)} from invoices i where i.tenant_id = ${tenantId} and i.doc_id in (
			${named(sql`doc_id = any(${[...names.docIds]}::uuid[])`)}
			union ${docIdsUnder(sql, tenantId, names.encfs)}
			union ${named(sql`client_request_id = any(${[...names.clientRequestIds]}::text[])`)}
		) order by i.doc_id`;
}

/** A tenant's documents by client_request_id; unknown ids are left out. */
export async function findByClientRequestIds(
	sql: Sql | Tx,
	tenantId: string,
	ids: readonly string[],
): Promise<Map<string, InvoiceRow>> {
	const rows = await sql<InvoiceRow[]>`
		select ${columns(sql)} from invoices i
		where i.tenant_id = ${tenantId} and i.client_request_id = any(${[...ids]}::text[])`;
	return new Map(rows.map((row) => [row.clientRequestId ?? "", row]));
}

/** The documents that hold these numbers; numbers without a holder are left out. */
export async function findHoldersOfEncfs(
	sql: Sql | Tx,
	tenantId: string,
	encfs: readonly string[],
): Promise<Map<string, string>> {
	const rows = await sql<{ encf: string; docId: string }[]>`
		select encf, doc_id as "docId" from invoices
		where tenant_id = ${tenantId} and encf = any(${[...encfs]}::text[]) and not encf_released`;
	return new Map(rows.map((row) => [row.encf, row.docId]));
}

/** The document that holds a number. A document whose number was given back does not hold it. */
export async function findHolderOfEncf(sql: Sql | Tx, tenantId: string, encf: string): Promise<string | undefined> {
	const [row] = await sql<{ docId: string }[]>`
		select doc_id as "docId" from invoices where tenant_id = ${tenantId} and encf = ${encf} and not encf_released`;
	return row?.docId;
}

/** What the rules for notes need of a document and of each note on it. */
export type NoteFacts = {
	readonly type: string;
	readonly encf: string;
	/** The number that a note modifies; null for the modified document itself. */
	readonly modifies: string | null;
	readonly status: Status;
	readonly signedAt: Date;
	readonly issueDate: string | null;
	readonly buyerRnc: string | null;
	readonly foreignBuyer: string | null;
	/** Modification code of a note. */
	readonly code: string | null;
	readonly total: string;
};

/** The newest document under each of these numbers, holders first, and the notes that modify them. */
export async function findWithNotes(sql: Sql | Tx, tenantId: string, encfs: readonly string[]): Promise<NoteFacts[]> {
	const facts = sql`
		type, encf, status, signed_at as "signedAt", request::jsonb ->> 'issue_date' as "issueDate",
		request::jsonb #>> '{customer,rnc}' as "buyerRnc", request::jsonb #>> '{customer,foreign_id}' as "foreignBuyer",
		request::jsonb #>> '{reference,code}' as code,
		coalesce(acknowledgement::jsonb #>> '{totalsDop,grand_total}', request::jsonb #>> '{totals,grand_total}') as total`;
	const modified = sql`request::jsonb #>> '{reference,encf}'`;
	// Only in the company's current environment: elsewhere the number belongs to another document.
	const isHere = sql`coalesce(substring(print ->> 'qrUrl' from ${SEGMENT_IN_QR_URL}::text) = (
		select case authority_environment when 'test' then 'testecf' when 'certification' then 'certecf' else 'ecf' end
		from companies where tenant_id = ${tenantId}), true)`;
	return sql<NoteFacts[]>`
		select ${facts}, null as modifies from (
			select distinct on (encf) * from invoices where tenant_id = ${tenantId} and doc_id in (${docIdsUnder(sql, tenantId, encfs)})
				and (not encf_released or test_set_id is null) and ${isHere}
			order by encf, encf_released, doc_id desc
		) newest
		union all
		select ${facts}, ${modified} as modifies from invoices
		where tenant_id = ${tenantId} and ${modified} = any(${[...encfs]}::text[]) and type in ('33', '34')
			and encf <> ${modified} and not encf_released and ${isHere} and ${refersToOwn(sql, sql`request::jsonb`)}`;
}

export async function findWaitingNotes(
	tx: Tx,
	documents: readonly { readonly tenantId: string; readonly encf: string }[],
): Promise<{ readonly tenantId: string; readonly subject: string }[]> {
	return tx<{ tenantId: string; subject: string }[]>`
		select i.tenant_id as "tenantId", i.doc_id as subject
		from unnest(${documents.map((one) => one.tenantId)}::uuid[], ${documents.map((one) => one.encf)}::text[]) as d(tenant_id, encf)
		join invoices i on i.type in ('33', '34') and i.tenant_id = d.tenant_id
			and i.request::jsonb #>> '{reference,encf}' = d.encf
			and ${refersToOwn(tx, tx`i.request::jsonb`)}
		where i.phase = 'held'`;
}

/**
 * Returns a failed document to pending, in the phase that its last sending left it in (see `next-step.ts`). Documents of test sets stay failed,
 * because the set has ended, and so do documents whose number was given back.
 */
export async function reopenInvoice(tx: Tx, tenantId: string, docId: string): Promise<boolean> {
	const rows = await tx`
		with reopened as (
			update invoices set status = 'pending',
				phase = coalesce((
					select case
						when result in ('not-sent', 'not-found', 'refused', 'retryable') then 'queued'
						when result = 'received' and authority_track_id is not null then 'tracking'
						else 'unconfirmed'
					end
					from submissions s where s.tenant_id = invoices.tenant_id and s.doc_id = invoices.doc_id order by n desc limit 1
				), 'queued'),
				failure = null, decided_at = null, internal_failure_since = null, version = version + 1, updated_at = now()
			where tenant_id = ${tenantId} and doc_id = ${docId} and status = 'failed' and test_set_id is null
				and (not encf_released or encf_elsewhere)
			returning tenant_id, doc_id, version, status, phase
		)
		insert into invoice_history (tenant_id, doc_id, version, status, phase, detail)
		select tenant_id, doc_id, version, status, phase, 'retried' from reopened returning doc_id`;
	return rows.length === 1;
}

/** Which of these trackIds belong to other documents. */
export async function findForeignTrackIds(
	sql: Sql | Tx,
	{ tenantId, docId }: DocKey,
	trackIds: readonly string[],
): Promise<Set<string>> {
	if (trackIds.length === 0) return new Set();
	const rows = await sql<{ trackId: string }[]>`
		select track_id as "trackId" from authority_track_ids
		where tenant_id = ${tenantId} and track_id in ${sql(trackIds)} and doc_id <> ${docId}`;
	return new Set(rows.map((row) => row.trackId));
}

/** Records an internal failure of a step. Returns for how many seconds steps have been failing, by the database's clock. */
export async function recordInternalFailure(
	tx: Tx,
	{ tenantId, docId }: DocKey,
	nextAttemptInSeconds: number,
): Promise<number> {
	const [row] = await tx<{ seconds: number }[]>`
		update invoices set
			internal_failure_since = coalesce(internal_failure_since, now()),
			attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${nextAttemptInSeconds}),
			version = version + 1, updated_at = now()
		where tenant_id = ${tenantId} and doc_id = ${docId} and status = 'pending'
		returning extract(epoch from now() - internal_failure_since)::float8 as seconds`;
	return row?.seconds ?? 0;
}

/** Postpones the next attempt of a document that keeps waiting for the same reason. */
export async function postponeNextAttempt(
	sql: Sql | Tx,
	{ tenantId, docId }: DocKey,
	nextAttemptInSeconds: number,
): Promise<void> {
	await sql`
		update invoices set
			next_attempt_at = now() + make_interval(secs => ${nextAttemptInSeconds}), version = version + 1, updated_at = now()
		where tenant_id = ${tenantId} and doc_id = ${docId} and status = 'pending' and next_attempt_at is not null`;
}

/** Ages the times of a tenant's undecided documents for its test clock: internal failures, contingency, next attempt. */
export async function ageInvoices(tx: Tx, tenantId: string, seconds: number): Promise<void> {
	const aged = tx`make_interval(secs => ${seconds})`;
	await tx`
		update invoices set internal_failure_since = internal_failure_since - ${aged},
			contingency_since = contingency_since - ${aged}, next_attempt_at = next_attempt_at - ${aged}, version = version + 1
		where tenant_id = ${tenantId} and status = 'pending'
			and (internal_failure_since is not null or contingency_since is not null or next_attempt_at is not null)`;
}

/** Derived column: the delivery to the buyer. Most buyers do not receive electronically, and have none. */
const delivery = (sql: Sql | Tx) => sql`(
	select json_build_object('state', d.state, 'at', d.updated_at, 'motive', d.motive, 'version', d.version)
	from buyer_deliveries d where d.tenant_id = i.tenant_id and d.doc_id = i.doc_id and d.state <> 'not-listed'
) as delivery`;

/** Derived column: whether the document waits for its company's certificate. Only documents with a next attempt have their history read. */
const awaitsCertificate = (sql: Sql | Tx) => sql`coalesce(
	case when i.status = 'pending' and i.next_attempt_at is not null and i.internal_failure_since is null then (
		select h.detail = ${AWAITING_CERTIFICATE} from invoice_history h
		where h.tenant_id = i.tenant_id and h.doc_id = i.doc_id order by h.version desc limit 1
	) end, false
) as "awaitsCertificate"`;

/**
 * Derived column: when the document is really tried next, if its stored time has passed. During an outage only its message is postponed. The same
 * holds for a document that the authority turned out not to have, which has no time of its own.
 */
const putOffTo = (sql: Sql | Tx) => {
	const isOutOfDate = sql`(i.next_attempt_at < now()
		or i.next_attempt_at is null and i.contingency_since is not null and i.phase <> 'held')`;
	return sql`
	coalesce(i.status = 'pending' and ${isOutOfDate}, false) as "isPutOff",
	case when i.status = 'pending' and ${isOutOfDate} then (
		select max(o.available_at) from outbox o
		where o.tenant_id = i.tenant_id and o.subject = i.doc_id and o.kind = ${OUTBOX_KINDS.submitInvoice} and o.state = 'ready' and o.available_at > now()
	) end as "putOffTo"`;
};

/** Derived column: whether the number of a rejection is used again or voided. Storing a document follows the same rule. */
const isNumberTaken = (sql: Sql | Tx) => sql`
	case when i.status = 'rejected' and i.encf_released then exists (
		select from invoices o where o.tenant_id = i.tenant_id and o.encf = i.encf and not o.encf_released
	) or exists (
		select from sequence_voids v
		where v.tenant_id = i.tenant_id and v.type = i.type and v.numbers @> substr(i.encf, 4)::bigint
			and v.elsewhere is null and v.status not in ('rejected', 'failed')
	) else false end as "isNumberTaken"`;

/** The derived columns of a document `i`. Each part reads more only for the few documents that need it. */
export const derivedColumns = (sql: Sql | Tx) =>
	sql`${delivery(sql)}, ${awaitsCertificate(sql)}, ${putOffTo(sql)}, ${isNumberTaken(sql)}`;

/** SQL of whether a note modifies a document of its own issuer, as `findOtherIssuer` decides for a request. `request`: a stored request as JSON. */
export function refersToOwn(sql: Sql | Tx, request: ReturnType<Sql>): ReturnType<Sql> {
	const named = sql`${request} #>> '{reference,customer_rnc}'`;
	const digits = (path: string) => sql`regexp_replace(${request} #>> ${path}::text[], '\\D', '', 'g')`;
	return sql`(${named} is null or ${named} in (${digits("{company,rnc}")}, ${digits("{customer,rnc}")}))`;
}
