/**
 * Handlers of `approval.issuer` and `approval.authority`: bring our word to those who must have it, each by its own message.
 *
 *   pending ──signed once──▶ intent ──▶ sending ──taken──▶ sent
 *      ▲                                  │  └─refused──▶ refused, or unconfirmed when an earlier one may have arrived
 *      └──────── not sent, unknown ───────┘     72 hours over, or an issuer that receives nothing ──▶ failed
 *
 * Neither waits for the other: whoever is away delays himself alone. Both send the same bytes, those of whichever signed first, and the same
 * again as often as it takes; there is no service to ask what became of a sending. An intent is stored before the socket is written to, every
 * write is on behalf of the message that is held. "I have it already" after a sending with unknown outcome is that sending's echo: it was sent.
 *
 * Gap: until when a buyer has to tell is not published; the 72 hours are those of the contingency rule for documents.
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
import type { ApprovalRow, Decision, DeliveryMessage, DeliveryStatus, Receiver } from "./approval";
import {
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

/** For good: waiting would change nothing. */
type Obstacle = { readonly reason: string; readonly detail: string; readonly isForGood?: boolean };
/** The way is free; `leave` ends it, whether or not anything was sent. */
type ReadySending = { readonly go: () => Promise<SentAnswer>; readonly leave: () => void };
/** Too much is under way to a receiver that fails, or is slow. */
type Queue = { readonly pauseSeconds: number };
/** How one of the two is reached with these bytes, or why it cannot be now. All that can fail on our side does so here, before the intent. */
type PrepareSending = (work: Work, xml: Uint8Array) => Promise<Obstacle | Queue | ReadySending>;

/** How long the other side may be away before a word is given up. */
const PATIENCE_SECONDS = CONTINGENCY_SECONDS;
/** Of one who cannot be reached for hours. */
const PAUSE_MAX_SECONDS = 3_600;

