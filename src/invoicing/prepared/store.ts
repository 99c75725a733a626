/** SQL for prepared invoices. */
import { lockNameOf, type Sql, type Tx } from "../../platform/database";
import type { PreparedRow, WholePrepared } from "./prepared";

/** A prepared invoice can be approved for this long. */
export const WAITS_HOURS = 24;
/** Rows stay for this long, whatever became of them. */
const KEPT_DAYS = 7;

const state = (sql: Sql | Tx) => sql`
	case when doc_id is not null then 'issued' when rejected_at is not null then 'rejected' when expires_at <= now() then 'expired'
		else 'waiting' end`;

const columns = (sql: Sql | Tx) => sql`
	id, tenant_id as "tenantId", encode(sha256, 'hex') as sha256, idempotency_key as "idempotencyKey", summary, validation, ${state(sql)} as state,
	doc_id as "docId", reason, created_at as "createdAt", expires_at as "expiresAt", coalesce(issued_at, rejected_at) as "decidedAt",
	expires_at <= now() as "isOver"`;

/** How many of a tenant's prepared invoices wait for a decision, and when the first of them expires. */
export async function measurePrepared(
	sql: Sql | Tx,
	tenantId: string,
): Promise<{ readonly count: number; readonly expiresAt: Date | null }> {
	const [row] = await sql<{ count: number; expiresAt: Date | null }[]>`
		select count(*)::int as count, min(expires_at) as "expiresAt" from prepared_invoices
		where tenant_id = ${tenantId} and doc_id is null and rejected_at is null and expires_at > now()`;
	return row ?? { count: 0, expiresAt: null };
}

/** How many wait. The next call for the tenant is held until the transaction ends. */
export async function countWaiting(tx: Tx, tenantId: string): Promise<number> {
	await tx`select pg_advisory_xact_lock(hashtextextended(${lockNameOf("preparedInvoices", tenantId)}, 0))`;
	return (await measurePrepared(tx, tenantId)).count;
}

type NewPrepared = Pick<WholePrepared, "id" | "tenantId" | "body" | "sha256" | "summary" | "validation">;

export async function insertPrepared(tx: Tx, row: NewPrepared): Promise<PreparedRow> {
	const [stored] = await tx<PreparedRow[]>`
		insert into prepared_invoices (tenant_id, id, body, sha256, idempotency_key, summary, validation, expires_at)
		values (${row.tenantId}, ${row.id}, ${row.body}, decode(${row.sha256}, 'hex'), gen_random_uuid(), ${tx.json({ ...row.summary })},
			${JSON.stringify(row.validation)}::text::json, now() + make_interval(hours => ${WAITS_HOURS}))
		returning ${columns(tx)}`;
	if (!stored) throw new Error(`prepared invoice ${row.id} was inserted and is not there`);
	return stored;
}

export async function findPrepared(sql: Sql | Tx, tenantId: string, id: string): Promise<WholePrepared | undefined> {
	const [row] = await sql<WholePrepared[]>`
		select ${columns(sql)}, body from prepared_invoices where tenant_id = ${tenantId} and id = ${id}`;
	return row;
}

/** Newest first, after a cursor. One more than `limit` means that there are more. */
export async function listPrepared(
	sql: Sql,
	tenantId: string,
	filter: { readonly after?: string | undefined; readonly status?: string | undefined },
	limit: number,
): Promise<PreparedRow[]> {
	const { after, status } = filter;
	return sql<PreparedRow[]>`
		select ${columns(sql)} from prepared_invoices
		where tenant_id = ${tenantId} ${after === undefined ? sql`` : sql`and id < ${after}`}
			${status === undefined ? sql`` : sql`and ${state(sql)} = ${status}`}
		order by id desc limit ${limit + 1}`;
}

type PreparedKey = Pick<PreparedRow, "tenantId" | "id">;

/** Notes that an approval begins: if the process dies, housekeeping looks for the document. */
export async function noteApproval(tx: Tx, { tenantId, id }: PreparedKey): Promise<void> {
	await tx`update prepared_invoices set approved_at = now() where tenant_id = ${tenantId} and id = ${id}`;
}

export async function noteIssued(sql: Sql | Tx, { tenantId, id }: PreparedKey, docId: string): Promise<void> {
	await sql`
		update prepared_invoices set doc_id = ${docId}, issued_at = now()
		where tenant_id = ${tenantId} and id = ${id} and doc_id is null`;
}

export async function noteRejected(tx: Tx, { tenantId, id }: PreparedKey, reason: string | null): Promise<void> {
	await tx`
		update prepared_invoices set rejected_at = now(), reason = ${reason} where tenant_id = ${tenantId} and id = ${id}`;
}

/** For the test clock of a tenant. */
export async function agePrepared(tx: Tx, tenantId: string, seconds: number): Promise<void> {
	await tx`
		update prepared_invoices set created_at = created_at - make_interval(secs => ${seconds}),
			expires_at = expires_at - make_interval(secs => ${seconds})
		where tenant_id = ${tenantId}`;
}

/** Finds documents of approvals whose process died before it noted them. */
export async function findUnsettled(sql: Sql): Promise<readonly (PreparedKey & { readonly idempotencyKey: string })[]> {
	return sql<(PreparedKey & { idempotencyKey: string })[]>`
		select tenant_id as "tenantId", id, idempotency_key as "idempotencyKey" from prepared_invoices
		where approved_at is not null and doc_id is null and rejected_at is null limit 1000`;
}

/** Deletes old rows of all tenants, and returns their number. */
export async function sweepPrepared(sql: Sql): Promise<number> {
	const rows = await sql`
		delete from prepared_invoices where (tenant_id, id) in (
			select tenant_id, id from prepared_invoices where created_at < now() - make_interval(days => ${KEPT_DAYS}) limit 1000
		)`;
	return rows.count;
}
