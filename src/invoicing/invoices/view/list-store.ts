/**
 * SQL of the list of invoices and of a tenant's load.
 *
 *   invoices        state, code, receipt
 *   invoice_facts   number, own id, buyer, amount, issue date, receipt: written once at issue, an index for each filter
 *
 * A filter that most documents pass is answered in order of receipt, a filter that few pass from its own index. Rejected: the order of ids, which know the process's clock and not the sandbox's.
 */

import type { PendingQuery, Row } from "postgres";
import { plannedForValues, type Sql, type Tx } from "../../../platform/database";
import { OUTBOX_KINDS } from "../../../platform/outbox";
import { timeOfId, toLocalIsoDate } from "../../../platform/values";
import type { InvoiceFacts, StatusRow } from "../model/invoice-row";
import { docIdsUnder, shortColumns } from "../model/store";

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

/** A tenant's invoices, newest first. One more than `limit` means that there are more. */
export async function findInvoices(
	sql: Sql | Tx,
	tenantId: string,
	filter: InvoiceFilter,
	limit: number,
): Promise<ListedInvoice[]> {
	const { withTestSets = false, encf, clientRequestId, after } = filter;
	const order = orderOf(filter);
	const ofFacts = factConditions(sql, filter);
	const few = order === "receipt" && ofFacts.length > 0 ? await findFew(sql, tenantId, ofFacts) : undefined;
	const readsFacts = ofFacts.length > 0 || filter.date === "issued";
	// The driver takes an empty array for a value.
	const conditions = [
		sql`true`,
		...stateConditions(sql, filter),
		...(few !== undefined
			? [sql`i.doc_id = any(${few}::uuid[])`]
			: readsFacts
				? [sql`f.tenant_id = ${tenantId}`, ...ofFacts]
				: []),
		...(withTestSets ? [] : [sql`i.test_set_id is null`]),
		...(encf === undefined ? [] : [sql`i.doc_id in (${docIdsUnder(sql, tenantId, [encf])})`]),
		...(clientRequestId === undefined ? [] : [sql`i.client_request_id = ${clientRequestId}`]),
		...(after === undefined ? [] : [isBehind(sql, tenantId, order, after)]),
	].map((condition) => sql`and ${condition}`);
	return plannedForValues(sql<ListedInvoice[]>`
		select ${shortColumns(sql)}, ${shownFacts(sql)} as facts,
			case when i.status = 'rejected' then i.warnings else '[]' end as warnings
		from invoices i left join invoice_facts f on f.tenant_id = i.tenant_id and f.doc_id = i.doc_id
		where i.tenant_id = ${tenantId} ${conditions}
		order by ${
			order === "issue"
				? sql`f.issue_date desc, f.received_at desc, f.doc_id desc`
				: order === "buyer"
					? sql`f.received_at desc, f.doc_id desc`
					: sql`i.received_at desc, i.doc_id desc`
		} limit ${limit + 1}`);
}

type Order = "receipt" | "buyer" | "issue";

/** `buyer` is the order of receipt as the index by buyer has it. Documents of other statuses and codes are few, and have indexes of their own. */
function orderOf({ date, status = "accepted", code = "1", customerRnc }: InvoiceFilter): Order {
	if (date === "issued") return "issue";
	return customerRnc !== undefined && status === "accepted" && code === "1" ? "buyer" : "receipt";
}

/**
 * The ids that fit, where they are few. The planner takes matches for evenly spread and would look for them in order of receipt; those of a number's
 * beginning lie together, perhaps at the other end. Undefined for many.
 */
async function findFew(
	sql: Sql | Tx,
	tenantId: string,
	conditions: readonly Piece[],
): Promise<readonly string[] | undefined> {
	const rows = await plannedForValues(sql<{ docId: string }[]>`
		select f.doc_id as "docId" from invoice_facts f
		where f.tenant_id = ${tenantId} ${conditions.map((one) => sql`and ${one}`)} limit ${FEW + 1}`);
	return rows.length > FEW ? undefined : rows.map(({ docId }) => docId);
}

