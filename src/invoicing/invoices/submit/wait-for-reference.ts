/**
 * The steps "wait" and "give-up": a note and the document of the same tenant that it modifies.
 *
 * Whoever writes the document's verdict wakes the notes that are held for it (wake-notes.ts), in the same transaction. A note that was looking at just
 * that moment is not woken: it looks once more right after it was held, every ten seconds for the first minutes, and seldomer the longer it waits. An
 * outage of days may leave thousands of them, and what they look for is told to them anyway.
 */

import { failpoint } from "../../../platform/failpoints";
import { expediteMessages, type Handled, OUTBOX_KINDS, snooze } from "../../../platform/outbox";
import type { VerdictReaction } from "../../verdicts";

import { findWaitingNotes } from "../model/store";
import { end, fail, isPastDeadline, NOT_TRIED, segmentOfState, type Work, type Writing } from "./submission-context";

const LOOK_AGAIN_SECONDS = 0.25;
const LOOK_SELDOM_SECONDS = { least: 10, most: 60 };
/** Of the time that it has waited, the part after which it looks again. */
const LOOK_SHARE = 0.05;

/** Neither calls the authority, so neither needs to know as whom. */
type Holding = Writing & Pick<Work, "state">;

/** The note is held until its document is decided; the wait ends as every wait for the authority does. */
export async function waitForReference(work: Holding): Promise<Handled> {
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
	const handled = await end(work, snooze(LOOK_AGAIN_SECONDS), { to });
	failpoint("note-held");
	return handled;
}

/** `heldSeconds`: how long the note has been held. */
export function secondsToNextPoll(heldSeconds: number): number {
	const { least, most } = LOOK_SELDOM_SECONDS;
	return Math.min(most, Math.max(least, heldSeconds * LOOK_SHARE));
}

/** The note's paper is one of a contingency while the authority is away, whatever else it waits for; so its status says the same. */
async function findContingency({
	deps,
	state,
	invoice,
}: Holding): Promise<{ readonly contingency: "start" } | undefined> {
	if (invoice.contingencySince !== null) return undefined;
	return (await deps.authorityStatus.isContingency(segmentOfState(state))) ? { contingency: "start" } : undefined;
}

/**
 * The note was never sent. Where the document's number was given back, another may come under it and the note be tried again. Where it was consumed
 * the note, whose signed bytes name that number, can never be sent: its own number is free again.
 */
export function failNote(work: Holding): Promise<Handled> {
	const code = "reference-rejected";
	const { reference } = work.state;
	if (reference?.isReleased) {
		const fate = reference.isFinal ? "can never be sent" : "was rejected";
		const detail = `The document that this note modifies ${fate}. The note was not sent and its number not consumed: issue the document anew under the same number, then retry.`;
		return fail(work, { code, detail });
	}
	const detail =
		"The document that this note modifies was rejected and its number consumed, so this note can never be sent. Its own number is free again: issue the document anew, then a note on that one.";
	return fail(work, { code, detail, isFinal: true });
}

/** Wakes the notes that are held for documents, in the transaction in which these are decided. */

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
		const docIds = await findWaitingNotes(tx, settled);
		if (docIds.length > 0) await expediteMessages(tx, OUTBOX_KINDS.submitInvoice, docIds);
		return docIds.length > 0;
	},
};
