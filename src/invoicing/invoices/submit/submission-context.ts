/** What the steps of a submission share: the value that travels through them, and the ways in which a step can end. */
import {
	type Authority,
	type AuthorityFault,
	type Caller,
	CONTINGENCY_SECONDS,
	isOutage,
	type RawAnswer,
	type Segment,
	type ServiceName,
	type Signatory,
	segmentOfQrUrl,
	toCaller,
	toSegment,
	wasCalled,
} from "../../../authority/client";
import type { AuthorityStatus } from "../../../authority/status";
import type { Sql } from "../../../platform/database";
import {
	backoffSeconds,
	dead,
	done,
	type Handled,
	LeaseLostError,
	type LocalDispatch,
	type Message,
	type Outcome,
	retry,
	settled,
	snooze,
} from "../../../platform/outbox";
import type { Log, Metrics } from "../../../platform/telemetry";
import type { Clock, Environment } from "../../../platform/values";
import type { VerdictReaction } from "../../verdicts";
import { findLastDetail } from "../model/file-store";
import type { InvoiceRow } from "../model/invoice-row";
import { AWAITING_CERTIFICATE } from "../model/status";
import { postponeNextAttempt } from "../model/store";
import type { Reachability } from "./authority-availability";
import type { SubmissionRepository } from "./submission-repository";
import type { Move, StepWrite, StepWritten, SubmissionState } from "./submission-store";
import { type Failure, type Final, toFailure, toVerdict, writeVerdict } from "./verdict";

export type SubmitDeps = {
	readonly sql: Sql;
	readonly authority: Authority<Signatory>;
	/** Tells when the authority is back, and whether what it has not got is of a contingency. */
	readonly authorityStatus: Pick<AuthorityStatus, "readReturn" | "isContingency">;
	readonly environment: Environment;
	readonly internalSlaSeconds: number;
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics: Pick<Metrics, "verdictContradictions">;
	/** Tells dispatchers that deliveries wait. */
	readonly wake: () => void;
	/** Runs messages that a verdict causes in this process, as far as there is room. */
	readonly openLocalDispatch?: () => LocalDispatch;
	/** What follows from a verdict, in the transaction that writes it. */
	readonly reactions: readonly VerdictReaction[];
};

/** What all steps of a thread share. */
export type Tools = {
	readonly deps: SubmitDeps;
	readonly repository: SubmissionRepository;
	readonly reachability: Reachability;
};

/** One step's work: the message that is held, the document, and as whom it is sent. */
export type Work = Tools & {
	readonly message: Message;
	readonly state: SubmissionState;
	readonly invoice: InvoiceRow;
	readonly who: Caller<Signatory>;
	/** The issuer's RNC. */
	readonly rnc: string;
	readonly segment: Segment;
	/** In a sandbox: the authority's silence is played, and is no sign of how it is. */
	readonly isPlayed: boolean;
	/** Answers of the authority that are not stored yet: they are with the next write, or when the step fails. */
	readonly answers: RawAnswer[];
	readonly record: (answer: RawAnswer) => void;
	/** Notes whether the authority was reached, by the fault that the step met. */
	readonly heard: (fault: AuthorityFault | undefined) => Promise<void>;
};

/** How long the authority may be away before a document is given up. */
const OUTAGE_MAX_SECONDS = CONTINGENCY_SECONDS;
/** Between two questions about a document. */
const PAUSE_MIN_SECONDS = 0.1;
const PAUSE_MAX_SECONDS = 5;
const SPREAD_MAX_SECONDS = 30;
/** In the history of a document that waits for the authority to come back. */
export const NOT_TRIED = "not tried: the authority does not answer";

