/**
 * Outbox handlers of `approval.issuer` and `approval.authority`: deliver our decision to both receivers, each with its own message.
 *
 *     pending ──signed once──▶ intent ──▶ sending ──taken──▶ sent
 *        ▲                                  │  └─refused──▶ refused, or unconfirmed if an earlier attempt may have arrived
 *        └──────── not sent, unknown ───────┘     72 hours over, or an issuer that receives nothing ──▶ failed
 *
 * The deliveries are independent, so one unavailable receiver does not delay the other. Both send the same bytes, signed by whichever came
 * first, and repeat them as often as needed, since no service reports the outcome of an attempt. The intent is stored before the socket is
 * written to, and every write requires the message's lease. After an ambiguous attempt, "already received" is its echo and counts as sent.
 *
 * Gap: the deadline for buyers is not published; the 72 hours are those of the contingency rule for documents.
 */
import { createHash } from "node:crypto";
import { type Archive, createArchiveDocument } from "../../archive";
import {
	type Authority,
	type Caller,
	CONTINGENCY_SECONDS,
	type RawAnswer,
	type Signatory,
	toCaller,
} from "../../authority/client";
import { findCompany, findSigningIdentity } from "../../companies";
import {
	type SealedIdentity,
	type SignatureProfile,
	type SigningIdentity,
	signXml,
	verifyOwnSignature,
} from "../../ecf/signing";
import { createBreaker } from "../../events/webhooks";
import {
	answers,
	asSignerOf,
	type Directory,
	hostOf,
	type PeerAnswer,
	type PeerClient,
} from "../../invoicing/buyer-delivery";
import type { Sql, Tx } from "../../platform/database";
import { failpoint } from "../../platform/failpoints";
import {
	backoffSeconds,
	dead,
	done,
	type Handler,
	type Message,
	type Outcome,
	retry,
	snooze,
	writeUnderLease,
} from "../../platform/outbox";
import {
	type Clock,
	Decimal,
	type Environment,
	isoToAuthorityDate,
	isXmlText,
	toAuthorityDateTime,
} from "../../platform/values";
import { toCanonicalText } from "../../platform/xml";
import { findReceivedDocument } from "../reception";
import type { ApprovalContent, ApprovalRow, Decision, DeliveryMessage, DeliveryStatus, Receiver } from "./approval";
import {
	type DeliveryKey,
	endDelivery,
	findApproval,
	findDocument,
	finishAttempt,
	insertAnswers,
	insertIntent,
	isPending,
	keepDocument,
	mayHaveArrived,
} from "./store";

export type SendApprovalOptions = {
	readonly sql: Sql;
	readonly authority: Pick<Authority<Signatory>, "sendApproval">;
	readonly directory: Directory<Signatory>;
	readonly peers: Pick<PeerClient<Signatory>, "sendApproval">;
	/** Opens a sealed key, in the thread that may hold one. */
	readonly openKey: (identity: SealedIdentity) => SigningIdentity;
	readonly clock: Clock;
};

type Work = {
	readonly deps: SendApprovalOptions;
	readonly message: Message;
	readonly receiver: Receiver;
	readonly approval: ApprovalRow;
	readonly who: Caller<Signatory>;
};

/** `isForGood`: waiting would change nothing. */
type Obstacle = { readonly reason: string; readonly detail: string; readonly isForGood?: boolean };
/** Ready to send; `leave` ends it, whether or not anything was sent. */
type ReadySending = { readonly go: () => Promise<SentAnswer>; readonly leave: () => void };
/** Too many deliveries are in progress to a receiver that fails or is slow. */
type Busy = { readonly pauseSeconds: number };
/**
 * Prepares sending these bytes to one receiver, or explains why it cannot be done now. Whatever can fail on our side fails here, before the
 * intent.
 */
type PrepareSending = (work: Work, xml: Uint8Array) => Promise<Obstacle | Busy | ReadySending>;

/** How long a receiver may be unavailable before the delivery is given up. */
const PATIENCE_SECONDS = CONTINGENCY_SECONDS;
/** Longest pause for a receiver that has been unreachable for hours. */
const PAUSE_MAX_SECONDS = 3_600;

