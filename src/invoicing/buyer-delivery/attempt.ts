/** One attempt to deliver a document: stores the intent, sends the bytes, evaluates the answer, and writes the result. */

import { createHash } from "node:crypto";
import { type Caller, CONTINGENCY_SECONDS, type Receiver, type Signatory, toCaller } from "../../authority/client";
import { findIdentityBehind, findIssuers } from "../../companies";
import type { TrustedAuthority } from "../../ecf/verification";
import { enqueueEvent } from "../../events/webhooks";
import type { Sql, Tx } from "../../platform/database";
import { failpoint } from "../../platform/failpoints";
import { dead, done, type Handled, LeaseLostError, type Message, retry, writeUnderLease } from "../../platform/outbox";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import type { Acknowledgement } from "./acknowledgement";
import type { Directory } from "./directory";
import { DUPLICATE, explainMotive } from "./parcel";
import type { PeerAnswer, PeerClient } from "./peer-client";
import { type Addressed, type AttemptEnd, closeAttempt, endDelivery, openAttempt, type ParcelRow } from "./store";

/** `observe` is called with whether the receiver answers. Throws: LeaseLostError; NoSenderError. */
export async function attempt(
	work: Work,
	receiver: Receiver,
	host: string,
	observe: (isAnswered: boolean) => void,
): Promise<Handled> {
	const { deps, message, parcel } = work;
	// Loaded on demand, because it brings the certificate parser, which few processes need. Before the intent, so that a failure to load happens while
	// nothing is sent.
	const { readAcknowledgement } = await import("./acknowledgement");
	const current = await findSender(work);
	const xml = await deps.findSignedEcf(parcel);
	if (!xml) throw new Error(`document ${parcel.docId} has no signed bytes`);
	const sender = await asSignerOf(deps.sql, xml, current, deps.clock.now());
	const { n, mayHaveArrived } = await write(work, (tx) => openAttempt(tx, parcel, host));
	failpoint("buyer-intent");
	if (message.leaseLeftMs() <= 0) throw new LeaseLostError(message);
	const { receptionUrl: url, authenticationUrl } = receiver;
	const { issuerRnc: rnc, encf } = parcel;
	const answer = await deps.peers.sendEcf({ url, authenticationUrl }, sender, { rnc, encf, xml });
	failpoint("buyer-answer");
	const trust = { now: deps.clock.now(), authorities: deps.authorities };
	const judged = judgeAnswer(answer, (bytes) => readAcknowledgement(bytes, parcel, trust), mayHaveArrived);
	observe(judged.isAnswered);
	return conclude(work, n, judged);
}

/** The company has no certificate in force, which only the company can change. This is no internal failure. */
export class NoSenderError extends Error {
	constructor() {
		super("the company has no certificate to authenticate with");
		this.name = "NoSenderError";
	}
}

/** Throws: NoSenderError. */
export async function findSender({ deps, parcel }: Work): Promise<Caller<Signatory>> {
	const [issuer] = await findIssuers(deps.sql, [parcel.tenantId], deps.clock.now());
	if (!issuer?.identity) throw new NoSenderError();
	const { company, identity } = issuer;
	return toCaller(parcel.segment, identity, company.settings.signatureProfile);
}

/** Statuses given before a document is read: no token, no such service, wrong form, too often. */
const UNREAD = [401, 403, 404, 405, 411, 413, 415, 429];

export type Judged = {
	readonly end: AttemptEnd;
	/** Present if a valid one came. */
	readonly acknowledgement?: Acknowledgement & { readonly bytes: Uint8Array };
	/** False for a receiver that is down, so that it gets fewer documents. */
	readonly isAnswered: boolean;
};

/**
 * Evaluates a receiver's answer:
 *
 *   acknowledgement: received                                  delivered
 *   acknowledgement: duplicate after an ambiguous attempt      delivered
 *   acknowledgement: not received                              refused
 *   nothing was written or read for certain, such as 401       not-sent
 *   all else: unreadable, forged, too large, too late          unknown
 *
 * `read` returns the acknowledgement, or why the bytes are none. `mayHaveArrived`: an earlier attempt may have arrived.
 */
export function judgeAnswer(
	answer: PeerAnswer,
	read: (bytes: Uint8Array) => Acknowledgement | string,
	mayHaveArrived: boolean,
): Judged {
	if (answer.kind !== "answered") {
		const detail = `${answer.reason}: ${answer.detail}`;
		return { end: { result: answer.kind, httpStatus: null, detail }, isAnswered: answers(answer) };
	}
	const { httpStatus, bytes } = answer;
	const reading = read(bytes);
	if (typeof reading === "string") {
		const detail = `HTTP ${httpStatus}: ${reading}`;
		const result = UNREAD.includes(httpStatus) ? "not-sent" : "unknown";
		return { end: { result, httpStatus, detail }, isAnswered: answers(answer) };
	}
	const acknowledgement = { ...reading, bytes };
	const isEcho = reading.motive === DUPLICATE && mayHaveArrived;
	const end: AttemptEnd =
		reading.isReceived || isEcho
			? { result: "delivered", httpStatus, detail: isEcho ? "an earlier attempt had arrived" : null }
			: { result: "refused", httpStatus, detail: explainMotive(reading.motive ?? 0) };
	return { end, acknowledgement, isAnswered: true };
}

