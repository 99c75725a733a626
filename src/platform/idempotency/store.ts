import type { Sql, Tx } from "../database";

export type StoredAnswer = {
	readonly rawSha256: Uint8Array;
	/** Null for an invoice: its document keeps the request. */
	readonly payloadSha256: Uint8Array | null;
	/** The body exactly as it was sent. */
	readonly answer: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly docId: string | null;
	/** The request's JSON text, where no digest of its content is stored. */
	readonly request?: string | null;
};

export type IdempotencyKey = { readonly scopeId: string; readonly operation: string; readonly key: string };

/** How long a key is remembered. Source: the specification, Limits. */
export const KEY_HOURS = 24;

export async function findAnswer(sql: Sql | Tx, place: IdempotencyKey): Promise<StoredAnswer | undefined> {
	const { scopeId, operation, key } = place;
	const [row] = await sql`
		select k.* from (select ${scopeId}::uuid as tenant_id, ${operation}::text as operation, ${key}::uuid as key) w,
			lateral (${findFreshAnswer(sql)}) k`;
	return row && takeAnswer(row);
}

/** SQL of the answer of a row `w` with `tenant_id`, `operation` and `key`, in the form that `takeAnswer` reads; one row or none. */
export function findFreshAnswer(sql: Sql | Tx): ReturnType<Sql> {
	return sql`
		select k.created_at > now() - make_interval(hours => ${KEY_HOURS}) as "isFresh", k.raw_sha256 as "rawSha256",
			k.payload_sha256 as "payloadSha256", k.answer, k.headers, k.doc_id as "docId",
			case when k.payload_sha256 is null then (select i.request from invoices i where i.tenant_id = w.tenant_id and i.doc_id = k.doc_id) end as request
		from idempotency_keys k where k.scope_id = w.tenant_id and k.operation = w.operation and k.key = w.key limit 1`;
}

/** The answer in a row; undefined when there is none or it has expired. */
export function takeAnswer(row: object): StoredAnswer | undefined {
	const { isFresh, rawSha256, payloadSha256, answer, headers, docId, request } = row as StoredAnswer & {
		isFresh?: boolean | null;
	};
	return isFresh === true ? { rawSha256, payloadSha256, answer, headers, docId, request } : undefined;
}

/**
 * Stores an answer in the transaction of its write. Waits for an equal key of an open transaction; false when that one has committed, and
 * then nothing may be done again. An expired key is replaced. `store_invoices` does this for invoices.
 */
export async function saveAnswer(tx: Tx, place: IdempotencyKey, stored: StoredAnswer): Promise<boolean> {
	const rows = await tx`
		insert into idempotency_keys as k (scope_id, operation, key, raw_sha256, payload_sha256, answer, headers, doc_id)
		values (${place.scopeId}, ${place.operation}, ${place.key}, ${stored.rawSha256}, ${stored.payloadSha256}, ${stored.answer},
			${tx.json({ ...stored.headers })}, ${stored.docId})
		on conflict (scope_id, operation, key) do update
		set raw_sha256 = excluded.raw_sha256, payload_sha256 = excluded.payload_sha256, answer = excluded.answer,
			headers = excluded.headers, doc_id = excluded.doc_id, created_at = now()
		where k.created_at <= now() - make_interval(hours => ${KEY_HOURS})
		returning key`;
	return rows.length === 1;
}

export const nameOf = ({ scopeId, operation, key }: IdempotencyKey): string => `${scopeId} ${operation} ${key}`;

/** Replaces the answer that was stored with the document by the one that the caller got after waiting. */
export async function replaceAnswer(sql: Sql, place: IdempotencyKey, stored: string, given: string): Promise<void> {
	await sql`
		update idempotency_keys set answer = ${given}
		where scope_id = ${place.scopeId} and operation = ${place.operation} and key = ${place.key} and answer = ${stored}`;
}

/**
 * Ages all answers of a tenant except those to `besides`. Rows are locked in the order in which `store_invoices` replaces expired keys.
 */
export async function ageAnswers(tx: Tx, scopeId: string, seconds: number, besides?: IdempotencyKey): Promise<void> {
	const others = besides ? tx`and (operation, key) <> (${besides.operation}::text, ${besides.key}::uuid)` : tx``;
	await tx`
		with taken as materialized (
			select operation, key from idempotency_keys where scope_id = ${scopeId} ${others} order by operation, key for update
		)
		update idempotency_keys k set created_at = k.created_at - make_interval(secs => ${seconds})
		from taken t where k.scope_id = ${scopeId} and k.operation = t.operation and k.key = t.key`;
}

/** Removes keys that have expired, a bounded number at a time. Locked rows are skipped, because waiting for them could deadlock. */
export async function sweepExpired(sql: Sql): Promise<number> {
	const rows = await sql`
		delete from idempotency_keys where (scope_id, operation, key) in (
			select scope_id, operation, key from idempotency_keys
			where created_at <= now() - make_interval(hours => ${KEY_HOURS}) limit 5000 for update skip locked
		) returning key`;
	return rows.length;
}
