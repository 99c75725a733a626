/**
 * Fills a service's database with old invoices by SQL, because signing ten million would take hours.
 *
 * They affect new invoices as real ones would: decided rows in the same tables and indexes, in id order, tenants in turn. Columns of other
 * documents that a POST or a status poll never reads (the request, the signed bytes) are short, and unused tables stay empty.
 */
import { statfsSync } from "node:fs";
import { packDocuments } from "../src/ecf/signing";
import { writePapers } from "../src/invoicing/invoices";
import { connect, findEmbeddedOwnerUrl, type Sql } from "../src/platform/database";
import type { Service } from "./service";

/** Heap, indexes, and write-ahead log until the next checkpoint. Units: bytes. */
const DISK_PER_ROW = 2_000;
const ROWS_AT_A_TIME = 250_000;
/** Documents are kept for ten years, so a database has partitions of as many months, even if some are empty. */
const MONTHS_KEPT = 120;
/** Their partitions cover a month or a day. */
const TABLES = { documents: "month", verdicts: "month", papers: "day", names: undefined } as const;

/** A session of the bench in the service's database. */
export function openDatabase(stack: AsyncDisposableStack, service: Service): Sql {
	const url = findEmbeddedOwnerUrl(service.dataDir);
	if (url === undefined) throw new Error("the service has no database of its own");
	const sql = connect({ url, name: "sello bench", connectionsMax: 1, statementTimeoutMs: 0 });
	stack.defer(() => sql.end({ timeout: 1 }));
	return sql;
}

type Filling = {
	/** Between two documents. */
	readonly spacingMs?: number;
	/** Undefined: all of them in turn. */
	readonly tenantId?: string;
};

/**
 * Stores accepted invoices, numbered from the upper half, the newest dated yesterday. They have no events and are in no sums. Throws if the disk
 * has too little space.
 */
export async function fillInvoices(
	sql: Sql,
	service: Service,
	rows: number,
	{ spacingMs = 100, tenantId }: Filling = {},
): Promise<void> {
	const { bavail, bsize } = statfsSync(service.dataDir);
	if (bavail * bsize < 2 * rows * DISK_PER_ROW) throw new Error(`${rows} invoices need more room than the disk has`);
	await makePartitions(sql, rows * spacingMs);
	const leaves = await findLeaves(sql);
	const restore = await dropIndexes(sql);
	for (const table of leaves) await sql`alter table ${sql(table)} set (autovacuum_enabled = false)`;
	await setWalSize(sql, "16GB");
	const ranges = Array.from({ length: Math.ceil(rows / ROWS_AT_A_TIME) }, (_, i) => i * ROWS_AT_A_TIME).values();
	await using stack = new AsyncDisposableStack();
	const fill = async (lane: Sql) => {
		// The rows are valid by construction and need not survive a crash.
		await lane`set session_replication_role = replica`;
		await lane`set synchronous_commit = off`;
		// Both draw from one iterator.
		for (const before of ranges) {
			const last = Math.min(rows, before + ROWS_AT_A_TIME);
			await insertRange(lane, { first: before + 1, last, rows, spacingMs, tenantId });
		}
	};
	// Lists end with the company's first day.
	await sql`update companies set created_at = now() - make_interval(secs => ${(rows * spacingMs) / 1_000}) - interval '2 days'`;
	await Promise.all([openDatabase(stack, service), openDatabase(stack, service)].map(fill));
	await sql`insert into heads (tenant_id, last_sequence) select tenant_id, 0 from companies on conflict do nothing`;
	for (const statement of restore) await sql.unsafe(statement);
	await setWalSize(sql);
	// As autovacuum would leave it; it must not run during a measurement.
	for (const table of Object.keys(TABLES)) await sql`vacuum (analyze) ${sql(table)}`;
	for (const table of leaves) await sql`alter table ${sql(table)} reset (autovacuum_enabled)`;
	await sql`checkpoint`;
}

/** Makes the partitions that the service would have made by now. Units: milliseconds. */
async function makePartitions(sql: Sql, pastMs: number): Promise<void> {
	for (const [table, span] of Object.entries(TABLES)) {
		if (!span) continue;
		const spans = await sql<{ name: string; start: string; stop: string }[]>`
			select ${table} || to_char(start, case ${span} when 'day' then '_YYYY_MM_DD' else '_YYYY_MM' end) as name,
				first_id_at(start at time zone 'UTC')::text as start, first_id_at((start + ${`1 ${span}`}::interval) at time zone 'UTC')::text as stop
			from generate_series(least(
					date_trunc(${span}, (now() - interval '1 day' - make_interval(secs => ${pastMs / 1_000})) at time zone 'UTC'),
					case when ${span} = 'month' then date_trunc('month', now() at time zone 'UTC') - make_interval(months => ${MONTHS_KEPT}) end
				),
				now() at time zone 'UTC', ${`1 ${span}`}::interval) start`;
		for (const { name, start, stop } of spans) {
			await sql.unsafe(
				`create table if not exists ${name} partition of ${table} for values from ('${start}') to ('${stop}')`,
			);
		}
	}
}

