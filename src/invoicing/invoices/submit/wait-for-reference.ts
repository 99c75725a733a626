/**
 * The steps "wait" and "give-up" of a note whose document, of the same tenant, is not accepted yet.
 *
 * The verdict on the document wakes its notes in the same transaction. A note that reads the document at just that moment is not woken, so notes
 * also poll: right after they begin to wait, then every ten seconds, then less often. An outage of days may leave thousands of them.
 */

import { failpoint } from "../../../platform/failpoints";
import { expediteMessages, type Handled, OUTBOX_KINDS, snooze } from "../../../platform/outbox";
import type { VerdictReaction } from "../../verdicts";

import { findWaitingNotes } from "../model/store";
import { end, fail, isPastDeadline, NOT_TRIED, segmentOfState, type Work, type Writing } from "./submission-context";

const POLL_FIRST_SECONDS = 0.25;
const POLL_SECONDS = { min: 10, max: 60 };
/** The pause as a share of the time waited so far. */
const POLL_SHARE = 0.05;

/** These steps do not call the authority, so they need no certificate. */
type WaitingNote = Writing & Pick<Work, "state">;

/** Holds the note until its document is decided. The wait ends after 72 hours, like every wait for the authority. */
export async function waitForReference(work: WaitingNote): Promise<Handled> {
	if (isPastDeadline(work)) {
		const detail = "The document that this note modifies was not decided within 72 hours.";
		return fail(work, { code: "reference-undecided", detail });
	}
	const started = await findContingency(work);
	if (work.invoice.phase === "held") {
		const to = started && ({ phase: "held", ...started, detail: NOT_TRIED } as const);
		return end(work, snooze(secondsToNextPoll(work.state.inPhaseSeconds)), to ? { to } : {});
	}
	const to = { phase: "held", ...started, detail: "awaiting-reference" } as const;
	const handled = await end(work, snooze(POLL_FIRST_SECONDS), { to });
	failpoint("note-held");
	return handled;
}

/** `heldSeconds`: how long the note has waited. */
export function secondsToNextPoll(heldSeconds: number): number {
	const { min, max } = POLL_SECONDS;
	return Math.min(max, Math.max(min, heldSeconds * POLL_SHARE));
}

/** During an outage a waiting note is printed as issued in contingency, so its status says the same. */
async function findContingency({
	deps,
	state,
	invoice,
}: WaitingNote): Promise<{ readonly contingency: "start" } | undefined> {
	if (invoice.contingencySince !== null) return undefined;
	return (await deps.authorityStatus.isContingency(segmentOfState(state))) ? { contingency: "start" } : undefined;
}

/**
 * Fails a note that was never sent. If the document's number was given back, another document may use it, and the note can be retried. If it was
 * consumed, the note can never be sent, because its signed bytes name that number. Its own number is free again.
 */
export function failNote(work: WaitingNote): Promise<Handled> {
	const code = "reference-rejected";
	const { reference } = work.state;
	if (reference?.isReleased) {
		const fate = reference.isFinal ? "can never be sent" : "was rejected";
		const detail = `The document that this note modifies ${fate}. The note was not sent and its number is not consumed. Issue the document again under the same number, then retry the note.`;
		return fail(work, { code, detail });
	}
	const detail =
		"The document that this note modifies was rejected and its number consumed, so this note can never be sent. Its own number is free again. Issue the document again, then a note on that one.";
	return fail(work, { code, detail, isFinal: true });
}

/**
 * Wakes the notes that wait for a decided document, in the transaction that decides it. They go on waiting for one that failed and may
 * still be brought back.
 */
export const wakeWaitingNotes: VerdictReaction = {
	async wake(tx, conclusions) {
		const settled = conclusions.flatMap(({ decision, invoice }) =>
			decision && (decision.status !== "failed" || decision.releasesEncf) ? [invoice] : [],
		);
		if (settled.length === 0) return false;
		const notes = await findWaitingNotes(tx, settled);
		if (notes.length > 0) await expediteMessages(tx, OUTBOX_KINDS.submitInvoice, notes);
		return notes.length > 0;
	},
};
