/** SQL that reads the days and documents of reports. What is folded into sums and what is not, see `day_sums` in the database's schema. */
import { createHash } from "node:crypto";
import type { Sql, Tx } from "../../platform/database";
import type { Period } from "../../platform/operation";

/** The authority's environments. Each has its own reports, of the documents issued in it. */
export const AUTHORITY_ENVIRONMENTS = ["test", "certification", "production"] as const;
export type AuthorityEnvironment = (typeof AUTHORITY_ENVIRONMENTS)[number];

/** The documents of a company that it issued in one environment of the authority. */
export type Books = { readonly tenantId: string; readonly environment: AuthorityEnvironment };

/** An environment as the tables name it. */
export function letterOf({ environment }: Pick<Books, "environment">): string {
	return environment.slice(0, 1);
}

/**
 * An issue date with decided documents, distinguished by how many are accepted or rejected, since they never stop being so, and by which have failed.
 * The digest is null unless it is that of these documents.
 */
export type ReportDay = {
	readonly day: string;
	readonly documents: number;
	/** SHA-256 of the ids in hexadecimal; null if there are none. */
	readonly failed: string | null;
	readonly digest: Uint8Array | null;
};

export async function findDays(sql: Sql | Tx, books: Books, { from, to }: Period): Promise<ReportDay[]> {
	return sql<ReportDay[]>`
		with live as (
			select day, count(*) filter (where status <> 'f') as documents,
				sha256(string_agg(uuid_send(doc_id), ''::bytea order by doc_id) filter (where status = 'f')) as failed
			from list_live(${books.tenantId})
			where environment = ${letterOf(books)} and day between ${from}::date and ${to}::date group by day
		), folded as (
			select day, documents, digest, counted, failed from day_digests
			where tenant_id = ${books.tenantId} and environment = ${letterOf(books)} and day between ${from}::date and ${to}::date
		), days as (
			select day, coalesce(f.documents, 0) + coalesce(l.documents, 0) as documents, l.failed, f.digest, f.counted, f.failed as digested_failed
			from folded f full join live l using (day)
		)
		select to_char(day, 'YYYY-MM-DD') as day, documents, encode(failed, 'hex') as failed,
			case when counted = documents and digested_failed is not distinct from failed then digest end as digest
		from days where documents > 0 or failed is not null order by days.day`;
}

/** Documents whose lines come as one text, and how many texts at a time. */
const LINES_A_TEXT = 500;
const TEXTS_A_READ = 8;

/** The digest of a day, of lines that are read in their order, so that no side holds a whole day. */
export async function computeDigest(sql: Sql | Tx, books: Books, day: string): Promise<Uint8Array> {
	const hash = createHash("sha256");
	const texts = sql<{ lines: string }[]>`
		select string_agg(doc_id || ' ' || encode(sha256, 'hex') || e'\n', '' order by doc_id) as lines
		from (
			select doc_id, sha256, (row_number() over (order by doc_id) - 1) / ${LINES_A_TEXT}::int as text
			from list_decided(${books.tenantId}, ${letterOf(books)}::"char", ${day}::date, ${day}::date)
		) d group by text order by text`;
	for await (const some of texts.cursor(TEXTS_A_READ)) for (const { lines } of some) hash.update(lines);
	return hash.digest();
}

/** Stores the digest of a day as it was read. */
export async function saveDigest(
	sql: Sql | Tx,
	books: Books,
	{ day, documents, failed, digest }: ReportDay,
): Promise<void> {
	await sql`
		insert into day_digests (tenant_id, environment, day, digest, counted, failed)
		values (${books.tenantId}, ${letterOf(books)}, ${day}::date, ${digest}, ${documents}, decode(${failed}::text, 'hex'))
		on conflict (tenant_id, environment, day) do update
		set digest = excluded.digest, counted = excluded.counted, failed = excluded.failed`;
}

/** Folded days before a date that have no digest. */
export async function findOpenDays(
	sql: Sql,
	before: string,
	limit: number,
): Promise<(Books & { readonly day: string })[]> {
	return sql`
		select tenant_id as "tenantId", ${environmentNamed(sql)} as environment, to_char(day, 'YYYY-MM-DD') as day from day_digests
		where digest is null and day < ${before}::date limit ${limit}`;
}

/** All books that have digests. */
export async function findBooks(sql: Sql | Tx): Promise<(Books & Pick<Period, "from">)[]> {
	return sql`
		select tenant_id as "tenantId", ${environmentNamed(sql)} as environment, greatest(sums_from(tenant_id), '0001-01-01')::text as from
		from day_digests group by tenant_id, environment`;
}

