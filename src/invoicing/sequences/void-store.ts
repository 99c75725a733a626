/** SQL on voids: the range, the signed document, its sendings, and the authority's answers. */
import type { RawAnswer } from "../../authority/client";
import type { Sql, Tx } from "../../platform/database";
import type { NumberRange } from "./number-ranges";
import type { TypeKey } from "./store";

export type VoidStatus = "pending" | "voided" | "partly-voided" | "rejected" | "unconfirmed" | "failed";
export type VoidMessage = { readonly code: string; readonly text: string };

export type VoidRow = TypeKey & {
	readonly id: string;
	readonly first: number;
	readonly last: number;
	readonly reason: string;
	readonly status: VoidStatus;
	readonly document: Uint8Array | null;
	readonly messages: readonly VoidMessage[];
	readonly attempts: number;
	readonly createdAt: Date;
	readonly decidedAt: Date | null;
};

const columns = (sql: Sql | Tx) => sql`
	v.id, v.tenant_id as "tenantId", v.type, lower(v.numbers)::float8 as first, (upper(v.numbers) - 1)::float8 as last, v.reason, v.status,
	v.document, v.messages, v.created_at as "createdAt", v.decided_at as "decidedAt",
	(select count(*)::int from sequence_void_steps s where s.tenant_id = v.tenant_id and s.void_id = v.id and s.kind = 'intent') as attempts`;

export async function findVoid(sql: Sql | Tx, tenantId: string, id: string): Promise<VoidRow | undefined> {
	const [row] = await sql<VoidRow[]>`
		select ${columns(sql)} from sequence_voids v where v.tenant_id = ${tenantId} and v.id = ${id}`;
	return row;
}

/** Those in the company's current environment, newest first, after a cursor; one more than `limit` shows that there are more. */
export async function listVoids(
	sql: Sql,
	tenantId: string,
	after: string | undefined,
	limit: number,
): Promise<VoidRow[]> {
	return sql<VoidRow[]>`
		select ${columns(sql)} from sequence_voids v
		where v.tenant_id = ${tenantId} and v.elsewhere is null ${after === undefined ? sql`` : sql`and v.id < ${after}`}
		order by v.id desc limit ${limit + 1}`;
}

export async function insertVoid(
	tx: Tx,
	v: TypeKey & { readonly id: string; readonly range: NumberRange; readonly reason: string },
): Promise<void> {
	await tx`
		insert into sequence_voids (id, tenant_id, type, numbers, reason)
		values (${v.id}, ${v.tenantId}, ${v.type}, int8range(${v.range.first}, ${v.range.last}, '[]'), ${v.reason})`;
}

/** Whether a void that counts, or may count, has numbers of a range. */
export async function isVoided(sql: Sql | Tx, key: TypeKey, { first, last }: NumberRange): Promise<boolean> {
	const rows = await sql`
		select 1 from sequence_voids
		where tenant_id = ${key.tenantId} and type = ${key.type} and numbers && int8range(${first}, ${last}, '[]')
			and elsewhere is null and status not in ('rejected', 'failed') limit 1`;
	return rows.length > 0;
}

type VoidKey = Pick<VoidRow, "tenantId" | "id">;

export async function saveDocument(
	tx: Tx,
	{ tenantId, id }: VoidKey,
	bytes: Uint8Array,
	sha256: Uint8Array,
	at: Date,
): Promise<void> {
	await tx`
		update sequence_voids set document = ${bytes}, sha256 = ${sha256}, signed_at = ${at}
		where tenant_id = ${tenantId} and id = ${id} and document is null and status = 'pending'`;
}

export type VoidSubmission = { readonly n: number; readonly result: string | null };

export async function findVoidSubmissions(sql: Sql | Tx, { tenantId, id }: VoidKey): Promise<VoidSubmission[]> {
	return sql<VoidSubmission[]>`
		select i.n, r.result from sequence_void_steps i
		left join sequence_void_steps r on r.tenant_id = i.tenant_id and r.void_id = i.void_id and r.attempt = i.n
		where i.tenant_id = ${tenantId} and i.void_id = ${id} and i.kind = 'intent' order by i.n`;
}

export async function insertVoidIntent(tx: Tx, { tenantId, id }: VoidKey): Promise<number> {
	const [row] = await tx<{ n: number }[]>`
		insert into sequence_void_steps (tenant_id, void_id, kind) values (${tenantId}, ${id}, 'intent') returning n`;
	return row?.n ?? 0;
}

export async function finishVoidSubmission(
	tx: Tx,
	{ tenantId, id }: VoidKey,
	n: number,
	result: string,
	detail: string,
): Promise<void> {
	await tx`
		insert into sequence_void_steps (tenant_id, void_id, kind, attempt, result, detail)
		values (${tenantId}, ${id}, 'result', ${n}, ${result}, ${detail.slice(0, 500)})`;
}

export async function insertVoidAnswers(
	sql: Sql,
	{ tenantId, id }: VoidKey,
	answers: readonly RawAnswer[],
): Promise<void> {
	if (answers.length === 0) return;
	await sql`
		insert into sequence_void_steps ${sql(
			answers.map((a) => ({
				...{ tenant_id: tenantId, void_id: id, kind: "answer", at: a.at, operation: a.operation },
				...{ http_status: a.httpStatus, media_type: a.mediaType, body: a.body },
			})),
		)}`;
}

export async function explainWaiting(
	tx: Tx,
	{ tenantId, id }: VoidKey,
	messages: readonly VoidMessage[],
): Promise<void> {
	await tx`
		update sequence_voids set messages = ${tx.json(messages.map((m) => ({ ...m })))}
		where tenant_id = ${tenantId} and id = ${id} and status = 'pending'`;
}

/** Writes a final state once. Returns whether it was written. */
export async function decideVoid(
	tx: Tx,
	{ tenantId, id }: VoidKey,
	status: Exclude<VoidStatus, "pending">,
	messages: readonly VoidMessage[],
	at: Date,
): Promise<boolean> {
	const rows = await tx`
		update sequence_voids set status = ${status}, messages = ${tx.json(messages.map((m) => ({ ...m })))}, decided_at = ${at}
		where tenant_id = ${tenantId} and id = ${id} and status = 'pending' returning id`;
	return rows.length === 1;
}
