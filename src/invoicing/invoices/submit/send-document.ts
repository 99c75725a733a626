/** The step "send": an intent is stored, then the signed bytes go out, then what came of it is stored. */

import { type Submission, wasCalled } from "../../../authority/client";
import { explainCode } from "../../../authority/codes";
import { failpoint } from "../../../platform/failpoints";
import { backoffSeconds, type Handled } from "../../../platform/outbox";
import { LAG_SECONDS, mayHaveArrived, sendOnRequest, settleAmbiguous } from "./ambiguous-outcome";
import { queryAtOnce } from "./query-authority";
import { decide, pollLater, postpone, secondsSinceSending, type Work, write } from "./submission-context";
import type { Final } from "./verdict";

/** Codes of what is ours to name and write, not the caller's. Source: the dictionary of the authority's codes. */
const OWN_DEFECTS: ReadonlySet<string> = new Set(["3243"]);

export async function sendDocument(work: Work): Promise<Handled> {
	const { deps, invoice, state } = work;
	const { signed, scenario } = state;
	if (!signed) throw new Error(`document ${invoice.docId} has no signed bytes`);

	failpoint("before-intent");
	const to = { phase: "sending", countsAttempt: true, goesOnFailing: true, detail: "about to be sent" } as const;
	const { n, version } = await write(work, { opensSubmission: true, to });
	if (n === null || version === null) throw new Error(`document ${invoice.docId} is no longer to be sent`);
	failpoint("after-intent");
	// Paused between intent and socket, this holder may have a successor who has asked and found nothing.
	const maySend = (takesMaxMs: number) => work.message.leaseLeftMs() > takesMaxMs;
	const { rnc, isPlayed } = work;
	const scenarioHeader = scenario ? { scenario: JSON.stringify(scenario) } : {};
	const parcel = { rnc, encf: invoice.encf, xml: signed.bytes, maySend, isPlayed, ...scenarioHeader };
	const answer =
		signed.kind === "summary"
			? await deps.authority.submitSummary(work.who, parcel, work.record)
			: await deps.authority.submit(work.who, parcel, work.record);
	failpoint("after-answer");
	const isUncertain = answer.kind === "not-sent" || answer.kind === "unknown";
	if (!(isUncertain && isPlayed)) await work.heard(isUncertain ? answer.reason : undefined);
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
			const afterSeconds = backoffSeconds(work.message.failures);
			const detail = `${isUnknown ? "outcome unknown" : "not sent"}: ${answer.reason}, ${answer.detail}`;
			const to = {
				phase: isUnknown ? "unconfirmed" : "queued",
				// What was not called is not away.
				...(wasCalled(answer.reason) ? { contingency: "start" as const } : {}),
				nextAttemptInSeconds: afterSeconds,
				detail,
			} as const;
			return postpone(work, answer.reason, { finishes: { n, result: answer.kind, detail }, to }, afterSeconds);
		}
	}
}

/**
 * The authority has it. Where it has lately decided at once it is asked at once, and the verdict is written with the reception; should this
 * holder die before, the number is asked about, as after every intent without a result.
 */
async function settleReception(work: Work, n: number, trackId: string): Promise<Handled> {
	const detail = `received as ${trackId}`;
	const received = { phase: "tracking", authorityTrackId: trackId, detail } as const;
	const change = { trackIds: [trackId], finishes: { n, result: "received", detail } };
	const pauseSeconds = work.reachability.firstQueryOf(work.segment).pauseSeconds();
	const verdict = pauseSeconds === 0 ? await queryAtOnce(work, trackId) : undefined;
	failpoint("after-received");
	if (verdict) return decide(work, verdict, { ...change, through: received });
	return pollLater(work, { ...change, to: { ...received, contingency: "end" } }, pauseSeconds);
}

async function settleRefusal(work: Work, n: number, answer: Submission & { kind: "refused" }): Promise<Handled> {
	const { code, duplicate } = answer;
	if (isAmbiguous(work, duplicate)) return settleAmbiguous(work, n);
	if (code !== undefined && !OWN_DEFECTS.has(code)) {
		const verdict = toRejection(code, answer, duplicate || mayHaveArrived(work.state.submissions));
		return decide(work, verdict, { finishes: { n, result: "refused", detail: `code ${code}` } });
	}
	const told = answer.messages.map((m) => m.text).join(" ");
	const detail = `refused at the door: ${told}`;
	await write(work, {
		finishes: { n, result: "refused", detail },
		to: { phase: "queued", goesOnFailing: true, detail },
	});
	throw new Error(`the authority refused the file: ${told}`);
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
 * A refusal says nothing of a sending before it that may have arrived, for as long as the authority's reading of that one may lag; only of a used
 * number the authority itself says the contrary. One that the authority wanted again has not become a document.
 */
function isAmbiguous(work: Work, duplicate: boolean): boolean {
	const { submissions } = work.state;
	if (duplicate) return mayHaveArrived(submissions);
	const ambiguous = submissions.filter(({ result }) => result !== "retryable");
	return mayHaveArrived(ambiguous) && secondsSinceSending(work) < LAG_SECONDS;
}

/**
 * A refusal at the door as the verdict that it is. A number that was used before is consumed, else it is as the refusal says; most bear no flag, and
 * then it is as the code usually has it. Of a code that nobody knows the document never got in.
 */
function toRejection(
	code: string,
	{ messages, sequenceConsumed: told }: Pick<Submission & { kind: "refused" }, "messages" | "sequenceConsumed">,
	isUsed: boolean,
): Final {
	const explained = explainCode(code);
	const usually = explained.known ? (explained.sequenceConsumed ?? false) : false;
	const sequenceConsumed = isUsed || (told ?? usually);
	return { kind: "rejected", code, messages, sequenceConsumed, duplicate: isUsed, retryable: false };
}
