/**
 * What a pending document needs next, decided from what is stored and nothing else.
 *
 *   held ◀─wait─┐ ┌────────────── not-sent, not found ──────────────┐
 *     │         │ ▼                                                 │
 *     └────────▶ queued ─send▶ sending ──received──▶ tracking ──verdict──▶ decided
 *                                 │                     │  ▲
 *                                 └─unknown─▶ unconfirmed ─┘ (asked and found)
 *
 * The rule that keeps a document from being received twice: an intent is stored before the first byte is sent, and an intent
 * without a definite result, after a crash or a time-out alike, is answered by asking, never by sending.
 *
 * A note (types 33 and 34) that was never sent waits for the document of the same tenant that it modifies, because the authority rejects
 * it, number and all, before it has accepted that one. Source: the authority's code 614.
 */

import type { InvoiceRow } from "../model/invoice-row";
import type { Reference, Submission } from "./submission-store";

export type Step = "nothing" | "wait" | "give-up" | "send" | "ask" | "track";

/** Results of a sending that prove that the authority does not have the document. */
const NOTHING_ARRIVED = new Set(["not-sent", "not-found", "refused", "retryable"]);

/** `reference`: how the tenant's own document stands that this note modifies; null for other documents and other people's. */
export function nextStep(
	invoice: Pick<InvoiceRow, "status" | "authorityTrackId" | "phase">,
	submissions: readonly Pick<Submission, "n" | "result">[],
	reference: Pick<Reference, "status" | "isFinal"> | null = null,
): Step {
	if (invoice.status !== "pending") return "nothing";
	const last = submissions[submissions.length - 1];
	if (!last) return beforeFirstSending(reference);
	if (NOTHING_ARRIVED.has(last.result ?? "")) return "send";
	if (invoice.authorityTrackId !== null && invoice.phase === "tracking") return "track";
	return "ask";
}

/**
 * Gap: what becomes of a note whose document is rejected, or has failed for good. It would be rejected too and its number lost, so it fails unsent; where
 * the document's number was given back it can be brought back. One that failed on our side may still be brought back itself: the note goes on waiting.
 */
function beforeFirstSending(reference: Pick<Reference, "status" | "isFinal"> | null): Step {
	if (reference === null || reference.status === "accepted") return "send";
	return reference.status === "rejected" || reference.isFinal ? "give-up" : "wait";
}
