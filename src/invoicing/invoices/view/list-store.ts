/**
 * SQL of the list of invoices and of a tenant's load.
 *
 *   documents                 what lists show, and what they find by: written once at issue
 *   names, released_names     number and own id
 *   verdicts, open_documents  state and code
 *
 * A filter that most documents pass is answered in order of receipt, a filter that few pass from its own index. Rejected: the order of ids, which know the process's clock and not the sandbox's.
 */

import type { PendingQuery, Row } from "postgres";
import { plannedForValues, type Sql, type Tx } from "../../../platform/database";
import { OUTBOX_KINDS } from "../../../platform/outbox";
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
/** Planning a statement on all months takes longer than reading a page of the newest. */
const RECENT_MS = 62 * DAY_MS;

/** A tenant's invoices, newest first. One more than `limit` means that there are more. */
export async function findInvoices(
	sql: Sql | Tx,
	tenantId: string,
	filter: InvoiceFilter,
	limit: number,
): Promise<ListedInvoice[]> {
	const order = orderOf(filter);
	const few = order === "receipt" ? await findFew(sql, tenantId, filter) : undefined;
	if (few?.length === 0) return [];
	if (few)
		return readPage(
			sql,
			tenantId,
			filter,
			limit,
			few,
			nearTo(
				sql,
				few.map((docId) => ({ docId })),
			),
		);
	const all = () => readPage(sql, tenantId, filter, limit);
	if (order === "issue") return all();
	// Ids follow the order of receipt to within the clocks' differences, so a day is left to both sides.
	const newestMs = Math.min(Date.now(), filter.after === undefined ? Date.now() : timeOfId(filter.after).getTime());
	const idAt = (ms: number) => firstIdAt(new Date(Math.max(0, ms)));
	const edge = idAt(newestMs - RECENT_MS + DAY_MS);
	const isRecent = (id: Piece) =>
		sql`${id} between ${idAt(newestMs - RECENT_MS)}::uuid and ${idAt(newestMs + DAY_MS)}::uuid`;
	const page = await readPage(sql, tenantId, filter, limit, undefined, isRecent);
	const last = page.at(-1);
	return page.length > limit && last && last.docId >= edge ? page : all();
}

async function readPage(
	sql: Sql | Tx,
	tenantId: string,
	filter: InvoiceFilter,
	limit: number,
	few?: readonly string[],
	isNear: IsNear = () => sql`true`,
): Promise<ListedInvoice[]> {
	const { withTestSets = false, encf, clientRequestId, after } = filter;
	const order = orderOf(filter);
	const isListed = [
		...stateConditions(sql, tenantId, filter),
		...factConditions(sql, filter),
		...(few === undefined ? [] : [sql`d.doc_id = any(${few}::uuid[])`]),
		...(withTestSets ? [] : [sql`d.test_set_id is null`]),
		...(encf === undefined ? [] : [sql`d.encf = ${encf}`]),
		...(clientRequestId === undefined ? [] : [sql`d.client_request_id = ${clientRequestId}`]),
		...(after === undefined ? [] : [isBehind(sql, tenantId, order, after)]),
	].reduce((all, one) => sql`${all} and ${one}`, isNear(sql`d.doc_id`));
	const rows = await plannedForValues(sql<ListedRow[]>`
		select ${stateColumns(sql, isNear)}, d.issue_date::text as "issueDate", d.customer_rnc as "customerRnc", d.customer_name as "customerName",
			d.subtotal::text as subtotal, d.tax::text as tax, d.shown
		from documents d ${stateJoins(sql, isNear)}
		where d.tenant_id = ${tenantId} and ${isListed}
		order by ${order === "issue" ? sql`d.issue_date desc, d.received_at desc, d.doc_id desc` : sql`d.received_at desc, d.doc_id desc`}
		limit ${limit + 1}`);
	return rows.map(toListed);
}

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
async function findFew(sql: Sql | Tx, tenantId: string, filter: InvoiceFilter): Promise<readonly string[] | undefined> {
	for (const source of sourcesOf(sql, tenantId, filter)) {
		const rows = await plannedForValues(sql<{ docId: string }[]>`
			select doc_id as "docId" from (${source}) s limit ${FEW + 1}`);
		if (rows.length <= FEW) return rows.map(({ docId }) => docId);
	}
	return undefined;
}