/** Issuers' hosts share the breaker of webhooks with buyers' hosts, so a host that never answers occupies few slots of the dispatcher. */
export function createSendToIssuer(deps: SendApprovalOptions): Handler {
	const breaker = createBreaker();
	return createHandler(deps, "issuer", async ({ approval, who }, xml) => {
		const { segment } = who;
		// An issuer that is not listed ends the delivery, so the directory is queried afresh.
		const question = { segment, rnc: approval.issuerRnc, who: async () => who, isAgain: true };
		const listing = await deps.directory.findReceiver(question);
		if (listing.kind === "not-listed")
			return {
				reason: "issuer-not-listed",
				detail: "The authority's directory does not list the issuer as an electronic receiver.",
				isForGood: true,
			};
		if (listing.kind === "unavailable") return listing;
		const { approvalUrl: url, authenticationUrl } = listing.receiver;
		const to = { url, authenticationUrl };
		const sender = await asSignerOf(deps.sql, xml, who, deps.clock.now());
		const host = hostOf(url);
		const slot = breaker.enter(host, false, performance.now());
		if (!slot) return { pauseSeconds: breaker.pauseMs(host, performance.now()) / 1_000 };
		let isAnswered: boolean | undefined;
		// The buyer's number names the file.
		const name = { rnc: approval.buyerRnc, encf: approval.encf };
		return {
			async go() {
				const answer = await deps.peers.sendApproval(to, sender, { ...name, xml });
				isAnswered = answers(answer);
				return readIssuerAnswer(answer);
			},
			leave: () => void slot.leave(isAnswered, performance.now()),
		};
	});
}

export function createSendToAuthority(deps: SendApprovalOptions): Handler {
	return createHandler(deps, "authority", async ({ approval, who, message }, xml) => ({
		async go() {
			const raws: RawAnswer[] = [];
			const maySend = (takesMaxMs: number) => message.leaseLeftMs() > takesMaxMs;
			const document = { rnc: approval.buyerRnc, encf: approval.encf, xml, maySend };
			const answer = await deps.authority.sendApproval(who, document, (raw) => raws.push(raw));
			await insertAnswers(deps.sql, { approvalId: approval.id, tenantId: approval.tenantId }, raws);
			return answer;
		},
		leave: () => undefined,
	}));
}

function createHandler(deps: SendApprovalOptions, receiver: Receiver, prepare: PrepareSending): Handler {
	return async (message) => {
		const approval = await findApproval(deps.sql, message.tenantId, message.subject);
		if (!approval) return done;
		const work = { deps, message, receiver, approval };
		if (!(await isPending(deps.sql, deliveryOf(work)))) return done;
		try {
			const who = await findCaller(work);
			return who ? await send({ ...work, who }, prepare) : await postpone(work, NO_CERTIFICATE);
		} catch (error) {
			if (!isOver(message)) throw error;
			await end(work, "failed", [OWN_FAULT]);
			return dead(error instanceof Error ? error.message : String(error));
		}
	};
}

/** The authority receives the decision in the environment of the document, wherever the company is now. */
async function findCaller({ deps: { sql, clock }, approval }: Waiting): Promise<Caller<Signatory> | undefined> {
	const { id, tenantId, receivedDocumentId } = approval;
	const company = await findCompany(sql, tenantId);
	const identity = await findSigningIdentity(sql, tenantId, clock.now());
	if (!company || !identity) return undefined;
	const document = receivedDocumentId && (await findReceivedDocument(sql, tenantId, receivedDocumentId));
	if (!document) throw new Error(`approval ${id} has no received document`);
	return toCaller(document.segment, identity, company.settings.signatureProfile);
}

