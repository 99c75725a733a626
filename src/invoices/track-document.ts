/** The step "track": the authority has the document under a trackId; what does it say? */
import type { Rejected, Verdict } from "../authority";
import { faultPoint } from "../fault-points";
import { backoffSeconds, type Handled, retry, snooze } from "../outbox";
import { selectOwn } from "./ask-authority";
import type { Final } from "./record-verdict";
import { decide, end, lookAgain, postpone, secondsSinceSending, type Work } from "./submission-work";

/** An answer "no such trackId" right after the reception can be a lagging read. */
const LAG_SECONDS = 30;

export async function trackDocument(work: Work): Promise<Handled> {
	const { deps, invoice, rnc } = work;
	const trackId = invoice.authorityTrackId ?? "";
	const verdict = await deps.authority.queryResult(work.who, { trackId, rnc, encf: invoice.encf }, work.record);
	faultPoint("after-status");
	await work.heard(verdict.kind === "unavailable" ? verdict.reason : undefined);
	noteDelay(work, verdict.kind, secondsSinceSending(work));
	switch (verdict.kind) {
		case "accepted":
			return decide(work, verdict);
		case "rejected":
			if (verdict.retryable) return sendOnRequest(work, verdict.code);
			return verdict.duplicate ? settleDuplicate(work, verdict) : decide(work, verdict);
		case "in-process":
			return lookAgain(work);
		case "unavailable":
			return postpone(work, verdict.reason);
		case "not-found": {
			const ageMs = deps.clock.now().getTime() - invoice.updatedAt.getTime();
			if (ageMs < LAG_SECONDS * 1000) return lookAgain(work);
			const detail = `the authority does not know ${trackId}`;
			return end(work, snooze(0), { to: { phase: "unconfirmed", detail } });
		}
	}
}

/** The verdict on a document that has just been received, if it is a plain one that is there already. */
export async function askAtOnce(work: Work, trackId: string): Promise<Final | undefined> {
	const { deps, invoice, rnc } = work;
	const startedMs = performance.now();
	const verdict = await deps.authority.queryResult(work.who, { trackId, rnc, encf: invoice.encf }, work.record);
	noteDelay(work, verdict.kind, (performance.now() - startedMs) / 1000);
	if (verdict.kind === "accepted") return verdict;
	return verdict.kind === "rejected" && !verdict.retryable && !verdict.duplicate ? verdict : undefined;
}

function noteDelay({ reachability, segment }: Work, told: Verdict["kind"], ageSeconds: number): void {
	const isDecided = told === "accepted" || told === "rejected";
	if (isDecided || told === "in-process") reachability.firstQuestionOf(segment).learn(isDecided, ageSeconds);
}

/** The authority could not validate it and wants the same bytes again. */
function sendOnRequest(work: Work, code: string): Promise<Handled> {
	const detail = `the authority asks to send again: ${code}`;
	const last = work.dossier.submissions.at(-1);
	return end(work, retry(backoffSeconds(work.message.failures), detail), {
		...(last ? { finishes: { n: last.n, result: "retryable", detail } } : {}),
		to: { phase: "queued", detail },
	});
}

/**
 * "Number already used" after more than one sending means that an earlier one arrived: the verdict of that one is ours. Only
 * when no other sending of this number was accepted or is still in process does the rejection stand.
 */
async function settleDuplicate(work: Work, rejection: Rejected): Promise<Handled> {
	const { deps, invoice, rnc, dossier } = work;
	if (dossier.submissions.length < 2) return decide(work, rejection);
	const found = await deps.authority.queryTrackIds(work.who, { rnc, encf: invoice.encf }, work.record);
	if (found.kind === "unavailable" && found.reason !== "authority-service-absent") return postpone(work, found.reason);
	const entries = found.kind === "found" ? await selectOwn(work, found.entries) : [];
	for (const { trackId } of entries) {
		if (trackId === invoice.authorityTrackId) continue;
		const earlier = await deps.authority.queryResult(work.who, { trackId, rnc, encf: invoice.encf }, work.record);
		if (earlier.kind === "accepted") return decide(work, earlier);
		if (earlier.kind === "in-process") return lookAgain(work);
		if (earlier.kind === "unavailable") return postpone(work, earlier.reason);
	}
	return decide(work, rejection);
}