async function findLeaves(sql: Sql): Promise<string[]> {
	const rows = await sql<{ name: string }[]>`
		select p.relid::regclass::text as name
		from unnest(${Object.keys(TABLES)}::text[]) t cross join lateral pg_partition_tree(t::regclass) p where p.isleaf`;
	return rows.map(({ name }) => name);
}

/** Checkpoints in the middle would write each page twice. Absent: as before. */
async function setWalSize(sql: Sql, size?: string): Promise<void> {
	await sql.unsafe(size ? `alter system set max_wal_size = '${size}'` : "alter system reset max_wal_size");
	await sql`select pg_reload_conf()`;
}

/** Drops indexes and keys, because building them at the end is far cheaper. Returns the statements that bring them back. */
async function dropIndexes(sql: Sql): Promise<string[]> {
	await sql`set maintenance_work_mem = '512MB'`;
	const indexes = await sql<{ drop: string; restore: string }[]>`
		select case when c.oid is null then format('drop index %s', i.indexrelid::regclass)
				else format('alter table %s drop constraint %I', i.indrelid::regclass, c.conname) end as drop,
			case when c.oid is null then replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
				else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) end as restore
		from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype = 'p'
		where i.indrelid = any(${Object.keys(TABLES)}::text[]::regclass[])`;
	for (const { drop } of indexes) await sql.unsafe(drop);
	return indexes.map(({ restore }) => restore);
}

type Range = {
	readonly first: number;
	readonly last: number;
	readonly rows: number;
	readonly spacingMs: number;
	readonly tenantId: string | undefined;
};

async function insertRange(sql: Sql, { first, last, rows, spacingMs, tenantId }: Range): Promise<void> {
	const request = '{"type":"31","totals":{"grand_total":"5310.00"}}';
	const paper = writePapers(packDocuments(request, { ecf: "<ECF/>" }), {
		...{
			acknowledgement: '{"status":"pending"}',
			registry: { issuer: "ACTIVO", buyer: null, runId: null },
		},
		print: {
			securityCode: "a1B2c3",
			signedAt: "2026-01-01T00:00:00.000Z",
			qrUrl: "https://authority.example/testecf/ConsultaTimbre",
		},
		scenario: undefined,
	});
	await sql`
		with tenants as (select array_agg(tenant_id order by tenant_id) as ids from companies
			where ${tenantId === undefined ? sql`true` : sql`tenant_id = ${tenantId}`}),
		made as materialized (
			-- Ids as they are given: milliseconds first. The newest is a day old.
			select n, t.ids[1 + n % cardinality(t.ids)] as tenant_id, md5(n::text) as noise, now() - interval '1 day'
				- (${rows}::int - n) * make_interval(secs => ${spacingMs / 1_000}) as at
			from generate_series(${first}::int, ${last}::int) n, tenants t
		),
		named as (
			select *, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(noise, 1, 3) || '8'
				|| substr(noise, 4, 15)) as id, 'E31' || (5000000000 + n)::text as encf
			from made
		),
		issued as (
			insert into documents (
				tenant_id, doc_id, received_at, sha256, subtotal, tax, issue_date, type, environment, has_summary, encf, client_request_id,
				customer_rnc, customer_name, branch
			)
			select tenant_id, id::uuid, at, decode(noise || noise, 'hex'), 100 * (4500 + n % 1000), 81000, (at - interval '4 hours')::date, 31, 't',
				false, encf, 'order-' || n, b.rnc, 'CLIENTE ' || b.rnc, 'Sucursal ' || n % 5
			from named, lateral (select case when n % 3 = 0 then (990000000 + n % 20000)::text end as rnc) b
		),
		kept as (
			insert into papers (tenant_id, doc_id, body) select tenant_id, id::uuid, ${paper} from named
		),
		known as (
			insert into names (tenant_id, kind, name, doc_id)
			select tenant_id, k.kind, k.name, id::uuid from named, lateral (values ('t'::"char", encf), ('i', 'order-' || n)) k (kind, name)
		)
		insert into verdicts (tenant_id, doc_id, decided_at, version, status, consumed, attempts, code, track_id)
		select tenant_id, id::uuid, at, 2, 'a', true, 1, '1', noise from named`;
}

export type Stored = { readonly tenantId: string; readonly docId: string };

/** Documents from all over the table, at least `count` if there are as many. */
export async function pickInvoices(sql: Sql, count: number): Promise<Stored[]> {
	const [row] = await sql<{ n: number }[]>`select greatest(1, count(*) / ${count})::int as n from documents`;
	return sql<Stored[]>`
		select "tenantId", "docId" from (
			select tenant_id as "tenantId", doc_id as "docId", row_number() over (order by doc_id) as place from documents
		) i where place % ${row?.n ?? 1} = 0 limit ${count}`;
}
