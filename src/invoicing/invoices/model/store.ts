/**
 * SQL on invoices that are stored: finding them by any of their names, and what moves one outside the steps of its submission. Elsewhere:
 * new ones (`store-new.ts`), those of test sets (`test-document-store.ts`), steps (`step-store.ts`), what a document leaves behind (`file-store.ts`).
 */

import { SEGMENT_IN_QR_URL } from "../../../authority/client";
import type { Sql, Tx } from "../../../platform/database";
import { OUTBOX_KINDS } from "../../../platform/outbox";
import type { InvoiceRow, Status } from "./invoice-row";
import { AWAITING_CERTIFICATE } from "./status";

export const columns = (sql: Sql | Tx) => sql`
	i.doc_id as "docId", i.track_id as "trackId", i.tenant_id as "tenantId", i.type, i.encf, i.client_request_id as "clientRequestId",
	i.request, i.acknowledgement, i.print, i.warnings, i.registry, i.signed_at as "signedAt",
	i.status, i.phase, i.authority_track_id as "authorityTrackId", i.authority, i.failure, i.contingency_since as "contingencySince",
	i.attempts, i.next_attempt_at as "nextAttemptAt", i.version, i.received_at as "receivedAt", i.updated_at as "updatedAt",
	i.decided_at as "decidedAt", i.test_set_id as "testSetId"`;

const shown = (sql: Sql | Tx) => sql`${columns(sql)}, ${derivedColumns(sql)}`;

/** A tenant's own invoice; another tenant's is as absent as one that never existed. */
export async function findInvoice(sql: Sql | Tx, tenantId: string, docId: string): Promise<InvoiceRow | undefined> {
	const [row] = await sql<InvoiceRow[]>`
		select ${shown(sql)} from invoices i where i.doc_id = ${docId} and i.tenant_id = ${tenantId}`;
	return row;
}

export async function findInvoiceById(sql: Sql | Tx, docId: string): Promise<InvoiceRow | undefined> {
	const [row] = await sql<InvoiceRow[]>`select ${columns(sql)} from invoices i where i.doc_id = ${docId}`;
	return row;
}

/** Where these documents stand; one that is not there is left out. */
export async function findStatuses(sql: Sql, docIds: readonly string[]): Promise<Map<string, Status>> {
	const rows = await sql<{ docId: string; status: Status }[]>`
		select doc_id as "docId", status from invoices where doc_id = any(${[...docIds]}::uuid[])`;
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

/** SQL of the ids of a tenant's documents under these numbers. Held numbers and those that were given back have an index each, so each is asked for itself. */
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
	// Three look-ups by index: an `or` over them would read all of the tenant's rows.
	const named = (condition: ReturnType<typeof sql>) =>
		sql`select doc_id from invoices where tenant_id = ${tenantId} and ${condition}`;
	return sql<InvoiceRow[]>`
		select ${shown(sql)} from invoices i where i.doc_id in (
			${named(sql`doc_id = any(${[...names.docIds]}::uuid[])`)}
			union ${docIdsUnder(sql, tenantId, names.encfs)}
			union ${named(sql`client_request_id = any(${[...names.clientRequestIds]}::text[])`)}
		) order by i.doc_id`;
}

/** A tenant's documents by the client's own ids, those that there are. */
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

/** The documents that hold these numbers; a number that nobody holds is left out. */
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

/** The document that holds a number; one whose number the authority has given back holds it no more. */
export async function findHolderOfEncf(sql: Sql | Tx, tenantId: string, encf: string): Promise<string | undefined> {
	const [row] = await sql<{ docId: string }[]>`
		select doc_id as "docId" from invoices where tenant_id = ${tenantId} and encf = ${encf} and not encf_released`;
	return row?.docId;
}

/** What the rules for notes look at, of a document and of each note on it. */
export type NoteFacts = {
	readonly type: string;
	readonly encf: string;
	/** The number that a note modifies; null of a document that was looked for by its own. */
	readonly modifies: string | null;
	readonly status: Status;
	readonly signedAt: Date;
	readonly issueDate: string | null;
	readonly buyerRnc: string | null;
	readonly total: string;
};

