/**
 * SQL of the list of invoices.
 *
 *   documents                 what lists show, and what they find by: written once at issue
 *   names, released_names     number and own id
 *   verdicts, open_documents  state and code
 *
 * A filter that most documents pass is answered in order of receipt, a filter that few pass from its own index. Rejected: the order of ids, which know the process's clock and not the sandbox's.
 *
 * A list is read from its newest end, some days at a time, each with the range of its documents' ids: planning a statement on ten years of partitions
 * takes longer than reading a page.
 */

import type { PendingQuery, Row } from "postgres";
import { findTimes } from "../../../companies";
import { plannedForValues, type Sql, type Tx } from "../../../platform/database";
import { loggedDocuments, OUTBOX_KINDS } from "../../../platform/outbox";
import { firstIdAt, timeOfId, toLocalIsoDate } from "../../../platform/values";
import { type AmountColumns, readAmounts } from "../model/amounts";
import type { InvoiceFacts, StatusRow } from "../model/invoice-row";
import { docIdsUnder } from "../model/store";
import {
	type IsNear,
	nearTo,
	type StoredDocument,
	stateColumns,
	stateJoins,
	toStatusRow,
} from "../model/stored-document";

type Piece = PendingQuery<Row[]>;

export type InvoiceFilter = {
	/** Exact ids, at most `FEW`. */
	readonly docIds?: readonly string[] | undefined;
	readonly encf?: string | undefined;
	readonly clientRequestId?: string | undefined;
	readonly type?: string | undefined;
	readonly status?: string | undefined;
	/** The authority's code. */
	readonly code?: string | undefined;
	/** What `from` and `to` mean. Default: `received`. */
	readonly date?: "received" | "issued" | undefined;
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	/** Digits. */
	readonly customerRnc?: string | undefined;
	/** The number of which notes are listed. */
	readonly modifies?: string | undefined;
	/** In pesos, both included. */
	readonly amountFrom?: string | undefined;
	readonly amountTo?: string | undefined;
	/** The beginning of the number, of the own id, or of the buyer's number or name. */
	readonly q?: string | undefined;
	/** Includes documents of certification test sets. */
	readonly withTestSets?: boolean;
	readonly after?: string | undefined;
};

/** Reading so many by their ids costs some ten milliseconds. */
const FEW = 2_000;

export type ListedInvoice = StatusRow & { readonly facts: InvoiceFacts };

type ListedRow = StoredDocument &
	AmountColumns & {
		readonly issueDate: string;
		readonly customerRnc: string | null;
		readonly customerName: string | null;
	};

const DAY_MS = 86_400_000;
/** How many days are read at a time. With what ids may differ, the first ones lie in two months at most. */
const DAYS_AT_A_TIME = [25, 60, 180];
const DAYS_MAX = 365;
/** By how much a document's id may differ from its receipt: by the processes' clocks, and for test sets by the time that these may take. */
export const ID_DAYS = 1;
const ID_DAYS_OF_SETS = 9;

/** A part of a list: documents received, or issued, from `start` on and before `stop`. Units: milliseconds; a day of issue is its midnight UTC. */
type Span = {
	readonly start: number;
	readonly stop: number;
	readonly ids: { readonly first: string; readonly last: string };
};

/** The document behind which a page begins. `receivedAt` is as exact as in the database, `receivedMs` is not. */
type Place = {
	readonly docId: string;
	readonly receivedAt: string;
	readonly receivedMs: number;
	readonly issueDate: string;
};

