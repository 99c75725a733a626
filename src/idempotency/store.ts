import type { Sql, Tx } from "../database";

/** A stored answer to an idempotency key. */
export type StoredAnswer = {
	readonly rawSha256: Uint8Array;
	readonly payloadSha256: Uint8Array;
	/** The body, exactly as it was sent. */
	readonly answer: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly docId: string | null;
};

/** The key's place: one tenant or owner, one operation. */
export type KeyPlace = { readonly scopeId: string; readonly operation: string; readonly key: string };

/** How long a key is remembered. Source: the specification, Limits. */
export const KEY_HOURS = 24;

export async function findAnswer(sql: Sql | Tx, place: KeyPlace): Promise<StoredAnswer | undefined> {
	const [row] = await sql<StoredAnswer[]>`
		select raw_sha256 as "rawSha256", payload_sha256 as "payloadSha256", answer, headers, doc_id as "docId"
		from idempotency_keys
		where scope_id = ${place.scopeId} and operation = ${place.operation} and key = ${place.key}
			and created_at > now() - make_interval(hours => ${KEY_HOURS})`;
	return row;
}

/**
 * Stores an answer in the transaction of what it answers. Waits for an equal key of an open transaction; answers false when
 * that one has committed: then nothing may be done again. An expired key is taken over.
 */
export async function saveAnswer(tx: Tx, place: KeyPlace, stored: StoredAnswer): Promise<boolean> {
	const rows = await tx`
		insert into idempotency_keys (scope_id, operation, key, raw_sha256, payload_sha256, answer, headers, doc_id)
		values (${place.scopeId}, ${place.operation}, ${place.key}, ${stored.rawSha256}, ${stored.payloadSha256}, ${stored.answer},
			${tx.json({ ...stored.headers })}, ${stored.docId})
		on conflict (scope_id, operation, key) do update
		set raw_sha256 = excluded.raw_sha256, payload_sha256 = excluded.payload_sha256, answer = excluded.answer,
			headers = excluded.headers, doc_id = excluded.doc_id, created_at = now()
		where idempotency_keys.created_at <= now() - make_interval(hours => ${KEY_HOURS})
		returning key`;
	return rows.length === 1;
}

/** Puts the answer that a caller has got after waiting in the place of the one that was stored with the document. */
export async function replaceAnswer(sql: Sql, place: KeyPlace, stored: string, given: string): Promise<void> {
	await sql`
		update idempotency_keys set answer = ${given}
		where scope_id = ${place.scopeId} and operation = ${place.operation} and key = ${place.key} and answer = ${stored}`;
}

export async function sweepExpired(sql: Sql): Promise<number> {
	const rows = await sql`
		delete from idempotency_keys where (scope_id, operation, key) in (
			select scope_id, operation, key from idempotency_keys
			where created_at <= now() - make_interval(hours => ${KEY_HOURS}) limit 5000
		) returning key`;
	return rows.length;
}
