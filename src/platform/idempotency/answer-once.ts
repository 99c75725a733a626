/** Performs a write once per idempotency key: the answer is stored with the write or not at all. The key is optional. */

import { createKeyedQueue, type KeyedQueue } from "../concurrency";
import type { Sql, Tx } from "../database";
import {
	type Call,
	checkBody,
	headerParameter,
	type Parameter,
	parseJson,
	readBytes,
	readQuery,
	tenantOf,
} from "../operation";
import { type Fault, msg, Problem } from "../problem";
import { hashBytes, hashPayload } from "./fingerprint";
import { findAnswer, type IdempotencyKey, type StoredAnswer, saveAnswer } from "./store";

export type Written = {
	readonly status: number;
	readonly body: unknown;
	/** Stored for repeats instead of the body, when the body contains a secret. */
	readonly kept?: unknown;
	readonly headers: Readonly<Record<string, string>>;
};

type OnceOptions<T> = {
	/** Whose keys they are. Default: the caller's tenant. */
	readonly scopeId?: string;
	/** The request's path in a form that may be stored. Default: as it was sent. */
	readonly path?: string;
	/** Validates the parsed body before the transaction. Default: against the operation's schema. */
	readonly check?: (value: unknown) => Promise<T>;
};

/**
 * For an operation without a body, the path is the request. Throws: malformed-json, validation-error, idempotency-key-reused, whatever
 * `check` and `write` throw.
 */
export async function answerOnce<T>(
	sql: Sql,
	call: Call,
	write: (tx: Tx, request: T, place: IdempotencyKey | undefined) => Promise<Written>,
	{ scopeId, path, check }: OnceOptions<T> = {},
): Promise<Response> {
	const { method, body } = call.operation;
	// The operation declares no parameters; one that asks for less than the write must not be ignored.
	readQuery(call);
	const bytes = body ? await readBytes(call) : new Uint8Array(0);
	const key = readIdempotencyKey(call.request, "optional");
	const place: IdempotencyKey | undefined =
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
			// Rolls this write back; the answer of the first request is replayed.
			if (!isFirst) throw new Problem("idempotency-in-progress", { headers: { "retry-after": "1" } });
			return new Response(JSON.stringify(answer), {
				status,
				headers: { "content-type": "application/json; charset=utf-8", ...headers },
			});
		});
	} catch (error) {
		// An equal request may have succeeded meanwhile and made this one fail.
		const raced = error instanceof Problem ? await findReplay() : undefined;
		if (raced) return raced;
		throw error;
	}
}

/**
 * Gap: the specification speaks only of a repeated key. A different body under an old key is a client's mistake: a 200 would hide it and an
 * invoice would be lost. So it is refused.
 *
 * Decides whether a request with a known key is a repeat: the same bytes, or bytes with the same meaning. `parse` is called only when the
 * bytes differ. Throws: idempotency-key-reused, with the first document's id; whatever `parse` throws.
 */
export function checkRepeat(stored: StoredAnswer, rawSha256: Uint8Array, parse: () => unknown): void {
	if (Buffer.from(stored.rawSha256).equals(rawSha256)) return;
	if (hashOf(stored)?.equals(hashPayload(parse()))) return;
	throw new Problem("idempotency-key-reused", { extensions: stored.docId ? { docId: stored.docId } : {} });
}

function hashOf({ payloadSha256, request }: StoredAnswer): Buffer | undefined {
	if (payloadSha256 !== null) return Buffer.from(payloadSha256);
	return typeof request === "string" ? hashPayload(JSON.parse(request)) : undefined;
}

/** The stored answer again: status 200, the same bytes, marked as a replay. */
export function replayAnswer(
	stored: Pick<StoredAnswer, "answer" | "headers">,
	headers: Readonly<Record<string, string>> = {},
): Response {
	return new Response(stored.answer, {
		status: 200,
		headers: {
			"content-type": "application/json; charset=utf-8",
			...stored.headers,
			...headers,
			"idempotency-replayed": "true",
		},
	});
}

const POINTER = "#/headers/idempotency-key";
const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Reads the `Idempotency-Key` header: a UUID v4 in either case; undefined when it is absent and optional. Throws: validation-error. */
export function readIdempotencyKey(request: Request, need: "required"): string;
export function readIdempotencyKey(request: Request, need: "optional"): string | undefined;
export function readIdempotencyKey(request: Request, need: "required" | "optional"): string | undefined {
	const header = request.headers.get("idempotency-key");
	if (header === null) {
		if (need === "optional") return undefined;
		throw refuse({ pointer: POINTER, code: "required", detail: msg`The header Idempotency-Key is required.` });
	}
	const key = header.toLowerCase();
	if (!uuidV4.test(key))
		throw refuse({ pointer: POINTER, code: "invalid-format", detail: msg`Send one UUID of version 4.` });
	return key;
}

function refuse(fault: Fault): Problem {
	return new Problem("validation-error", { faults: [fault] });
}

/** Describes the answer to a repeat. */
export const REPEATED = "The request repeats an idempotency key: the first answer again.";
/** Problems of a write with a body and an idempotency key. */
export const WRITE_PROBLEMS = [
	...(["malformed-json", "validation-error", "idempotency-key-reused", "idempotency-in-progress"] as const),
] as const;

/** The optional key as an operation declares it; `repeat` says what a repeat within 24 hours gets. */
export function idempotencyKeyParameter(repeat = "gets the first answer again"): Parameter {
	return headerParameter("Idempotency-Key", `UUID v4; a repeat within 24 hours ${repeat}.`);
}

/**
 * Runs one request per idempotency key at a time in this process; the others wait and then find its answer. Between processes the unique key
 * in the database decides: this only saves the work of signing a document that would be thrown away.
 * Throws: idempotency-in-progress when the wait gets too long.
 */
export function createRequestQueue(waitMaxMs = 10_000): KeyedQueue {
	return createKeyedQueue(waitMaxMs, () => new Problem("idempotency-in-progress", { headers: { "retry-after": "1" } }));
}