/** A tenant's invoices, newest first. One more than `limit` means that there are more. */
export async function findInvoices(
	sql: Sql | Tx,
	tenantId: string,
	filter: InvoiceFilter,
	limit: number,
): Promise<ListedInvoice[]> {
	const isByReceipt = orderOf(filter) === "receipt";
	const [place, anywhere, named, spans] = await Promise.all([
		filter.after === undefined ? undefined : findPlace(sql, tenantId, filter.after),
		filter.docIds ?? (isByReceipt ? pickFew(sql, sourcesAnywhere(sql, tenantId, filter)) : undefined),
		isByReceipt && filter.q !== undefined ? pickFew(sql, [sourceOfNames(sql, tenantId, filter.q)]) : undefined,
		findTimes(sql, tenantId),
	]).then(
		([place, anywhere, named, times]) => [place, anywhere, named, times ? spansOf(filter, place, times) : []] as const,
	);
	const listed: ListedInvoice[] = [];
	for (const span of spans) {
		const few = !isByReceipt
			? undefined
			: anywhere
				? within(span, anywhere)
				: await pickFew(sql, sourcesWithin(sql, tenantId, filter, span, named && within(span, named)));
		if (few?.length === 0) continue;
		listed.push(...(await readPage(sql, { tenantId, filter, place, span, few, limit: limit + 1 - listed.length })));
		if (listed.length > limit) break;
	}
	return listed;
}

const within = ({ ids: { first, last } }: Span, all: readonly string[]) =>
	all.filter((id) => id >= first && id <= last);

/** The place behind a document. For one that is gone, it is that of the time of its id. */
async function findPlace(sql: Sql | Tx, tenantId: string, docId: string): Promise<Place> {
	const [row] = await sql<Omit<Place, "docId">[]>`
		select received_at::text as "receivedAt", extract(epoch from received_at)::float8 * 1000 as "receivedMs", issue_date::text as "issueDate"
		from documents where tenant_id = ${tenantId} and doc_id = ${docId}`;
	if (row) return { ...row, docId };
	const time = timeOfId(docId);
	return { docId, receivedAt: time.toISOString(), receivedMs: time.getTime(), issueDate: toLocalIsoDate(time) };
}

/** The parts of a list, newest first, down to the company's first day. Documents may be issued before that. */
function* spansOf(
	filter: InvoiceFilter,
	place: Place | undefined,
	{ createdAt, aheadSeconds }: { readonly createdAt: Date; readonly aheadSeconds: number },
): Generator<Span> {
	const isByIssue = orderOf(filter) === "issue";
	const { from = "0001-01-01", to = "9999-12-30", withTestSets = false } = filter;
	const margin = (withTestSets ? ID_DAYS_OF_SETS : ID_DAYS) * DAY_MS;
	// No document is issued later than on the day of its receipt, by the company's clock.
	const aheadMs = isByIssue ? aheadSeconds * 1_000 + DAY_MS : 0;
	const dayMs = (day: string) => Date.parse(day) + (isByIssue ? 0 : DAY_MS / 6);
	const [oldest, newest] = [createdAt.getTime() - margin, Date.now() + margin];
	const low = isByIssue ? dayMs(from) : Math.max(dayMs(from), oldest);
	const behind = place && (isByIssue ? Date.parse(place.issueDate) + DAY_MS : Math.floor(place.receivedMs) + 1);
	let stop = Math.min(dayMs(to) + DAY_MS, newest + aheadMs, behind ?? Number.POSITIVE_INFINITY);
	if (isByIssue) stop = Math.ceil(stop / DAY_MS) * DAY_MS;
	for (let n = 0; stop > low; n++) {
		let start = Math.max(low, stop - (DAYS_AT_A_TIME[n] ?? DAYS_MAX) * DAY_MS);
		if (isByIssue && start < oldest) start = low;
		const first = Math.max(0, oldest, start - aheadMs - margin);
		const last = isByIssue ? newest : stop + margin;
		yield { start, stop, ids: { first: firstIdAt(new Date(first)), last: firstIdAt(new Date(last)) } };
		stop = start;
	}
}

type Page = {
	readonly tenantId: string;
	readonly filter: InvoiceFilter;
	readonly place: Place | undefined;
	readonly span: Span;
	/** Absent: all documents of the span. */
	readonly few: readonly string[] | undefined;
	readonly limit: number;
};

