/** What the steps of a submission share: the value that travels through them, and the ways in which a step can end. */
import { type Authority, type RawAnswer, type Segment, toSegment, type Who } from "../authority";
import { findCompany, findSigningIdentity } from "../companies";
import type { Sql, Tx } from "../database";
import { backoffSeconds, dead, done, type Message, type Outcome, retry, snooze } from "../outbox";
import type { SealedIdentity, SignatureProfile } from "../signing";
import { faultPoint, type Log } from "../telemetry";
import type { Clock, Environment } from "../values";
import type { InvoiceRow } from "./invoice-row";
import { type Final, recordFailure, recordVerdict, writeHeld } from "./record-verdict";
import { insertAnswers, type Move, moveInvoice, recordReachability } from "./store";

/** Who signs the authority's seeds, and how: like the documents themselves. */
export type Signatory = { readonly identity: SealedIdentity; readonly profile: SignatureProfile };

export type SubmitDeps = {
	readonly sql: Sql;
	readonly authority: Authority<Signatory>;
	readonly environment: Environment;
	readonly internalSlaSeconds: number;
	readonly clock: Clock;
	readonly log: Log;
	/** Tells dispatchers that deliveries wait. */
	readonly wake: () => void;
};

/** One step's work: the message that is held, the document, and as whom it is sent. */
export type Work = {
	readonly deps: SubmitDeps;
	readonly message: Message;
	readonly invoice: InvoiceRow;
	readonly who: Who<Signatory>;
	/** The issuer's RNC. */
	readonly rnc: string;
	readonly segment: Segment;
	/** Takes an answer of the authority as it came; `flush` stores what was taken before its meaning is used. */
	readonly record: (answer: RawAnswer) => void;
	readonly flush: () => Promise<void>;
};

/** How long the authority may be away before a document is given up. Source: the authority's contingency rule. */
const OUTAGE_MAX_SECONDS = 72 * 3600;
const BREAKER_FAILURES = 5;
const BREAKER_SECONDS = 30;
const TRACK_FIRST_SECONDS = 0.25;
const TRACK_MAX_SECONDS = 5;

/** Finds as whom the document is sent. Throws an Error when the company cannot authenticate: a failure on our side. */
export async function prepareWork(deps: SubmitDeps, message: Message, invoice: InvoiceRow): Promise<Work> {
	const company = await findCompany(deps.sql, invoice.tenantId);
	const identity = await findSigningIdentity(deps.sql, invoice.tenantId, deps.clock.now());
	if (!company || !identity) throw new Error("the company has no certificate to authenticate with");
	const segment = toSegment(company.authorityEnvironment);
	const answers: RawAnswer[] = [];
	return {
		deps,
		message,
		invoice,
		who: {
			segment,
			certificateId: identity.thumbprint,
			identity: { identity, profile: company.settings.signatureProfile },
		},
		rnc: company.rnc,
		segment,
		record: (answer) => answers.push(answer),
		flush: () => insertAnswers(deps.sql, invoice.docId, answers.splice(0)),
	};
}

/** Writes on behalf of the message. Throws: LeaseLostError. */
export function write<T>(work: Work, statements: (tx: Tx) => Promise<T>): Promise<T> {
	return writeHeld(work.deps.sql, work.message, statements);
}

export async function move(work: Work, to: Move): Promise<void> {
	await write(work, (tx) => moveInvoice(tx, work.invoice.docId, to));
}

/** The authority has decided: verdict, event and archive message in one transaction. */
export async function decide(work: Work, verdict: Final, alongside?: (tx: Tx) => Promise<unknown>): Promise<Outcome> {
	await write(work, async (tx) => {
		await alongside?.(tx);
		await recordVerdict(tx, work.invoice, verdict, work.deps.clock.now());
		faultPoint("before-verdict");
	});
	work.deps.wake();
	return done;
}

/** The authority is out of reach: later, or never once 72 hours have passed. */
export async function postpone(
	work: Work,
	reason: string,
	afterSeconds = backoffSeconds(work.message.failures),
): Promise<Outcome> {
	if (work.message.ageSeconds < OUTAGE_MAX_SECONDS) return retry(afterSeconds, reason);
	const failure = { code: "authority-timeout-72h", detail: "The authority gave no verdict within 72 hours." };
	await write(work, (tx) => recordFailure(tx, work.invoice, failure, work.deps.clock.now()));
	work.deps.wake();
	return dead(failure.detail);
}

/** The authority is at work: 0.25 s at first, more slowly with age, 5 s at most. Source: its published mean of 200 ms. */
export async function lookAgain(work: Work): Promise<Outcome> {
	const { ageSeconds } = work.message;
	if (ageSeconds >= OUTAGE_MAX_SECONDS) return postpone(work, "the authority has been at work for 72 hours");
	return snooze(Math.min(TRACK_MAX_SECONDS, Math.max(TRACK_FIRST_SECONDS, ageSeconds / 20)));
}

/** Lets all processes know how the authority answers, for companies that would rather be refused than queued. */
export function noteReachability(work: Work, isReached: boolean): Promise<void> {
	return recordReachability(work.deps.sql, work.segment, isReached, BREAKER_FAILURES, BREAKER_SECONDS);
}