/** The newest documents under these numbers, those that hold them before those that have given them back, and the notes that modify them. */
export async function findWithNotes(sql: Sql | Tx, tenantId: string, encfs: readonly string[]): Promise<NoteFacts[]> {
	const facts = sql`
		type, encf, status, signed_at as "signedAt", request::jsonb ->> 'issue_date' as "issueDate",
		request::jsonb #>> '{customer,rnc}' as "buyerRnc", request::jsonb #>> '{totals,grand_total}' as total`;
	const modified = sql`request::jsonb #>> '{reference,encf}'`;
	// Of the authority's environment that the company is in: in another one the number is another document's.
	const isHere = sql`coalesce(substring(print ->> 'qrUrl' from ${SEGMENT_IN_QR_URL}::text) = (
		select case authority_environment when 'test' then 'testecf' when 'certification' then 'certecf' else 'ecf' end
		from companies where tenant_id = ${tenantId}), true)`;
	return sql<NoteFacts[]>`
		select ${facts}, null as modifies from (
			select distinct on (encf) * from invoices where doc_id in (${docIdsUnder(sql, tenantId, encfs)})
				and (not encf_released or test_set_id is null) and ${isHere}
			order by encf, encf_released, doc_id desc
		) newest
		union all
		select ${facts}, ${modified} as modifies from invoices
		where tenant_id = ${tenantId} and ${modified} = any(${[...encfs]}::text[]) and type in ('33', '34')
			and encf <> ${modified} and not encf_released and ${isHere} and ${refersToOwn(sql, sql`request::jsonb`)}`;
}

/** Notes that wait for one of these documents. */
export async function findWaitingNotes(
	tx: Tx,
	documents: readonly { readonly tenantId: string; readonly encf: string }[],
): Promise<string[]> {
	const rows = await tx<{ docId: string }[]>`
		select i.doc_id as "docId"
		from unnest(${documents.map((one) => one.tenantId)}::uuid[], ${documents.map((one) => one.encf)}::text[]) as d(tenant_id, encf)
		join invoices i on i.type in ('33', '34') and i.tenant_id = d.tenant_id
			and i.request::jsonb #>> '{reference,encf}' = d.encf
			and ${refersToOwn(tx, tx`i.request::jsonb`)}
		where i.phase = 'held'`;
	return rows.map((row) => row.docId);
}

/**
 * Brings a failed document back to pending; one of a test set stays, since its set has ended with it, and so does one whose number was given back.
 * Its phase is the one that its last sending has left it in, as `next-step.ts` reads it.
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
					from submissions s where s.doc_id = invoices.doc_id order by n desc limit 1
				), 'queued'),
				failure = null, decided_at = null, internal_failure_since = null, version = version + 1, updated_at = now()
			where doc_id = ${docId} and tenant_id = ${tenantId} and status = 'failed' and test_set_id is null
				and (not encf_released or encf_elsewhere)
			returning doc_id, version, status, phase
		)
		insert into invoice_history (doc_id, version, status, phase, detail)
		select doc_id, version, status, phase, 'retried' from reopened returning doc_id`;
	return rows.length === 1;
}

/** Those of the trackIds that belong to other documents. */
export async function findForeignTrackIds(
	sql: Sql | Tx,
	docId: string,
	trackIds: readonly string[],
): Promise<Set<string>> {
	if (trackIds.length === 0) return new Set();
	const rows = await sql<{ trackId: string }[]>`
		select track_id as "trackId" from authority_track_ids where track_id in ${sql(trackIds)} and doc_id <> ${docId}`;
	return new Set(rows.map((row) => row.trackId));
}

/** Notes that a step has failed on our side; answers for how many seconds steps have been failing, by the database's clock. */
export async function recordInternalFailure(tx: Tx, docId: string, nextAttemptInSeconds: number): Promise<number> {
	const [row] = await tx<{ seconds: number }[]>`
		update invoices set
			internal_failure_since = coalesce(internal_failure_since, now()),
			attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${nextAttemptInSeconds}),
			version = version + 1, updated_at = now()
		where doc_id = ${docId} and status = 'pending'
		returning extract(epoch from now() - internal_failure_since)::float8 as seconds`;
	return row?.seconds ?? 0;
}

