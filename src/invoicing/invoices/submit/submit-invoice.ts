/**
 * Handler of `invoice.submit`: moves one document from queued to decided, one step per run. `next-step.ts` draws the states.
 *
 * Every answer of the authority is stored verbatim with its result. Every write proves the message's lease, and the last write of a step settles
 * the message. While the authority fails (down, slow, silent) the document stays pending for up to 72 hours. If the service itself fails, the
 * document ends in `failed` after the SLA and can be retried.
 */
import {
	dead,
	done,
	type Handled,
	type Handler,
	LeaseLostError,
	type Message,
	pauseAfterSeconds,
	retry,
} from "../../../platform/outbox";
import { playedBy, playsAbsence } from "../check/scenario";
import type { InvoiceRow } from "../model/invoice-row";
import { createReachability } from "./authority-availability";
import { nextStep } from "./next-step";
import { queryAuthority, trackDocument } from "./query-authority";
import { createReceptions, type Progress } from "./receptions";
import { sendDocument } from "./send-document";
import {
	callPaced,
	end,
	prepareWork,
	type SubmitDeps,
	type Tools,
	waitForCertificate,
	write,
} from "./submission-context";
import { createSubmissionRepository } from "./submission-repository";
import type { SubmissionState } from "./submission-state";
import { toFailure } from "./verdict";
import { failNote, waitForReference } from "./wait-for-reference";

/** Concurrent calls of one dispatcher to one host. */
const CALLS_MAX = 64;

export function createSubmit(deps: SubmitDeps): Handler {
	const repository = createSubmissionRepository(deps);
	const receptions = createReceptions();
	const tools: Tools = { deps, repository, receptions, reachability: createReachability(deps.sql, CALLS_MAX) };
	return async (message) => {
		const kept = receptions.take(message, deps.clock.now());
		const document = { tenantId: message.tenantId, docId: message.subject };
		const state = kept?.state ?? (await repository.findSubmissionState(document));
		if (state?.invoice.status !== "pending") return done;
		const progress: Progress = kept?.progress ?? { answers: [], place: state.place };
		try {
			return await advance(tools, message, state, progress);
		} catch (error) {
			if (error instanceof LeaseLostError) throw error;
			return onInternalFailure(tools, message, state.invoice, progress, error);
		}
	};
}

async function advance(tools: Tools, message: Message, state: SubmissionState, progress: Progress): Promise<Handled> {
	const { invoice, submissions, reference } = state;
	const played = playedBy(tools.deps.environment, { scenario: state.scenario, request: invoice.request });
	if (played === "fail") throw new Error("the sandbox was asked to fail");
	const step = nextStep(invoice, submissions, reference);
	if (step === "nothing") return done;
	if (step === "wait" || step === "give-up") {
		const holding = { ...tools, message, state, invoice, progress };
		return step === "wait" ? waitForReference(holding) : failNote(holding);
	}
	const work = await prepareWork(tools, message, state, progress, playsAbsence(played));
	if (!work) return waitForCertificate({ ...tools, message, invoice, progress });
	const isSummary = state.channel === "fc";
	switch (step) {
		case "send":
			return callPaced(work, isSummary ? "summary-reception" : "reception", sendDocument);
		case "query":
			return callPaced(work, isSummary ? "summary" : "track-ids", queryAuthority);
		case "track":
			return callPaced(work, "result", trackDocument);
	}
}

/** Retries, or gives up once steps have failed internally for as long as the SLA allows. An outage of the authority does not count. */
async function onInternalFailure(
	tools: Tools,
	message: Message,
	invoice: InvoiceRow,
	progress: Progress,
	error: unknown,
): Promise<Handled> {
	const { deps } = tools;
	deps.log.error({ event: "submission.failed", docId: invoice.docId, err: error }, "a submission step failed");
	const reason = error instanceof Error ? error.message : String(error);
	const pauseSeconds = Math.min(
		pauseAfterSeconds(error, message.failures),
		Math.max(0.5, deps.internalSlaSeconds / 10),
	);
	const work = { ...tools, message, invoice, progress };
	const phase = progress.reception ? "tracking" : progress.place.phase;
	const to = {
		phase,
		countsAttempt: true,
		failing: "begins",
		nextAttemptInSeconds: pauseSeconds,
		detail: null,
	} as const;
	const { failingSeconds } = await write(work, { to });
	if (failingSeconds < deps.internalSlaSeconds) return retry(pauseSeconds, reason);
	const detail = "The document could not be submitted because of an internal failure.";
	const failure = toFailure({ code: "internal-failure", detail }, deps.clock.now());
	return end(work, dead(reason), { to: failure });
}
