/** SQL for the wipe. It deletes rows of every table, selected by the catalogue. */

import { LOCKS, type Sql, type Tx, tryLock, WRITTEN_ONCE } from "../../platform/database";
import { OUTBOX_KINDS } from "../../platform/outbox";
import type { Catalogue, Reference, Rows } from "./plan-wipe";

/** True if no other wipe can run until the transaction ends. */
export function lockWipes(tx: Tx): Promise<boolean> {
	return tryLock(tx, LOCKS.sandboxWipe);
}

export async function readCatalogue(sql: Sql): Promise<Catalogue> {
	const columns = await sql<Catalogue["columns"][number][]>`
		select c.table_name as "table", c.column_name as "column", c.data_type as "type"
		from information_schema.columns c
		join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
		where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
			and not (select p.relispartition from pg_class p where p.oid = to_regclass(quote_ident(t.table_name)))
		order by 1, c.ordinal_position`;
	const references = await sql<Reference[]>`
		select child.relname as "table", parent.relname as parent,
			array(select a.attname::text from unnest(c.conkey) with ordinality k(attnum, n)
				join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum order by k.n) as columns,
			array(select a.attname::text from unnest(c.confkey) with ordinality k(attnum, n)
				join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.attnum order by k.n) as "parentColumns"
		from pg_constraint c
		join pg_class child on child.oid = c.conrelid
		join pg_class parent on parent.oid = c.confrelid
		where c.contype = 'f' and c.connamespace = current_schema()::regnamespace`;
	return { columns: [...columns], references: [...references] };
}

/** Companies of the public sandbox that were registered before a moment, oldest first. */
export async function findOldTenants(sql: Sql, before: Date, besides: string, limit: number): Promise<string[]> {
	const rows = await sql<{ tenantId: string }[]>`
		select tenant_id as "tenantId" from companies
		where environment = 'public-sandbox' and created_at < ${before} and tenant_id <> ${besides}
		order by created_at limit ${limit}`;
	return rows.map(({ tenantId }) => tenantId);
}

/** Issued and received documents of a tenant from before a moment, oldest first. Those of test sets are deleted with their sets. */
export async function findOldDocuments(tx: Tx, tenantId: string, before: Date, limit: number): Promise<string[]> {
	const rows = await tx<{ docId: string }[]>`
		select doc_id as "docId", received_at as "receivedAt" from invoices
		where tenant_id = ${tenantId} and received_at < ${before} and test_set_id is null
		union all
		select id as "docId", received_at as "receivedAt" from received_documents where tenant_id = ${tenantId} and received_at < ${before}
		order by "receivedAt" limit ${limit}`;
	return rows.map(({ docId }) => docId);
}

/** Test sets of a tenant from before a moment, oldest first, each with the documents of all its runs. */
export async function findOldTestSets(
	tx: Tx,
	tenantId: string,
	before: Date,
	limit: number,
): Promise<{ readonly id: string; readonly docIds: readonly string[] }[]> {
	return tx<{ id: string; docIds: string[] }[]>`
		select s.id, array(select c.doc_id::text from test_set_cases c where c.tenant_id = s.tenant_id and c.set_id = s.id) as "docIds"
		from test_sets s where s.tenant_id = ${tenantId} and s.created_at < ${before}
		order by s.created_at limit ${limit}`;
}

/** The decisions on documents in either direction. Each is archived and sent under its own id. */
export async function findApprovals(
	tx: Tx,
	tenantId: string,
	docIds: readonly string[],
): Promise<{ readonly id: string; readonly docId: string }[]> {
	const these = tx`any(${[...docIds]}::uuid[])`;
	return tx<{ id: string; docId: string }[]>`
		select id, coalesce(doc_id, received_document_id) as "docId" from approvals
		where tenant_id = ${tenantId} and (doc_id = ${these} or received_document_id = ${these})`;
}

/** A message that a lane carries out, or that is due, so that one may do so any moment. */
const isBusy = (tx: Tx) => tx`
	(coalesce(busy_until > now(), false) or available_at between now() - interval '1 minute' and now() + interval '5 seconds')`;

/** Puts a tenant's waiting messages off, so that none begins while the tenant is wiped. */
export async function putMessagesOff(sql: Sql, tenantId: string): Promise<void> {
	await sql`
		update outbox set available_at = greatest(available_at, now() + interval '15 minutes')
		where shard = shard_of(${tenantId}) and tenant_id = ${tenantId} and state = 'ready' and (busy_until is null or busy_until < now())`;
}

