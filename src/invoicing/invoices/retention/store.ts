/** SQL of the days of papers: which ones there are, what of them is checked, and dropping them. */
import type { Sql } from "../../../platform/database";
import type { DocKey } from "../model/invoice-row";

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
		on conflict (day) do update set begun_at = now(), checked_tenant = null, checked_doc = null, is_checked = false, faults = 0
		returning d.day::text as day, ${columns(sql)}`;
	if (!row) throw new Error(`day ${day} was not begun`);
	return row;
}

/** The next documents of a day whose papers are in the database. */
export async function listPapers(
	sql: Sql,
	{ day, checkedTenant, checkedDoc }: PaperDay,
	limit: number,
): Promise<DocKey[]> {
	return sql<DocKey[]>`
		select p.tenant_id as "tenantId", p.doc_id as "docId" from papers p
		where p.doc_id >= first_id_at(${day}::timestamp at time zone 'UTC') and p.doc_id < first_id_at((${day}::date + 1)::timestamp at time zone 'UTC')
			${checkedTenant === null ? sql`` : sql`and (p.tenant_id, p.doc_id) > (${checkedTenant}, ${checkedDoc})`}
		order by p.tenant_id, p.doc_id limit ${limit}`;
}

/** Records what was checked; without a last document the day is at its end. */
export async function recordChecked(
	sql: Sql,
	{ day }: PaperDay,
	last: DocKey | undefined,
	faults: number,
): Promise<PaperDay> {
	const [row] = await sql<PaperDay[]>`
		update paper_days d set faults = d.faults + ${faults}, is_checked = ${last === undefined},
			checked_tenant = coalesce(${last?.tenantId ?? null}, d.checked_tenant), checked_doc = coalesce(${last?.docId ?? null}, d.checked_doc)
		where d.day = ${day} returning d.day::text as day, ${columns(sql)}`;
	if (!row) throw new Error(`day ${day} was not begun`);
	return row;
}

/** Drops papers and steps of a day; those of documents that are not sealed move to the default partition. */
export async function dropDay(sql: Sql, day: string): Promise<void> {
	await sql`select drop_papers(${day})`;
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
				case when c.relname ~ '^(papers|steps)_\\d{4}_\\d\\d_\\d\\d$' then to_date(right(c.relname, 10), 'YYYY_MM_DD') end as day
			from pg_inherits i join pg_class c on c.oid = i.inhrelid and c.relkind = 'r'
		) p
		left join paper_days d on d.day = p.day
		order by p.parent, p.name`;
}
