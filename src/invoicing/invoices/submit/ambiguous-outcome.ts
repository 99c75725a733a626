/**
 * What "the number was used before" and "send it again" mean after more than one sending.
 *
 * The authority says the first of a second copy of a document, and also of a document whose number another taxpayer has used. So it never
 * rejects a document that may have arrived before. Until something proves either case, the service queries again, less and less often. After 72
 * hours the document fails and can be retried.
 */
import { backoffSeconds, type Handled, snooze } from "../../../platform/outbox";
import { end, postpone, type Work } from "./submission-context";
import type { Submission } from "./submission-state";

/** How long a query may miss what the authority has received. */
export const LAG_SECONDS = 30;

/** Results that prove that nothing arrived. "not-found" is none of them: the document may be found later. */
const NEVER_ARRIVED: ReadonlySet<string | null> = new Set(["not-sent", "refused"]);
const PAUSE_MAX_SECONDS = 900;

/** Whether one of these sendings may have reached the authority. */
export function mayHaveArrived(submissions: readonly Pick<Submission, "result">[]): boolean {
	return submissions.some(({ result }) => !NEVER_ARRIVED.has(result));
}

/** The answer to sending `n` leaves earlier sendings open. Queries at once the first time, and later after each round without a result. */
export function settleAmbiguous(work: Work, n: number): Promise<Handled> {
	const detail = "the answer leaves open whether an earlier sending arrived";
	const change = { finishes: { n, result: "unknown", detail }, to: { phase: "unconfirmed", detail } } as const;
	const rounds = work.state.submissions.filter(({ result }) => result === "not-found").length;
	if (rounds === 0) return end(work, snooze(0), change);
	return postpone(work, detail, change, Math.min(PAUSE_MAX_SECONDS, 2 ** rounds));
}

/** The authority could not validate the document and asks for the same bytes again. */
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
