/** All SQL on invoices: the document, its signed bytes, its history, every attempt to send it, and the breaker of sending. */
import type { Sql, Tx } from "../database";
import type { InvoiceRow, NewInvoice, Phase, Print, Status } from "./invoice-row";

/**
 * Inserts invoices with their signed bytes, no two of them with equal unique keys. Answers the ids of those that are stored; of the others
 * the number or the `client_request_id` is taken, or the number is voided.
 */
export async function insertInvoices(tx: Tx, all: readonly NewInvoice[]): Promise<Set<string>> {
	const column = <T>(pick: (invoice: NewInvoice) => T): T[] => all.map(pick);
	const rows = await tx<{ docId: string }[]>`
		insert into invoices (
			doc_id, track_id, tenant_id, type, encf, client_request_id, payload_sha256, request, acknowledgement, print, warnings,
			registry, signed_at, received_at
		)
		select doc_id, track_id, tenant_id, type, encf, client_request_id, decode(payload_sha256, 'hex'), request, acknowledgement,
			print::json, warnings::json, registry::json, signed_at, received_at
		from unnest(${column((i) => i.docId)}::uuid[], ${column((i) => i.trackId)}::uuid[], ${column((i) => i.tenantId)}::uuid[],
			${column((i) => i.type)}::text[], ${column((i) => i.encf)}::text[], ${column((i) => i.clientRequestId)}::text[],
			${column((i) => Buffer.from(i.payloadSha256).toString("hex"))}::text[], ${column((i) => i.request)}::text[],
			${column((i) => i.acknowledgement)}::text[], ${column((i) => JSON.stringify(i.print))}::text[],
			${column((i) => JSON.stringify(i.warnings))}::text[], ${column((i) => JSON.stringify(i.registry))}::text[],
			${column((i) => i.print.signedAt)}::timestamptz[], ${column((i) => i.receivedAt.toISOString())}::timestamptz[])
			as n(doc_id, track_id, tenant_id, type, encf, client_request_id, payload_sha256, request, acknowledgement, print, warnings,
				registry, signed_at, received_at)
		where not exists (select 1 from sequence_voids v where v.tenant_id = n.tenant_id and v.type = n.type
			and v.numbers @> substr(n.encf, 4)::bigint and v.status not in ('rejected', 'failed'))
		order by tenant_id, encf
		on conflict do nothing
		returning doc_id as "docId"`;
	const stored = new Set(rows.map((row) => row.docId));
	const kept = all.filter((i) => stored.has(i.docId));
	if (kept.length > 0) await insertSigned(tx, kept);
	return stored;
}

/** A document that is not UTF-8 must fail here rather than be stored as another one. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

async function insertSigned(tx: Tx, kept: readonly NewInvoice[]): Promise<void> {
	const documents = kept.flatMap(({ docId, documents }) => documents.map((d) => ({ ...d, docId })));
	await Promise.all([
		tx`
			insert into signed_documents (doc_id, kind, bytes, sha256)
			select doc_id, kind, convert_to(bytes, 'UTF8'), decode(sha256, 'hex')
			from unnest(${documents.map((d) => d.docId)}::uuid[], ${documents.map((d) => d.kind)}::text[],
				${documents.map((d) => utf8.decode(d.bytes))}::text[], ${documents.map((d) => d.sha256)}::text[])
				as n(doc_id, kind, bytes, sha256)`,
		tx`
			insert into invoice_history (doc_id, version, status, phase, detail)
			select doc_id, 1, 'pending', 'queued', 'signed and stored' from unnest(${kept.map((i) => i.docId)}::uuid[]) as n(doc_id)`,
	]);
}

/** What of a new invoice is taken already, seen before the work of signing; the unique keys decide. */
export type Sought = { readonly tenantId: string; readonly encf: string; readonly clientRequestId: string | null };

/** Which of these collide with a stored invoice, in their order. */
export async function findCollisions(sql: Sql, sought: readonly Sought[]): Promise<boolean[]> {
	const rows = await sql<{ n: number }[]>`
		select w.n::int as n
		from unnest(${sought.map((s) => s.tenantId)}::uuid[], ${sought.map((s) => s.encf)}::text[],
			${sought.map((s) => s.clientRequestId)}::text[]) with ordinality w(tenant_id, encf, client_request_id, n)
		where exists (select 1 from invoices i where i.tenant_id = w.tenant_id and i.client_request_id = w.client_request_id)
			or exists (select 1 from invoices i where i.tenant_id = w.tenant_id and i.encf = w.encf and not i.encf_released)
			or exists (select 1 from sequence_voids v where v.tenant_id = w.tenant_id and v.type = substr(w.encf, 2, 2)
				and case when w.encf like 'E%' then v.numbers @> substr(w.encf, 4)::bigint end
				and v.status not in ('rejected', 'failed'))`;
	const colliding = new Set(rows.map((row) => row.n - 1));
	return sought.map((_, i) => colliding.has(i));
}

