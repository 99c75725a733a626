/** The step "track": the authority has the document under a trackId; what does it say? */
import type { Rejected } from "../authority";
import { backoffSeconds, type Outcome, retry, snooze } from "../outbox";
import { selectOwn } from "./ask-authority";
import { findSubmissions, finishSubmission, moveInvoice } from "./store";
import { decide, lookAgain, move, noteReachability, postpone, type Work, write } from "./submission-work";

/** An answer "no such trackId" right after the reception can be a lagging read. */
const LAG_SECONDS = 30;

export async function trackDocument(work: Work): Promise<Outcome> {
	const { deps, invoice, rnc } = work;
	const trackId = invoice.authorityTrackId ?? "";
	const verdict = await deps.authority.queryResult(work.who, { trackId, rnc, encf: invoice.encf }, work.record);
	await work.flush();
	await noteReachability(work, verdict.kind !== "unavailable");
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
			await move(work, { phase: "unconfirmed", detail: `the authority does not know ${trackId}` });
			return snooze(0);
		}
	}
}

/** The authority could not validate it and wants the same bytes again. */
async function sendOnRequest(work: Work, code: string): Promise<Outcome> {
	const { docId } = work.invoice;
	const detail = `the authority asks to send again: ${code}`;
	await write(work, async (tx) => {
		const last = (await findSubmissions(tx, docId)).at(-1);
		if (last) await finishSubmission(tx, docId, last.n, "retryable", detail);
		await moveInvoice(tx, docId, { phase: "queued", detail });
	});
	return retry(backoffSeconds(work.message.failures), detail);
}

/**
 * "Number already used" after more than one sending means that an earlier one arrived: the verdict of that one is ours. Only
 * when no other sending of this number was accepted or is still in process does the rejection stand.
 */
async function settleDuplicate(work: Work, rejection: Rejected): Promise<Outcome> {
	const { deps, invoice, rnc } = work;
	if ((await findSubmissions(deps.sql, invoice.docId)).length < 2) return decide(work, rejection);
	const found = await deps.authority.queryTrackIds(work.who, { rnc, encf: invoice.encf }, work.record);
	await work.flush();
	if (found.kind === "unavailable" && found.reason !== "authority-service-absent") return postpone(work, found.reason);
	const entries = found.kind === "found" ? await selectOwn(work, found.entries) : [];
	for (const { trackId } of entries) {
		if (trackId === invoice.authorityTrackId) continue;
		const earlier = await deps.authority.queryResult(work.who, { trackId, rnc, encf: invoice.encf }, work.record);
		await work.flush();
		if (earlier.kind === "accepted") return decide(work, earlier);
		if (earlier.kind === "in-process") return lookAgain(work);
		if (earlier.kind === "unavailable") return postpone(work, earlier.reason);
	}
	return decide(work, rejection);
}
