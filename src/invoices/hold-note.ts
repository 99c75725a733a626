/** The steps "wait" and "give-up": a note and the document of the same tenant that it modifies. */
import { type Handled, snooze } from "../outbox";
import { faultPoint } from "../telemetry";
import { end, fail, hasOutlivedOutage, pauseByAge, type Work } from "./submission-work";

/** The note is held until its document is decided; the wait ends as every wait for the authority does. */
export async function waitForReference(work: Work): Promise<Handled> {
	if (hasOutlivedOutage(work)) {
		const detail = "The document that this note modifies was not decided within 72 hours.";
		return fail(work, { code: "reference-undecided", detail });
	}
	const { phase, receivedAt } = work.invoice;
	const ageSeconds = (work.deps.clock.now().getTime() - receivedAt.getTime()) / 1000;
	const to = { phase: "held", detail: "awaiting-reference" } as const;
	const handled = await end(work, snooze(pauseByAge(ageSeconds)), phase === "held" ? {} : { to });
	faultPoint("note-held");
	return handled;
}

export function giveUpNote(work: Work): Promise<Handled> {
	const detail =
		"The document that this note modifies was rejected. The note was not sent and its number not consumed: issue the document anew, then retry.";
	return fail(work, { code: "reference-rejected", detail });
}