export const columns = (sql: Sql | Tx) => sql`
	i.doc_id as "docId", i.track_id as "trackId", i.tenant_id as "tenantId", i.type, i.encf, i.client_request_id as "clientRequestId",
	i.request, i.acknowledgement, i.payload_sha256 as "payloadSha256", i.print, i.warnings, i.registry, i.signed_at as "signedAt",
	i.status, i.phase, i.authority_track_id as "authorityTrackId", i.authority, i.failure, i.contingency_since as "contingencySince",
	i.attempts, i.next_attempt_at as "nextAttemptAt", i.version, i.received_at as "receivedAt", i.updated_at as "updatedAt",
	i.decided_at as "decidedAt"`;

/** A tenant's own invoice; another tenant's is as absent as one that never existed. */
export async function findInvoice(sql: Sql | Tx, tenantId: string, docId: string): Promise<InvoiceRow | undefined> {
	const [row] = await sql<InvoiceRow[]>`
		select ${columns(sql)} from invoices i where i.doc_id = ${docId} and i.tenant_id = ${tenantId}`;
	return row;
}

export async function findInvoiceById(sql: Sql | Tx, docId: string): Promise<InvoiceRow | undefined> {
	const [row] = await sql<InvoiceRow[]>`select ${columns(sql)} from invoices i where i.doc_id = ${docId}`;
	return row;
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

/** A tenant's documents by any of three names, oldest first. */
export async function findInvoicesByAny(
	sql: Sql,
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
		select ${columns(sql)} from invoices i where i.doc_id in (
			${named(sql`doc_id = any(${[...names.docIds]}::uuid[])`)}
			union ${named(sql`encf = any(${[...names.encfs]}::text[])`)}
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

/** The documents that hold these numbers, and the notes that modify them; none whose number the authority has given back. */
export async function findWithNotes(sql: Sql | Tx, tenantId: string, encfs: readonly string[]): Promise<NoteFacts[]> {
	const facts = sql`
		type, encf, status, signed_at as "signedAt", request::jsonb ->> 'issue_date' as "issueDate",
		request::jsonb #>> '{customer,rnc}' as "buyerRnc", request::jsonb #>> '{totals,grand_total}' as total`;
	const modified = sql`request::jsonb #>> '{reference,encf}'`;
	return sql<NoteFacts[]>`
		select ${facts}, null as modifies from invoices
		where tenant_id = ${tenantId} and encf = any(${[...encfs]}::text[]) and not encf_released
		union all
		select ${facts}, ${modified} as modifies from invoices
		where tenant_id = ${tenantId} and ${modified} = any(${[...encfs]}::text[]) and type in ('33', '34')
			and encf <> ${modified} and not encf_released`;
}

/** Notes that wait for one of these documents. */
export async function findHeldNotes(
	tx: Tx,
	documents: readonly { readonly tenantId: string; readonly encf: string }[],
): Promise<string[]> {
	const rows = await tx<{ docId: string }[]>`
		select i.doc_id as "docId"
		from unnest(${documents.map((one) => one.tenantId)}::uuid[], ${documents.map((one) => one.encf)}::text[]) as d(tenant_id, encf)
		join invoices i on i.type in ('33', '34') and i.tenant_id = d.tenant_id
			and i.request::jsonb #>> '{reference,encf}' = d.encf
		where i.phase = 'held'`;
	return rows.map((row) => row.docId);
}

export type InvoiceFilter = {
	readonly encf?: string | undefined;
	readonly clientRequestId?: string | undefined;
	readonly type?: string | undefined;
	readonly status?: string | undefined;
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	readonly customerRnc?: string | undefined;
	readonly after?: string | undefined;
};

/** A tenant's invoices, newest first; one more than `limit` tells that there are more. */
export async function findInvoices(
	sql: Sql,
	tenantId: string,
	filter: InvoiceFilter,
	limit: number,
): Promise<InvoiceRow[]> {
	const { encf, clientRequestId, type, status, from, to, customerRnc, after } = filter;
	return sql<InvoiceRow[]>`
		select ${columns(sql)} from invoices i
		where i.tenant_id = ${tenantId}
			${encf === undefined ? sql`` : sql`and i.encf = ${encf}`}
			${clientRequestId === undefined ? sql`` : sql`and i.client_request_id = ${clientRequestId}`}
			${type === undefined ? sql`` : sql`and i.type = ${type}`}
			${status === undefined ? sql`` : sql`and i.status = ${status}`}
			${from === undefined ? sql`` : sql`and i.received_at >= (${from}::date + interval '4 hours') at time zone 'UTC'`}
			${to === undefined ? sql`` : sql`and i.received_at < (${to}::date + interval '28 hours') at time zone 'UTC'`}
			${customerRnc === undefined ? sql`` : sql`and translate(i.request::jsonb #>> '{customer,rnc}', '- ', '') = ${customerRnc}`}
			${after === undefined ? sql`` : sql`and i.doc_id < ${after}`}
		order by i.doc_id desc limit ${limit + 1}`;
}

export async function findSignedDocument(
	sql: Sql | Tx,
	docId: string,
	kind: "ecf" | "summary",
): Promise<{ bytes: Uint8Array; sha256: Uint8Array } | undefined> {
	const [row] = await sql<{ bytes: Uint8Array; sha256: Uint8Array }[]>`
		select bytes, sha256 from signed_documents where doc_id = ${docId} and kind = ${kind}`;
	return row;
}

export type Submission = { readonly n: number; readonly result: string | null; readonly intentAt: Date };

export async function findSubmissions(sql: Sql | Tx, docId: string): Promise<Submission[]> {
	return sql<
		Submission[]
	>`select n, result, intent_at as "intentAt" from submissions where doc_id = ${docId} order by n`;
}

export type Move = {
	readonly phase: Phase;
	readonly authorityTrackId?: string;
	readonly countsAttempt?: boolean;
	/** `start` keeps an earlier start. */
	readonly contingency?: "start" | "end";
	readonly nextAttemptInSeconds?: number;
	readonly detail: string;
};

export type Decision = {
	readonly status: Exclude<Status, "pending">;
	readonly authority: Readonly<Record<string, unknown>> | null;
	readonly failure: Readonly<Record<string, unknown>> | null;
	readonly releasesEncf: boolean;
	readonly at: Date;
	readonly detail: string;
};

/** Brings a failed document back to pending. */
export async function reopenInvoice(tx: Tx, tenantId: string, docId: string): Promise<boolean> {
	const rows = await tx`
		with reopened as (
			update invoices set status = 'pending',
				phase = case
					when authority_track_id is not null then 'tracking'
					when exists (select 1 from submissions s where s.doc_id = invoices.doc_id) then 'unconfirmed'
					else 'queued'
				end,
				failure = null, decided_at = null, internal_failure_since = null, version = version + 1, updated_at = now()
			where doc_id = ${docId} and tenant_id = ${tenantId} and status = 'failed'
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
export async function noteInternalFailure(tx: Tx, docId: string, nextAttemptInSeconds: number): Promise<number> {
	const [row] = await tx<{ seconds: number }[]>`
		update invoices set
			internal_failure_since = coalesce(internal_failure_since, now()),
			attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${nextAttemptInSeconds}),
			version = version + 1, updated_at = now()
		where doc_id = ${docId} and status = 'pending'
		returning extract(epoch from now() - internal_failure_since)::float8 as seconds`;
	return row?.seconds ?? 0;
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
				from invoice_history h where h.doc_id = i.doc_id
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

/** Oldest first, whole or a page of it. */
export async function findHistory(
	sql: Sql | Tx,
	docId: string,
	afterVersion = 0,
	limit: number | null = null,
): Promise<HistoryRow[]> {
	return sql<HistoryRow[]>`
		select version, at, status, phase, detail from invoice_history
		where doc_id = ${docId} and version > ${afterVersion} order by version limit ${limit}`;
}

/** Counts a failure of the authority's services, or forgets them all after an answer; opens the breaker at the threshold. */
export async function recordReachability(
	sql: Sql,
	segment: string,
	reached: boolean,
	threshold: number,
	openSeconds: number,
): Promise<void> {
	if (reached) {
		await sql`update authority_breaker set failures = 0, open_until = null where segment = ${segment} and failures > 0`;
		return;
	}
	await sql`
		insert into authority_breaker (segment, failures) values (${segment}, 1)
		on conflict (segment) do update set failures = authority_breaker.failures + 1,
			open_until = case when authority_breaker.failures + 1 >= ${threshold} then now() + make_interval(secs => ${openSeconds}) end`;
}

export async function isBreakerOpen(sql: Sql, segment: string): Promise<boolean> {
	const [row] = await sql<{ open: boolean }[]>`
		select coalesce(open_until > now(), false) as open from authority_breaker where segment = ${segment}`;
	return row?.open ?? false;
}

export type { InvoiceRow, NewInvoice, Print };
