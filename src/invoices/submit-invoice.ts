/**
 * Handler of `invoice.submit`: brings one document from queued to decided, a step at a time; see next-step.ts for the states.
 *
 * Every answer of the authority is stored verbatim before anything is made of it. Every write shows that the message is
 * still held. What the authority does wrong (down, slow, silent) keeps the document pending for up to 72 hours; what we do
 * wrong ends in `failed` after the SLA, and can be tried again.
 */
import { type Authority, type RawAnswer, type Rejected, type Segment, type Submission, toSegment, type Who } from "../authority";
import { findCompany, findSigningIdentity } from "../companies";
import type { Sql } from "../database";
import { backoffSeconds, dead, done, type Handler, type Message, type Outcome, retry, snooze } from "../outbox";
import type { SealedIdentity } from "../signing";
import type { Log } from "../telemetry";
import type { Clock, Environment } from "../values";
import { isSandbox } from "../values";
import type { InvoiceRow } from "./invoice-row";
import { nextStep } from "./next-step";
import { type Final, LeaseLostError, recordFailure, recordVerdict, writeHeld } from "./record-verdict";
import {
	findInvoiceById,
	findSignedDocument,
	findSubmissions,
	finishSubmission,
	insertAnswers,
	insertIntent,
	type Move,
	moveInvoice,
	recordReachability,
} from "./store";

export type SubmitDeps = {
	readonly sql: Sql;
	readonly authority: Authority<SealedIdentity>;
	readonly environment: Environment;
	readonly internalSlaSeconds: number;
	readonly clock: Clock;
	readonly log: Log;
	/** Tells dispatchers that deliveries wait. */
	readonly wake: () => void;
};

/** How long the authority may be away before a document is given up. Source: the authority's contingency rule. */
const OUTAGE_MAX_SECONDS = 72 * 3600;
const BREAKER_FAILURES = 5;
const BREAKER_SECONDS = 30;
/** A buyer whose documents fail inside, in the sandboxes: the way to see `invoice.failed`. */
const FAILING_BUYER = "000000006";

export function createSubmit(deps: SubmitDeps): Handler {
	return async (message) => {
		const invoice = await findInvoiceById(deps.sql, message.subject);
		if (!invoice || invoice.status !== "pending") return done;
		try {
			return await advance(deps, message, invoice);
		} catch (error) {
			if (error instanceof LeaseLostError) throw error;
			return onInternalFailure(deps, message, invoice, error);
		}
	};
}

type Place = {
	readonly who: Who<SealedIdentity>;
	readonly rnc: string;
	readonly segment: Segment;
};

async function advance(deps: SubmitDeps, message: Message, invoice: InvoiceRow): Promise<Outcome> {
	if (isSandbox(deps.environment) && JSON.parse(invoice.request).customer?.rnc === FAILING_BUYER) {
		throw new Error("the sandbox's failing buyer");
	}
	const step = nextStep(invoice, await findSubmissions(deps.sql, invoice.docId));
	if (step === "nothing") return done;
	const place = await findPlace(deps, invoice);
	if (step === "send") return send(deps, message, invoice, place);
	if (step === "ask") return ask(deps, message, invoice, place);
	return track(deps, message, invoice, place);
}

async function findPlace(deps: SubmitDeps, invoice: InvoiceRow): Promise<Place> {
	const company = await findCompany(deps.sql, invoice.tenantId);
	const identity = await findSigningIdentity(deps.sql, invoice.tenantId, deps.clock.now());
	if (!company || !identity) throw new Error("the company has no certificate to authenticate with");
	const segment = toSegment(company.authorityEnvironment);
	return { who: { segment, certificateId: identity.thumbprint, identity }, rnc: company.rnc, segment };
}

/** Collects the raw answers of one step and stores them before the step's result is used. */
function createRecorder(deps: SubmitDeps, invoice: InvoiceRow) {
	const answers: RawAnswer[] = [];
	return {
		record: (answer: RawAnswer) => answers.push(answer),
		flush: () => insertAnswers(deps.sql, invoice.docId, answers.splice(0)),
	};
}