async function send(work: Work, prepare: PrepareSending): Promise<Outcome> {
	const { deps } = work;
	const xml = (await findDocument(deps.sql, deliveryOf(work)))?.bytes ?? (await signOnce(work));
	failpoint("approval-signed");
	const prepared = await prepare(work, xml);
	if ("reason" in prepared) return postpone(work, prepared);
	if ("pauseSeconds" in prepared)
		return isOver(work.message) ? end(work, "failed", [NO_ANSWER]) : snooze(prepared.pauseSeconds);
	try {
		// Earlier attempts are checked before this one's intent is written.
		const isAmbiguous = await mayHaveArrived(deps.sql, deliveryOf(work));
		const n = await write(work, (tx) => insertIntent(tx, deliveryOf(work)));
		const answer = await prepared.go();
		failpoint("approval-answer");
		return await settle(work, n, answer, isAmbiguous);
	} finally {
		prepared.leave();
	}
}

/** The stored bytes are the ones that are sent, even if the other message has stored them. */
async function signOnce(work: Work): Promise<Uint8Array> {
	const { deps, approval, who } = work;
	const { identity, profile } = who.identity;
	const signedAt = deps.clock.now();
	const bytes = signAcecf(approval, deps.openKey(identity), { profile, signedAt });
	const sha256 = createHash("sha256").update(bytes).digest();
	const { id: approvalId, tenantId } = approval;
	return (await write(work, (tx) => keepDocument(tx, { approvalId, tenantId, bytes, sha256, signedAt }))).bytes;
}

async function settle(work: Work, n: number, answer: SentAnswer, isAmbiguous: boolean): Promise<Outcome> {
	switch (answer.kind) {
		case "taken":
			return end(work, "sent", answer.messages, n);
		case "refused":
			if (!isAmbiguous) return end(work, "refused", answer.messages, n);
			return end(work, answer.mayBeOurs ? "sent" : "unconfirmed", answer.messages, n);
		case "not-sent":
		case "unknown": {
			const { kind, reason, detail } = answer;
			const attempt = { ...deliveryOf(work), n };
			await write(work, (tx) => finishAttempt(tx, attempt, kind, `${reason}: ${detail}`));
			return postpone(work, { reason, detail });
		}
	}
}

type Waiting = Omit<Work, "who">;

function deliveryOf({ message, approval, receiver }: Waiting): DeliveryKey {
	return { tenantId: message.tenantId, approvalId: approval.id, receiver };
}

const NO_CERTIFICATE: Obstacle = { reason: "no-certificate", detail: "The company has no certificate to sign with." };
const NO_ANSWER: DeliveryMessage = { code: "receiver-unreachable", text: "The receiver does not answer." };
const OWN_FAULT: DeliveryMessage = { code: "own-fault", text: "An error of this service prevented sending." };

/** Retries later, or gives up after the time limit. */
async function postpone(work: Waiting, { reason, detail, isForGood = false }: Obstacle): Promise<Outcome> {
	const { message, receiver } = work;
	if (isForGood || isOver(message)) return end(work, "failed", [{ code: reason, text: detail }]);
	const pause = receiver === "authority" ? backoffSeconds(message.failures) : pauseSeconds(message.failures);
	return retry(pause, reason);
}

function isOver({ ageSeconds }: Message): boolean {
	return ageSeconds >= PATIENCE_SECONDS;
}

/** Units: seconds. The pause grows, so that an issuer is not contacted every minute for three days. */
export function pauseSeconds(failures: number, random = Math.random()): number {
	return Math.min(PAUSE_MAX_SECONDS, 0.5 * 2 ** Math.min(failures, 20)) * (1 + random * 0.1);
}

async function end(
	work: Waiting,
	status: Exclude<DeliveryStatus, "pending">,
	messages: readonly DeliveryMessage[],
	n?: number,
): Promise<Outcome> {
	const delivery = deliveryOf(work);
	await write(work, async (tx) => {
		const detail = messages.map(({ text }) => text).join(" ");
		if (n !== undefined) await finishAttempt(tx, { ...delivery, n }, status, detail);
		await endDelivery(tx, delivery, status, messages, work.deps.clock.now());
	});
	return status === "sent" ? done : dead(messages[0]?.text ?? status);
}

function write<T>({ deps, message }: Waiting, statements: (tx: Tx) => Promise<T>): Promise<T> {
	return writeUnderLease(deps.sql, message, statements);
}

