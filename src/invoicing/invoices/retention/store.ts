/** SQL of the days of papers: which ones there are, what of them is checked, and dropping them. */
import type { Sql } from "../../../platform/database";
import { firstIdAt } from "../../../platform/values";
import type { DocKey } from "../model/invoice-row";

const DAY_MS = 86_400_000;

export type PaperDay = {
	/** `YYYY-MM-DD`, UTC. */
	readonly day: string;
	/** Null if its check has not begun. */
	readonly begunAt: Date | null;
	readonly checkedTenant: string | null;
	readonly checkedDoc: string | null;
	readonly isChecked: boolean;
	readonly faults: number;
};

const columns = (sql: Sql) => sql`
	d.begun_at as "begunAt", d.checked_tenant as "checkedTenant", d.checked_doc as "checkedDoc", coalesce(d.is_checked, false) as "isChecked",
	coalesce(d.faults, 0) as faults`;

/** SQL of the days that have a partition of papers and are older than this many days, as `k`. */
const daysBefore = (sql: Sql, paperDays: number) => sql`(
	select to_date(right(c.relname, 10), 'YYYY_MM_DD') as day
	from pg_inherits i join pg_class c on c.oid = i.inhrelid
	where i.inhparent = 'papers'::regclass and c.relname ~ '_\\d{4}_\\d\\d_\\d\\d$'
		and to_date(right(c.relname, 10), 'YYYY_MM_DD') < (now() at time zone 'UTC')::date - ${paperDays}::int
) k`;

/** The days whose papers may go, the oldest first. */
export async function findDays(sql: Sql, paperDays: number): Promise<PaperDay[]> {
	return sql<PaperDay[]>`
		select k.day::text as day, ${columns(sql)} from ${daysBefore(sql, paperDays)} left join paper_days d on d.day = k.day order by k.day`;
}

/** How many days of papers are in the database for longer than they need to be. */
export async function countKeptDays(sql: Sql, paperDays: number): Promise<number> {
	const [row] = await sql<{ count: number }[]>`select count(*)::int as count from ${daysBefore(sql, paperDays)}`;
	return row?.count ?? 0;
}

/** Begins the check of a day, or begins it again. */
export async function beginDay(sql: Sql, day: string): Promise<PaperDay> {
	const [row] = await sql<PaperDay[]>`
		insert into paper_days as d (day, begun_at) values (${day}, now())
		on conflict (day) do update set begun_at = now(), checked_tenant = null, checked_doc = null, is_checked = false,
			faults = 0, documents = 0, left_tenants = '{}', left_documents = '{}'
		returning d.day::text as day, ${columns(sql)}`;
	if (!row) throw new Error(`day ${day} was not begun`);
	return row;
}

/** A document whose papers are in the database, and whether its last decision, or its receipt, is sealed. */
export type PaperKey = DocKey & { readonly isSealed: boolean };

/** The next documents of a day, issued or received, whose papers are in the database. */
export async function listPapers(
	sql: Sql,
	{ day, checkedTenant, checkedDoc }: PaperDay,
	limit: number,
): Promise<PaperKey[]> {
	const start = new Date(`${day}T00:00:00Z`);
	const [first, stop] = [firstIdAt(start), firstIdAt(new Date(start.getTime() + DAY_MS))];
	const page = (id: ReturnType<Sql>) => sql`
		where ${id} >= ${first} and ${id} < ${stop}
			${checkedTenant === null ? sql`` : sql`and (p.tenant_id, ${id}) > (${checkedTenant}, ${checkedDoc})`}
		order by p.tenant_id, ${id} limit ${limit}`;
	return sql<PaperKey[]>`
		select k.tenant_id as "tenantId", k.doc_id as "docId", exists (
			select from seals s
			where s.tenant_id = k.tenant_id and s.doc_id = k.doc_id and s.doc_id >= ${first} and s.doc_id < ${stop} and s.removed_at is null
				and (k.is_received or exists (
					select from verdicts v where v.tenant_id = k.tenant_id and v.doc_id = k.doc_id and v.doc_id >= ${first} and v.doc_id < ${stop}
						and date_trunc('milliseconds', v.decided_at) = s.decided_at
				))
		) as "isSealed"
		from (
			(select p.tenant_id, p.doc_id, false as is_received from papers p ${page(sql`p.doc_id`)})
			union all (select p.tenant_id, p.id, true from received_papers p ${page(sql`p.id`)})
			order by 1, 2 limit ${limit}
		) k
		order by 1, 2`;
}

