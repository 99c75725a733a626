import type { Sql, Tx } from "../database";

/** The request that has a key, and its answer. */
export type StoredKey = {
	readonly rawSha256: Uint8Array;
	/** Null for an invoice, whose papers have the request. */
	readonly payloadSha256: Uint8Array | null;
	/** The body exactly as it was sent. Null for the acknowledgement of the document. */
	readonly answer: string | null;
	readonly headers: Readonly<Record<string, string>>;
	readonly docId: string | null;
};

export type StoredAnswer = StoredKey & {
	readonly answer: string;
	/** The request's JSON text, where no digest of its content is stored. */
	readonly request?: string;
};

export type IdempotencyKey = { readonly scopeId: string; readonly operation: string; readonly key: string };

/** How long a key is remembered. Source: the specification, Limits. */
export const KEY_HOURS = 24;

export async function findKey(sql: Sql | Tx, place: IdempotencyKey): Promise<StoredKey | undefined> {
	const { scopeId, operation, key } = place;
	const [row] = await sql`
		select raw_digest as "rawSha256", payload_digest as "payloadSha256", answer, headers, doc_id as "docId"
		from request_keys where scope_id = ${scopeId} and key = ${key} and operation = ${operation}
			and created_at > now() - make_interval(hours => ${KEY_HOURS}) limit 1`;
	return row && takeKey(row);
}

/** The same for an operation whose answers are all stored under their keys. */
export async function findAnswer(sql: Sql | Tx, place: IdempotencyKey): Promise<StoredAnswer | undefined> {
	const stored = await findKey(sql, place);
	if (!stored) return undefined;
	const { answer } = stored;
	if (answer === null) throw new Error("an idempotency key of another operation has no answer of its own");
	return { ...stored, answer };
}

/** The key in a row; undefined when there is none. */
export function takeKey(row: object): StoredKey | undefined {
	const { rawSha256, payloadSha256, answer, headers, docId } = row as Nullable<StoredKey>;
	return rawSha256 === null ? undefined : { rawSha256, payloadSha256, answer, headers: headers ?? {}, docId };
}

type Nullable<T> = { [K in keyof T]: T[K] | null };

/**
 * Stores an answer in the transaction of its write. Waits for an equal key of an open transaction; false when that one has committed, and
 * then nothing may be done again. An expired key is replaced. `intake` does this for invoices.
 */
export async function saveAnswer(tx: Tx, place: IdempotencyKey, stored: StoredAnswer): Promise<boolean> {
	const hex = (digest: Uint8Array | null) => digest && Buffer.from(digest).toString("hex");
	const [row] = await tx<{ taken: number }[]>`
		select cardinality(take_request_keys(
			array[${place.scopeId}::uuid], array[${place.operation}::text], array[${place.key}::uuid], array[${hex(stored.rawSha256)}::text],
			array[${hex(stored.payloadSha256)}::text], array[${stored.docId}::uuid], array[${stored.answer}::text],
			array[${JSON.stringify(stored.headers)}::text::json]
		)) as taken`;
	return row?.taken === 1;
}

export const nameOf = ({ scopeId, operation, key }: IdempotencyKey): string => `${scopeId} ${operation} ${key}`;

/** Replaces the acknowledgement of a document by the answer that the caller got after waiting. */
export async function replaceAnswer(sql: Sql, place: IdempotencyKey, docId: string, given: string): Promise<void> {
	await sql`
		update request_keys set answer = ${given}
		where scope_id = ${place.scopeId} and operation = ${place.operation} and key = ${place.key} and doc_id = ${docId} and answer is null`;
}

/**
 * Ages all answers of a tenant except those to `besides`. Rows are locked in the order in which `take_request_keys` replaces expired keys.
 */
export async function ageAnswers(tx: Tx, scopeId: string, seconds: number, besides?: IdempotencyKey): Promise<void> {
	const others = besides ? tx`and (operation, key) <> (${besides.operation}::text, ${besides.key}::uuid)` : tx``;
	await tx`
		with taken as materialized (
			select key, operation, slot from request_keys where scope_id = ${scopeId} ${others} order by key, operation, slot for update
		)
		update request_keys k set created_at = k.created_at - make_interval(secs => ${seconds})
		from taken t where k.scope_id = ${scopeId} and k.key = t.key and k.operation = t.operation and k.slot = t.slot`;
}
