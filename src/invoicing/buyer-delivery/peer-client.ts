/**
 * Sends documents to other taxpayers' receivers: to addresses that strangers have declared, so by the rules of `egress`.
 *
 *   declared base ─┬─ authentication, if declared:  /fe/autenticacion/api/semilla ──▶ signed ──▶ …/validacioncertificado ──▶ token
 *                  ├─ reception:                    /fe/recepcion/api/ecf                one file, answered with a signed acknowledgement
 *                  └─ approvals:                    /fe/aprobacioncomercial/api/ecf      one file, answered by the status alone
 *
 * Model: tokens are the authority's kind, one for each certificate at each authentication address, kept until they end. Only a seed is ever
 * signed: who would have a receiver sign anything else gets nothing.
 *
 * What fails: an address that may not be called is never dialled; a redirect is an answer of that status; an answer of more than 128 KiB, or
 * one that takes longer than ten seconds, is none. Without a token nothing is sent. What is told is what is certain: `not-sent`, when no byte of
 * the document was written, or `unknown`.
 *
 * Source: the authority's description of the services that an electronic receiver exposes.
 */
import {
	createSession,
	decodeBody,
	fileNameOf,
	readAnswer,
	type ServiceCall,
	type Session,
	type WireReply,
	wrapFile,
} from "../../authority/client";
import {
	checkOutboundUrl,
	type EgressPolicy,
	getOnce,
	type PostOptions,
	type PostResult,
	postOnce,
} from "../../platform/egress";
import type { Clock } from "../../platform/values";

export type PeerClientOptions<I> = {
	readonly policy: EgressPolicy;
	/** Signs a seed with the identity's certificate and gives the signed document back. */
	readonly signSeed: (seedXml: string, identity: I) => Promise<Uint8Array>;
	readonly clock: Clock;
	/** Narrower limits and another resolver than those of `postOnce`. */
	readonly limits?: Pick<PostOptions, "connectTimeoutMs" | "totalTimeoutMs" | "resolve">;
};

/** Whose certificate answers for the sender. */
export type PeerSender<I> = {
	/** Calls with the same one share a token. */
	readonly certificateId: string;
	readonly identity: I;
};

/** A signed document; its bytes are sent as they are, in a file named by these two. */
export type PeerDocument = { readonly rnc: string; readonly encf: string; readonly xml: Uint8Array };

/** Bases as the directory has them. */
export type PeerAddress = { readonly url: string; readonly authenticationUrl?: string | undefined };

export type PeerFault =
	/** Not an address that may be called. */
	| "receiver-address-refused"
	/** No seed, no token, or 401 to a fresh one. */
	| "receiver-auth-failed"
	| "receiver-unreachable"
	| "receiver-timeout"
	| "receiver-connection-lost"
	| "receiver-answer-unreadable";

export type PeerAnswer =
	| { readonly kind: "answered"; readonly httpStatus: number; readonly bytes: Uint8Array }
	| {
			/** Certain that it was not sent, or not certain of anything. */
			readonly kind: "not-sent" | "unknown";
			readonly reason: PeerFault;
			readonly detail: string;
	  };

/** Neither method throws on what a receiver does; each throws what `signSeed` throws. */
export type PeerClient<I> = {
	/** Sends an e-CF; a good answer is the acknowledgement's bytes. */
	readonly sendEcf: (to: PeerAddress, sender: PeerSender<I>, document: PeerDocument) => Promise<PeerAnswer>;
	/** Sends a commercial approval; a good answer is status 200. */
	readonly sendApproval: (to: PeerAddress, sender: PeerSender<I>, document: PeerDocument) => Promise<PeerAnswer>;
};

const ANSWER_BYTES_MAX = 128 * 1024;
const SESSIONS_MAX = 1_000;
const XML = "application/xml, text/xml";

