/** SQL for the wipe. It deletes rows of every table, selected by the catalogue. */

import { LOCKS, type Sql, type Tx, tryLock, WRITTEN_ONCE } from "../../platform/database";
import { OUTBOX_KINDS } from "../../platform/outbox";
import { WIPED_TABLES, type WipedTable } from "./tables";

/** True if no other wipe can run until the transaction ends. */
export function lockWipes(tx: Tx): Promise<boolean> {
	return tryLock(tx, LOCKS.sandboxWipe);
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
		select doc_id as "docId", received_at as "receivedAt" from documents
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
 * Deletes a tenant's rows from a table: all of them, or those of these documents, decisions and test sets. The service may not delete written-once
 * rows, so a database function does that after checking that the tenant belongs to the public sandbox.
 */
export async function deleteRows(
	tx: Tx,
	tenantId: string,
	{ table, tenant = "tenant_id", document, documents, parent }: WipedTable,
	ids?: readonly string[],
): Promise<void> {
	if (parent) {
		const above = WIPED_TABLES.find((one) => one.table === parent.table);
		if (ids && above?.document === undefined) return;
		const these = ids && above?.document ? tx`and ${tx(above.document)} = any(${[...ids]}::uuid[])` : tx``;
		await tx`
			delete from ${tx(table)} where ${tx(parent.column)} in (
				select ${tx(parent.key)} from ${tx(parent.table)} where tenant_id = ${tenantId} ${these}
			)`;
		return;
	}
	if (ids && documents !== undefined) {
		await tx`delete from ${tx(table)} where tenant_id = ${tenantId} and ${tx(documents)} <@ ${[...ids]}::uuid[]`;
		return;
	}
	if (ids && document === undefined) return;
	if (WRITTEN_ONCE.includes(table)) {
		await tx`select wipe_written_once(${tenantId}, ${table}, ${(ids && document) ?? null}, ${ids ? [...ids] : null}::text[])`;
		return;
	}
	const these = ids && document ? tx`and ${tx(document)} = any(${[...ids]}::uuid[])` : tx``;
	await tx`delete from ${tx(table)} where ${tx(tenant)} = ${tenantId} ${these}`;
}