async function readPage(sql: Sql | Tx, { tenantId, filter, place, span, few, limit }: Page): Promise<ListedInvoice[]> {
	const { withTestSets = false, encf, clientRequestId, status, code } = filter;
	const order = orderOf(filter);
	const isNear = few
		? nearTo(
				sql,
				few.map((docId) => ({ docId })),
			)
		: nearSpan(sql, span);
	const [start, stop] = [new Date(span.start).toISOString(), new Date(span.stop).toISOString()];
	const isListed = [
		order === "issue"
			? sql`d.issue_date >= ${start}::date and d.issue_date < ${stop}::date`
			: sql`d.received_at >= ${start} and d.received_at < ${stop}`,
		...(status === undefined ? [] : [isIn(sql, tenantId, status)]),
		...(code === undefined ? [] : [sql`v.code = ${code}`]),
		...factConditions(sql, filter),
		...(few === undefined ? [] : [sql`d.doc_id = any(${few}::uuid[])`]),
		...(withTestSets ? [] : [sql`d.test_set_id is null`]),
		...(encf === undefined ? [] : [sql`d.encf = ${encf}`]),
		...(clientRequestId === undefined ? [] : [sql`d.client_request_id = ${clientRequestId}`]),
		...(place === undefined ? [] : [isBehind(sql, order, place)]),
	].reduce((all, one) => sql`${all} and ${one}`, isNear(sql`d.doc_id`));
	const rows = await plannedForValues(sql<ListedRow[]>`
		select ${stateColumns(sql, isNear, sql`null::bytea`)}, d.issue_date::text as "issueDate", d.customer_rnc as "customerRnc", d.customer_name as "customerName",
			d.subtotal::text as subtotal, d.tax::text as tax, d.shown
		from documents d ${stateJoins(sql, isNear)}
		where d.tenant_id = ${tenantId} and ${isListed}
		order by ${order === "issue" ? sql`d.issue_date desc, d.received_at desc, d.doc_id desc` : sql`d.received_at desc, d.doc_id desc`}
		limit ${limit}`);
	const steps = await findFirstSteps(
		sql,
		tenantId,
		rows.filter(({ verdict, open }) => verdict === null && open === null),
	);
	return rows.map((row) => toListed({ ...row, firstStep: steps.get(row.docId) ?? null }));
}

/** The steps that began the first sendings of documents. They lie in partitions of days, of which a list would open too many. */
async function findFirstSteps(
	sql: Sql | Tx,
	tenantId: string,
	waiting: readonly ListedRow[],
): Promise<ReadonlyMap<string, Uint8Array>> {
	if (waiting.length === 0) return new Map();
	const isNear = nearTo(sql, waiting);
	const rows = await sql<{ docId: string; body: Uint8Array }[]>`
		select doc_id as "docId", body from steps
		where tenant_id = ${tenantId} and doc_id = any(${waiting.map(({ docId }) => docId)}::uuid[]) and n = 1 and ${isNear(sql`doc_id`)}`;
	return new Map(rows.map(({ docId, body }) => [docId, body]));
}

const nearSpan =
	(sql: Sql | Tx, { ids: { first, last } }: Span): IsNear =>
	(column) =>
		sql`${column} between ${first}::uuid and ${last}::uuid`;

function toListed(row: ListedRow): ListedInvoice {
	const { issueDate, customerRnc, customerName } = row;
	return { ...toStatusRow(row), facts: { issueDate, customerRnc, customerName, ...readAmounts(row) } };
}

type Order = "receipt" | "buyer" | "issue";

/** `buyer` is the order of receipt as the index by buyer has it. Documents of other statuses and codes are few, and have indexes of their own. */
function orderOf({ date, status = "accepted", code = "1", customerRnc }: InvoiceFilter): Order {
	if (date === "issued") return "issue";
	return customerRnc !== undefined && status === "accepted" && code === "1" ? "buyer" : "receipt";
}

/**
 * The ids that one of the filters leaves, if there is one that leaves few. The planner takes matches for evenly spread and would look for them in
 * order of receipt; those of a number's beginning lie together, perhaps at the other end.
 */