async function send(deps: SubmitDeps, message: Message, invoice: InvoiceRow, place: Place): Promise<Outcome> {
	const summary = await findSignedDocument(deps.sql, invoice.docId, "summary");
	const document = summary ?? (await findSignedDocument(deps.sql, invoice.docId, "ecf"));
	if (!document) throw new Error(`document ${invoice.docId} has no signed bytes`);

	const n = await writeHeld(deps.sql, message, async (tx) => {
		await moveInvoice(tx, invoice.docId, { phase: "sending", countsAttempt: true, detail: "about to be sent" });
		return insertIntent(tx, invoice.docId);
	});
	const recorder = createRecorder(deps, invoice);
	const parcel = { rnc: place.rnc, encf: invoice.encf, xml: document.bytes };
	const answer = summary
		? await deps.authority.submitSummary(place.who, parcel, recorder.record)
		: await deps.authority.submit(place.who, parcel, recorder.record);
	await recorder.flush();
	await recordReachability(
		deps.sql,
		place.segment,
		answer.kind !== "not-sent" && answer.kind !== "unknown",
		BREAKER_FAILURES,
		BREAKER_SECONDS,
	);
	return onSubmitAnswer(deps, message, invoice, n, answer);
}

async function onSubmitAnswer(
	deps: SubmitDeps,
	message: Message,
	invoice: InvoiceRow,
	n: number,
	answer: Submission,
): Promise<Outcome> {
	const finish = (result: string, detail: string | null, move: Move) =>
		writeHeld(deps.sql, message, async (tx) => {
			await finishSubmission(tx, invoice.docId, n, result, detail);
			await moveInvoice(tx, invoice.docId, move);
		});
	// "Used before" on a second sending means that the first one arrived: ask, whatever the answer calls itself.
	const askAboutDuplicate = async () => {
		const detail = "the authority says that the number was used before";
		await finish("unknown", detail, { phase: "unconfirmed", detail });
		return retry(backoffSeconds(message.failures), detail);
	};
	switch (answer.kind) {
		case "received":
			await finish("received", null, {
				phase: "tracking",
				authorityTrackId: answer.trackId,
				contingency: "end",
				detail: `received as ${answer.trackId}`,
			});
			return snooze(TRACK_FIRST_SECONDS);
		case "decided":
			if (answer.verdict.kind === "rejected" && answer.verdict.retryable) {
				await finish("retryable", `code ${answer.verdict.code}`, {
					phase: "queued",
					detail: "the authority asks to send again",
				});
				return retry(backoffSeconds(message.failures), `the authority asks to send again: ${answer.verdict.code}`);
			}
			if (answer.verdict.kind === "rejected" && answer.verdict.duplicate && n > 1) return askAboutDuplicate();
			await writeFinal(deps, message, invoice, answer.verdict, (tx) =>
				finishSubmission(tx, invoice.docId, n, "decided", null),
			);
			return done;
		case "refused": {
			if (answer.duplicate && n > 1) return askAboutDuplicate();
			const told = answer.messages.map((m) => m.text).join(" ");
			if (answer.code !== undefined) {
				await writeFinal(deps, message, invoice, toRejection(answer.code, answer.messages), (tx) =>
					finishSubmission(tx, invoice.docId, n, "refused", `code ${answer.code}`),
				);
				return done;
			}
			await finish("refused", told, { phase: "queued", detail: `refused at the door: ${told}` });
			throw new Error(`the authority refused the file: ${told}`);
		}
		case "not-sent": {
			const after = backoffSeconds(message.failures);
			await finish("not-sent", answer.reason, {
				phase: "queued",
				contingency: "start",
				nextAttemptInSeconds: after,
				detail: `not sent: ${answer.reason}`,
			});
			return onOutage(deps, message, invoice, after, answer.reason);
		}
		case "unknown": {
			const after = backoffSeconds(message.failures);
			await finish("unknown", answer.reason, {
				phase: "unconfirmed",
				contingency: "start",
				nextAttemptInSeconds: after,
				detail: `outcome unknown: ${answer.reason}`,
			});
			return onOutage(deps, message, invoice, after, answer.reason);
		}
	}
}

