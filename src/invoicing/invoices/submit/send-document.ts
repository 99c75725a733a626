/** The step "send": stores an intent, sends the signed bytes, and stores the result. */

import { type Submission, wasCalled } from "../../../authority/client";
import { explainCode } from "../../../authority/codes";
import { failpoint } from "../../../platform/failpoints";
import { backoffSeconds, type Handled } from "../../../platform/outbox";
import { LAG_SECONDS, mayHaveArrived, sendOnRequest, settleAmbiguous } from "./ambiguous-outcome";
import { queryAtOnce } from "./query-authority";
import { decide, pollLater, postpone, secondsSinceSending, type Work, write } from "./submission-context";
import type { Final } from "./verdict";

/** Codes of defects that the service causes, not the caller. Source: the dictionary of the authority's codes. */
const OWN_DEFECTS: ReadonlySet<string> = new Set(["3243"]);

export async function sendDocument(work: Work): Promise<Handled> {
	const { deps, invoice, state } = work;
	const { signed, scenario } = state;
	if (signed.bytes.length === 0) throw new Error(`document ${invoice.docId} has no signed ${signed.kind}`);
	failpoint("before-intent");
	const to = { phase: "sending", countsAttempt: true, failing: "goes-on", detail: "about to be sent" } as const;
	const { n, version } = await write(work, { opensSubmission: true, to });
	if (n === null || version === null) throw new Error(`document ${invoice.docId} is no longer to be sent`);
	failpoint("after-intent");
	// While this holder was paused between intent and socket, a successor may have queried and found nothing.
	const maySend = (takesMaxMs: number) => work.message.leaseLeftMs() > takesMaxMs;
	const { rnc, isPlayed } = work;
	const scenarioHeader = scenario ? { scenario: JSON.stringify(scenario) } : {};
	const signedAt = new Date(invoice.print.signedAt);
	const parcel = { rnc, encf: invoice.encf, xml: signed.bytes, signedAt, maySend, isPlayed, ...scenarioHeader };
	const answer =
		signed.kind === "summary"
			? await deps.authority.submitSummary(work.who, parcel, work.record)
			: await deps.authority.submit(work.who, parcel, work.record);
	failpoint("after-answer");
	const isUncertain = answer.kind === "not-sent" || answer.kind === "unknown";
	if (!(isUncertain && isPlayed)) await work.observe(isUncertain ? answer.reason : undefined);
	return settleSubmission(work, n, answer);
}

/** `n` is the intent that the answer belongs to. */
async function settleSubmission(work: Work, n: number, answer: Submission): Promise<Handled> {
	switch (answer.kind) {
		case "received":
			return settleReception(work, n, answer.trackId);
		case "decided":
			return settleVerdict(work, n, answer.verdict);
		case "refused":
			return settleRefusal(work, n, answer);
		case "not-sent":
		case "unknown": {
			const isUnknown = answer.kind === "unknown";
			const afterSeconds = answer.afterMs === undefined ? backoffSeconds(work.message.failures) : answer.afterMs / 1000;
			const detail = `${isUnknown ? "outcome unknown" : "not sent"}: ${answer.reason}, ${answer.detail}`;
			const to = {
				phase: isUnknown ? "unconfirmed" : "queued",
				// A service that was not called is not down.
				...(wasCalled(answer.reason) ? { contingency: "start" as const } : {}),
				nextAttemptInSeconds: afterSeconds,
				detail,
			} as const;
			return postpone(work, answer.reason, { finishes: { n, result: answer.kind, detail }, to }, afterSeconds);
		}
	}
}

/**
 * The authority has the document. If it has lately decided at once, the verdict is queried at once and written with the reception. If this holder
 * dies before that, the intent has no result, and the next holder queries.
 */
async function settleReception(work: Work, n: number, trackId: string): Promise<Handled> {
	const detail = `received as ${trackId}`;
	work.progress.reception = { n, trackId, detail };
	const pauseSeconds = work.reachability.firstQueryOf(work.segment).pauseSeconds();
	const verdict = pauseSeconds === 0 ? await queryAtOnce(work, trackId) : undefined;
	failpoint("after-received");
	return verdict ? decide(work, verdict) : pollLater(work, pauseSeconds);
}

async function settleRefusal(work: Work, n: number, answer: Submission & { kind: "refused" }): Promise<Handled> {
	const { code, duplicate } = answer;
	if (isAmbiguous(work, duplicate)) return settleAmbiguous(work, n);
	if (code !== undefined && !OWN_DEFECTS.has(code)) {
		const verdict = toRejection(code, answer, duplicate || mayHaveArrived(work.state.submissions));
		return decide(work, verdict, { finishes: { n, result: "refused", detail: `code ${code}` } });
	}
	const text = answer.messages.map((m) => m.text).join(" ");
	const detail = `refused on reception: ${text}`;
	await write(work, {
		finishes: { n, result: "refused", detail },
		to: { phase: "queued", failing: "goes-on", detail },
	});
	throw new Error(`the authority refused the file: ${text}`);
}

/** A summary's verdict comes with the answer. */
function settleVerdict(work: Work, n: number, verdict: Final): Promise<Handled> {
	if (verdict.kind === "rejected" && verdict.retryable) return sendOnRequest(work, n, verdict.code);
	const isAmbiguousRejection =
		verdict.kind === "rejected" && verdict.duplicate && mayHaveArrived(work.state.submissions);
	return isAmbiguousRejection
		? settleAmbiguous(work, n)
		: decide(work, verdict, { finishes: { n, result: "decided", detail: null } });
}

/**
 * A refusal says nothing about an earlier sending that may have arrived while the authority's records lag. Only "number used" does. A sending that
 * the authority asked to repeat has not become a document.
 */
function isAmbiguous(work: Work, duplicate: boolean): boolean {
	const { submissions } = work.state;
	if (duplicate) return mayHaveArrived(submissions);
	const ambiguous = submissions.filter(({ result }) => result !== "retryable");
	return mayHaveArrived(ambiguous) && secondsSinceSending(work) < LAG_SECONDS;
}

/**
 * A refusal on reception as a verdict. A number that was used before is consumed. Otherwise the refusal's flag decides, then the code's usual
 * effect. With an unknown code the document was never received.
 */
function toRejection(
	code: string,
	{ messages, sequenceConsumed: flag }: Pick<Submission & { kind: "refused" }, "messages" | "sequenceConsumed">,
	isUsed: boolean,
): Final {
	const explained = explainCode(code);
	const usually = explained.known ? (explained.sequenceConsumed ?? false) : false;
	const sequenceConsumed = isUsed || (flag ?? usually);
	return { kind: "rejected", code, messages, sequenceConsumed, duplicate: isUsed, retryable: false };
}
