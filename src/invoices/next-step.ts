/**
 * What a pending document needs next, decided from what is stored and nothing else.
 *
 *            ┌────────────── not-sent, not found ──────────────┐
 *            ▼                                                 │
 *   queued ─send▶ sending ──received──▶ tracking ──verdict──▶ decided
 *                    │                     │  ▲
 *                    └─unknown─▶ unconfirmed ─┘ (asked and found)
 *
 * The rule that keeps a document from being received twice: an intent is stored before the first byte is sent, and an intent
 * without a definite result, after a crash or a time-out alike, is answered by asking, never by sending.
 */
import type { InvoiceRow } from "./invoice-row";
import type { Submission } from "./store";

export type Step = "nothing" | "send" | "ask" | "track";

/** Results of a sending that prove that the authority does not have the document. */
const NOTHING_ARRIVED = new Set(["not-sent", "not-found", "refused", "retryable"]);

export function nextStep(
	invoice: Pick<InvoiceRow, "status" | "authorityTrackId" | "phase">,
	submissions: readonly Pick<Submission, "n" | "result">[],
): Step {
	if (invoice.status !== "pending") return "nothing";
	const last = submissions[submissions.length - 1];
	if (!last || NOTHING_ARRIVED.has(last.result ?? "")) return "send";
	if (invoice.authorityTrackId !== null && invoice.phase === "tracking") return "track";
	return "ask";
}
