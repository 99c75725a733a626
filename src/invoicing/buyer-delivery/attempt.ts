/** One attempt: the intent is stored, the bytes are sent, the answer is judged. */
import { type Receiver, type Segment, type Signatory, toWho, type Who } from "../../authority/client";
import { findIssuers } from "../../companies";
import { faultPoint } from "../../platform/failpoints";
import { type Handled, LeaseLostError } from "../../platform/outbox";
import { conclude } from "./conclude";
import { judgeAnswer } from "./judge-answer";
import { asSignerOf } from "./sign-in";
import { findSignedEcf, openAttempt } from "./store";
import { type Parcel, type Work, write } from "./work";

/** `heard` is told whether the receiver answers at all. Throws: LeaseLostError; NoSenderError. */
export async function attempt(
	work: Work,
	receiver: Receiver,
	host: string,
	heard: (isAnswered: boolean) => void,
): Promise<Handled> {
	const { deps, message, parcel } = work;
	// It brings what reads certificates, which a process without a trusted bundle that delivers to no buyer does without. Before the intent: what
	// cannot be loaded must fail while nothing was sent.
	const { readAcknowledgement } = await import("./acknowledgement");
	const current = await findSender(work);
	const xml = await findSignedEcf(deps.sql, parcel.docId);
	if (!xml) throw new Error(`document ${parcel.docId} has no signed bytes`);
	const sender = await asSignerOf(deps.sql, xml, current, deps.clock.now());
	const { n, mayHaveArrived } = await write(work, (tx) => openAttempt(tx, parcel, host));
	faultPoint("buyer-intent");
	if (message.leaseLeftMs() <= 0) throw new LeaseLostError(message);
	const { receptionUrl: url, authenticationUrl } = receiver;
	const { issuerRnc: rnc, encf } = parcel;
	const answer = await deps.peers.sendEcf({ url, authenticationUrl }, sender, { rnc, encf, xml });
	faultPoint("buyer-answer");
	const trust = { now: deps.clock.now(), authorities: deps.authorities };
	const judged = judgeAnswer(answer, (bytes) => readAcknowledgement(bytes, parcel, trust), mayHaveArrived);
	heard(judged.isAnswered);
	return conclude(work, n, judged);
}

/** The company has no certificate in force, and only the company can bring one: nothing of ours has failed. */
export class NoSenderError extends Error {
	constructor() {
		super("the company has no certificate to authenticate with");
		this.name = "NoSenderError";
	}
}

/** Throws: NoSenderError. */
export async function findSender({ deps, parcel }: Work): Promise<Who<Signatory>> {
	const segment = segmentOf(parcel);
	const [issuer] = await findIssuers(deps.sql, [parcel.tenantId], deps.clock.now());
	if (!issuer?.identity) throw new NoSenderError();
	const { company, identity } = issuer;
	return toWho(segment, identity, company.settings.signatureProfile);
}

/** Where the document was issued. Throws an Error when it does not tell. */
export function segmentOf({ docId, segment }: Parcel): Segment {
	if (segment === null) throw new Error(`document ${docId} does not tell where it was issued`);
	return segment;
}