async function pickFew(sql: Sql | Tx, sources: readonly Piece[]): Promise<readonly string[] | undefined> {
	for (const source of sources) {
		const rows = await plannedForValues(sql<{ docId: string }[]>`
			select doc_id as "docId" from (${source}) s limit ${FEW + 1}`);
		if (rows.length <= FEW) return rows.map(({ docId }) => docId);
	}
	return undefined;
}

/** SQL of the ids that a filter leaves, from an index of its own, of all times. */
function sourcesAnywhere(sql: Sql | Tx, tenantId: string, filter: InvoiceFilter): Piece[] {
	const { encf, clientRequestId, type, status, modifies } = filter;
	return [
		...(modifies === undefined
			? []
			: [sql`select d.doc_id from documents d where d.tenant_id = ${tenantId} and d.modifies = ${modifies}`]),
		...(encf === undefined ? [] : [sql`select doc_id from (${docIdsUnder(sql, tenantId, [encf])}) n`]),
		...(clientRequestId === undefined
			? []
			: [
					sql`select n.doc_id from names n where n.tenant_id = ${tenantId} and n.kind = 'i' and n.name = ${clientRequestId}`,
				]),
		...(status === "failed"
			? [sql`select o.doc_id from open_documents o where o.tenant_id = ${tenantId} and o.status = 'f'`]
			: []),
		...(status === "pending" ? [sourceOfWaiting(sql, tenantId)] : []),
		...(type === undefined ? [] : [sourceOfNumber(sql, tenantId, `E${type}`)]),
	];
}

/** The same of a span. `named`: those of its documents whose number or own id fits the text, if they are few. */
function sourcesWithin(
	sql: Sql | Tx,
	tenantId: string,
	filter: InvoiceFilter,
	span: Span,
	named: readonly string[] | undefined,
): Piece[] {
	const { status, code, customerRnc, amountFrom, amountTo, q } = filter;
	const isNear = nearSpan(sql, span);
	const ofDocuments = (condition: Piece) =>
		sql`select d.doc_id from documents d where d.tenant_id = ${tenantId} and ${isNear(sql`d.doc_id`)} and ${condition}`;
	const ofVerdicts = (condition: Piece) =>
		sql`select v.doc_id from verdicts v where v.tenant_id = ${tenantId} and ${isNear(sql`v.doc_id`)} and ${condition}`;
	return [
		...(q === undefined || named === undefined ? [] : [sourceOfText(sql, q, named, ofDocuments)]),
		...(customerRnc === undefined ? [] : [ofDocuments(sql`d.customer_rnc = ${customerRnc}`)]),
		...(code === undefined || code === "1" ? [] : [ofVerdicts(sql`v.code = ${code} and v.code <> '1'`)]),
		...(status === "rejected" ? [ofVerdicts(sql`v.status = 'r'`)] : []),
		...(amountFrom === undefined && amountTo === undefined ? [] : [ofDocuments(isAmount(sql, filter))]),
	];
}

function isIn(sql: Sql | Tx, tenantId: string, status: string): Piece {
	if (status === "accepted") return sql`v.status = 'a'`;
	if (status === "rejected") return sql`v.status = 'r'`;
	if (status === "failed") return sql`o.status = 'f'`;
	return sql`v.doc_id is null and o.status is distinct from 'f' and d.doc_id in (${sourceOfWaiting(sql, tenantId)})`;
}

/** Every pending document has a message, or is in the work log. */
function sourceOfWaiting(sql: Sql | Tx, tenantId: string): Piece {
	return sql`
		select m.subject as doc_id from outbox m
		where m.shard = shard_of(${tenantId}) and m.tenant_id = ${tenantId} and m.state = 'ready' and m.kind = ${OUTBOX_KINDS.submitInvoice}
		union
		${loggedDocuments(sql, tenantId)}`;
}

function factConditions(sql: Sql | Tx, filter: InvoiceFilter): Piece[] {
	const { type, customerRnc, amountFrom, amountTo, q, modifies } = filter;
	return [
		...(modifies === undefined ? [] : [sql`d.modifies = ${modifies}`]),
		...(type === undefined ? [] : [sql`d.type = ${type}::smallint`]),
		...(customerRnc === undefined ? [] : [sql`d.customer_rnc = ${customerRnc}`]),
		...(amountFrom === undefined && amountTo === undefined ? [] : [isAmount(sql, filter)]),
		...(q === undefined ? [] : [beginsAny(sql, q)]),
	];
}

