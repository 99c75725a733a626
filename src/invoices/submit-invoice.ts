/**
 * Handler of `invoice.submit`: brings one document from queued to decided, a step at a time; see next-step.ts for the states.
 *
 * Every answer of the authority is stored verbatim before anything is made of it. Every write shows that the message is
 * still held. What the authority does wrong (down, slow, silent) keeps the document pending for up to 72 hours; what we do
 * wrong ends in `failed` after the SLA, and can be tried again.
 */
import { backoffSeconds, dead, done, type Handler, type Message, type Outcome, retry } from "../outbox";
import { isSandbox } from "../values";
import { askAuthority } from "./ask-authority";
import type { InvoiceRow } from "./invoice-row";
import { nextStep } from "./next-step";
import { LeaseLostError, recordFailure, writeHeld } from "./record-verdict";
import { sendDocument } from "./send-document";
import { findInvoiceById, findSubmissions, noteInternalFailure } from "./store";
import { prepareWork, type SubmitDeps } from "./submission-work";
import { trackDocument } from "./track-document";

/** A buyer whose documents fail inside, in the sandboxes: the way to see `invoice.failed`. */
const FAILING_BUYER = "000000006";

export function createSubmit(deps: SubmitDeps): Handler {
	return async (message) => {
		const invoice = await findInvoiceById(deps.sql, message.subject);
		if (invoice?.status !== "pending") return done;
		try {
			return await advance(deps, message, invoice);
		} catch (error) {
			if (error instanceof LeaseLostError) throw error;
			return onInternalFailure(deps, message, invoice, error);
		}
	};
}

async function advance(deps: SubmitDeps, message: Message, invoice: InvoiceRow): Promise<Outcome> {
	if (isSandbox(deps.environment) && JSON.parse(invoice.request).customer?.rnc === FAILING_BUYER) {
		throw new Error("the sandbox's failing buyer");
	}
	const step = nextStep(invoice, await findSubmissions(deps.sql, invoice.docId));
	if (step === "nothing") return done;
	const work = await prepareWork(deps, message, invoice);
	if (step === "send") return sendDocument(work);
	if (step === "ask") return askAuthority(work);
	return trackDocument(work);
}

/** Later, or never once steps have failed on our side for as long as the SLA allows. An outage of the authority does not count. */
async function onInternalFailure(
	deps: SubmitDeps,
	message: Message,
	invoice: InvoiceRow,
	error: unknown,
): Promise<Outcome> {
	deps.log.error({ docId: invoice.docId, err: error }, "a submission failed inside");
	const reason = error instanceof Error ? error.message : String(error);
	const pauseSeconds = Math.min(backoffSeconds(message.failures), Math.max(0.5, deps.internalSlaSeconds / 10));
	const isOver = await writeHeld(deps.sql, message, async (tx) => {
		const failingSeconds = await noteInternalFailure(tx, invoice.docId, pauseSeconds);
		if (failingSeconds < deps.internalSlaSeconds) return false;
		const detail = "The document could not be submitted because of a failure on our side.";
		await recordFailure(tx, invoice, { code: "internal-failure", detail }, deps.clock.now());
		return true;
	});
	if (!isOver) return retry(pauseSeconds, reason);
	deps.wake();
	return dead(reason);
}
