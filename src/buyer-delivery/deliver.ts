/**
 * Handler of `buyer.deliver`: hands one accepted document to its buyer, if the authority's directory lists that one as a receiver.
 *
 *   verdict ──▶ (nothing stored) ──not listed──▶ not-listed ──┐
 *                     │                                       │ retry, by the tenant
 *                  listed                                     ▼
 *                     └─────▶ pending ◀───────────────────────┤
 *                              │ ▲ └─ no answer that counts: the same bytes again, 15 s to 1 h apart
 *                              │ └────────────┘               │
 *                              ├──received────▶ delivered     │
 *                              ├──not received▶ refused ──────┤
 *                              └──72 hours────▶ undelivered ──┘
 *
 * Model: the bytes are those that the authority got. An attempt is stored before the first byte is written. "Duplicate" after an attempt whose
 * answer did not come, or was none, is the echo of that one: delivered. What is believed is a verified acknowledgement, whatever the status it
 * comes with; all else leaves open whether the document arrived.
 *
 * Trust: the addresses are strangers', and are called by the rules of `egress`. A receiver that fails or is slow gets two attempts at a time, and
 * the others wait outside without a slot, by the same breaker as webhooks, one for each host.
 *
 * Gap: nobody says for how long a document is offered; 72 hours is the authority's own measure for what could not be sent.
 */
import { createHash } from "node:crypto";
import type { Listing, Receiver } from "../authority";
import { findIssuers } from "../companies";
import { createGather, gatherWrites, type Sql, type Tx } from "../database";
import {
	dead,
	done,
	type Handled,
	type Handler,
	lockHeldMessage,
	type Message,
	retry,
	settled,
	snooze,
} from "../outbox";
import type { SealedIdentity, SignatureProfile } from "../signing";
import { faultPoint, type Log } from "../telemetry";
import type { Clock } from "../values";
import type { TrustedAuthority } from "../verification";
import { createBreaker, enqueueEvent } from "../webhooks";
import { readAcknowledgement } from "./acknowledgement";
import type { Directory } from "./directory";
import { type Judged, judgeAnswer } from "./judge-answer";
import { buyerOf } from "./parcel";
import type { PeerClient, PeerSender } from "./peer-client";
import {
	type Addressed,
	closeAttempt,
	endDelivery,
	findParcels,
	findSignedEcf,
	insertAcknowledgement,
	openAttempt,
	type ParcelRow,
	writeNotListed,
} from "./store";

/** Who signs the seeds of the authority and of receivers, and how. */
type Signatory = { readonly identity: SealedIdentity; readonly profile: SignatureProfile };

export type DeliverToBuyerDeps = {
	readonly sql: Sql;
	readonly directory: Directory<Signatory>;
	readonly peers: Pick<PeerClient<Signatory>, "sendEcf">;
	readonly authorities?: readonly TrustedAuthority[] | undefined;
	readonly clock: Clock;
	readonly log: Log;
	/** Tells dispatchers that an event waits. */
	readonly wake: () => void;
};

type Parcel = ParcelRow & Addressed;

type Work = { readonly deps: DeliverToBuyerDeps; readonly message: Message; readonly parcel: Parcel };

const GIVEN_UP_SECONDS = 72 * 3_600;
const PAUSE_FIRST_SECONDS = 15;
const PAUSE_MAX_SECONDS = 3_600;

const READS = { itemsMax: 200, runsMax: 2 };
const WRITES = { itemsMax: 100, runsMax: 2 };

export function createDeliverToBuyer(deps: DeliverToBuyerDeps): Handler {
	const findParcel = createGather((docIds: readonly string[]) => findParcels(deps.sql, docIds), READS);
	const endUnlisted = gatherWrites(
		(all: readonly { message: Message; to: Addressed }[]) => writeNotListed(deps.sql, all),
		({ to }) => to.docId,
		WRITES,
	);
	const breaker = createBreaker();

	async function handOver(work: Work): Promise<Handled> {
		const { message, parcel } = work;
		const listing = await findReceiver(work);
		if (listing.kind === "unavailable") return later(work, `directory: ${listing.reason}`);
		if (listing.kind === "not-listed") {
			await endUnlisted({ message, to: parcel });
			return settled(done);
		}
		const host = hostOf(listing.receiver);
		const seat = breaker.enter(host, false, nowMs());
		if (!seat) return isOver(message) ? giveUp(work, "the receiver does not answer") : pause(host);
		let isAnswered: boolean | undefined;
		try {
			return await attempt(work, listing.receiver, host, (answered) => {
				isAnswered = answered;
			});
		} finally {
			if (seat.leave(isAnswered, nowMs()) === "opened")
				deps.log.warn({ host }, "a receiver fails and gets few documents at once");
		}
	}

	const nowMs = () => deps.clock.now().getTime();
	const pause = (host: string) => snooze(breaker.pauseMs(host, nowMs()) / 1_000);

	return async (message) => {
		const row = await findParcel(message.subject);
		const buyerRnc = row && buyerOf(row.type, row.customerRnc);
		if (row?.status !== "accepted" || row.testSetId !== null || buyerRnc === undefined) return done;
		// A holder that died between its last write and the end of the message.
		if (row.state !== null && row.state !== "pending") return done;
		const work = { deps, message, parcel: { ...row, buyerRnc } };
		try {
			return await handOver(work);
		} catch (error) {
			if (!isOver(message)) throw error;
			return giveUp(work, error instanceof Error ? error.message : String(error));
		}
	};
}

