/** The step "track": the authority has the document under a trackId; what does it say? */
import type { Rejected, Verdict } from "../../../authority/client";
import { faultPoint } from "../../../platform/failpoints";
import { type Handled, snooze } from "../../../platform/outbox";
import { LAG_SECONDS, mayHaveArrived, sendOnRequest } from "./ambiguous-outcome";
import { selectOwn } from "./query-authority";
import type { Final } from "./record-verdict";
import { decide, end, lookAgain, postpone, secondsSinceSending, type Work } from "./submission-context";

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
			if (verdict.retryable) return sendOnRequest(work, work.dossier.submissions.at(-1)?.n, verdict.code);
			return verdict.duplicate ? settleDuplicate(work, verdict) : decide(work, verdict);
		case "in-process":
			return lookAgain(work);
		case "unavailable":
			return postpone(work, verdict.reason);
		case "not-found": {
			if (work.dossier.inPhaseSeconds < LAG_SECONDS) return lookAgain(work);
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

/**
 * "Number already used" after more than one sending means that an earlier one arrived, unless that is known not to be: the verdict of that one is
 * ours. The rejection stands when the authority lists this reception and no earlier one; what it does not list at all may be what lags.
 */
async function settleDuplicate(work: Work, rejection: Rejected): Promise<Handled> {
	const { deps, invoice, rnc, dossier } = work;
	if (!mayHaveArrived(dossier.submissions.slice(0, -1))) return decide(work, rejection);
	const found = await deps.authority.queryTrackIds(work.who, { rnc, encf: invoice.encf }, work.record);
	// Gap: where receptions are not listed at all, in certification, a set of tests ends with it and is begun anew; nothing of it has fiscal effect.
	const isHopeless = found.kind === "unavailable" && found.reason === "authority-service-absent";
	if (isHopeless && invoice.testSetId !== null) return decide(work, rejection);
	if (found.kind === "unavailable") return postpone(work, found.reason);
	const listed = found.kind === "found" ? found.entries : [];
	let isOpen = false;
	for (const { trackId } of await selectOwn(work, listed)) {
		if (trackId === invoice.authorityTrackId) continue;
		const earlier = await deps.authority.queryResult(work.who, { trackId, rnc, encf: invoice.encf }, work.record);
		if (earlier.kind === "accepted") return decide(work, earlier);
		if (earlier.kind === "rejected" && !earlier.duplicate && !earlier.retryable) return decide(work, earlier);
		if (earlier.kind === "in-process") return lookAgain(work);
		if (earlier.kind === "unavailable") return postpone(work, earlier.reason);
		// Listed and not to be found: the list is ahead of what tells results.
		isOpen ||= earlier.kind === "not-found";
	}
	if (isOpen) return postpone(work, "an earlier reception has no verdict yet");
	if (listed.some(({ trackId }) => trackId === invoice.authorityTrackId)) return decide(work, rejection);
	return postpone(work, "the number was used before, and the authority does not tell by what");
}
