/** Carries out a write once for each idempotency key: its answer is stored with it or not at all. The key may be left out. */
import type { Sql, Tx } from "../database";
import { type Call, checkBody, parseJson, readBytes, readQuery, tenantOf } from "../operation";
import { Problem } from "../problem";
import { hashBytes, hashPayload } from "./fingerprint";
import { readIdempotencyKey } from "./key";
import { checkRepeat, replayAnswer } from "./replay";
import { findAnswer, type KeyPlace, saveAnswer } from "./store";

export type Written = {
	readonly status: number;
	readonly body: unknown;
	/** What is stored for a repeat instead of the body, where that tells a secret. */
	readonly kept?: unknown;
	readonly headers: Readonly<Record<string, string>>;
};

type OnceOptions<T> = {
	/** Whose keys they are; the caller's tenant unless told otherwise. */
	readonly scopeId?: string;
	/** The request's path in a form that may be stored; as it was sent unless told otherwise. */
	readonly path?: string;
	/** Makes of the parsed body what is to be written, before the transaction; compares it with the operation's schema unless told otherwise. */
	readonly check?: (value: unknown) => Promise<T>;
};

/**
 * Of an operation that takes no body, the path says all. Throws: malformed-json, validation-error, idempotency-key-reused, whatever `check`
 * and `write` throw.
 */
export async function answerOnce<T>(
	sql: Sql,
	call: Call,
	write: (tx: Tx, request: T, place: KeyPlace | undefined) => Promise<Written>,
	{ scopeId, path, check }: OnceOptions<T> = {},
): Promise<Response> {
	const { method, body } = call.operation;
	// It declares none: a parameter that asks for less than the write must not be passed over.
	readQuery(call);
	const bytes = body ? await readBytes(call) : new Uint8Array(0);
	const key = readIdempotencyKey(call.request, "optional");
	const place: KeyPlace | undefined =
		key === undefined
			? undefined
			: { scopeId: scopeId ?? tenantOf(call), operation: `${method} ${path ?? call.url.pathname}`, key };
	const rawSha256 = hashBytes(bytes);
	const parse = () => (bytes.length === 0 && !body?.required ? {} : parseJson(bytes));
	const findReplay = async () => {
		const stored = place && (await findAnswer(sql, place));
		if (!stored) return undefined;
		checkRepeat(stored, rawSha256, parse);
		return replayAnswer(stored);
	};
	const replay = await findReplay();
	if (replay) return replay;
	const value = parse();
	const request = check ? await check(value) : body ? checkBody<T>(value, body.schema) : (value as T);
	try {
		return await sql.begin(async (tx) => {
			const { status, body: answer, kept = answer, headers } = await write(tx, request, place);
			const stored = {
				...{ rawSha256, payloadSha256: hashPayload(value), docId: null },
				...{ answer: JSON.stringify(kept), headers },
			};
			const isFirst = !place || (await saveAnswer(tx, place, stored));
			// Nothing of this one is kept; what the first one answered is there to be replayed.
			if (!isFirst) throw new Problem("idempotency-in-progress", { headers: { "retry-after": "1" } });
			return new Response(JSON.stringify(answer), {
				status,
				headers: { "content-type": "application/json; charset=utf-8", ...headers },
			});
		});
	} catch (error) {
		// An equal request may have been carried out meanwhile, and this one have failed because of it.
		const raced = error instanceof Problem ? await findReplay() : undefined;
		if (raced) return raced;
		throw error;
	}
}
