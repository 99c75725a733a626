/**
 * One POST or GET to an address that a tenant chose. It reaches only the public internet, within limits of time and size.
 *
 *   URL ──check──▶ host ──resolve once──▶ addresses ──check──▶ one pinned address ──connect──▶ status, first bytes of the body
 *
 * Failures: a private address is never contacted (`blocked-address`), whether it is written or resolved, and names are not resolved twice.
 * A redirect is an answer like any other. A receiver that stalls or never stops is cut off at the deadline or at `bytesMax`. The answer is
 * not decompressed, so a small one stays small.
 *
 * A request is sent once, except over a kept connection: if that is closed before any byte of an answer, it is unknown whether the request
 * was read, and it is sent once more over its own connection, as the same attempt. A caller that passes `kept` promises that receivers can
 * recognise a repeat.
 *
 * Quirks: `fetch` is not used, because it ignores a `lookup` hook, follows redirects, decompresses, reads `file:` and obeys proxy
 * variables. `node:http` calls the hook only for names; literal addresses are checked before. `agent: false` avoids the process-wide agent,
 * which an environment variable can point to a proxy that would resolve the name again.
 */
import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { parseRetryAfter, withTimeout } from "../concurrency";
import { traceHeaders } from "../telemetry";
import { bareHost, checkOutboundUrl, type EgressPolicy, isAllowListed } from "./check-url";
import { findAddress, type Pinned, type Resolve, systemResolve } from "./find-address";
import type { KeptConnections } from "./kept-connections";

type RequestOptions = {
	readonly url: string;
	/** Host, Connection and Content-Length are set here. */
	readonly headers: Readonly<Record<string, string>>;
	/** Absent: the request is a GET. */
	readonly body?: Uint8Array;
	readonly policy: EgressPolicy;
	/** For resolving, connecting and the TLS handshake together. */
	readonly connectTimeoutMs?: number;
	/** For everything, including the last byte of the answer. */
	readonly totalTimeoutMs?: number;
	/** Most bytes of the answer's body that are read. */
	readonly bytesMax?: number;
	/** Most bytes of the body in the result. Default: 4 KiB. */
	readonly keptBytesMax?: number;
	readonly resolve?: Resolve;
	/** PEM certificates to trust instead of the runtime's, for receivers with a private authority. */
	readonly ca?: string;
	/** Absent: the request gets its own connection. */
	readonly kept?: { readonly connections: KeptConnections; readonly owner: string };
};

export type PostOptions = RequestOptions & { readonly body: Uint8Array };
type GetOptions = Omit<RequestOptions, "body" | "kept">;

export type PostResult = {
	/** True for a complete 2xx answer. */
	readonly ok: boolean;
	/** Absent when no answer came. */
	readonly status?: number;
	/** Absent when a complete answer came, whatever its status. */
	readonly error?: PostError;
	readonly durationMs: number;
	/** False only when no byte of the request was written. */
	readonly mayHaveArrived: boolean;
	/** The answer's Content-Type; absent without one. */
	readonly mediaType?: string;
	/** The first bytes of the answer's body. */
	readonly bytes: Uint8Array;
	/** The same as text, for the log that the receiver's owner reads. */
	readonly responseBody: string;
	/** From the answer's Retry-After. */
	readonly retryAfterSeconds?: number;
};

const CONNECT_TIMEOUT_MS = 3_000;
const TOTAL_TIMEOUT_MS = 10_000;
const BYTES_MAX = 65_536;
const KEPT_BYTES = 4_096;
/** Most interim answers (1xx): each costs more than its bytes. */
const INTERIM_MAX = 16;
/**
 * Most bytes on the wire per byte of body, including headers and framing. Without this limit, interim answers, blank lines or padded chunk
 * sizes could keep a thread busy for ever.
 */
const WIRE_FACTOR = 4;

/** Sends one POST. Never rejects because of the receiver. */
export function postOnce(options: PostOptions): Promise<PostResult> {
	return requestOnce(options);
}

/** Sends one GET by the same rules. */
export function getOnce(options: GetOptions): Promise<PostResult> {
	return requestOnce(options);
}

