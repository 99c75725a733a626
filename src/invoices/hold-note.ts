/**
 * The steps "wait" and "give-up": a note and the document of the same tenant that it modifies.
 *
 * Whoever writes the document's verdict wakes the notes that are held for it (wake-notes.ts), in the same transaction. A note that was looking at just
 * that moment is not woken: it looks once more right after it was held, and every ten seconds from then on.
 */
import { faultPoint } from "../fault-points";
import { type Handled, snooze } from "../outbox";
import { end, fail, hasOutlivedOutage, type Work } from "./submission-work";

const LOOK_AGAIN_SECONDS = 0.25;
const LOOK_SELDOM_SECONDS = 10;

/** The note is held until its document is decided; the wait ends as every wait for the authority does. */
export async function waitForReference(work: Work): Promise<Handled> {
	if (hasOutlivedOutage(work)) {
		const detail = "The document that this note modifies was not decided within 72 hours.";
		return fail(work, { code: "reference-undecided", detail });
	}
	if (work.invoice.phase === "held") return end(work, snooze(LOOK_SELDOM_SECONDS));
	const handled = await end(work, snooze(LOOK_AGAIN_SECONDS), { to: { phase: "held", detail: "awaiting-reference" } });
	faultPoint("note-held");
	return handled;
}

export function giveUpNote(work: Work): Promise<Handled> {
	const detail =
		"The document that this note modifies was rejected. The note was not sent and its number not consumed: issue the document anew, then retry.";
	return fail(work, { code: "reference-rejected", detail });
}