/* The outcome of one attempt, for either receiver. */

export type SentAnswer =
	| { readonly kind: "taken"; readonly messages: readonly DeliveryMessage[] }
	/** `mayBeOurs`: the receiver already has the decision. */
	| { readonly kind: "refused"; readonly messages: readonly DeliveryMessage[]; readonly mayBeOurs: boolean }
	/** `not-sent`: certainly not read. */
	| { readonly kind: "not-sent" | "unknown"; readonly reason: string; readonly detail: string };

/**
 * An issuer's answer. Source: the authority's description of a receiver's services: 200 is success, 400 is refusal.
 * Gap: other statuses do not come from the service, so the same bytes are sent again.
 */
export function readIssuerAnswer(answer: PeerAnswer): SentAnswer {
	if (answer.kind !== "answered") return answer;
	const { httpStatus, bytes } = answer;
	if (httpStatus === 200) return { kind: "taken", messages: [] };
	const detail = `HTTP ${httpStatus}`;
	if (httpStatus === 400)
		return { kind: "refused", messages: [{ code: detail, text: toText(bytes) }], mayBeOurs: false };
	return { kind: httpStatus === 401 ? "not-sent" : "unknown", reason: "receiver-http-error", detail };
}

/** The beginning of an answer, for display only. */
function toText(bytes: Uint8Array): string {
	const text = new TextDecoder().decode(bytes.subarray(0, 2_000));
	return [...text]
		.slice(0, 500)
		.map((one) => (isXmlText(one) ? one : "\uFFFD"))
		.join("");
}

/* The document with a buyer's decision on an e-CF. Source: the authority's ACECF format, version 1.0. */

export const STATES: Readonly<Record<Decision, string>> = { approved: "1", rejected: "2" };

/** The unsigned document in canonical form. */
export function writeAcecf(of: ApprovalContent): string {
	const leaf = (name: string, text: string) => `<${name}>${toCanonicalText(text)}</${name}>`;
	return [
		"<ACECF><DetalleAprobacionComercial><Version>1.0</Version>",
		leaf("RNCEmisor", of.issuerRnc),
		leaf("eNCF", of.encf),
		leaf("FechaEmision", isoToAuthorityDate(of.issueDate)),
		leaf("MontoTotal", Decimal.of(of.total).toFixed(2)),
		leaf("RNCComprador", of.buyerRnc),
		leaf("Estado", STATES[of.decision]),
		of.reason === null ? "" : leaf("DetalleMotivoRechazo", of.reason),
		leaf("FechaHoraAprobacionComercial", toAuthorityDateTime(of.decidedAt)),
		"</DetalleAprobacionComercial></ACECF>",
	].join("");
}

/** The signed and verified bytes. Throws: SelfCheckError. */
export function signAcecf(
	content: ApprovalContent,
	identity: SigningIdentity,
	options: { readonly profile: SignatureProfile; readonly signedAt: Date },
): Uint8Array {
	const signed = signXml(writeAcecf(content), identity, options);
	verifyOwnSignature(signed, identity);
	return signed;
}

/* Handler of `approval.archive`: seals a signed decision into one object of the write-once store, like a document. */

export function createArchiveApproval(deps: { sql: Sql; archive: Archive; environment: Environment }): Handler {
	const { sql, environment } = deps;
	const archiveDocument = createArchiveDocument(deps);
	return async (message) => {
		const { tenantId, subject } = message;
		const approval = await findApproval(sql, tenantId, subject);
		const document = approval && (await findDocument(sql, { tenantId, approvalId: subject }));
		if (!approval || !document) return done;
		const { id, encf, direction, decision, createdAt: decidedAt } = approval;
		const about = approval.docId ?? approval.receivedDocumentId;
		await archiveDocument(message, {
			...{ docId: id, tenantId, environment, encf, type: encf.slice(1, 3), status: "approval", decidedAt },
			ecf: document.bytes,
			request: JSON.stringify({ direction, about, decision, purchaseOrder: approval.purchaseOrder }),
			answers: [],
			events: [],
		});
		return done;
	};
}