async function requestOnce(options: RequestOptions): Promise<PostResult> {
	const startedAt = performance.now();
	const end = (answer: Omit<PostResult, "ok" | "durationMs">): PostResult => ({
		ok: answer.error === undefined && answer.status !== undefined && answer.status >= 200 && answer.status < 300,
		...answer,
		durationMs: Math.round(performance.now() - startedAt),
	});
	// A stored URL is checked again: the policy may be stricter now.
	if (checkOutboundUrl(options.url, options.policy)) return end({ ...NOT_SENT, error: "blocked-address" });
	const url = new URL(options.url);
	const limitMs = Math.min(options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS, options.totalTimeoutMs ?? TOTAL_TIMEOUT_MS);
	const resolve = options.resolve ?? systemResolve;
	const finding = findAddress(bareHost(url), { privateToo: isAllowListed(url, options.policy), resolve });
	const pinned = await withTimeout(finding, limitMs, () => "timeout" as const);
	if (typeof pinned === "string") return end({ ...NOT_SENT, error: pinned });
	return end(await exchange({ url, pinned, options, startedAt, connectFrom: startedAt }, options.kept));
}

type Answer = Omit<PostResult, "ok" | "durationMs">;

const NOT_SENT = { mayHaveArrived: false, bytes: new Uint8Array(), responseBody: "" } as const;

type Call = {
	readonly url: URL;
	readonly pinned: Pinned;
	readonly options: RequestOptions;
	readonly startedAt: number;
	/** Start of the connect time-out. */
	readonly connectFrom: number;
};

async function exchange(call: Call, kept: RequestOptions["kept"]): Promise<Answer> {
	const place = kept && { owner: kept.owner, url: call.url, address: call.pinned.address };
	const answer = await tryOnce(call, place && kept?.connections.optionsFor(place));
	if (answer !== "connection-was-closed") return answer;
	if (place) kept?.connections.distrust(place);
	return exchange({ ...call, connectFrom: performance.now() }, undefined);
}

/** Reports a connection that was closed under the request only if it was a kept one. */
function tryOnce(
	{ url, pinned, options, startedAt, connectFrom }: Call,
	kept: ReturnType<KeptConnections["optionsFor"]>,
): Promise<Answer | "connection-was-closed"> {
	return new Promise((resolve) => {
		const isTls = url.protocol === "https:";
		const body = keepFirst(options.keptBytesMax ?? KEPT_BYTES);
		let response: IncomingMessage | undefined;
		let stage: Stage = "connect";
		let settled = false;
		/** True while a kept connection has brought no byte of an answer. */
		let isInDoubt = () => false;

		let onWire = 0;
		const watchWire = (chunk: Buffer) => {
			onWire += chunk.length;
			if (onWire > WIRE_FACTOR * (options.bytesMax ?? BYTES_MAX)) settle("too-large");
		};
		const settle = (error?: PostError) => {
			if (settled) return;
			settled = true;
			request.socket?.off("data", watchWire);
			clearTimeout(connectTimer);
			clearTimeout(totalTimer);
			// After a complete answer the agent decides about a kept connection.
			if (error !== undefined || !kept) request.destroy();
			if (error === "connection-reset" && isInDoubt()) {
				resolve("connection-was-closed");
				return;
			}
			const status = response?.statusCode;
			const headers = response?.headers ?? {};
			const retryAfterMs = parseRetryAfter(headers["retry-after"], headers.date, Date.now());
			const mediaType = headers["content-type"];
			resolve({
				...(status === undefined ? {} : { status }),
				...(error === undefined ? {} : { error }),
				...(retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }),
				...(mediaType === undefined ? {} : { mediaType }),
				mayHaveArrived: stage === "answer",
				bytes: body.bytes(),
				responseBody: body.text(),
			});
		};

		const request: ClientRequest = (isTls ? requestHttps : requestHttp)({
			method: options.body ? "POST" : "GET",
			hostname: bareHost(url),
			port: url.port === "" ? undefined : url.port,
			path: `${url.pathname}${url.search}`,
			headers: {
				...options.headers,
				...traceHeaders(),
				...(options.body ? { "content-length": String(options.body.length) } : {}),
			},
			lookup: onlyAnswer(pinned),
			...(kept ?? { agent: false }),
			// Explicit, because an environment variable can turn the default off.
			...(isTls ? { rejectUnauthorized: true, ...(options.ca === undefined ? {} : { ca: options.ca }) } : {}),
		});
		const left = (timeoutMs: number, from: number) => Math.max(1, timeoutMs - (performance.now() - from));
		const connectLeft = left(options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS, connectFrom);
		const connectTimer = setTimeout(settle, connectLeft, "timeout");
		const totalTimer = setTimeout(settle, left(options.totalTimeoutMs ?? TOTAL_TIMEOUT_MS, startedAt), "timeout");
		const connected = () => {
			stage = "answer";
			clearTimeout(connectTimer);
		};

		request.on("socket", (socket) => {
			socket.on("data", watchWire);
			if (request.reusedSocket) {
				const before = socket.bytesRead;
				isInDoubt = () => socket.bytesRead === before;
				connected();
			} else if (!isTls) socket.once("connect", connected);
			else {
				socket.once("connect", () => {
					stage = "handshake";
				});
				socket.once("secureConnect", connected);
			}
		});
		request.on("response", (incoming) => {
			response = incoming;
			let received = 0;
			incoming.on("data", (chunk: Buffer) => {
				received += chunk.length;
				if (settled) return;
				body.add(chunk);
				if (received > (options.bytesMax ?? BYTES_MAX)) settle("too-large");
			});
			incoming.on("end", () => settle(incoming.complete ? undefined : "connection-reset"));
			incoming.on("error", (error) => settle(nameError(error, stage)));
		});
		let interim = 0;
		request.on("information", () => {
			interim++;
			if (interim > INTERIM_MAX) settle("too-large");
		});
		// Without this, an unrequested protocol switch would end the request silently.
		request.on("upgrade", (incoming, socket) => {
			response = incoming;
			socket.destroy();
			settle("malformed-response");
		});
		request.on("error", (error) => {
			// What follows a complete answer, such as a body after a 204, is ignored. The end event comes next.
			if (!response?.complete) settle(nameError(error, stage));
		});
		request.on("close", () => settle("connection-reset"));
		request.end(options.body);
	});
}

