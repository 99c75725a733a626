/** The step "send": an intent is stored, then the signed bytes go out, then what came of it is stored. */
import type { Rejected, Submission } from "../authority";
import { backoffSeconds, type Outcome, retry, snooze } from "../outbox";
import { faultPoint } from "../telemetry";
import type { Final } from "./record-verdict";
import { claimTrackIds, findSignedDocument, finishSubmission, insertIntent, type Move, moveInvoice } from "./store";
import { decide, lookAgain, noteReachability, postpone, type Work, write } from "./submission-work";

export async function sendDocument(work: Work): Promise<Outcome> {
	const { deps, invoice } = work;
	const summary = await findSignedDocument(deps.sql, invoice.docId, "summary");
	const document = summary ?? (await findSignedDocument(deps.sql, invoice.docId, "ecf"));
	if (!document) throw new Error(`document ${invoice.docId} has no signed bytes`);

	const n = await write(work, async (tx) => {
		await moveInvoice(tx, invoice.docId, { phase: "sending", countsAttempt: true, detail: "about to be sent" });
		const intent = await insertIntent(tx, invoice.docId);
		faultPoint("before-intent");
		return intent;
	});
	faultPoint("after-intent");
	const parcel = { rnc: work.rnc, encf: invoice.encf, xml: document.bytes };
	const answer = summary
		? await deps.authority.submitSummary(work.who, parcel, work.record)
		: await deps.authority.submit(work.who, parcel, work.record);
	faultPoint("after-answer");
	await work.flush();
	await noteReachability(work, answer.kind !== "not-sent" && answer.kind !== "unknown");
	return settleSubmission(work, n, answer);
}

/** `n` is the intent that the answer belongs to. */
async function settleSubmission(work: Work, n: number, answer: Submission): Promise<Outcome> {
	const { docId } = work.invoice;
	const finish = (result: string, to: Move) =>
		write(work, async (tx) => {
			await finishSubmission(tx, docId, n, result, to.detail);
			await moveInvoice(tx, docId, to);
		});
	switch (answer.kind) {
		case "received": {
			const { trackId } = answer;
			const detail = `received as ${trackId}`;
			await write(work, async (tx) => {
				await claimTrackIds(tx, docId, [trackId]);
				await finishSubmission(tx, docId, n, "received", detail);
				await moveInvoice(tx, docId, { phase: "tracking", authorityTrackId: trackId, contingency: "end", detail });
			});
			faultPoint("after-received");
			return lookAgain(work);
		}
		case "decided":
			return settleVerdict(work, n, answer.verdict, finish);
		case "refused": {
			if (answer.duplicate && n > 1) return doubt(work, finish);
			const told = answer.messages.map((m) => m.text).join(" ");
			const { code } = answer;
			if (code !== undefined) {
				const verdict = toRejection(code, answer.messages);
				return decide(work, verdict, (tx) => finishSubmission(tx, docId, n, "refused", `code ${code}`));
			}
			await finish("refused", { phase: "queued", detail: `refused at the door: ${told}` });
			throw new Error(`the authority refused the file: ${told}`);
		}
		case "not-sent":
		case "unknown": {
			const isUnknown = answer.kind === "unknown";
			const after = backoffSeconds(work.message.failures);
			await finish(answer.kind, {
				phase: isUnknown ? "unconfirmed" : "queued",
				contingency: "start",
				nextAttemptInSeconds: after,
				detail: `${isUnknown ? "outcome unknown" : "not sent"}: ${answer.reason}, ${answer.detail}`,
			});
			return postpone(work, answer.reason, after);
		}
	}
}

type Finish = (result: string, to: Move) => Promise<unknown>;

/** A summary's verdict comes with the answer. */
async function settleVerdict(work: Work, n: number, verdict: Final, finish: Finish): Promise<Outcome> {
	if (verdict.kind === "rejected" && verdict.retryable) {
		const detail = `the authority asks to send again: ${verdict.code}`;
		await finish("retryable", { phase: "queued", detail });
		return retry(backoffSeconds(work.message.failures), detail);
	}
	if (verdict.kind === "rejected" && verdict.duplicate && n > 1) return doubt(work, finish);
	return decide(work, verdict, (tx) => finishSubmission(tx, work.invoice.docId, n, "decided", null));
}

/** "Used before" on a second sending means that the first one arrived: ask, whatever the answer calls itself. */
async function doubt(work: Work, finish: Finish): Promise<Outcome> {
	const detail = "the authority says that the number was used before";
	await finish("unknown", { phase: "unconfirmed", detail });
	return work.message.failures === 0 ? snooze(0) : retry(backoffSeconds(work.message.failures), detail);
}

/** A refusal at the door as the verdict that it is. The number was not consumed: the document never got in. */
function toRejection(code: string, messages: Rejected["messages"]): Final {
	return { kind: "rejected", code, messages, sequenceConsumed: false, duplicate: false, retryable: false };
}
