/** The authority's services as functions. Each combines an address, a request and the reader of its answers. */

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
	/** Signs a seed with the identity's certificate and returns the signed document. */
	readonly signSeed: (seedXml: string, identity: I) => Promise<Uint8Array>;
	readonly clock?: Clock;
};

/** Issuer and e-NCF: how the authority identifies a document. */
export type DocumentNumber = { readonly rnc: string; readonly encf: string };

/** A signed document. Its bytes are sent unchanged. */
export type SignedDocument = DocumentNumber & {
	readonly xml: Uint8Array;
	/** When given, nothing is sent before the authority's clock reaches it. */
	readonly signedAt?: Date;
	/** Checked just before the first byte is written. A sender that has lost its right to send sends nothing. */
	readonly maySend?: MaySend;
	/** Instructs the simulator what happens to the document. Sent in a separate header. */
	readonly scenario?: string;
	/** The simulator plays a fault, so the call is not reported: it says nothing about the service. */
	readonly isPlayed?: boolean;
};

/**
 * The authority's services. No method throws for what the authority or the network does; each throws what `signSeed` throws. `record` receives
 * every raw answer of the call before the method returns, including those refused with 401.
 */
export type Authority<I> = {
	/** Sends an e-CF of any type; type 32 only from RD$250,000. */
	readonly submit: (who: Caller<I>, document: SignedDocument, record?: Recorder) => Promise<Submission>;
	/** Sends the summary of a consumer invoice under RD$250,000. The answer holds the verdict. */
	readonly submitSummary: (who: Caller<I>, document: SignedDocument, record?: Recorder) => Promise<Submission>;
	readonly queryResult: (
		who: Caller<I>,
		document: DocumentNumber & { readonly trackId: string },
		record?: Recorder,
	) => Promise<Verdict>;
	/** All receptions of an e-NCF. Not offered in the certification environment. */
	readonly queryTrackIds: (who: Caller<I>, document: DocumentNumber, record?: Recorder) => Promise<TrackIds>;
	readonly querySummary: (
		who: Caller<I>,
		document: DocumentNumber & { readonly securityCode: string },
		record?: Recorder,
	) => Promise<Verdict>;
	/**
	 * The verdict on a document by its number, for a delegate of the issuer or the buyer. Not offered in the certification environment. Without a
	 * security code, on any document under the number.
	 */
	readonly queryState: (
		who: Caller<I>,
		document: DocumentNumber & { readonly buyerRnc?: string; readonly securityCode?: string },
		record?: Recorder,
	) => Promise<Verdict>;
	/** Voids numbers that will never be used; `encf` is the first. Not offered in the certification environment. */
	readonly voidRange: (who: Caller<I>, document: SignedDocument, record?: Recorder) => Promise<VoidAnswer>;
	/** Sends the buyer's decision on a received document. `rnc` is the buyer's, which names the file. */
	readonly sendApproval: (who: Caller<I>, document: SignedDocument, record?: Recorder) => Promise<ApprovalAnswer>;
	/** Where a taxpayer receives electronic documents, if it does. Not offered in the certification environment. */
	readonly findReceiver: (who: Caller<I>, rnc: string, record?: Recorder) => Promise<Listing>;
	/** How long a service still has to be left alone at its own request; 0 if it may be called. Units: milliseconds. */
	readonly restMs: (segment: Segment, service: ServiceName) => number;
	/** True when the authority hands out a seed, the only service that needs no token. */
	readonly probe: (segment: Segment) => Promise<boolean>;
};

/** Creates the client. Throws an Error when an address cannot be used. */
export function createAuthority<I>(options: AuthorityOptions<I>): Authority<I> {
	const { log, clock = systemClock } = options;
	const { insecure } = checkUrls(options.urls);
	if (insecure.length > 0)
		log.warn({ event: "authority-client.unencrypted", addresses: insecure }, "authority addresses without encryption");
	const wire = createWire({ ...options, clock });
	const session = createSession({ wire, clock, signSeed: options.signSeed });

	async function call(
		request: Omit<ServiceCall, "segment" | "token">,
		who: Caller<I>,
		signedAt?: Date,
	): Promise<Reply> {
		const { segment } = who;
		if (!isOffered(request.service, segment)) {
			const detail = `${segment} has no service ${request.service}`;
			return { reached: "nothing", fault: "authority-service-absent", detail };
		}
		return session.authorised(who, (token) => wire.call({ ...request, segment, token }), signedAt);
	}

	function send(service: ServiceName, who: Caller<I>, document: SignedDocument, record: Recorder | undefined) {
		const { rnc, encf, xml, signedAt, scenario, isPlayed, maySend } = document;
		const request = { service, file: wrapFile(fileNameOf(rnc, encf), xml), scenario, isPlayed, maySend, record };
		return call(request, who, signedAt);
	}

	function query(
		service: ServiceName,
		who: Caller<I>,
		parameters: Record<string, string>,
		record: Recorder | undefined,
	) {
		return call({ service, query: parameters, record }, who);
	}

	return {
		submit: async (who, document, record) => readReception(await send("reception", who, document, record), document),

		submitSummary: async (who, document, record) =>
			readSummaryReception(await send("summary-reception", who, document, record), document),

		queryResult: async (who, document, record) =>
			readVerdict(await query("result", who, { trackid: document.trackId }, record), document),

		queryTrackIds: async (who, document, record) =>
			readTrackIds(await query("track-ids", who, { rncemisor: document.rnc, encf: document.encf }, record), document),

		querySummary: async (who, document, record) => {
			const parameters = { RNC_Emisor: document.rnc, ENCF: document.encf, Cod_Seguridad_eCF: document.securityCode };
			return readVerdict(await query("summary", who, parameters, record), document);
		},

		queryState: async (who, document, record) => {
			const { rnc, encf, buyerRnc = "", securityCode = "" } = document;
			const parameters = {
				rncemisor: rnc,
				ncfelectronico: encf,
				rnccomprador: buyerRnc,
				codigoseguridad: securityCode,
			};
			return readVerdict(await query("state", who, parameters, record), document);
		},

		// Quirk: the authority prescribes no file name; any plain name is accepted.
		voidRange: async (who, document, record) =>
			readVoidAnswer(await send("void-ranges", who, document, record), document),

		sendApproval: async (who, document, record) => readApprovalAnswer(await send("approval", who, document, record)),

		findReceiver: async (who, rnc, record) => readListing(await query("directory", who, { RNC: rnc }, record), rnc),

		restMs: wire.restMs,

		probe: async (segment) => typeof readSeed(await wire.call({ service: "seed", segment })) === "string",
	};
}

export type Signatory = { readonly identity: SealedIdentity; readonly profile: SignatureProfile };

/** The caller for one environment of the authority. Callers with one certificate share a token there. */
export function toCaller(segment: Segment, identity: SealedIdentity, profile: SignatureProfile): Caller<Signatory> {
	return { segment, certificateId: identity.thumbprint, identity: { identity, profile } };
}
