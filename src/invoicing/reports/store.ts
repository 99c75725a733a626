/** SQL that reads the days and documents of reports. Triggers of the database maintain them; see `report_documents` in its schema. */
import type { Sql, Tx } from "../../platform/database";
import type { Period } from "../../platform/operation";

/** The documents of a company that it issued in one environment of the authority. */
export type Books = { readonly tenantId: string; readonly environment: AuthorityEnvironment };

/** An issue date with decided documents. `changes` counts changes of their set or status. */
export type ReportDay = { readonly day: string; readonly changes: number; readonly digest: Uint8Array | null };

export async function findDays(
	sql: Sql | Tx,
	{ tenantId, environment }: Books,
	{ from, to }: Period,
): Promise<ReportDay[]> {
	return sql<ReportDay[]>`
		select to_char(day, 'YYYY-MM-DD') as day, changes, digest from report_days
		where tenant_id = ${tenantId} and authority_environment = ${environment} and day between ${from}::date and ${to}::date order by report_days.day`;
}

export async function computeDigest(sql: Sql | Tx, { tenantId, environment }: Books, day: string): Promise<Uint8Array> {
	const [row] = await sql<{ digest: Uint8Array }[]>`
		select digest_report_day(${tenantId}, ${environment}, ${day}::date) as digest`;
	if (!row) throw new Error("expected a row without a table");
	return row.digest;
}

/** Stores a day's digest, unless the day has changed since. */
export async function saveDigest(
	sql: Sql | Tx,
	{ tenantId, environment }: Books,
	{ day, changes, digest }: ReportDay,
): Promise<void> {
	await sql`
		update report_days set digest = ${digest}
		where tenant_id = ${tenantId} and authority_environment = ${environment} and day = ${day}::date
			and changes = ${changes} and digest is null`;
}

/** Days before a date that have no digest. */
export async function findOpenDays(
	sql: Sql,
	before: string,
	limit: number,
): Promise<(Omit<ReportDay, "digest"> & Books)[]> {
	return sql`
		select tenant_id as "tenantId", authority_environment as environment, to_char(day, 'YYYY-MM-DD') as day, changes from report_days
		where digest is null and day < ${before}::date limit ${limit}`;
}

/** The time of the transaction's snapshot. Everything committed before it counts. */
export async function readAsOf(tx: Tx): Promise<Date> {
	const [row] = await tx<{ at: Date }[]>`select now() as at`;
	if (!row) throw new Error("expected a row without a table");
	return row.at;
}

/** A line of the documents' table. Amounts of a credit note are negative. */
export type ReportedDocument = {
	readonly docId: string;
	readonly encf: string;
	readonly clientRequestId: string | null;
	readonly type: string;
	readonly status: string;
	readonly issueDate: string;
	readonly branch: string | null;
	readonly customerRnc: string | null;
	readonly subtotal: string;
	readonly tax: string;
	readonly grandTotal: string;
	readonly sha256: string;
	readonly receivedAt: Date;
	readonly decidedAt: Date | null;
	readonly authorityEnvironment: AuthorityEnvironment;
};
/** A page begins after this document. */
export type Position = Pick<ReportedDocument, "issueDate" | "docId">;

const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

/** A page of the period's documents, by issue date and id. */
export async function findDocuments(
	sql: Sql,
	{ tenantId, environment }: Books,
	{ from, to }: Period,
	after: Position | undefined,
	limit: number,
): Promise<ReportedDocument[]> {
	const { issueDate: first, docId } = after ?? { issueDate: from, docId: BEFORE_ALL };
	// The page first, because a join might read all invoices. Only days with documents, because it would search one environment's few documents among all.
	return sql<ReportedDocument[]>`
		with page as materialized (
			select of_day.* from (
				select day from report_days
				where tenant_id = ${tenantId} and authority_environment = ${environment} and day between ${first}::date and ${to}::date
				order by day
			) r cross join lateral (
				select * from report_documents d
				where d.tenant_id = ${tenantId} and d.day = r.day and d.authority_environment = ${environment}
					and d.doc_id > case when r.day = ${first}::date then ${docId}::uuid else ${BEFORE_ALL}::uuid end
				order by d.doc_id limit ${limit}
			) of_day
			order by r.day, of_day.doc_id limit ${limit}
		)
		select p.doc_id as "docId", i.encf, i.client_request_id as "clientRequestId", p.type, p.status,
			to_char(p.day, 'YYYY-MM-DD') as "issueDate", nullif(p.branch, '') as branch, nullif(p.customer_rnc, '') as "customerRnc",
			p.subtotal::text, p.tax::text, (p.subtotal + p.tax)::text as "grandTotal", encode(p.sha256, 'hex') as sha256,
			i.received_at as "receivedAt", i.decided_at as "decidedAt",
			p.authority_environment as "authorityEnvironment"
		from page p join invoices i on i.tenant_id = ${tenantId} and i.doc_id = p.doc_id
		order by p.day, p.doc_id`;
}

/** The authority's environments. Each has its own reports, of the documents issued in it. */
export const AUTHORITY_ENVIRONMENTS = ["test", "certification", "production"] as const;
export type AuthorityEnvironment = (typeof AUTHORITY_ENVIRONMENTS)[number];

/** The current environment of a company, the default of its reports. */
/** Whom accepted documents of some types name, and the day of the newest; newest first. In the company's environment of the authority. */
export async function listCounterparties(
	sql: Sql,
	tenantId: string,
	who: "buyers" | "sellers",
): Promise<{ readonly document: string; readonly day: string }[]> {
	const isPurchase = sql`type = '41'`;
	// Minor expenses and payments abroad name no buyer.
	const isSale = sql`type not in ('41', '43', '47')`;
	return sql<{ document: string; day: string }[]>`
		select customer_rnc as document, to_char(max(day), 'YYYY-MM-DD') as day from report_customer_sums
		where tenant_id = ${tenantId} and authority_environment = ${await findEnvironment(sql, tenantId)} and status = 'accepted'
			and count > 0 and customer_rnc <> '' and ${who === "sellers" ? isPurchase : isSale}
		group by customer_rnc order by max(report_customer_sums.day) desc, customer_rnc`;
}

export async function findEnvironment(sql: Sql | Tx, tenantId: string): Promise<AuthorityEnvironment> {
	const [row] = await sql<{ environment: AuthorityEnvironment }[]>`
		select authority_environment as environment from companies where tenant_id = ${tenantId}`;
	if (!row) throw new Error(`expected a company ${tenantId}`);
	return row.environment;
}
