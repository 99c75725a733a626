/**
 * Fills a service's database with old invoices by SQL, because signing five million would take an hour.
 *
 * They affect new invoices as real ones would: decided rows in the same tables and indexes, in id order, tenants in turn. Columns of other
 * documents that a POST or a status poll never reads (the request, the signed bytes) are short, and unused tables stay empty.
 */
import { statfsSync } from "node:fs";
import { connect, findEmbeddedOwnerUrl, type Sql } from "../src/platform/database";
import type { Service } from "./service";

/** Heap, indexes, and write-ahead log until the next checkpoint. Units: bytes. */
const DISK_PER_ROW = 4_000;
const ROWS_AT_A_TIME = 250_000;
const TABLES = ["invoices", "invoice_facts", "signed_documents", "invoice_history"];

/** A session of the bench in the service's database. */
export function openDatabase(stack: AsyncDisposableStack, service: Service): Sql {
	const url = findEmbeddedOwnerUrl(service.dataDir);
	if (url === undefined) throw new Error("the service has no database of its own");
	const sql = connect({ url, name: "sello bench", connectionsMax: 1, statementTimeoutMs: 0 });
	stack.defer(() => sql.end({ timeout: 1 }));
	return sql;
}

/**
 * Stores decided invoices, numbered from the upper half, the newest dated yesterday. Report sums are not updated. Throws if the disk has
 * too
 * little space.
 */
export async function fillInvoices(
	sql: Sql,
	service: Service,
	rows: number,
	{ spacingMs = 100, tenantId }: { readonly spacingMs?: number; readonly tenantId?: string } = {},
): Promise<void> {
	const { bavail, bsize } = statfsSync(service.dataDir);
	if (bavail * bsize < 2 * rows * DISK_PER_ROW) throw new Error(`${rows} invoices need more room than the disk has`);
	// The rows are valid by construction and need not survive a crash.
	await sql`set session_replication_role = replica`;
	await sql`set synchronous_commit = off`;
	const indexes = await dropIndexes(sql);
	for (const table of TABLES) await sql`alter table ${sql(table)} set (autovacuum_enabled = false)`;
	for (let first = 1; first <= rows; first += ROWS_AT_A_TIME) {
		await insertRange(sql, { first, last: Math.min(rows, first + ROWS_AT_A_TIME - 1), rows, spacingMs, tenantId });
	}
	for (const { definition } of indexes) await sql.unsafe(definition);
	// As autovacuum would leave it; it must not run during a measurement.
	for (const table of TABLES) {
		await sql`vacuum (analyze) ${sql(table)}`;
		await sql`alter table ${sql(table)} reset (autovacuum_enabled)`;
	}
	await sql`checkpoint`;
}

/** Drops indexes without constraints, because building them at the end is far cheaper. Returns how to create them again. */
async function dropIndexes(sql: Sql): Promise<{ name: string; definition: string }[]> {
	await sql`set maintenance_work_mem = '512MB'`;
	const indexes = await sql<{ name: string; definition: string }[]>`
		select indexname as name, indexdef as definition from pg_indexes
		where tablename in ${sql(TABLES)} and schemaname = 'public'
			and indexname not in (select conname from pg_constraint)`;
	for (const { name } of indexes) await sql`drop index ${sql(name)}`;
	return indexes;
}

type Range = {
	readonly first: number;
	readonly last: number;
	readonly rows: number;
	readonly spacingMs: number;
	/** Undefined: all of them in turn. */
	readonly tenantId: string | undefined;
};

async function insertRange(sql: Sql, { first, last, rows, spacingMs, tenantId }: Range): Promise<void> {
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
		documents as (
			insert into signed_documents (tenant_id, doc_id, kind, bytes, sha256)
			select tenant_id, id::uuid, 'ecf', convert_to('<ECF>' || noise || '</ECF>', 'UTF8'), decode(noise || noise, 'hex') from named
		),
		history as (
			insert into invoice_history (tenant_id, doc_id, version, at, status, phase, detail)
			select tenant_id, id::uuid, 2, at, 'accepted', 'decided', 'verdict 1' from named
		),
		facts as (
			insert into invoice_facts (
				doc_id, tenant_id, received_at, issue_date, encf, client_request_id, customer_rnc, customer_name, currency,
				subtotal, tax, grand_total, total
			)
			select id::uuid, tenant_id, at, (at - interval '4 hours')::date, encf, 'order-' || n, b.rnc, 'CLIENTE ' || b.rnc, 'DOP',
				4500 + n % 1000, 810, 5310 + n % 1000, 5310 + n % 1000
			from named, lateral (select case when n % 3 = 0 then (990000000 + n % 20000)::text end as rnc) b
		)
		insert into invoices (
			doc_id, track_id, tenant_id, type, encf, client_request_id, request, acknowledgement, print, warnings, registry, signed_at,
			status, phase, authority_track_id, authority, version, received_at, updated_at, decided_at,
			sums
		)
		select id::uuid, overlay(id placing '9' from 17 for 1)::uuid, tenant_id, '31', encf, 'order-' || n,
			'{"type":"31","encf":"' || encf || '","totals":{"grand_total":"5310.00"}}',
			'{"docId":"' || id::uuid || '","encf":"' || encf || '","status":"pending"}',
			('{"securityCode":"' || substr(noise, 1, 6) || '","signedAt":"2026-01-01T00:00:00.000Z","qrUrl":"https://authority.example/testecf/ConsultaTimbre"}')::json,
			'[]', '{"issuer":"ACTIVO","buyer":null,"runId":null}', at, 'accepted', 'decided', noise,
			'{"code":"1","title":"Aceptado","messages":[]}', 2, at, at, at,
			json_build_object('issueDate', to_char(at - interval '4 hours', 'YYYY-MM-DD'), 'subtotal', (4500 + n % 1000) || '.00',
				'tax', '810.00', 'customerRnc', case when n % 3 = 0 then (990000000 + n % 20000)::text end, 'branch', 'Sucursal ' || n % 5)
		from named`;
}

export type Stored = { readonly tenantId: string; readonly docId: string };

/** Documents from all over the table, at least `count` if there are as many. */
export async function pickInvoices(sql: Sql, count: number): Promise<Stored[]> {
	const [row] = await sql<{ n: number }[]>`select greatest(1, count(*) / ${count})::int as n from invoices`;
	return sql<Stored[]>`
		select "tenantId", "docId" from (
			select tenant_id as "tenantId", doc_id as "docId", row_number() over (order by doc_id) as place from invoices
		) i where place % ${row?.n ?? 1} = 0 limit ${count}`;
}
