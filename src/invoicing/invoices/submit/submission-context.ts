/** What the steps of a submission share: their dependencies, the value that goes through them, and the ways in which a step can end. */
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
import { AWAITING_CERTIFICATE, type InvoiceRow } from "../model/invoice-row";
import { postponeNextAttempt } from "../model/store";
import type { Reachability } from "./authority-availability";
import { type Progress, type Receptions, withReception } from "./receptions";
import type { SubmissionRepository } from "./submission-repository";
import type { SubmissionState } from "./submission-state";
import type { Move, StepWrite, StepWritten } from "./submission-store";
import { type Failure, type Final, toFailure, toVerdict, writeVerdict } from "./verdict";

export type SubmitDeps = {
	readonly sql: Sql;
	readonly authority: Authority<Signatory>;
	/** Says when the authority came back, and whether an outage counts as a contingency. */
	readonly authorityStatus: Pick<AuthorityStatus, "readReturn" | "isContingency">;
	readonly environment: Environment;
	readonly internalSlaSeconds: number;
	/** Whether a batch holds documents of one shard alone. */
	readonly isByShard?: boolean;
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics: Pick<Metrics, "verdictContradictions">;
	/** Notifies dispatchers of new messages. */
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
	readonly receptions: Receptions;
};

/** One step's work: the leased message, the document, and as whom the authority is called. */
export type Work = Tools & {
	readonly message: Message;
	readonly state: SubmissionState;
	readonly invoice: InvoiceRow;
	readonly progress: Progress;
	readonly who: Caller<Signatory>;
	readonly rnc: string;
	readonly segment: Segment;
	/** In a sandbox: the scenario plays the authority's silence, which says nothing about its availability. */
	readonly isPlayed: boolean;
	readonly record: (answer: RawAnswer) => void;
	/** Records whether the authority was reached, by the fault that the step met. */
	readonly observe: (fault: AuthorityFault | undefined) => Promise<void>;
};

/** How long a document waits for the authority before it fails. */
const OUTAGE_MAX_SECONDS = CONTINGENCY_SECONDS;
const DEFERRED_MAX_SECONDS = 24 * 3_600;
/** Limits of the pause between two queries about a document. */
const PAUSE_MIN_SECONDS = 0.1;
const PAUSE_MAX_SECONDS = 5;
const SPREAD_MAX_SECONDS = 30;
/** The history entry of a document that waits for the end of an outage. */
export const NOT_TRIED = "not tried: the authority does not answer";

/** Finds the certificate to call the authority with; undefined while the company has none in force. */
export async function prepareWork(
	tools: Tools,
	message: Message,
	state: SubmissionState,
	progress: Progress,
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
	const record = (answer: RawAnswer) => progress.answers.push(answer);
	const observe = async () => undefined;
	return { ...tools, message, state, invoice, progress, who, rnc, segment, isPlayed, record, observe };
}

export function segmentOfState({ invoice, authorityEnvironment }: SubmissionState): Segment {
	// The environment of its QR address, wherever the company is now: a test document must never have fiscal effect, and no other environment knows
	// it. Without one it goes to the company's environment as read with the document, not from the cache.
	return segmentOfQrUrl(invoice.print.qrUrl) ?? toSegment(authorityEnvironment);
}

/** Takes a step that calls a service of the authority if the service may be called now. Otherwise the document waits, and nothing is counted. */
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
	let isObserved = false;
	const observe = async (fault: AuthorityFault | undefined) => {
		if (fault !== undefined && !wasCalled(fault)) return;
		const isReached = fault === undefined || !isOutage(fault);
		isObserved = true;
		breaker.leave(isReached, performance.now());
		await work.reachability.note(work.segment, service, isReached);
	};
	try {
		return await step({ ...work, observe });
	} finally {
		if (!isObserved) breaker.leave(undefined, performance.now());
	}
}

/**
 * The service asked for a pause (`Retry-After`). It is up, so the pause counts neither as an outage nor toward the 72 hours, and no contingency
 * starts.
 */
function waitForRest(work: Work, restSeconds: number): Promise<Handled> {
	return end(work, snooze(restSeconds + spreadSeconds(work)));
}

/**
 * Spreads documents that wait for the same event, the more the longer they have waited. The wait starts again with a retry. A test clock cannot make
 * a document older than it is.
 */
function spreadSeconds({ deps, message, invoice }: Work): number {
	const receivedSeconds = Math.max(0, deps.clock.now().getTime() - invoice.receivedAt.getTime()) / 1000;
	return Math.random() * Math.min(SPREAD_MAX_SECONDS, 0.25 + Math.min(message.ageSeconds, receivedSeconds) / 4);
}