/** SQL of the ids that a filter leaves, from an index of its own. */
function sourcesOf(sql: Sql | Tx, tenantId: string, filter: InvoiceFilter): Piece[] {
	const { encf, clientRequestId, type, status, code, customerRnc, amountFrom, amountTo, q } = filter;
	const ofDocuments = (condition: Piece) =>
		sql`select d.doc_id from documents d where d.tenant_id = ${tenantId} and ${condition}`;
	return [
		...(encf === undefined ? [] : [sql`select doc_id from (${docIdsUnder(sql, tenantId, [encf])}) n`]),
		...(clientRequestId === undefined
			? []
			: [
					sql`select n.doc_id from names n where n.tenant_id = ${tenantId} and n.kind = 'i' and n.name = ${clientRequestId}`,
				]),
		...(q === undefined ? [] : [sourceOfText(sql, tenantId, q)]),
		...(customerRnc === undefined ? [] : [ofDocuments(sql`d.customer_rnc = ${customerRnc}`)]),
		...(code === undefined || code === "1"
			? []
			: [sql`select v.doc_id from verdicts v where v.tenant_id = ${tenantId} and v.code = ${code} and v.code <> '1'`]),
		...(status === "rejected"
			? [sql`select v.doc_id from verdicts v where v.tenant_id = ${tenantId} and v.status = 'r'`]
			: []),
		...(status === "failed"
			? [sql`select o.doc_id from open_documents o where o.tenant_id = ${tenantId} and o.status = 'f'`]
			: []),
		// Every pending document has a message.
		...(status === "pending"
			? [
					sql`select m.subject as doc_id from outbox m
						where m.shard = shard_of(${tenantId}) and m.tenant_id = ${tenantId} and m.state = 'ready' and m.kind = ${OUTBOX_KINDS.submitInvoice}`,
				]
			: []),
		...(amountFrom === undefined && amountTo === undefined ? [] : [ofDocuments(isAmount(sql, filter))]),
		...(type === undefined ? [] : [sourceOfNumber(sql, tenantId, `E${type}`)]),
	];
}

function stateConditions(sql: Sql | Tx, tenantId: string, { status, code, date, from, to }: InvoiceFilter): Piece[] {
	const byReceipt = date !== "issued";
	return [
		...(status === undefined ? [] : [isIn(sql, tenantId, status)]),
		...(code === undefined ? [] : [sql`v.code = ${code}`]),
		...(byReceipt && from ? [sql`d.received_at >= (${from}::date + interval '4 hours') at time zone 'UTC'`] : []),
		...(byReceipt && to ? [sql`d.received_at < (${to}::date + interval '28 hours') at time zone 'UTC'`] : []),
	];
}

function isIn(sql: Sql | Tx, tenantId: string, status: string): Piece {
	if (status === "accepted") return sql`v.status = 'a'`;
	if (status === "rejected") return sql`v.status = 'r'`;
	if (status === "failed") return sql`o.status = 'f'`;
	return sql`v.doc_id is null and o.status is distinct from 'f' and d.doc_id in (
		select m.subject from outbox m
		where m.shard = shard_of(${tenantId}) and m.tenant_id = ${tenantId} and m.state = 'ready' and m.kind = ${OUTBOX_KINDS.submitInvoice}
	)`;
}

