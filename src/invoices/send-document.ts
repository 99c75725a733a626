/** The step "send": an intent is stored, then the signed bytes go out, then what came of it is stored. */
import type { Rejected, Submission } from "../authority";
import { faultPoint } from "../fault-points";
import { backoffSeconds, type Handled, retry, snooze } from "../outbox";
import type { Final } from "./record-verdict";
import { decide, end, lookAgain, postpone, type Work, write } from "./submission-work";
import { askAtOnce } from "./track-document";

export async function sendDocument(work: Work): Promise<Handled> {
	const { deps, invoice, dossier } = work;
	const { signed, scenario } = dossier;
	if (!signed) throw new Error(`document ${invoice.docId} has no signed bytes`);

	faultPoint("before-intent");
	const to = { phase: "sending", countsAttempt: true, detail: "about to be sent" } as const;
	const { n, version } = await write(work, { opensSubmission: true, to });
	if (n === null || version === null) throw new Error(`document ${invoice.docId} is no longer to be sent`);
	faultPoint("after-intent");
	// Paused between intent and socket, this holder may have a successor who has asked and found nothing.
	const mayGo = () => work.message.leaseLeftMs() > 0;
	const scenarioHeader = scenario ? { scenario: JSON.stringify(scenario) } : {};
	const parcel = { rnc: work.rnc, encf: invoice.encf, xml: signed.bytes, mayGo, ...scenarioHeader };
	const answer =
		signed.kind === "summary"
			? await deps.authority.submitSummary(work.who, parcel, work.record)
			: await deps.authority.submit(work.who, parcel, work.record);
	faultPoint("after-answer");
	const isUncertain = answer.kind === "not-sent" || answer.kind === "unknown";
	// A call that was not made tells nothing of the host.
	if (!isUncertain || answer.reason !== "send-withdrawn") await work.heard(isUncertain ? answer.reason : undefined);
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
				contingency: "start",
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
	const pauseSeconds = work.reachability.firstQuestionOf(work.segment).pauseSeconds();
	const verdict = pauseSeconds === 0 ? await askAtOnce(work, trackId) : undefined;
	faultPoint("after-received");
	if (verdict) return decide(work, verdict, { ...change, through: received });
	return lookAgain(work, { ...change, to: { ...received, contingency: "end" } }, pauseSeconds);
}

async function settleRefusal(work: Work, n: number, answer: Submission & { kind: "refused" }): Promise<Handled> {
	if (answer.duplicate && n > 1) return doubt(work, n);
	const { code, messages } = answer;
	if (code !== undefined) {
		return decide(work, toRejection(code, messages), { finishes: { n, result: "refused", detail: `code ${code}` } });
	}
	const told = messages.map((m) => m.text).join(" ");
	const detail = `refused at the door: ${told}`;
	await write(work, { finishes: { n, result: "refused", detail }, to: { phase: "queued", detail } });
	throw new Error(`the authority refused the file: ${told}`);
}

/** A summary's verdict comes with the answer. */
function settleVerdict(work: Work, n: number, verdict: Final): Promise<Handled> {
	if (verdict.kind === "rejected" && verdict.retryable) {
		const detail = `the authority asks to send again: ${verdict.code}`;
		const change = { finishes: { n, result: "retryable", detail }, to: { phase: "queued", detail } as const };
		return end(work, retry(backoffSeconds(work.message.failures), detail), change);
	}
	if (verdict.kind === "rejected" && verdict.duplicate && n > 1) return doubt(work, n);
	return decide(work, verdict, { finishes: { n, result: "decided", detail: null } });
}

/** "Used before" on a second sending means that the first one arrived: ask, whatever the answer calls itself. */
function doubt(work: Work, n: number): Promise<Handled> {
	const detail = "the authority says that the number was used before";
	const { failures } = work.message;
	const outcome = failures === 0 ? snooze(0) : retry(backoffSeconds(failures), detail);
	return end(work, outcome, { finishes: { n, result: "unknown", detail }, to: { phase: "unconfirmed", detail } });
}

/** A refusal at the door as the verdict that it is. The number was not consumed: the document never got in. */
function toRejection(code: string, messages: Rejected["messages"]): Final {
	return { kind: "rejected", code, messages, sequenceConsumed: false, duplicate: false, retryable: false };
}