function stateConditions(sql: Sql | Tx, { status, code, date, from, to }: InvoiceFilter) {
	const byReceipt = date !== "issued";
	return [
		...(status === undefined ? [] : [sql`i.status = ${status}`]),
		// Conditions of partial indexes, which the planner cannot derive from a parameter's value.
		...(status === undefined || status === "accepted" ? [] : [sql`i.status <> 'accepted'`]),
		...(code === undefined ? [] : [sql`i.authority ->> 'code' = ${code}`]),
		...(code === undefined || code === "1" ? [] : [sql`i.authority ->> 'code' <> '1'`]),
		...(byReceipt && from ? [sql`i.received_at >= (${from}::date + interval '4 hours') at time zone 'UTC'`] : []),
		...(byReceipt && to ? [sql`i.received_at < (${to}::date + interval '28 hours') at time zone 'UTC'`] : []),
	];
}

function factConditions(sql: Sql | Tx, filter: InvoiceFilter) {
	const { type, date, from, to, customerRnc, amountFrom, amountTo, q } = filter;
	const byIssue = date === "issued";
	return [
		// Numbers begin with E and the type.
		...(type === undefined ? [] : [begins(sql, sql`f.encf`, sql`${`E${type}`}::text`)]),
		...(byIssue && from ? [sql`f.issue_date >= ${from}::date`] : []),
		...(byIssue && to ? [sql`f.issue_date <= ${to}::date`] : []),
		...(customerRnc === undefined ? [] : [sql`f.customer_rnc = ${customerRnc}`]),
		...(amountFrom === undefined ? [] : [sql`f.total >= ${amountFrom}::numeric`]),
		...(amountTo === undefined ? [] : [sql`f.total <= ${amountTo}::numeric`]),
		...(q === undefined ? [] : [beginsAny(sql, q)]),
	];
}

function beginsAny(sql: Sql | Tx, q: string) {
	const text = q.trim();
	const digits = text.replace(/[- ]/g, "");
	const number = /^e\d*$/i.test(text) ? sql`${begins(sql, sql`f.encf`, sql`${text.toUpperCase()}::text`)} or` : sql``;
	const buyer = /^\d+$/.test(digits) ? sql`${begins(sql, sql`f.customer_rnc`, sql`${digits}::text`)} or` : sql``;
	return sql`(${number} ${buyer} ${begins(sql, sql`f.client_request_id`, sql`${text}::text`)}
		or ${begins(sql, sql`fold_name(f.customer_name)`, sql`fold_name(${text.normalize("NFC")})`)})`;
}

/** A range of an index whose order is that of the code points, which ends with U+10FFFF. */
function begins(sql: Sql | Tx, column: Piece, prefix: Piece): Piece {
	return sql`(${column} >= ${prefix} and ${column} < ${prefix} || chr(1114111))`;
}

/** SQL of what comes behind a document. For one that is gone, its place is that of the time of its id. */
function isBehind(sql: Sql | Tx, tenantId: string, order: Order, after: string): Piece {
	const idTime = timeOfId(after);
	const receivedAt = sql`coalesce(
		(select received_at from invoices where tenant_id = ${tenantId} and doc_id = ${after}), ${idTime}::timestamptz
	)`;
	if (order === "receipt") return sql`(i.received_at, i.doc_id) < (${receivedAt}, ${after})`;
	if (order === "buyer") return sql`(f.received_at, f.doc_id) < (${receivedAt}, ${after})`;
	const issueDate = sql`coalesce(
		(select issue_date from invoice_facts where tenant_id = ${tenantId} and doc_id = ${after}), ${toLocalIsoDate(new Date(idTime))}::date
	)`;
	return sql`(f.issue_date, f.received_at, f.doc_id) < (${issueDate}, ${receivedAt}, ${after})`;
}

const shownFacts = (sql: Sql | Tx) => sql`
	json_build_object(
		'issueDate', f.issue_date, 'customerRnc', f.customer_rnc, 'customerName', f.customer_name, 'currency', f.currency,
		'subtotal', f.subtotal::text, 'tax', f.tax::text, 'grandTotal', f.grand_total::text, 'total', f.total::text
	)`;

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
				select greatest(0, extract(epoch from decided_at - received_at))::float8 as seconds from invoices
				where tenant_id = ${tenantId} and received_at >= ${new Date(now.getTime() - HOUR_MS)}
					and status in ('accepted', 'rejected')
				order by received_at desc limit ${VERDICTS_MAX}
			) lately`,
	]);
	return {
		queue: waiting ?? { pending: 0, oldestSeconds: 0 },
		verdictLatency: verdicts ?? { p50Seconds: null, p99Seconds: null },
	};
}