/** Puts the next attempt off of a document that has one before it, and waits for what it waited for. */
export async function postponeNextAttempt(sql: Sql | Tx, docId: string, nextAttemptInSeconds: number): Promise<void> {
	await sql`
		update invoices set
			next_attempt_at = now() + make_interval(secs => ${nextAttemptInSeconds}), version = version + 1, updated_at = now()
		where doc_id = ${docId} and status = 'pending' and next_attempt_at is not null`;
}

/** Makes what a tenant's undecided documents wait for older: failures of ours, the authority's absence, the next attempt. */
export async function ageInvoices(tx: Tx, tenantId: string, seconds: number): Promise<void> {
	const aged = tx`make_interval(secs => ${seconds})`;
	await tx`
		update invoices set internal_failure_since = internal_failure_since - ${aged},
			contingency_since = contingency_since - ${aged}, next_attempt_at = next_attempt_at - ${aged}, version = version + 1
		where tenant_id = ${tenantId} and status = 'pending'
			and (internal_failure_since is not null or contingency_since is not null or next_attempt_at is not null)`;
}

/** SQL of what is shown of a document `i` besides its own columns. Each part is asked for of the few documents alone that have it. */

/** The document's way to a buyer that receives electronically, for what is shown; most receive nothing so, and nothing is to be told of them. */
const delivery = (sql: Sql | Tx) => sql`(
	select json_build_object('state', d.state, 'at', d.updated_at, 'motive', d.motive, 'version', d.version)
	from buyer_deliveries d where d.doc_id = i.doc_id and d.state <> 'not-listed'
) as delivery`;

/** Whether the document waits for its company's certificate, for what is shown. Its history is read of one alone that has a next attempt before it, as few have. */
const awaitsCertificate = (sql: Sql | Tx) => sql`coalesce(
	case when i.status = 'pending' and i.next_attempt_at is not null and i.internal_failure_since is null then (
		select h.detail = ${AWAITING_CERTIFICATE} from invoice_history h where h.doc_id = i.doc_id order by h.version desc limit 1
	) end, false
) as "awaitsCertificate"`;

/**
 * When the document is really tried next, for what is shown of one whose stored time has passed: during an outage its message alone is put off. So is that
 * of one which found on its way that the authority has nothing of it, and has no time of its own.
 */
const putOffTo = (sql: Sql | Tx) => {
	const isOutOfDate = sql`(i.next_attempt_at < now()
		or i.next_attempt_at is null and i.contingency_since is not null and i.phase <> 'held')`;
	return sql`
	coalesce(i.status = 'pending' and ${isOutOfDate}, false) as "isPutOff",
	case when i.status = 'pending' and ${isOutOfDate} then (
		select max(o.available_at) from outbox o
		where o.subject = i.doc_id and o.kind = ${OUTBOX_KINDS.submitInvoice} and o.state = 'ready' and o.available_at > now()
	) end as "putOffTo"`;
};

/** Whether the number that was given back with a rejection is another document's now, or voided. Documents are stored by the same rule. */
const isNumberTaken = (sql: Sql | Tx) => sql`
	case when i.status = 'rejected' and i.encf_released then exists (
		select from invoices o where o.tenant_id = i.tenant_id and o.encf = i.encf and not o.encf_released
	) or exists (
		select from sequence_voids v
		where v.tenant_id = i.tenant_id and v.type = i.type and v.numbers @> substr(i.encf, 4)::bigint
			and v.elsewhere is null and v.status not in ('rejected', 'failed')
	) else false end as "isNumberTaken"`;

/** SQL of all of it. */
export const derivedColumns = (sql: Sql | Tx) =>
	sql`${delivery(sql)}, ${awaitsCertificate(sql)}, ${putOffTo(sql)}, ${isNumberTaken(sql)}`;

/** Whether a note modifies a document of its own issuer, in SQL: the same as `findOtherIssuer` says of a request. */

/** `request` is a stored one, as JSON. True or not true; null is not true. */
export function refersToOwn(sql: Sql | Tx, request: ReturnType<Sql>): ReturnType<Sql> {
	const named = sql`${request} #>> '{reference,customer_rnc}'`;
	const digits = (path: string) => sql`regexp_replace(${request} #>> ${path}::text[], '\\D', '', 'g')`;
	return sql`(${named} is null or ${named} in (${digits("{company,rnc}")}, ${digits("{customer,rnc}")}))`;
}