/** Finds as whom the document is sent; undefined while the company has no certificate in force. */
export async function prepareWork(
	tools: Tools,
	message: Message,
	state: SubmissionState,
	answers: RawAnswer[],
	isPlayed = false,
): Promise<Work | undefined> {
	const { invoice } = state;
	const issuer = await tools.repository.findIssuer(invoice.tenantId);
	if (!issuer) throw new Error(`there is no company ${invoice.tenantId}`);
	const { company, identity } = issuer;
	if (!identity) return undefined;
	const { settings, rnc } = company;
	const segment = segmentOfState(state);
	const who = toCaller(segment, identity, settings.signatureProfile);
	const record = (answer: RawAnswer) => answers.push(answer);
	const heard = async () => undefined;
	return { ...tools, message, state, invoice, who, rnc, segment, isPlayed, answers, record, heard };
}

/** The environment that the document goes to. */
export function segmentOfState({ invoice, authorityEnvironment }: SubmissionState): Segment {
	// Whatever the company has got to since: a test document never has fiscal effect, and what was asked of one environment no other knows. One whose
	// address does not tell goes where the company is, read with the document and not from what is remembered of the company.
	return segmentOfQrUrl(invoice.print.qrUrl) ?? toSegment(authorityEnvironment);
}

/** Takes a step that calls a service of the authority, if that may be called now; otherwise the document waits, and counts nothing. */
export async function callPaced(
	work: Work,
	service: ServiceName,
	step: (work: Work) => Promise<Handled>,
): Promise<Handled> {
	const restMs = work.deps.authority.restMs(work.segment, service);
	if (restMs > 0) return waitForRest(work, restMs / 1000);
	const breaker = work.reachability.breakerOf(work.segment, service);
	if (breaker.openSeconds(performance.now()) > 0) {
		const { agoMs } = await work.deps.authorityStatus.readReturn(work.segment);
		if (agoMs !== undefined) breaker.noteRecovery(agoMs, performance.now());
	}
	if (!breaker.enter(performance.now())) return waitForAuthority(work, breaker.openSeconds(performance.now()));
	let isHeard = false;
	const heard = async (fault: AuthorityFault | undefined) => {
		if (fault !== undefined && !wasCalled(fault)) return;
		const isReached = fault === undefined || !isOutage(fault);
		isHeard = true;
		breaker.leave(isReached, performance.now());
		await work.reachability.note(work.segment, service, isReached);
	};
	try {
		return await step({ ...work, heard });
	} finally {
		if (!isHeard) breaker.leave(undefined, performance.now());
	}
}

/**
 * Who asks to be left alone for a while is up: nothing is counted against it, nobody is told of an absence, and no document ends by it. It is called
 * again when its time is over, and should it be away then, that counts.
 */
function waitForRest(work: Work, restSeconds: number): Promise<Handled> {
	return end(work, snooze(restSeconds + spreadSeconds(work)));
}

/**
 * Documents that wait for the same thing come again one after another, the older the more spread out: as old as the waiting is, which begins anew
 * when one is brought back, and no older than it really is, whatever a test clock has made of it.
 */
function spreadSeconds({ deps, message, invoice }: Work): number {
	const receivedSeconds = Math.max(0, deps.clock.now().getTime() - invoice.receivedAt.getTime()) / 1000;
	return Math.random() * Math.min(SPREAD_MAX_SECONDS, 0.25 + Math.min(message.ageSeconds, receivedSeconds) / 4);
}

function waitForAuthority(work: Work, shutSeconds: number): Promise<Handled> {
	const { invoice } = work;
	if (isPastDeadline(work)) return postpone(work, "the authority cannot be reached");
	const pauseSeconds = shutSeconds + spreadSeconds(work);
	// Of what the authority has taken nobody need be told that it cannot be reached.
	const isNotified = invoice.contingencySince !== null || invoice.phase === "tracking";
	if (shutSeconds === 0 || isNotified) return end(work, snooze(pauseSeconds));
	const { phase } = invoice;
	const to = { phase, contingency: "start", nextAttemptInSeconds: pauseSeconds, detail: NOT_TRIED } as const;
	return end(work, snooze(pauseSeconds), { to });
}

/** What a write needs to know of the step. */
export type Writing = Pick<Work, "deps" | "repository" | "message" | "invoice" | "answers">;

