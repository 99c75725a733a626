/** The authority's services as functions. Each is one address, one request, and the reader of its answers. */

import type { SealedIdentity, SignatureProfile } from "../../ecf/signing";
import { type Clock, systemClock } from "../../platform/values";
import { checkUrls, isOffered, type Segment, type ServiceName } from "./addresses";
import { type ApprovalAnswer, readApprovalAnswer } from "./approval-answer";
import type { Recorder } from "./call-report";
import type { MaySend } from "./exchange";
import { type Listing, readListing } from "./receiver";
import type { Reply } from "./reply";
import { type Caller, createSession, readSeed } from "./session";
import { readTrackIds, type TrackIds } from "./track-ids";
import { readReception, readSummaryReception, readVerdict, type Submission, type Verdict } from "./verdict";
import { readVoidAnswer, type VoidAnswer } from "./void-answer";
import { createWire, fileNameOf, type ServiceCall, type WireOptions, wrapFile } from "./wire";

export type AuthorityOptions<I> = Omit<WireOptions, "clock"> & {
	/** Signs a seed with the identity's certificate and gives the signed document back. */
	readonly signSeed: (seedXml: string, identity: I) => Promise<Uint8Array>;
	readonly clock?: Clock;
};

/** Issuer and e-NCF, the name under which the authority knows a document. */
export type DocumentNumber = { readonly rnc: string; readonly encf: string };

/** A signed document; its bytes are sent as they are. */
export type SignedDocument = DocumentNumber & {
	readonly xml: Uint8Array;
	/** Asked just before the first byte is written: whoever has lost the right to send in the meantime does not. */
	readonly maySend?: MaySend;
	/** For the simulator: what is to happen to the document. Travels in a header of its own. */
	readonly scenario?: string;
	/** The simulator is to be silent: nobody is told of the call, for it says nothing of the service. */
	readonly isPlayed?: boolean;
};

/**
 * The authority. No method throws on what the authority or the network does; each throws what `signSeed` throws.
 * `record` gets every answer of the call as it came, those that are refused with 401 included, before the method returns.
 */
export type Authority<I> = {
	/** Sends an e-CF: all types, and type 32 from RD$250,000. */
	readonly submit: (who: Caller<I>, document: SignedDocument, record?: Recorder) => Promise<Submission>;
	/** Sends the summary of a consumer invoice under RD$250,000. The verdict comes at once. */
	readonly submitSummary: (who: Caller<I>, document: SignedDocument, record?: Recorder) => Promise<Submission>;
	/** The verdict on one reception. */
	readonly queryResult: (
		who: Caller<I>,
		asked: DocumentNumber & { readonly trackId: string },
		record?: Recorder,
	) => Promise<Verdict>;
	/** The receptions that an e-NCF has had. Not offered in the certification environment. */
	readonly queryTrackIds: (who: Caller<I>, asked: DocumentNumber, record?: Recorder) => Promise<TrackIds>;
	/** The verdict on a summary. */
	readonly querySummary: (
		who: Caller<I>,
		asked: DocumentNumber & { readonly securityCode: string },
		record?: Recorder,
	) => Promise<Verdict>;
	/** The verdict on a document by its number, for the issuer's delegate or the buyer's. Not offered in the certification environment. */
	readonly queryState: (
		who: Caller<I>,
		asked: DocumentNumber & { readonly buyerRnc?: string; readonly securityCode: string },
		record?: Recorder,
	) => Promise<Verdict>;
	/** Voids numbers that will never be used; `encf` is the first of them. Not offered in the certification environment. */
	readonly voidRange: (who: Caller<I>, document: SignedDocument, record?: Recorder) => Promise<VoidAnswer>;
	/** Tells the buyer's word on a received document; `rnc` is the buyer's, whose name the file bears. */
	readonly sendApproval: (who: Caller<I>, document: SignedDocument, record?: Recorder) => Promise<ApprovalAnswer>;
	/** Where a taxpayer receives documents, if it does so electronically. Not offered in the certification environment. */
	readonly findReceiver: (who: Caller<I>, rnc: string, record?: Recorder) => Promise<Listing>;
	/** Units: milliseconds for which a service has asked to be left alone and is; zero when it may be called. */
	readonly restMs: (segment: Segment, service: ServiceName) => number;
	/** True when the authority hands out a seed: the one sign of life that needs no token. */
	readonly probe: (segment: Segment) => Promise<boolean>;
};