/** False for a receiver that is down. A missing token or a refused address does not count as down. */
export function answers(answer: PeerAnswer): boolean {
	if (answer.kind === "answered") return answer.httpStatus < 500;
	return answer.reason === "receiver-auth-failed" || answer.reason === "receiver-address-refused";
}

/** Writes the result of an attempt. If it ends the delivery, its state, acknowledgement and event are part of the transaction. */
export async function conclude(work: Work, n: number, judged: Judged): Promise<Handled> {
	const { deps, message, parcel } = work;
	const { acknowledgement, end } = judged;
	const state = end.result === "delivered" || end.result === "refused" ? end.result : undefined;
	const isLast = state !== undefined || isOver(message);
	const received = acknowledgement && {
		...acknowledgement,
		motive: acknowledgement.motive ?? null,
		sha256: createHash("sha256").update(acknowledgement.bytes).digest(),
	};
	await write(work, async (tx) => {
		await closeAttempt(tx, parcel, n, end, received);
		if (!isLast) return;
		const motive = state === "refused" ? (acknowledgement?.motive ?? null) : null;
		await finish(tx, work, { state: state ?? "undelivered", motive, detail: end.detail });
	});
	if (isLast) deps.wake();
	if (state !== undefined) return done;
	const reason = end.detail ?? end.result;
	return isLast ? dead(reason) : retry(pauseSeconds(message.failures), reason);
}

/** Retries later, or gives up once the time is over. */
export function later(work: Work, reason: string): Handled | Promise<Handled> {
	if (isOver(work.message)) return giveUp(work, reason);
	return retry(pauseSeconds(work.message.failures), reason);
}

export async function giveUp(work: Work, reason: string): Promise<Handled> {
	await write(work, (tx) => finish(tx, work, { state: "undelivered", motive: null, detail: reason }));
	work.deps.wake();
	return dead(reason);
}

/** Ends the delivery and writes its event. */
async function finish(
	tx: Tx,
	{ deps, parcel }: Work,
	end: {
		readonly state: "delivered" | "refused" | "undelivered";
		readonly motive: number | null;
		readonly detail: string | null;
	},
): Promise<void> {
	if (!(await endDelivery(tx, parcel, end))) return;
	const { tenantId, docId, version, encf, clientRequestId, buyerRnc } = parcel;
	const { state, motive } = end;
	await enqueueEvent(tx, {
		event: state === "delivered" ? "invoice.delivered" : "invoice.undelivered",
		...{ tenantId, docId, trackId: docId, encf, clientRequestId, docVersion: version, status: "accepted" },
		occurredAt: deps.clock.now(),
		delivery: { state, buyerRnc, ...(motive === null ? {} : { motive }) },
	});
}

export type BuyerDeliveryDeps = {
	readonly sql: Sql;
	/** The bytes that the authority received. */
	readonly findSignedEcf: (document: Pick<Addressed, "tenantId" | "docId">) => Promise<Uint8Array | undefined>;
	readonly directory: Directory<Signatory>;
	readonly peers: Pick<PeerClient<Signatory>, "sendEcf">;
	readonly authorities?: readonly TrustedAuthority[] | undefined;
	readonly clock: Clock;
	readonly log: Log;
	/** Notifies dispatchers of new messages. */
	readonly wake: () => void;
};

export type Parcel = ParcelRow & Addressed & { readonly version: number };

export type Work = { readonly deps: BuyerDeliveryDeps; readonly message: Message; readonly parcel: Parcel };

/** Gap: no source says for how long a document is offered. This is the authority's limit for contingencies. */
const GIVEN_UP_SECONDS = CONTINGENCY_SECONDS;
const PAUSE_FIRST_SECONDS = 15;
const PAUSE_MAX_SECONDS = 3_600;

export function isOver({ ageSeconds }: Message): boolean {
	return ageSeconds >= GIVEN_UP_SECONDS;
}

/** 15 seconds, doubled each time, an hour at most, plus up to 10 % so that retries spread. */
export function pauseSeconds(failures: number, random = Math.random()): number {
	return Math.min(PAUSE_MAX_SECONDS, PAUSE_FIRST_SECONDS * 2 ** Math.min(failures, 12)) * (1 + random * 0.1);
}

/** Writes under the lease of the message. Throws: LeaseLostError. */
export function write<T>({ deps, message }: Work, statements: (tx: Tx) => Promise<T>): Promise<T> {
	return writeUnderLease(deps.sql, message, statements);
}

/**
 * The certificate that signs in at a receiver: the one that signed the document, because a receiver may accept only the signer's token, as this
 * service does. If that one has ended or its key was destroyed, the company's current certificate.
 */
export async function asSignerOf(
	sql: Sql,
	xml: Uint8Array,
	sender: Caller<Signatory>,
	now: Date,
): Promise<Caller<Signatory>> {
	const { identity, profile } = sender.identity;
	const own = await findIdentityBehind(sql, identity, xml, now);
	return own ? toCaller(sender.segment, own, profile) : sender;
}
