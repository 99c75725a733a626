/** The step "ask": after an unknown outcome, does the authority have the document? */
import type { Rejected, TrackIdEntry } from "../../../authority/client";
import { faultPoint } from "../../../platform/failpoints";
import { type Handled, snooze } from "../../../platform/outbox";
import { findForeignTrackIds } from "../model/store";
import { mayHaveArrived, sendOnRequest } from "./ambiguous-outcome";
import { decide, end, lookAgain, postpone, type Work } from "./submission-context";

export function askAuthority(work: Work): Promise<Handled> {
	return work.dossier.road === "fc" ? askAboutSummary(work) : askAboutEcf(work);
}

async function askAboutSummary(work: Work): Promise<Handled> {
	const { deps, invoice, rnc } = work;
	const question = { rnc, encf: invoice.encf, securityCode: invoice.print.securityCode };
	const verdict = await deps.authority.querySummary(work.who, question, work.record);
	faultPoint("after-question");
	await work.heard(verdict.kind === "unavailable" ? verdict.reason : undefined);
	switch (verdict.kind) {
		case "accepted":
			return decide(work, verdict);
		case "rejected":
			return settleRejection(work, verdict);
		case "not-found":
			return sendAgain(work);
		case "in-process":
			return lookAgain(work);
		case "unavailable":
			return postpone(work, verdict.reason);
	}
}

/** The same as when it comes with the answer to the sending. */
function settleRejection(work: Work, rejection: Rejected): Promise<Handled> {
	const { submissions } = work.dossier;
	if (rejection.retryable) return sendOnRequest(work, submissions.at(-1)?.n, rejection.code);
	if (!rejection.duplicate || !mayHaveArrived(submissions.slice(0, -1))) return decide(work, rejection);
	return postpone(work, "the number was used before, and the authority does not tell by what");
}

async function askAboutEcf(work: Work): Promise<Handled> {
	const { deps, invoice, rnc } = work;
	const answer = await deps.authority.queryTrackIds(work.who, { rnc, encf: invoice.encf }, work.record);
	faultPoint("after-question");
	await work.heard(answer.kind === "unavailable" ? answer.reason : undefined);
	if (answer.kind === "not-found") return sendAgain(work);
	if (answer.kind === "unavailable") {
		// Where it cannot be asked, the same bytes may be sent again: they make another trackId, not another document.
		return answer.reason === "authority-service-absent" ? sendAgain(work) : postpone(work, answer.reason);
	}
	const own = await selectOwn(work, answer.entries);
	// A reception that stands accepted decides; otherwise the latest is as good as any, since all have the same bytes.
	const adopted = own.find((entry) => entry.standing === "accepted") ?? own[own.length - 1];
	if (!adopted) return sendAgain(work);
	const { trackId } = adopted;
	const detail = `found at the authority as ${trackId}`;
	return end(work, snooze(0), {
		trackIds: own.map((entry) => entry.trackId),
		to: { phase: "tracking", authorityTrackId: trackId, contingency: "end", detail },
	});
}

/** Clocks of the authority and of ours may differ by so much. */
const CLOCK_SKEW_MS = 120_000;

/**
 * Those receptions of the number that are of this document. A number that the authority gave back was used by an earlier
 * document of ours: its receptions are known by their trackIds, or by a time before anything of this one was sent.
 */
export async function selectOwn(work: Work, entries: readonly TrackIdEntry[]): Promise<TrackIdEntry[]> {
	const foreign = await findForeignTrackIds(
		work.deps.sql,
		work.invoice.docId,
		entries.map((entry) => entry.trackId),
	);
	const firstIntent = work.dossier.submissions[0]?.intentAt;
	const earliestMs = (firstIntent?.getTime() ?? 0) - CLOCK_SKEW_MS;
	return entries.filter(({ trackId, receivedAt }) => {
		return !foreign.has(trackId) && (receivedAt === undefined || receivedAt.getTime() >= earliestMs);
	});
}

/** The authority does not have it: the last intent is closed, and the same bytes go out under a new one. */
function sendAgain(work: Work): Promise<Handled> {
	const last = work.dossier.submissions.at(-1);
	return end(work, snooze(0), {
		...(last ? { finishes: { n: last.n, result: "not-found", detail: "the authority does not have it" } } : {}),
		to: { phase: "queued", detail: "not found at the authority" },
	});
}
