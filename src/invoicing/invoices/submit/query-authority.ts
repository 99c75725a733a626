/** The steps "query", whether the authority has the document after an unknown outcome, and "track", what it says of it. */
import type { Rejected, TrackIdEntry, Verdict } from "../../../authority/client";
import { failpoint } from "../../../platform/failpoints";
import { type Handled, snooze } from "../../../platform/outbox";
import { findForeignTrackIds } from "../model/store";
import { LAG_SECONDS, mayHaveArrived, sendOnRequest } from "./ambiguous-outcome";
import { decide, end, pollLater, postpone, secondsSinceSending, type Work } from "./submission-context";
import type { Final } from "./verdict";

export function queryAuthority(work: Work): Promise<Handled> {
	return work.state.channel === "fc" ? queryAboutSummary(work) : queryAboutEcf(work);
}

async function queryAboutSummary(work: Work): Promise<Handled> {
	const { deps, invoice, rnc } = work;
	const question = { rnc, encf: invoice.encf, securityCode: invoice.print.securityCode };
	const verdict = await deps.authority.querySummary(work.who, question, work.record);
	failpoint("after-question");
	await work.observe(verdict.kind === "unavailable" ? verdict.reason : undefined);
	switch (verdict.kind) {
		case "accepted":
			return decide(work, verdict);
		case "rejected":
			return settleRejection(work, verdict);
		case "not-found":
			return sendAgain(work);
		case "in-process":
			return pollLater(work);
		case "unavailable":
			return postpone(work, verdict.reason);
	}
}

/** Settled like a rejection that comes with the answer to the sending. */
function settleRejection(work: Work, rejection: Rejected): Promise<Handled> {
	const { submissions } = work.state;
	if (rejection.retryable) return sendOnRequest(work, submissions.at(-1)?.n, rejection.code);
	if (!rejection.duplicate || !mayHaveArrived(submissions.slice(0, -1))) return decide(work, rejection);
	return postpone(work, "the number was used before, and the authority does not say by which document");
}

async function queryAboutEcf(work: Work): Promise<Handled> {
	const { deps, invoice, rnc } = work;
	const answer = await deps.authority.queryTrackIds(work.who, { rnc, encf: invoice.encf }, work.record);
	failpoint("after-question");
	await work.observe(answer.kind === "unavailable" ? answer.reason : undefined);
	if (answer.kind === "not-found") return sendAgain(work);
	if (answer.kind === "unavailable") {
		// Without this service the same bytes may be sent again: they get another trackId, but are the same document.
		return answer.reason === "authority-service-absent" ? sendAgain(work) : postpone(work, answer.reason);
	}
	const own = await selectOwn(work, answer.entries);
	// An accepted reception decides. Otherwise any will do, since all have the same bytes.
	const adopted = own.find((entry) => entry.standing === "accepted") ?? own[own.length - 1];
	if (!adopted) return sendAgain(work);
	const { trackId } = adopted;
	const detail = `found at the authority as ${trackId}`;
	return end(work, snooze(0), {
		trackIds: own.map((entry) => entry.trackId),
		to: { phase: "tracking", authorityTrackId: trackId, contingency: "end", detail },
	});
}

/** How far the clocks of the authority and of the service may differ. */
const CLOCK_SKEW_MS = 120_000;

/**
 * The receptions of the number that belong to this document. An earlier document may have used the number before the authority gave it back. Its
 * receptions have other trackIds, or are older than the first sending of this document.
 */
export async function selectOwn(work: Work, entries: readonly TrackIdEntry[]): Promise<TrackIdEntry[]> {
	const foreign = await findForeignTrackIds(
		work.deps.sql,
		work.invoice,
		entries.map((entry) => entry.trackId),
	);
	const firstIntent = work.state.submissions[0]?.intentAt;
	const earliestMs = (firstIntent?.getTime() ?? 0) - CLOCK_SKEW_MS;
	return entries.filter(({ trackId, receivedAt }) => {
		return !foreign.has(trackId) && (receivedAt === undefined || receivedAt.getTime() >= earliestMs);
	});
}

/** The authority does not have it. Closes the last intent and sends the same bytes under a new one. */
function sendAgain(work: Work): Promise<Handled> {
	const last = work.state.submissions.at(-1);
	return end(work, snooze(0), {
		...(last ? { finishes: { n: last.n, result: "not-found", detail: "the authority does not have it" } } : {}),
		to: { phase: "queued", detail: "not found at the authority" },
	});
}

export async function trackDocument(work: Work): Promise<Handled> {
	const { deps, invoice, rnc } = work;
	const trackId = invoice.authorityTrackId ?? "";
	const verdict = await deps.authority.queryResult(work.who, { trackId, rnc, encf: invoice.encf }, work.record);
	failpoint("after-status");
	await work.observe(verdict.kind === "unavailable" ? verdict.reason : undefined);
	noteDelay(work, verdict.kind, secondsSinceSending(work));
	switch (verdict.kind) {
		case "accepted":
			return decide(work, verdict);
		case "rejected":
			if (verdict.retryable) return sendOnRequest(work, work.state.submissions.at(-1)?.n, verdict.code);
			return verdict.duplicate ? settleDuplicate(work, verdict) : decide(work, verdict);
		case "in-process":
			return pollLater(work);
		case "unavailable":
			return postpone(work, verdict.reason);
		case "not-found": {
			if (work.state.inPhaseSeconds < LAG_SECONDS) return pollLater(work);
			const detail = `the authority does not know ${trackId}`;
			return end(work, snooze(0), { to: { phase: "unconfirmed", detail } });
		}
	}
}

/** The verdict on a document that was just received, if there is one already and it needs no further query. */
export async function queryAtOnce(work: Work, trackId: string): Promise<Final | undefined> {
	const { deps, invoice, rnc } = work;
	const startedMs = performance.now();
	const verdict = await deps.authority.queryResult(work.who, { trackId, rnc, encf: invoice.encf }, work.record);
	noteDelay(work, verdict.kind, (performance.now() - startedMs) / 1000);
	if (verdict.kind === "accepted") return verdict;
	return verdict.kind === "rejected" && !verdict.retryable && !verdict.duplicate ? verdict : undefined;
}

function noteDelay({ reachability, segment }: Work, result: Verdict["kind"], ageSeconds: number): void {
	const isDecided = result === "accepted" || result === "rejected";
	if (isDecided || result === "in-process") reachability.firstQueryOf(segment).learn(isDecided, ageSeconds);
}

/**
 * "Number already used" after more than one sending means that an earlier one arrived, unless that is ruled out. The verdict on that one counts.
 * The rejection stands if the authority lists this reception and no earlier one. If it lists neither, its list may lag.
 */
async function settleDuplicate(work: Work, rejection: Rejected): Promise<Handled> {
	const { deps, invoice, rnc, state } = work;
	if (!mayHaveArrived(state.submissions.slice(0, -1))) return decide(work, rejection);
	const found = await deps.authority.queryTrackIds(work.who, { rnc, encf: invoice.encf }, work.record);
	// Gap: certification has no list of receptions. A test set ends with the rejection and starts again; it has no fiscal effect.
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
		if (earlier.kind === "in-process") return pollLater(work);
		if (earlier.kind === "unavailable") return postpone(work, earlier.reason);
		// Listed but not found: the list is ahead of the results.
		isOpen ||= earlier.kind === "not-found";
	}
	if (isOpen) return postpone(work, "an earlier reception has no verdict yet");
	if (listed.some(({ trackId }) => trackId === invoice.authorityTrackId)) return decide(work, rejection);
	return postpone(work, "the number was used before, and the authority does not say by which document");
}