/** Makes the client. Throws an Error when an address cannot be used. */
export function createAuthority<I>(options: AuthorityOptions<I>): Authority<I> {
	const { log, clock = systemClock } = options;
	const { insecure } = checkUrls(options.urls);
	if (insecure.length > 0) log.warn({ addresses: insecure }, "the authority is reached without encryption");
	const wire = createWire({ ...options, clock });
	const session = createSession({ wire, clock, signSeed: options.signSeed });

	async function call(request: Omit<ServiceCall, "segment" | "token">, who: Caller<I>): Promise<Reply> {
		const { segment } = who;
		if (!isOffered(request.service, segment)) {
			const detail = `${segment} has no service ${request.service}`;
			return { reached: "nothing", fault: "authority-service-absent", detail };
		}
		return session.authorised(who, (token) => wire.call({ ...request, segment, token }));
	}

	function send(service: ServiceName, who: Caller<I>, document: SignedDocument, record: Recorder | undefined) {
		const { rnc, encf, xml, scenario, isPlayed, maySend } = document;
		return call({ service, file: wrapFile(fileNameOf(rnc, encf), xml), scenario, isPlayed, maySend, record }, who);
	}

	function ask(service: ServiceName, who: Caller<I>, query: Record<string, string>, record: Recorder | undefined) {
		return call({ service, query, record }, who);
	}

	return {
		submit: async (who, document, record) => readReception(await send("reception", who, document, record), document),

		submitSummary: async (who, document, record) =>
			readSummaryReception(await send("summary-reception", who, document, record), document),

		queryResult: async (who, asked, record) =>
			readVerdict(await ask("result", who, { trackid: asked.trackId }, record), asked),

		queryTrackIds: async (who, asked, record) =>
			readTrackIds(await ask("track-ids", who, { rncemisor: asked.rnc, encf: asked.encf }, record), asked),

		querySummary: async (who, asked, record) => {
			const query = { RNC_Emisor: asked.rnc, ENCF: asked.encf, Cod_Seguridad_eCF: asked.securityCode };
			return readVerdict(await ask("summary", who, query, record), asked);
		},

		queryState: async (who, asked, record) => {
			const { rnc, encf, buyerRnc = "", securityCode } = asked;
			const query = { rncemisor: rnc, ncfelectronico: encf, rnccomprador: buyerRnc, codigoseguridad: securityCode };
			return readVerdict(await ask("state", who, query, record), asked);
		},

		// Quirk: the authority does not say how the file is to be called; any plain name passes.
		voidRange: async (who, document, record) =>
			readVoidAnswer(await send("void-ranges", who, document, record), document),

		sendApproval: async (who, document, record) => readApprovalAnswer(await send("approval", who, document, record)),

		findReceiver: async (who, rnc, record) => readListing(await ask("directory", who, { RNC: rnc }, record), rnc),

		restMs: wire.restMs,

		probe: async (segment) => typeof readSeed(await wire.call({ service: "seed", segment })) === "string",
	};
}

/* HEAD signatory.ts: Who signs the authority's seeds and those of other taxpayers' receivers, and how: like the documents themselves. */

export type Signatory = { readonly identity: SealedIdentity; readonly profile: SignatureProfile };

/** On whose behalf calls in an environment of the authority are made: calls under one certificate share a token there. */
export function toCaller(segment: Segment, identity: SealedIdentity, profile: SignatureProfile): Caller<Signatory> {
	return { segment, certificateId: identity.thumbprint, identity: { identity, profile } };
}