/** Writes on behalf of the message, with the answers that came. Throws: LeaseLostError. */
export async function write(
	work: Writing,
	change: Omit<StepWrite, "message" | "docId" | "answers">,
): Promise<StepWritten> {
	const { message, invoice } = work;
	const answers = work.answers.splice(0);
	try {
		return await work.repository.write({ message, docId: invoice.docId, answers, ...change }, invoice);
	} catch (error) {
		if (!(error instanceof LeaseLostError)) work.answers.unshift(...answers);
		throw error;
	}
}

export type Change = Pick<StepWrite, "finishes" | "trackIds" | "through" | "to">;

/** The step's last write, the message's outcome with it. */
export async function end(work: Writing, outcome: Outcome, change: Change = {}): Promise<Handled> {
	await write(work, { ...change, outcome });
	return settled(outcome);
}

/** The authority has decided: verdict, event and archive message in one transaction. */
export async function decide(work: Work, verdict: Final, change: Omit<Change, "to"> = {}): Promise<Handled> {
	const to = toVerdict(work.invoice, verdict, work.deps.clock.now());
	await writeVerdict(work, verdict, () => write(work, { ...change, to, outcome: done }));
	return settled(done);
}

/** What is not to be had from the authority now: later, or never once 72 hours have passed. */
export function postpone(
	work: Work,
	reason: string,
	change: Pick<StepWrite, "finishes"> & { readonly to?: Move } = {},
	afterSeconds = backoffSeconds(work.message.failures),
): Promise<Handled> {
	if (!isPastDeadline(work)) return end(work, retry(afterSeconds, reason), change);
	const failure = { code: "authority-timeout-72h", detail: "The authority gave no verdict within 72 hours." };
	return fail(work, failure, change);
}

/** Ends in `failed`; the document can be brought back, unless that is final. */
export function fail(work: Writing, failure: Failure, change: Pick<StepWrite, "finishes"> = {}): Promise<Handled> {
	const { finishes } = change;
	const to = toFailure(failure, work.deps.clock.now());
	return end(work, dead(failure.detail), { ...(finishes ? { finishes } : {}), to });
}

/**
 * The company's certificate has run out or was removed, and only the company can bring another. Nothing failed on our side, so the document waits as
 * it does for the authority; its history tells why, once.
 */
export async function waitForCertificate(waiting: Writing): Promise<Handled> {
	const { deps, message, invoice } = waiting;
	if (isPastDeadline(waiting)) {
		const detail = "The company had no certificate in force within 72 hours. Upload one, then retry.";
		return fail(waiting, { code: "certificate-missing", detail });
	}
	const pauseSeconds = backoffSeconds(message.failures);
	const { phase } = invoice;
	const to = { phase, nextAttemptInSeconds: pauseSeconds, detail: AWAITING_CERTIFICATE } as const;
	const isNotified = (await findLastDetail(deps.sql, invoice.docId)) === to.detail;
	if (isNotified) await postponeNextAttempt(deps.sql, invoice.docId, pauseSeconds);
	return end(waiting, retry(pauseSeconds, to.detail), isNotified ? {} : { to });
}

/** The authority is at work: asked again after a pause, without one by how long ago it was sent. */
export async function pollLater(work: Work, change: Change = {}, pauseSeconds = 0): Promise<Handled> {
	if (isPastDeadline(work)) {
		await write(work, change);
		return postpone(work, "the authority has been at work for 72 hours");
	}
	return end(work, snooze(pauseSeconds > 0 ? pauseSeconds : pauseByAge(secondsSinceSending(work))), change);
}

export function secondsSinceSending({ state }: Pick<Work, "state">): number {
	return Math.max(0, state.submissions.at(-1)?.ageSeconds ?? 0);
}

/** Seconds until the next question about something so old: 0.1 at first, a quarter of its age, 5 at most. */
function pauseByAge(ageSeconds: number): number {
	return Math.min(PAUSE_MAX_SECONDS, Math.max(PAUSE_MIN_SECONDS, ageSeconds / 4));
}

export function isPastDeadline({ message }: Pick<Work, "message">): boolean {
	return message.ageSeconds >= OUTAGE_MAX_SECONDS;
}
