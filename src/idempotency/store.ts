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
	const [answer] = await findAnswers(sql, [place]);
	return answer;
}

/** The answers of several keys at once, in their order. */
export async function findAnswers(sql: Sql | Tx, places: readonly KeyPlace[]): Promise<(StoredAnswer | undefined)[]> {
	const rows = await sql<(StoredAnswer & { n: number })[]>`
		select w.n::int as n, raw_sha256 as "rawSha256", payload_sha256 as "payloadSha256", answer, headers, doc_id as "docId"
		from unnest(${places.map((p) => p.scopeId)}::uuid[], ${places.map((p) => p.operation)}::text[],
			${places.map((p) => p.key)}::uuid[]) with ordinality w(scope_id, operation, key, n)
		join idempotency_keys using (scope_id, operation, key)
		where created_at > now() - make_interval(hours => ${KEY_HOURS})`;
	const answers = new Array<StoredAnswer | undefined>(places.length).fill(undefined);
	for (const { n, ...answer } of rows) answers[n - 1] = answer;
	return answers;
}

/**
 * Stores an answer in the transaction of what it answers. Waits for an equal key of an open transaction; answers false when
 * that one has committed: then nothing may be done again. An expired key is taken over.
 */
export async function saveAnswer(tx: Tx, place: KeyPlace, stored: StoredAnswer): Promise<boolean> {
	const [isFirst = false] = await saveAnswers(tx, [{ place, stored }]);
	return isFirst;
}

/** The same for several keys, no two of them equal, in one statement. */
export async function saveAnswers(
	tx: Tx,
	answers: readonly { readonly place: KeyPlace; readonly stored: StoredAnswer }[],
): Promise<boolean[]> {
	const column = <T>(pick: (place: KeyPlace, stored: StoredAnswer) => T): T[] =>
		answers.map(({ place, stored }) => pick(place, stored));
	const rows = await tx<{ key: string; scopeId: string; operation: string }[]>`
		insert into idempotency_keys as k (scope_id, operation, key, raw_sha256, payload_sha256, answer, headers, doc_id)
		select scope_id, operation, key, decode(raw_sha256, 'hex'), decode(payload_sha256, 'hex'), answer, headers::jsonb, doc_id
		from unnest(${column((p) => p.scopeId)}::uuid[], ${column((p) => p.operation)}::text[], ${column((p) => p.key)}::uuid[],
			${column((_, s) => toHex(s.rawSha256))}::text[], ${column((_, s) => toHex(s.payloadSha256))}::text[],
			${column((_, s) => s.answer)}::text[], ${column((_, s) => JSON.stringify(s.headers))}::text[],
			${column((_, s) => s.docId)}::uuid[])
			as n(scope_id, operation, key, raw_sha256, payload_sha256, answer, headers, doc_id)
		order by scope_id, operation, key
		on conflict (scope_id, operation, key) do update
		set raw_sha256 = excluded.raw_sha256, payload_sha256 = excluded.payload_sha256, answer = excluded.answer,
			headers = excluded.headers, doc_id = excluded.doc_id, created_at = now()
		where k.created_at <= now() - make_interval(hours => ${KEY_HOURS})
		returning key, scope_id as "scopeId", operation`;
	const saved = new Set(rows.map(nameOf));
	return answers.map(({ place }) => saved.has(nameOf(place)));
}

/** Takes answers back in the transaction that has stored them. */
export async function dropAnswers(tx: Tx, places: readonly KeyPlace[]): Promise<void> {
	await tx`
		delete from idempotency_keys where (scope_id, operation, key) in (
			select * from unnest(${places.map((p) => p.scopeId)}::uuid[], ${places.map((p) => p.operation)}::text[],
				${places.map((p) => p.key)}::uuid[]))`;
}

/** Tells places apart. */
export const nameOf = ({ scopeId, operation, key }: KeyPlace): string => `${scopeId} ${operation} ${key}`;

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

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