function findReceiver({ deps, parcel }: Work): Promise<Listing> {
	const { segment, buyerRnc, docId, state } = parcel;
	if (segment === null) throw new Error(`document ${docId} does not tell where it was issued`);
	const who = async () => ({ segment, ...(await findSender(deps, parcel.tenantId)) });
	return deps.directory.findReceiver({ segment, rnc: buyerRnc, who, isAgain: state !== null });
}

/** Throws an Error when the company has no certificate: a failure on our side, like others. */
async function findSender({ sql, clock }: DeliverToBuyerDeps, tenantId: string): Promise<PeerSender<Signatory>> {
	const [issuer] = await findIssuers(sql, [tenantId], clock.now());
	if (!issuer?.identity) throw new Error("the company has no certificate to authenticate with");
	const { company, identity } = issuer;
	return {
		certificateId: identity.thumbprint,
		identity: { identity, profile: company.settings.signatureProfile },
	};
}

async function attempt(
	work: Work,
	receiver: Receiver,
	host: string,
	heard: (isAnswered: boolean) => void,
): Promise<Handled> {
	const { deps, message, parcel } = work;
	const sender = await findSender(deps, parcel.tenantId);
	const xml = await findSignedEcf(deps.sql, parcel.docId);
	if (!xml) throw new Error(`document ${parcel.docId} has no signed bytes`);
	const { n, mayHaveArrived } = await write(work, (tx) => openAttempt(tx, parcel, host));
	faultPoint("buyer-intent");
	if (message.leaseLeftMs() <= 0) throw new Error("the lease is over before the document was sent");
	const { receptionUrl: url, authenticationUrl } = receiver;
	const { issuerRnc: rnc, encf } = parcel;
	const answer = await deps.peers.sendEcf({ url, authenticationUrl }, sender, { rnc, encf, xml });
	faultPoint("buyer-answer");
	const trust = { now: deps.clock.now(), authorities: deps.authorities };
	const judged = judgeAnswer(answer, (bytes) => readAcknowledgement(bytes, parcel, trust), mayHaveArrived);
	heard(judged.isAnswered);
	return conclude(work, n, judged);
}

/** Writes what came of an attempt, with the end of the delivery and its event where it is one. */
async function conclude(work: Work, n: number, judged: Judged): Promise<Handled> {
	const { deps, message, parcel } = work;
	const { acknowledgement, end } = judged;
	const state = end.result === "delivered" || end.result === "refused" ? end.result : undefined;
	const isLast = state !== undefined || isOver(message);
	await write(work, async (tx) => {
		await closeAttempt(tx, parcel.docId, n, end);
		if (acknowledgement) {
			const { bytes, isReceived, motive = null, signer } = acknowledgement;
			const sha256 = createHash("sha256").update(bytes).digest();
			const { docId, tenantId } = parcel;
			await insertAcknowledgement(tx, { docId, n, tenantId, isReceived, motive, bytes, sha256, signer });
		}
		if (!isLast) return;
		const motive = state === "refused" ? (acknowledgement?.motive ?? null) : null;
		await finish(tx, work, { state: state ?? "undelivered", motive, detail: end.detail });
	});
	if (isLast) deps.wake();
	if (state !== undefined) return done;
	const reason = end.detail ?? end.result;
	return isLast ? dead(reason) : retry(pauseSeconds(message.failures), reason);
}

/** What cannot be tried now: later, or never once its time is over. */
function later(work: Work, reason: string): Handled | Promise<Handled> {
	if (isOver(work.message)) return giveUp(work, reason);
	return retry(pauseSeconds(work.message.failures), reason);
}

async function giveUp(work: Work, reason: string): Promise<Handled> {
	await write(work, (tx) => finish(tx, work, { state: "undelivered", motive: null, detail: reason }));
	work.deps.wake();
	return dead(reason);
}

/** The delivery's end, and the event of it. */
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
	const { tenantId, docId, trackId, version, encf, clientRequestId, buyerRnc } = parcel;
	const { state, motive } = end;
	await enqueueEvent(tx, {
		event: state === "delivered" ? "invoice.delivered" : "invoice.undelivered",
		...{ tenantId, docId, trackId, encf, clientRequestId, docVersion: version, status: "accepted" },
		occurredAt: deps.clock.now(),
		delivery: { state, buyerRnc, ...(motive === null ? {} : { motive }) },
	});
}

function isOver({ ageSeconds }: Message): boolean {
	return ageSeconds >= GIVEN_UP_SECONDS;
}

/** 15 seconds, twice as long each time, an hour at most, and up to 10 % on top so that failures spread. */
export function pauseSeconds(failures: number, random = Math.random()): number {
	return Math.min(PAUSE_MAX_SECONDS, PAUSE_FIRST_SECONDS * 2 ** Math.min(failures, 12)) * (1 + random * 0.1);
}

/** Host and port of a declared address, or the address where it is none. */
function hostOf({ receptionUrl }: Receiver): string {
	return URL.parse(receptionUrl)?.host || receptionUrl.slice(0, 100);
}

/** Writes on behalf of the message, if it is still held. */
async function write<T>({ deps, message }: Work, statements: (tx: Tx) => Promise<T>): Promise<T> {
	const result = await deps.sql.begin(async (tx) => {
		if (!(await lockHeldMessage(tx, message))) {
			throw new Error(`message ${message.id} is no longer held by attempt ${message.attempt}`);
		}
		return { value: await statements(tx) };
	});
	return result.value as T;
}