/** Issuers' hosts have the seats of webhooks' breaker, as buyers' have: one that never answers holds few of the dispatcher's. */
export function createSendToIssuer(deps: SendApprovalOptions): Handler {
	const breaker = createBreaker();
	return createHandler(deps, "issuer", async ({ approval, who }, xml) => {
		const { segment } = who;
		// Who is not listed ends it, so what was said of an issuer an hour ago does not count.
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
		const seat = breaker.enter(host, false, performance.now());
		if (!seat) return { pauseSeconds: breaker.pauseMs(host, performance.now()) / 1_000 };
		let isAnswered: boolean | undefined;
		// The file bears the buyer's number.
		const name = { rnc: approval.buyerRnc, encf: approval.encf };
		return {
			async go() {
				const answer = await deps.peers.sendApproval(to, sender, { ...name, xml });
				isAnswered = answers(answer);
				return readIssuerAnswer(answer);
			},
			leave: () => void seat.leave(isAnswered, performance.now()),
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
		if (!approval || !(await isPending(deps.sql, approval.id, receiver))) return done;
		const work = { deps, message, receiver, approval };
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

/** The authority is told where it keeps the document, wherever the company is now. */
async function findCaller({ deps: { sql, clock }, approval }: Waiting): Promise<Caller<Signatory> | undefined> {
	const { id, tenantId, receivedDocumentId } = approval;
	const company = await findCompany(sql, tenantId);
	const identity = await findSigningIdentity(sql, tenantId, clock.now());
	if (!company || !identity) return undefined;
	const document = receivedDocumentId && (await findReceivedDocument(sql, tenantId, receivedDocumentId));
	if (!document) throw new Error(`approval ${id} is of no received document`);
	return toCaller(document.segment, identity, company.settings.signatureProfile);
}

async function send(work: Work, prepare: PrepareSending): Promise<Outcome> {
	const { deps, approval, receiver } = work;
	const xml = (await findDocument(deps.sql, approval.id))?.bytes ?? (await signOnce(work));
	failpoint("approval-signed");
	const way = await prepare(work, xml);
	if ("reason" in way) return postpone(work, way);
	if ("pauseSeconds" in way) return isOver(work.message) ? end(work, "failed", [NO_ANSWER]) : snooze(way.pauseSeconds);
	try {
		// Before the intent of this sending is written: what became of those before it?
		const isInDoubt = await mayHaveArrived(deps.sql, approval.id, receiver);
		const n = await write(work, (tx) => insertIntent(tx, approval.id, receiver));
		const answer = await way.go();
		failpoint("approval-answer");
		return await settle(work, n, answer, isInDoubt);
	} finally {
		way.leave();
	}
}

/** The bytes that are stored are the bytes that are sent, also when the other message has stored them. */
async function signOnce(work: Work): Promise<Uint8Array> {
	const { deps, approval, who } = work;
	const { identity, profile } = who.identity;
	const signedAt = deps.clock.now();
	const bytes = signAcecf(approval, deps.openKey(identity), { profile, signedAt });
	const sha256 = createHash("sha256").update(bytes).digest();
	const { id: approvalId, tenantId } = approval;
	return (await write(work, (tx) => keepDocument(tx, { approvalId, tenantId, bytes, sha256, signedAt }))).bytes;
}

async function settle(work: Work, n: number, answer: SentAnswer, isInDoubt: boolean): Promise<Outcome> {
	switch (answer.kind) {
		case "taken":
			return end(work, "sent", answer.messages, n);
		case "refused":
			if (!isInDoubt) return end(work, "refused", answer.messages, n);
			return end(work, answer.mayBeOurs ? "sent" : "unconfirmed", answer.messages, n);
		case "not-sent":
		case "unknown": {
			const { kind, reason, detail } = answer;
			const attempt = { approvalId: work.approval.id, receiver: work.receiver, n };
			await write(work, (tx) => finishAttempt(tx, attempt, kind, `${reason}: ${detail}`));
			return postpone(work, { reason, detail });
		}
	}
}

type Waiting = Omit<Work, "who">;

const NO_CERTIFICATE: Obstacle = { reason: "no-certificate", detail: "The company has no certificate to sign with." };
const NO_ANSWER: DeliveryMessage = { code: "receiver-unreachable", text: "The receiver does not answer." };
const OWN_FAULT: DeliveryMessage = { code: "own-fault", text: "A fault of this service kept it from being sent." };

/** Later, or never when the time is over. */
async function postpone(work: Waiting, { reason, detail, isForGood = false }: Obstacle): Promise<Outcome> {
	const { message, receiver } = work;
	if (isForGood || isOver(message)) return end(work, "failed", [{ code: reason, text: detail }]);
	const pause = receiver === "authority" ? backoffSeconds(message.failures) : pauseSeconds(message.failures);
	return retry(pause, reason);
}

function isOver({ ageSeconds }: Message): boolean {
	return ageSeconds >= PATIENCE_SECONDS;
}

/** Units: seconds. One issuer is not asked each minute for three days. */
export function pauseSeconds(failures: number, random = Math.random()): number {
	return Math.min(PAUSE_MAX_SECONDS, 0.5 * 2 ** Math.min(failures, 20)) * (1 + random * 0.1);
}

async function end(
	work: Waiting,
	status: Exclude<DeliveryStatus, "pending">,
	messages: readonly DeliveryMessage[],
	n?: number,
): Promise<Outcome> {
	const delivery = { approvalId: work.approval.id, receiver: work.receiver };
	await write(work, async (tx) => {
		const told = messages.map(({ text }) => text).join(" ");
		if (n !== undefined) await finishAttempt(tx, { ...delivery, n }, status, told);
		await endDelivery(tx, delivery, status, messages, work.deps.clock.now());
	});
	return status === "sent" ? done : dead(messages[0]?.text ?? status);
}

function write<T>({ deps, message }: Waiting, statements: (tx: Tx) => Promise<T>): Promise<T> {
	return writeUnderLease(deps.sql, message, statements);
}

/* HEAD sent-answer.ts: What came of sending our word once, whoever it went to. */

export type SentAnswer =
	| { readonly kind: "taken"; readonly messages: readonly DeliveryMessage[] }
	/** `mayBeOurs`: because the word is there already. */
	| { readonly kind: "refused"; readonly messages: readonly DeliveryMessage[]; readonly mayBeOurs: boolean }
	/** `not-sent`: certain that it was not read. */
	| { readonly kind: "not-sent" | "unknown"; readonly reason: string; readonly detail: string };

/**
 * What an issuer's answer says. Source: the authority's description of a receiver's services: 200 is good, 400 is not.
 * Gap: any other status is not the service's word; the same bytes go again.
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

/** The beginning of whatever was answered; it is shown, never judged. */
function toText(bytes: Uint8Array): string {
	const text = new TextDecoder().decode(bytes.subarray(0, 2_000));
	return [...text]
		.slice(0, 500)
		.map((one) => (isXmlText(one) ? one : "\uFFFD"))
		.join("");
}

/* HEAD acecf.ts: The document in which a buyer tells its word on an e-CF. Source: the authority's ACECF format, version 1.0. */

export type AcecfContent = {
	readonly issuerRnc: string;
	readonly buyerRnc: string;
	readonly encf: string;
	/** `YYYY-MM-DD`, as the e-CF has it. */
	readonly issueDate: string;
	/** As the e-CF has it; written with exactly two decimals. */
	readonly total: string;
	readonly decision: Decision;
	readonly reason: string | null;
	readonly decidedAt: Date;
};

/** The authority's code of a word. */
export const STATES: Readonly<Record<Decision, string>> = { approved: "1", rejected: "2" };

/** The unsigned document in canonical form. */
export function writeAcecf(of: AcecfContent): string {
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

/** The bytes to send, checked. Throws: SelfCheckError. */
export function signAcecf(
	content: AcecfContent,
	identity: SigningIdentity,
	options: { readonly profile: SignatureProfile; readonly signedAt: Date },
): Uint8Array {
	const signed = signXml(writeAcecf(content), identity, options);
	verifyOwnSignature(signed, identity);
	return signed;
}

/* HEAD archive-approval.ts: Handler of `approval.archive`: seals a signed word into one object of the write-once store, as documents are. */

export function createArchiveApproval(deps: { sql: Sql; archive: Archive; environment: Environment }): Handler {
	const { sql, environment } = deps;
	const archiveDocument = createArchiveDocument(deps);
	return async (message) => {
		const { tenantId, subject } = message;
		const approval = await findApproval(sql, tenantId, subject);
		const document = approval && (await findDocument(sql, approval.id));
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