/** After an unknown outcome: does the authority have the document? */
async function ask(deps: SubmitDeps, message: Message, invoice: InvoiceRow, place: Place): Promise<Outcome> {
	const recorder = createRecorder(deps, invoice);
	const isSummary = (await findSignedDocument(deps.sql, invoice.docId, "summary")) !== undefined;
	const question = { rnc: place.rnc, encf: invoice.encf, securityCode: invoice.print.securityCode };
	if (isSummary) {
		const verdict = await deps.authority.querySummary(place.who, question, recorder.record);
		await recorder.flush();
		if (verdict.kind === "accepted" || verdict.kind === "rejected") {
			await writeFinal(deps, message, invoice, verdict, async () => undefined);
			return done;
		}
		if (verdict.kind === "not-found") return sendAgain(deps, message, invoice);
		if (verdict.kind === "in-process") return snooze(trackPause(message));
		return onOutage(deps, message, invoice, backoffSeconds(message.failures), verdict.reason);
	}
	const answer = await deps.authority.queryTrackIds(place.who, question, recorder.record);
	await recorder.flush();
	if (answer.kind === "not-found") return sendAgain(deps, message, invoice);
	if (answer.kind === "unavailable") {
		// Where the authority cannot be asked, the same bytes may be sent again: they make another trackId, not another document.
		if (answer.reason === "authority-service-absent") return sendAgain(deps, message, invoice);
		return onOutage(deps, message, invoice, backoffSeconds(message.failures), answer.reason);
	}
	const adopted = answer.entries[answer.entries.length - 1];
	if (!adopted) return sendAgain(deps, message, invoice);
	await writeHeld(deps.sql, message, async (tx) => {
		await moveInvoice(tx, invoice.docId, {
			phase: "tracking",
			authorityTrackId: adopted.trackId,
			contingency: "end",
			detail: `found at the authority as ${adopted.trackId}`,
		});
	});
	return snooze(0);
}

/** The authority does not have it: the last intent is closed, and the same bytes go out under a new one. */
async function sendAgain(deps: SubmitDeps, message: Message, invoice: InvoiceRow): Promise<Outcome> {
	await writeHeld(deps.sql, message, async (tx) => {
		const last = (await findSubmissions(tx, invoice.docId)).at(-1);
		if (last) await finishSubmission(tx, invoice.docId, last.n, "not-found", "the authority does not have it");
		await moveInvoice(tx, invoice.docId, { phase: "queued", detail: "not found at the authority" });
	});
	return snooze(0);
}

const TRACK_FIRST_SECONDS = 0.25;
const TRACK_MAX_SECONDS = 5;
/** An answer "no such trackId" right after the reception can be a lagging read. */
const LAG_SECONDS = 30;

async function track(deps: SubmitDeps, message: Message, invoice: InvoiceRow, place: Place): Promise<Outcome> {
	const trackId = invoice.authorityTrackId ?? "";
	const recorder = createRecorder(deps, invoice);
	const question = { trackId, rnc: place.rnc, encf: invoice.encf };
	const verdict = await deps.authority.queryResult(place.who, question, recorder.record);
	await recorder.flush();
	await recordReachability(deps.sql, place.segment, verdict.kind !== "unavailable", BREAKER_FAILURES, BREAKER_SECONDS);
	switch (verdict.kind) {
		case "in-process":
			return snooze(trackPause(message));
		case "unavailable":
			return onOutage(deps, message, invoice, backoffSeconds(message.failures), verdict.reason);
		case "not-found":
			if (deps.clock.now().getTime() - invoice.updatedAt.getTime() < LAG_SECONDS * 1000)
				return snooze(trackPause(message));
			await writeHeld(deps.sql, message, (tx) =>
				moveInvoice(tx, invoice.docId, { phase: "unconfirmed", detail: `the authority does not know ${trackId}` }),
			);
			return snooze(0);
		case "rejected":
			if (verdict.retryable) {
				await writeHeld(deps.sql, message, async (tx) => {
					const last = (await findSubmissions(tx, invoice.docId)).at(-1);
					if (last) await finishSubmission(tx, invoice.docId, last.n, "retryable", `code ${verdict.code}`);
					await moveInvoice(tx, invoice.docId, { phase: "queued", detail: "the authority asks to send again" });
				});
				return retry(backoffSeconds(message.failures), `the authority asks to send again: ${verdict.code}`);
			}
			if (verdict.duplicate) return onDuplicate(deps, message, invoice, place, verdict);
			await writeFinal(deps, message, invoice, verdict, async () => undefined);
			return done;
		case "accepted":
			await writeFinal(deps, message, invoice, verdict, async () => undefined);
			return done;
	}
}