export function createPeerClient<I>(options: PeerClientOptions<I>): PeerClient<I> {
	const sessions = new Map<string, Session<I>>();
	const limits = { ...options.limits, bytesMax: ANSWER_BYTES_MAX, keptBytesMax: ANSWER_BYTES_MAX };

	async function call(base: string, path: string, request: Request): Promise<PostResult | PeerRefusal> {
		const url = toUrl(base, path);
		const refusal = url === undefined ? NO_ADDRESS : checkOutboundUrl(url, options.policy)?.detail;
		if (url === undefined || refusal !== undefined) return { refusal: refusal ?? NO_ADDRESS };
		const { accept, token, file } = request;
		const headers = { accept, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
		const { policy } = options;
		if (!file) return getOnce({ url, headers, policy, ...limits });
		const body = { headers: { ...headers, "content-type": file.contentType }, body: file.bytes };
		return postOnce({ url, ...body, policy, ...limits });
	}

	function sessionAt(base: string): Session<I> {
		const known = sessions.get(base);
		if (known) return known;
		const signIn = async ({ file }: ServiceCall) => {
			const path = file ? "/fe/autenticacion/api/validacioncertificado" : "/fe/autenticacion/api/semilla";
			return toReply(await call(base, path, { accept: file ? "application/json" : XML, file }));
		};
		const session = createSession({ wire: { call: signIn }, clock: options.clock, signSeed: options.signSeed });
		if (sessions.size >= SESSIONS_MAX) sessions.clear();
		sessions.set(base, session);
		return session;
	}

	async function send(
		path: string,
		{ url, authenticationUrl }: PeerAddress,
		sender: PeerSender<I>,
		{ rnc, encf, xml }: PeerDocument,
	): Promise<PeerAnswer> {
		const request = { accept: XML, file: wrapFile(fileNameOf(rnc, encf), xml) };
		if (authenticationUrl === undefined) return toAnswer(await call(url, path, request));
		let last: PostResult | PeerRefusal | undefined;
		// The environment of a token is the receiver's affair: its address tells it.
		const reply = await sessionAt(authenticationUrl).authorised({ ...sender, segment: "ecf" }, async (token) => {
			last = await call(url, path, { ...request, token });
			return toReply(last);
		});
		const isDenied = reply.reached !== "answer" && last === undefined;
		if (isDenied) return { kind: "not-sent", reason: "receiver-auth-failed", detail: reply.detail };
		// A second try that got no token leaves the first one's 401.
		return last ? toAnswer(last) : { kind: "unknown", reason: "receiver-auth-failed", detail: "no answer" };
	}

	return {
		sendEcf: (to, sender, document) => send("/fe/recepcion/api/ecf", to, sender, document),
		sendApproval: (to, sender, document) => send("/fe/aprobacioncomercial/api/ecf", to, sender, document),
	};
}

type Request = {
	readonly accept: string;
	readonly token?: string;
	readonly file?: ReturnType<typeof wrapFile> | undefined;
};

type PeerRefusal = { readonly refusal: string };

const NO_ADDRESS = "Is not an absolute URL without a query.";

const SERVICE_PATH =
	/\/fe\/(autenticacion|recepcion|aprobacioncomercial)(\/api(\/(ecf|semilla|validacioncertificado))?)?$/i;

/**
 * The service's address below a declared base, which may have a path of its own.
 * Gap: the authority's description has hosts declared, to which each service's fixed path is appended; some declare the whole address, as public
 * programs tell their users to. That path is not appended to itself.
 */
export function toUrl(base: string, path: string): string | undefined {
	const url = URL.parse(base);
	if (url?.search !== "" || url.hash !== "") return undefined;
	url.pathname = `${url.pathname.replace(/\/+$/, "").replace(SERVICE_PATH, "")}${path}`;
	return url.href;
}

/** Host and port of a declared address, or the address where it is none: by it receivers are told apart that fail. */
export function hostOf(address: string): string {
	return URL.parse(address)?.host || address.slice(0, 100);
}

function toAnswer(result: PostResult | PeerRefusal): PeerAnswer {
	if ("refusal" in result) return { kind: "not-sent", reason: "receiver-address-refused", detail: result.refusal };
	const { status, error, mayHaveArrived, bytes } = result;
	if (error === undefined && status !== undefined) return { kind: "answered", httpStatus: status, bytes };
	return { kind: mayHaveArrived ? "unknown" : "not-sent", reason: faultOf(error), detail: error ?? "no answer" };
}

function faultOf(error: PostResult["error"]): PeerFault {
	switch (error) {
		case "timeout":
			return "receiver-timeout";
		case "connection-reset":
			return "receiver-connection-lost";
		case "malformed-response":
		case "too-large":
			return "receiver-answer-unreadable";
		case "blocked-address":
			return "receiver-address-refused";
		default:
			return "receiver-unreachable";
	}
}

/** The result in the words of a session, which speaks to receivers as to the authority. */
function toReply(result: PostResult | PeerRefusal): WireReply {
	if ("refusal" in result) {
		return { reached: "nothing", fault: "authority-unreachable", detail: result.refusal, text: "" };
	}
	const { status, error, mayHaveArrived, mediaType = "", bytes } = result;
	if (error !== undefined || status === undefined) {
		const reached = mayHaveArrived ? "unknown" : "nothing";
		return { reached, fault: "authority-unreachable", detail: error ?? "no answer", text: "" };
	}
	const text = decodeBody({ status, mediaType, bytes });
	return { reached: "answer", status, reading: readAnswer(text), text };
}
