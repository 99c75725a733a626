/**
 * What a refusal means after more than one sending, "the number was used before" above all, and what "send it again" asks for.
 *
 * The authority says the first of a second copy of a document, and of a document whose number somebody else has used. A document that may have
 * arrived before is therefore never rejected by it: as long as nothing proves the one or the other it is asked about again, less and less often,
 * and fails after 72 hours, from which it can be brought back.
 */
import { backoffSeconds, type Handled, snooze } from "../../../platform/outbox";
import { end, postpone, type Work } from "./submission-context";
import type { Submission } from "./submission-store";

/** So long what the authority has taken may not be found there: its readings can lag. */
export const LAG_SECONDS = 30;

/** Results of a sending that prove that nothing of it arrived. One that was asked about and not found may be found later. */
const NEVER_ARRIVED: ReadonlySet<string | null> = new Set(["not-sent", "refused"]);
const PAUSE_MAX_SECONDS = 900;

/** Whether one of these sendings may be the document that the authority knows. */
export function mayHaveArrived(submissions: readonly Pick<Submission, "result">[]): boolean {
	return submissions.some(({ result }) => !NEVER_ARRIVED.has(result));
}

/** Sending `n` was answered in a way that does not tell: what became of those before it? Asked at once the first time, ever later after each round without an answer. */
export function settleAmbiguous(work: Work, n: number): Promise<Handled> {
	const detail = "the answer leaves open what became of the sending before";
	const change = { finishes: { n, result: "unknown", detail }, to: { phase: "unconfirmed", detail } } as const;
	const rounds = work.state.submissions.filter(({ result }) => result === "not-found").length;
	if (rounds === 0) return end(work, snooze(0), change);
	return postpone(work, detail, change, Math.min(PAUSE_MAX_SECONDS, 2 ** rounds));
}

/** The authority could not validate it and wants the same bytes again. */
export function sendOnRequest(work: Work, n: number | undefined, code: string): Promise<Handled> {
	const detail = `the authority asks to send again: ${code}`;
	return postpone(
		work,
		detail,
		{
			...(n === undefined ? {} : { finishes: { n, result: "retryable", detail } }),
			to: { phase: "queued", detail },
		},
		backoffSeconds(work.message.failures),
	);
}