/**
 * "Number already used" after more than one sending means that an earlier one arrived: the verdict of that one is ours. Only
 * when no sending of this number was accepted or is still in process does the rejection stand.
 */
async function onDuplicate(
	deps: SubmitDeps,
	message: Message,
	invoice: InvoiceRow,
	place: Place,
	verdict: Final,
): Promise<Outcome> {
	const recorder = createRecorder(deps, invoice);
	const found = await deps.authority.queryTrackIds(place.who, { rnc: place.rnc, encf: invoice.encf }, recorder.record);
	if (found.kind === "unavailable" && found.reason !== "authority-service-absent") {
		await recorder.flush();
		return onOutage(deps, message, invoice, backoffSeconds(message.failures), found.reason);
	}
	const others = found.kind === "found" ? found.entries.filter((t) => t.trackId !== invoice.authorityTrackId) : [];
	const wasSentBefore = (await findSubmissions(deps.sql, invoice.docId)).length > 1;
	for (const other of wasSentBefore ? others : []) {
		const question = { trackId: other.trackId, rnc: place.rnc, encf: invoice.encf };
		const earlier = await deps.authority.queryResult(place.who, question, recorder.record);
		await recorder.flush();
		if (earlier.kind === "accepted") {
			await writeFinal(deps, message, invoice, earlier, async () => undefined);
			return done;
		}
		if (earlier.kind === "in-process") return snooze(trackPause(message));
		if (earlier.kind === "unavailable")
			return onOutage(deps, message, invoice, backoffSeconds(message.failures), earlier.reason);
	}
	await recorder.flush();
	await writeFinal(deps, message, invoice, verdict, async () => undefined);
	return done;
}

/** A refusal at the door as the verdict that it is. The number was not consumed: the document never got in. */
function toRejection(code: string, messages: Rejected["messages"]): Final {
	return { kind: "rejected", code, messages, sequenceConsumed: false, duplicate: false, retryable: false };
}

/** 0.25 s at first, more slowly as the message gets older, 5 s at most. Source: the authority's mean of 200 ms. */
function trackPause(message: Message): number {
	return Math.min(TRACK_MAX_SECONDS, Math.max(TRACK_FIRST_SECONDS, message.ageSeconds / 20));
}

async function writeFinal(
	deps: SubmitDeps,
	message: Message,
	invoice: InvoiceRow,
	verdict: Final,
	alongside: (tx: Parameters<typeof recordVerdict>[0]) => Promise<unknown>,
): Promise<void> {
	await writeHeld(deps.sql, message, async (tx) => {
		await alongside(tx);
		await recordVerdict(tx, invoice, verdict, deps.clock.now());
	});
	deps.wake();
}

async function onOutage(
	deps: SubmitDeps,
	message: Message,
	invoice: InvoiceRow,
	afterSeconds: number,
	reason: string,
): Promise<Outcome> {
	if (message.ageSeconds < OUTAGE_MAX_SECONDS) return retry(afterSeconds, reason);
	const failure = { code: "authority-timeout-72h", detail: "The authority was not reachable for 72 hours." };
	await writeHeld(deps.sql, message, (tx) => recordFailure(tx, invoice, failure, deps.clock.now()));
	deps.wake();
	return dead(failure.detail);
}

async function onInternalFailure(
	deps: SubmitDeps,
	message: Message,
	invoice: InvoiceRow,
	error: unknown,
): Promise<Outcome> {
	deps.log.error({ docId: invoice.docId, err: error }, "a submission failed inside");
	const reason = error instanceof Error ? error.message : String(error);
	if (message.ageSeconds < deps.internalSlaSeconds) {
		const left = deps.internalSlaSeconds - message.ageSeconds;
		return retry(Math.min(backoffSeconds(message.failures), Math.max(0.5, left)), reason);
	}
	const failure = {
		code: "internal-failure",
		detail: "The document could not be submitted because of a failure on our side.",
	};
	await writeHeld(deps.sql, message, (tx) => recordFailure(tx, invoice, failure, deps.clock.now()));
	deps.wake();
	return dead(reason);
}
