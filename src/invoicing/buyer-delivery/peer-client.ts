/**
 * Sends documents to the receivers of counterparties. Counterparties declare the addresses, so calls follow the rules of `egress`.
 *
 *   declared base ─┬─ authentication, if declared:  /fe/autenticacion/api/semilla ──▶ signed ──▶ …/validacioncertificado ──▶ token
 *                  ├─ reception:                    /fe/recepcion/api/ecf                one file, answered with a signed acknowledgement
 *                  └─ approvals:                    /fe/aprobacioncomercial/api/ecf      one file, answered by the status alone
 *
 * Model: tokens work as with the authority, one per certificate and authentication address, kept until they expire. Only a seed is ever signed, and
 * no other content.
 *
 * Failures: a forbidden address is never called. A redirect is an answer with that status. An answer above 128 KiB or after ten seconds does not
 * count. Without a token nothing is sent. The result is `not-sent` if no byte of the document was written, else `unknown`.
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
	/** Overrides the limits and the resolver of `postOnce`. */
	readonly limits?: Pick<PostOptions, "connectTimeoutMs" | "totalTimeoutMs" | "resolve">;
};

export type PeerSender<I> = {
	/** Calls with the same id share a token. */
	readonly certificateId: string;
	readonly identity: I;
};

/** A signed document. RNC and number give the file its name. */
export type PeerDocument = { readonly rnc: string; readonly encf: string; readonly xml: Uint8Array };

/** Base addresses from the directory. */
export type PeerAddress = { readonly url: string; readonly authenticationUrl?: string | undefined };

export type PeerFault =
	/** The address may not be called. */
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
			/** Certainly not sent, or uncertain. */
			readonly kind: "not-sent" | "unknown";
			readonly reason: PeerFault;
			readonly detail: string;
	  };

/** The methods throw only what `signSeed` throws; failures of a receiver are results. */
export type PeerClient<I> = {
	/** Sends an e-CF. Success returns the acknowledgement's bytes. */
	readonly sendEcf: (to: PeerAddress, sender: PeerSender<I>, document: PeerDocument) => Promise<PeerAnswer>;
	/** Sends a commercial approval. Success is status 200. */
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
		if (url === undefined) return { refusal: NO_ADDRESS };
		const refused = checkOutboundUrl(url, options.policy);
		if (refused) return { refusal: String(refused.detail) };
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
		// The receiver's address determines the environment of a token.
		const reply = await sessionAt(authenticationUrl).authorised({ ...sender, segment: "ecf" }, async (token) => {
			last = await call(url, path, { ...request, token });
			return toReply(last);
		});
		const isDenied = reply.reached !== "answer" && last === undefined;
		if (isDenied) return { kind: "not-sent", reason: "receiver-auth-failed", detail: reply.detail };
		// If the second try got no token, the first one's 401 stands.
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
 * The service's address below a declared base, which may have its own path. Gap: the authority's description appends a fixed path to declared hosts.
 * Some taxpayers declare the whole address, as public programs instruct them; the path is then not appended again.
 */
export function toUrl(base: string, path: string): string | undefined {
	const url = URL.parse(base);
	if (url?.search !== "" || url.hash !== "") return undefined;
	url.pathname = `${url.pathname.replace(/\/+$/, "").replace(SERVICE_PATH, "")}${path}`;
	return url.href;
}

/** Host and port of a declared address, the key of its circuit breaker. */
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

/** The result in the form of an authority session, which receivers share. */
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