function isAmount(sql: Sql | Tx, { amountFrom, amountTo }: InvoiceFilter): Piece {
	const cents = (pesos: string) => sql`(${pesos}::numeric * 100)::bigint`;
	const from = amountFrom === undefined ? sql`true` : sql`d.subtotal + d.tax >= ${cents(amountFrom)}`;
	return amountTo === undefined ? from : sql`(${from} and d.subtotal + d.tax <= ${cents(amountTo)})`;
}

/** What a text may be the beginning of; absent what it cannot be. */
function readText(q: string) {
	const text = q.trim();
	const digits = text.replace(/[- ]/g, "");
	return {
		text,
		number: /^e\d*$/i.test(text) ? text.toUpperCase() : undefined,
		rnc: /^\d+$/.test(digits) ? digits : undefined,
		name: text.normalize("NFC"),
	};
}

function beginsAny(sql: Sql | Tx, q: string): Piece {
	const { text, number, rnc, name } = readText(q);
	return sql`(
		${number === undefined ? sql`` : sql`${begins(sql, sql`d.encf`, sql`${number}::text`)} or`}
		${rnc === undefined ? sql`` : sql`${begins(sql, sql`d.customer_rnc`, sql`${rnc}::text`)} or`}
		${begins(sql, sql`d.client_request_id`, sql`${text}::text`)}
		or ${begins(sql, sql`fold_name(d.customer_name)`, sql`fold_name(${name})`)}
	)`;
}

/** The ids of the documents whose number or own id `beginsAny` finds. */
function sourceOfNames(sql: Sql | Tx, tenantId: string, q: string): Piece {
	const { text, number } = readText(q);
	return sql`
		${number === undefined ? sql`` : sql`${sourceOfNumber(sql, tenantId, number)} union all`}
		select n.doc_id from names n
		where n.tenant_id = ${tenantId} and n.kind = 'i' and ${begins(sql, sql`n.name`, sql`${text}::text`)}`;
}

/** The ids of all that `beginsAny` finds. */
function sourceOfText(
	sql: Sql | Tx,
	q: string,
	named: readonly string[],
	ofDocuments: (condition: Piece) => Piece,
): Piece {
	const { rnc, name } = readText(q);
	return sql`
		select unnest(${named}::uuid[]) as doc_id
		union all
		${rnc === undefined ? sql`` : sql`${ofDocuments(begins(sql, sql`d.customer_rnc`, sql`${rnc}::text`))} union all`}
		${ofDocuments(begins(sql, sql`fold_name(d.customer_name)`, sql`fold_name(${name})`))}`;
}

function sourceOfNumber(sql: Sql | Tx, tenantId: string, beginning: string): Piece {
	const isBegun = sql`kind in ('t', 'c', 'p') and ${begins(sql, sql`name`, sql`${beginning}::text`)}`;
	return sql`
		select doc_id from names where tenant_id = ${tenantId} and ${isBegun}
		union all
		select doc_id from released_names where tenant_id = ${tenantId} and ${isBegun}`;
}

/** A range of an index whose order is that of the code points, which ends with U+10FFFF. */
function begins(sql: Sql | Tx, column: Piece, prefix: Piece): Piece {
	return sql`(${column} >= ${prefix} and ${column} < ${prefix} || chr(1114111))`;
}

/** SQL of what comes behind a place. */
function isBehind(sql: Sql | Tx, order: Order, { docId, receivedAt, issueDate }: Place): Piece {
	if (order !== "issue") return sql`(d.received_at, d.doc_id) < (${receivedAt}::timestamptz, ${docId})`;
	return sql`(d.issue_date, d.received_at, d.doc_id) < (${issueDate}::date, ${receivedAt}::timestamptz, ${docId})`;
}