/**
 * Locks a tenant's messages until the transaction ends, those of test sets last, in the lock order of a document's step. Returns the subjects
 * of messages that are being handled, or may be, since their handlers may still write.
 */
export async function lockMessages(tx: Tx, tenantId: string): Promise<Set<string>> {
	const rows = await tx<{ subject: string; isBusy: boolean }[]>`
		select subject, ${isBusy(tx)} as "isBusy" from outbox
		where shard = shard_of(${tenantId}) and tenant_id = ${tenantId} and state = 'ready'
		order by kind = ${OUTBOX_KINDS.advanceTestSet}, id for update`;
	return new Set(rows.filter((row) => row.isBusy).map(({ subject }) => subject));
}

/** Locks a tenant's newer messages without waiting. False if one of them is locked or being handled. */
export async function lockNewMessages(tx: Tx, tenantId: string): Promise<boolean> {
	const open = tx`shard = shard_of(${tenantId}) and state = 'ready'`;
	const [row] = await tx<{ all: boolean }[]>`
		with held as materialized (
			select ${isBusy(tx)} as is_busy from outbox where tenant_id = ${tenantId} and ${open} for update skip locked
		)
		select count(*) = (select count(*) from outbox where tenant_id = ${tenantId} and ${open}) as all from held where not is_busy`;
	return row?.all ?? false;
}

/** Locks the company, so that no new row can refer to it. Returns its RNC, undefined without a company. */
export async function lockCompany(tx: Tx, tenantId: string): Promise<string | undefined> {
	const [row] = await tx<{ rnc: string }[]>`select rnc from companies where tenant_id = ${tenantId} for update`;
	return row?.rnc;
}

export async function findObjectKeys(tx: Tx, tenantId: string, docIds: readonly string[]): Promise<string[]> {
	const rows = await tx<{ key: string }[]>`
		select sealed_object_key(tenant_id, doc_id, decided_at, sha256) as key from seals
		where tenant_id = ${tenantId} and doc_id = any(${[...docIds]}::uuid[]) and removed_at is null`;
	return rows.map(({ key }) => key);
}

/** Takes documents out of the archive's index, all of a tenant if none are named; their leaves stay. */
export async function forgetSeals(tx: Tx, tenantId: string, docIds: readonly string[] | null): Promise<void> {
	await tx`select forget_seals(${tenantId}, ${docIds && [...docIds]}::uuid[])`;
}

/**
 * Deletes a tenant's rows with one of the values in their column, and rows that refer to them. Returns their number. The service may not
 * delete write-once rows, so a database function does that after checking that the tenant belongs to the public sandbox.
 */
export async function deleteRows(tx: Tx, tenantId: string, rows: Rows, values: readonly string[]): Promise<number> {
	const which = condition(tx, tenantId, rows, values);
	if (!WRITTEN_ONCE.includes(rows.table)) return (await tx`delete from ${tx(rows.table)} where ${which}`).count;
	const [row] = await tx<{ count: number }[]>`
		select wipe_written_once(${tenantId}, ${rows.table}, array(select ctid from ${tx(rows.table)} where ${which})) as count`;
	return row?.count ?? 0;
}

type Piece = ReturnType<Sql>;

/** The tenant is named wherever possible, since not every table has an index on the column. */
function condition(
	tx: Tx,
	tenantId: string,
	{ hasTenant, column, references }: Rows,
	values: readonly string[],
): Piece {
	const these = column?.type === "uuid" ? tx`${[...values]}::uuid[]` : tx`${[...values]}::text[]`;
	const byColumn: Piece = column ? tx`${tx(column.name)} = any(${these})` : tx`false`;
	const which = references.reduce<Piece>(
		(others, { columns, parentColumns, rows }) => tx`
			${others} or (${list(tx, columns)}) in (
				select ${list(tx, parentColumns)} from ${tx(rows.table)} where ${condition(tx, tenantId, rows, values)}
			)`,
		byColumn,
	);
	return hasTenant ? tx`tenant_id = ${tenantId} and (${which})` : tx`(${which})`;
}

function list(tx: Tx, [first = "", ...others]: readonly string[]): Piece {
	return others.reduce<Piece>((names, name) => tx`${names}, ${tx(name)}`, tx`${tx(first)}`);
}
