/**
 * The next step of a pending document, decided from stored state alone.
 *
 *   held ◀─wait─┐ ┌────────────── not-sent, not found ──────────────┐
 *     │         │ ▼                                                 │
 *     └────────▶ queued ─send▶ sending ──received──▶ tracking ──verdict──▶ decided
 *                                 │                     │  ▲
 *                                 └─unknown─▶ unconfirmed ─┘ (queried and found)
 *
 * One rule keeps a document from being received twice. An intent is stored before the first byte is sent. An intent without a definite result,
 * after a crash or a time-out alike, leads to a query, never to another sending.
 *
 * A note (types 33 and 34) that was never sent waits for the tenant's own document that it modifies. Before that one is accepted the authority
 * rejects the note and consumes its number. Source: the authority's code 614.
 */

import type { InvoiceRow } from "../model/invoice-row";
import { NOTHING_ARRIVED } from "../model/stored-document";
import type { Reference, Submission } from "./submission-state";

export type Step = "nothing" | "wait" | "give-up" | "send" | "query" | "track";

/** `reference`: the state of the tenant's own document that this note modifies; null if there is none. */
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
	return "query";
}

/**
 * Gap: the fate of a note whose document is rejected or has failed for good. It would be rejected and its number consumed, so it fails unsent. It
 * can be retried if the document's number was given back. While a failed document can still be retried, the note keeps waiting.
 */
function beforeFirstSending(reference: Pick<Reference, "status" | "isFinal"> | null): Step {
	if (reference === null || reference.status === "accepted") return "send";
	return reference.status === "rejected" || reference.isFinal ? "give-up" : "wait";
}