function waitForAuthority(work: Work, shutSeconds: number): Promise<Handled> {
	const { invoice } = work;
	if (isPastDeadline(work)) return postpone(work, "the authority cannot be reached");
	const pauseSeconds = shutSeconds + spreadSeconds(work);
	// The tenant need not know of an outage if the authority has already received the document.
	const isNotified = invoice.contingencySince !== null || invoice.phase === "tracking";
	if (shutSeconds === 0 || isNotified) return end(work, snooze(pauseSeconds));
	const { phase } = invoice;
	const to = { phase, contingency: "start", nextAttemptInSeconds: pauseSeconds, detail: NOT_TRIED } as const;
	return end(work, snooze(pauseSeconds), { to });
}

export type Writing = Pick<Work, "deps" | "repository" | "message" | "invoice" | "progress">;

/** Writes under the lease of the message, with the answers and the reception so far. Throws: LeaseLostError. */
export async function write(
	work: Writing,
	change: Omit<StepWrite, "message" | "docId" | "place" | "answers">,
): Promise<StepWritten> {
	const { message, invoice, progress } = work;
	const answers = progress.answers.splice(0);
	try {
		const whole = progress.reception ? withReception(progress.reception, change) : change;
		const step = { message, docId: invoice.docId, place: progress.place, answers, ...whole };
		const written = await work.repository.write(step, invoice);
		progress.place = written.place;
		progress.reception = undefined;
		return written;
	} catch (error) {
		if (!(error instanceof LeaseLostError)) progress.answers.unshift(...answers);
		throw error;
	}
}

export type Change = Pick<StepWrite, "finishes" | "trackIds" | "through" | "to">;

/** The last write of a step, with the outcome of its message. */
export async function end(work: Writing, outcome: Outcome, change: Change = {}): Promise<Handled> {
	await write(work, { ...change, outcome });
	return settled(outcome);
}

export async function decide(work: Work, verdict: Final, change: Omit<Change, "to"> = {}): Promise<Handled> {
	const to = toVerdict(work.invoice, verdict, work.deps.clock.now());
	await writeVerdict(work, verdict, () => write(work, { ...change, to, outcome: done }));
	return settled(done);
}

/** Retries later, or fails once 72 hours have passed. */
export function postpone(
	work: Work,
	reason: string,
	change: Pick<StepWrite, "finishes"> & { readonly to?: Move } = {},
	afterSeconds = backoffSeconds(work.message.failures),
): Promise<Handled> {
	if (!isPastDeadline(work)) return end(work, retry(afterSeconds, reason), change);
	const hours = isOverdue(work, OUTAGE_MAX_SECONDS) ? 72 : 24;
	const detail = `The authority gave no verdict within ${hours} hours.`;
	const failure = { code: `authority-timeout-${hours}h`, detail };
	return fail(work, failure, change);
}

/** Ends in `failed`. The document can be retried unless the failure is final. */
export function fail(work: Writing, failure: Failure, change: Pick<StepWrite, "finishes"> = {}): Promise<Handled> {
	const { finishes } = change;
	const to = toFailure(failure, work.deps.clock.now());
	return end(work, dead(failure.detail), { ...(finishes ? { finishes } : {}), to });
}

/**
 * The company has no certificate in force, and only the company can upload one. This is no internal failure, so the document waits as it does for
 * the authority. Its history says why, once.
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
	const isRecorded = waiting.progress.place.detail === to.detail;
	if (isRecorded) await postponeNextAttempt(deps.sql, invoice, pauseSeconds);
	return end(waiting, retry(pauseSeconds, to.detail), isRecorded ? {} : { to });
}

/** The authority is still deciding. Queries again after the pause, or after one that grows with the time since the sending. */
export async function pollLater(work: Work, pauseSeconds = 0): Promise<Handled> {
	if (isPastDeadline(work)) {
		return postpone(work, "the authority has not decided for 72 hours");
	}
	const outcome = snooze(pauseSeconds > 0 ? pauseSeconds : pauseByAge(secondsSinceSending(work)));
	if (work.progress.reception && work.receptions.keep(work, outcome)) return outcome;
	return end(work, outcome);
}

export function secondsSinceSending({ state }: Pick<Work, "state">): number {
	return Math.max(0, state.submissions.at(-1)?.ageSeconds ?? 0);
}

/** Seconds until the next query: 0.1 at first, then a quarter of the age, 5 at most. */
function pauseByAge(ageSeconds: number): number {
	return Math.min(PAUSE_MAX_SECONDS, Math.max(PAUSE_MIN_SECONDS, ageSeconds / 4));
}

/** A document with `deferred` is due sooner than others; its request is read only once that time is over. */
export function isPastDeadline({ message, invoice }: Pick<Work, "message" | "invoice">): boolean {
	if (isOverdue({ message }, OUTAGE_MAX_SECONDS)) return true;
	return isOverdue({ message }, DEFERRED_MAX_SECONDS) && JSON.parse(invoice.request).deferred === true;
}

function isOverdue({ message }: Pick<Work, "message">, seconds: number): boolean {
	return message.ageSeconds >= seconds;
}