/** The next documents whose papers stayed when their day was dropped, and that have been sealed since. */
export async function listLeft(
	sql: Sql,
	paperDays: number,
	after: DocKey | undefined,
	limit: number,
): Promise<DocKey[]> {
	const page = (id: ReturnType<Sql>) => sql`
		-- Younger days have partitions of their own, which need not be opened.
		${id} < first_id_at(((now() at time zone 'UTC')::date - ${paperDays}::int)::timestamp at time zone 'UTC') and s.removed_at is null
			${after === undefined ? sql`` : sql`and (p.tenant_id, ${id}) > (${after.tenantId}, ${after.docId})`}
		order by p.tenant_id, ${id} limit ${limit}`;
	return sql<DocKey[]>`
		(
			select distinct p.tenant_id as "tenantId", p.doc_id as "docId"
			from papers p join seals s on s.tenant_id = p.tenant_id and s.doc_id = p.doc_id
			join verdicts v on v.tenant_id = s.tenant_id and v.doc_id = s.doc_id and date_trunc('milliseconds', v.decided_at) = s.decided_at
			where p.tableoid = 'papers_default'::regclass and ${page(sql`p.doc_id`)}
		) union all (
			select distinct p.tenant_id, p.id from received_papers p join seals s on s.tenant_id = p.tenant_id and s.doc_id = p.id
			where p.tableoid = 'received_papers_default'::regclass and ${page(sql`p.id`)}
		)
		order by 1, 2 limit ${limit}`;
}

/** Deletes the papers and steps of documents that stayed when their day was dropped. Their objects must have been checked. */
export async function dropLeft(sql: Sql, keys: readonly DocKey[]): Promise<void> {
	await sql`
		select drop_left_papers(${keys.map(({ tenantId }) => tenantId)}::uuid[], ${keys.map(({ docId }) => docId)}::uuid[])`;
}

/** Records documents that were checked; without any the day is at its end. */
export async function recordChecked(
	sql: Sql,
	{ day }: PaperDay,
	keys: readonly PaperKey[],
	faults: number,
): Promise<PaperDay> {
	const last = keys.at(-1);
	const left = keys.filter(({ isSealed }) => !isSealed);
	const [row] = await sql<PaperDay[]>`
		update paper_days d set faults = d.faults + ${faults}, is_checked = ${last === undefined}, documents = d.documents + ${keys.length},
			left_tenants = d.left_tenants || ${left.map(({ tenantId }) => tenantId)}::uuid[],
			left_documents = d.left_documents || ${left.map(({ docId }) => docId)}::uuid[],
			checked_tenant = coalesce(${last?.tenantId ?? null}, d.checked_tenant), checked_doc = coalesce(${last?.docId ?? null}, d.checked_doc)
		where d.day = ${day} returning d.day::text as day, ${columns(sql)}`;
	if (!row) throw new Error(`day ${day} was not begun`);
	return row;
}

/**
 * Drops papers and steps of a day; those of documents that are not sealed move to the default partition. False if documents came or went since the
 * check.
 */
export async function dropDay(sql: Sql, day: string): Promise<boolean> {
	const [row] = await sql<{ isDropped: boolean }[]>`select drop_papers(${day}) is not null as "isDropped"`;
	return row?.isDropped ?? false;
}

/** A partition of a table. The last four are of days of papers and steps. */
export type Partition = {
	readonly table: string;
	readonly partition: string;
	readonly bytes: number;
	readonly day: string | null;
	readonly isVerified: boolean | null;
	readonly faults: number | null;
	/** Whether the next run of housekeeping drops it. */
	readonly isDroppable: boolean | null;
};

/** All partitions, by table and age. */
export async function listPartitions(sql: Sql, paperDays: number): Promise<Partition[]> {
	return sql<Partition[]>`
		select p.parent as table, p.name as partition, p.bytes::float8 as bytes, p.day::text as day,
			case when p.day is not null then coalesce(d.is_checked and d.faults = 0, false) end as "isVerified", d.faults,
			case when p.day is not null then p.day < (now() at time zone 'UTC')::date - ${paperDays}::int
				and coalesce(d.is_checked and d.faults = 0, false) end as "isDroppable"
		from (
			select i.inhparent::regclass::text as parent, c.relname::text as name, pg_total_relation_size(c.oid) as bytes,
				case when c.relname ~ '^(papers|received_papers|steps)_\\d{4}_\\d\\d_\\d\\d$' then to_date(right(c.relname, 10), 'YYYY_MM_DD') end as day
			from pg_inherits i join pg_class c on c.oid = i.inhrelid and c.relkind = 'r'
		) p
		left join paper_days d on d.day = p.day
		order by p.parent, p.name`;
}
