import { Problem } from "../problem";
import { hashPayload } from "./fingerprint";
import type { StoredAnswer } from "./store";

/**
 * Gap: the specification speaks of a repeat of the key. A different body under an old key is a client's mistake that a 200 would
 * hide, and an invoice would be lost; so it is refused.
 *
 * Decides whether a request with a known key is a repeat: the same bytes, or bytes that say the same. `parse` is called only
 * when the bytes differ. Throws: idempotency-key-reused, with the first document's id; whatever `parse` throws.
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

/** The stored answer again: 200, the same bytes, marked as a replay. */
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