function factConditions(sql: Sql | Tx, filter: InvoiceFilter): Piece[] {
	const { type, date, from, to, customerRnc, amountFrom, amountTo, q } = filter;
	const byIssue = date === "issued";
	return [
		...(type === undefined ? [] : [sql`d.type = ${type}::smallint`]),
		...(byIssue && from ? [sql`d.issue_date >= ${from}::date`] : []),
		...(byIssue && to ? [sql`d.issue_date <= ${to}::date`] : []),
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

/** The ids that `beginsAny` leaves. */
function sourceOfText(sql: Sql | Tx, tenantId: string, q: string): Piece {
	const { text, number, rnc, name } = readText(q);
	const ofDocuments = (condition: Piece) =>
		sql`select d.doc_id from documents d where d.tenant_id = ${tenantId} and ${condition}`;
	return sql`
		${number === undefined ? sql`` : sql`${sourceOfNumber(sql, tenantId, number)} union all`}
		${rnc === undefined ? sql`` : sql`${ofDocuments(begins(sql, sql`d.customer_rnc`, sql`${rnc}::text`))} union all`}
		select n.doc_id from names n
		where n.tenant_id = ${tenantId} and n.kind = 'i' and ${begins(sql, sql`n.name`, sql`${text}::text`)}
		union all
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

/** SQL of what comes behind a document. For one that is gone, its place is that of the time of its id. */
function isBehind(sql: Sql | Tx, tenantId: string, order: Order, after: string): Piece {
	const idTime = timeOfId(after);
	const marked = (column: Piece) =>
		sql`(select ${column} from documents m where m.tenant_id = ${tenantId} and m.doc_id = ${after})`;
	const receivedAt = sql`coalesce(${marked(sql`m.received_at`)}, ${idTime}::timestamptz)`;
	if (order !== "issue") return sql`(d.received_at, d.doc_id) < (${receivedAt}, ${after})`;
	const issueDate = sql`coalesce(${marked(sql`m.issue_date`)}, ${toLocalIsoDate(new Date(idTime))}::date)`;
	return sql`(d.issue_date, d.received_at, d.doc_id) < (${issueDate}, ${receivedAt}, ${after})`;
}

export type Load = {
	readonly queue: { readonly pending: number; readonly oldestSeconds: number };
	/** From acknowledgement to verdict; null without verdicts. */
	readonly verdictLatency: { readonly p50Seconds: number | null; readonly p99Seconds: number | null };
};

const VERDICTS_MAX = 1_000;
const HOUR_MS = 3_600_000;

/** Measures a tenant's queue and the latency of the newest verdicts of the last hour. */
export async function measureLoad(sql: Sql, tenantId: string, now: Date): Promise<Load> {
	const [[waiting], [verdicts]] = await Promise.all([
		sql<Load["queue"][]>`
			select count(*) as pending, floor(greatest(0, coalesce(extract(epoch from now() - min(created_at)), 0)))::int as "oldestSeconds"
			from outbox
			where shard = shard_of(${tenantId}) and tenant_id = ${tenantId} and state = 'ready' and kind = ${OUTBOX_KINDS.submitInvoice}`,
		sql<Load["verdictLatency"][]>`
			select round((percentile_disc(0.5) within group (order by seconds))::numeric, 2)::float8 as "p50Seconds",
				round((percentile_disc(0.99) within group (order by seconds))::numeric, 2)::float8 as "p99Seconds"
			from (
				select greatest(0, extract(epoch from v.decided_at - d.received_at))::float8 as seconds
				from documents d join verdicts v on v.tenant_id = d.tenant_id and v.doc_id = d.doc_id
				where d.tenant_id = ${tenantId} and d.received_at >= ${new Date(now.getTime() - HOUR_MS)}
				order by d.received_at desc limit ${VERDICTS_MAX}
			) lately`,
	]);
	return {
		queue: waiting ?? { pending: 0, oldestSeconds: 0 },
		verdictLatency: verdicts ?? { p50Seconds: null, p99Seconds: null },
	};
}