function onlyAnswer(pinned: Pinned): LookupFunction {
	return (_hostname, options, done) => {
		if (options.all) done(null, [pinned]);
		else done(null, pinned.address, pinned.family);
	};
}

/** Keeps the first bytes of a stream. The text contains no NUL, which PostgreSQL cannot store, and no incomplete last character. */
function keepFirst(bytesMax: number) {
	const chunks: Buffer[] = [];
	let left = bytesMax;
	return {
		add(chunk: Buffer) {
			if (left <= 0) return;
			// A copy, because a slice would keep the whole chunk in memory.
			const part = Buffer.from(chunk.subarray(0, left));
			chunks.push(part);
			left -= part.length;
		},
		bytes: () => new Uint8Array(Buffer.concat(chunks)),
		text: () => new TextDecoder().decode(Buffer.concat(chunks), { stream: true }).replaceAll("\u0000", "\ufffd"),
	};
}

/** Stable names of the ways in which a POST can end without a complete answer; stored and shown to the tenant. */
export type PostError =
	| "blocked-address"
	| "dns-error"
	| "timeout"
	| "connection-refused"
	| "connection-reset"
	| "connection-failed"
	| "tls-error"
	| "malformed-response"
	| "too-large";

/** How far the request had come. */
export type Stage = "connect" | "handshake" | "answer";

const byCode: Readonly<Record<string, PostError>> = {
	ECONNREFUSED: "connection-refused",
	ECONNRESET: "connection-reset",
	ECONNABORTED: "connection-reset",
	EPIPE: "connection-reset",
	ETIMEDOUT: "timeout",
	HPE_HEADER_OVERFLOW: "too-large",
};

/** The name of an error of the socket, TLS or the parser. */
function nameError(error: unknown, stage: Stage): PostError {
	const code = (error as { code?: unknown } | null)?.code;
	if (typeof code === "string") {
		const known = byCode[code];
		if (known) return known;
		if (code.startsWith("HPE_")) return "malformed-response";
		if (code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL")) return "tls-error";
	}
	// Certificate errors have dozens of codes, all during the handshake.
	return stage === "handshake" ? "tls-error" : "connection-failed";
}