const environmentNamed = (sql: Sql | Tx) =>
	sql`case environment when 't' then 'test' when 'c' then 'certification' else 'production' end`;

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
};
/** A page begins after this document. */
export type Position = Pick<ReportedDocument, "issueDate" | "docId">;

/** `last`: undefined on the last page. */
export type DocumentsPage = { readonly documents: readonly ReportedDocument[]; readonly last: Position | undefined };

const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

/** A page of the period's documents, by issue date and id. It has fewer than `limit` when some are pending. */
export async function findDocuments(
	sql: Sql,
	books: Books,
	{ from, to }: Period,
	after: Position | undefined,
	limit: number,
): Promise<DocumentsPage> {
	const { tenantId } = books;
	const { issueDate: first, docId } = after ?? { issueDate: from, docId: BEFORE_ALL };
	// The page first, because a join might read all verdicts. Only days with documents, because it would search one environment's few documents among all.
	// The offset keeps it from reading all documents in the order of their ids.
	const rows = await sql<(Omit<ReportedDocument, "status"> & { status: string | null })[]>`
		with page as materialized (
			select of_day.* from (
				select day from day_digests where tenant_id = ${tenantId} and environment = ${letterOf(books)} and documents > 0
					and day between ${first}::date and ${to}::date
				union select day from list_live(${tenantId}) where environment = ${letterOf(books)} and day between ${first}::date and ${to}::date
				order by day
			) r cross join lateral (
				select * from (
					select * from documents d
					where d.tenant_id = ${tenantId} and d.issue_date = r.day and d.environment = ${letterOf(books)} and d.test_set_id is null
						and d.doc_id > case when r.day = ${first}::date then ${docId}::uuid else ${BEFORE_ALL}::uuid end
					offset 0
				) d
				order by d.doc_id limit ${limit}
			) of_day
			order by r.day, of_day.doc_id limit ${limit}
		)
		select p.doc_id as "docId", p.encf, p.client_request_id as "clientRequestId", p.type::text,
			case coalesce(v.status, o.status) when 'a' then 'accepted' when 'r' then 'rejected' when 'f' then 'failed' end as status,
			to_char(p.issue_date, 'YYYY-MM-DD') as "issueDate", p.branch, p.customer_rnc as "customerRnc",
			(s.sign * p.subtotal)::text as subtotal, (s.sign * p.tax)::text as tax, (s.sign * (p.subtotal + p.tax))::text as "grandTotal",
			encode(p.sha256, 'hex') as sha256, p.received_at as "receivedAt", coalesce(v.decided_at, o.updated_at) as "decidedAt"
		from page p
		left join lateral (select * from verdicts v where v.tenant_id = ${tenantId} and v.doc_id = p.doc_id limit 1) v on true
		left join open_documents o on o.tenant_id = ${tenantId} and o.doc_id = p.doc_id and o.status = 'f'
		cross join lateral (select case p.type when 34 then -0.01 else 0.01 end as sign) s
		order by p.issue_date, p.doc_id`;
	const documents = rows.filter((row): row is ReportedDocument => row.status !== null);
	return { documents, last: rows.length < limit ? undefined : rows.at(-1) };
}

/** Whom accepted documents of some types name, and the day of the newest; newest first. In the company's environment of the authority. */
export async function listCounterparties(
	sql: Sql,
	tenantId: string,
	who: "buyers" | "sellers",
): Promise<{ readonly document: string; readonly day: string }[]> {
	const environment = letterOf({ environment: await findEnvironment(sql, tenantId) });
	const isPurchase = sql`type = 41`;
	// Minor expenses and payments abroad name no buyer.
	const isSale = sql`type not in (41, 43, 47)`;
	return sql<{ document: string; day: string }[]>`
		select customer_rnc as document, to_char(max(newest), 'YYYY-MM-DD') as day from (
			select customer_rnc, type, newest from customer_sums
			where tenant_id = ${tenantId} and environment = ${environment} and status = 'a'
			union all
			select customer_rnc, type, day from list_live(${tenantId}) where environment = ${environment} and status = 'a'
		) c
		where customer_rnc <> '' and ${who === "sellers" ? isPurchase : isSale}
		group by customer_rnc order by max(newest) desc, customer_rnc`;
}

/** The current environment of a company, the default of its reports. */
export async function findEnvironment(sql: Sql | Tx, tenantId: string): Promise<AuthorityEnvironment> {
	const [row] = await sql<{ environment: AuthorityEnvironment }[]>`
		select authority_environment as environment from companies where tenant_id = ${tenantId}`;
	if (!row) throw new Error(`expected a company ${tenantId}`);
	return row.environment;
}
