/**
 * One POST, or one GET, to an address that somebody else chose, so that it reaches nothing but the public internet and costs no more than it
 * was given.
 *
 *   URL ──check──▶ host ──resolve once──▶ addresses ──judge──▶ one pinned address ──dial──▶ status, first bytes of the body
 *
 * What fails, and how it ends: a private address is never dialled (`blocked-address`), whether written, resolved, or resolved on
 * a second asking, since nothing asks twice. A redirect is an answer like any other. A receiver that stalls, drips or never stops
 * ends at the deadline or at `bytesMax`, whatever it fills the wire with. The answer is not decompressed, so a small one stays small.
 *
 * Trust: a request goes out once, but over a kept connection: one that is closed before any byte of an answer leaves in doubt whether the
 * request was read, and it is sent once more, over a connection of its own, as the same attempt. Whoever passes `kept` says that a
 * receiver can tell a repeat.
 *
 * Quirks: `fetch` is not used, because it ignores a `lookup` hook, follows redirects, decompresses, reads `file:` and obeys
 * proxy variables. `node:http` calls the hook for names only; a literal address has been judged before. `agent: false` keeps
 * the process-wide agent out, which can be told by the environment to use a proxy that would resolve the name again.
 */
import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { parseRetryAfter, withTimeout } from "../concurrency";
import { bareHost, checkOutboundUrl, type EgressPolicy, isAllowListed } from "./check-url";
import { findAddress, type Pinned, type Resolve, systemResolve } from "./find-address";
import type { KeptConnections } from "./kept-connections";

type RequestOptions = {
	readonly url: string;
	/** Besides Host, Connection and Content-Length, which are set here. */
	readonly headers: Readonly<Record<string, string>>;
	/** Absent: it is a GET. */
	readonly body?: Uint8Array;
	readonly policy: EgressPolicy;
	/** For resolving, connecting and the TLS handshake together. */
	readonly connectTimeoutMs?: number;
	/** For everything, the last byte of the answer included. */
	readonly totalTimeoutMs?: number;
	/** Most bytes of the answer's body. */
	readonly bytesMax?: number;
	/** Most bytes that the result has; 4 KiB unless told. */
	readonly keptBytesMax?: number;
	readonly resolve?: Resolve;
	/** PEM certificates trusted instead of the runtime's: for receivers with an authority of their own. */
	readonly ca?: string;
	/** Absent: the request has a connection of its own. */
	readonly kept?: { readonly connections: KeptConnections; readonly owner: string };
};

export type PostOptions = RequestOptions & { readonly body: Uint8Array };
export type GetOptions = Omit<RequestOptions, "body" | "kept">;

export type PostResult = {
	/** True for a 2xx answer that came whole. */
	readonly ok: boolean;
	/** Absent when no answer came. */
	readonly status?: number;
	/** Absent when an answer came whole, whatever its status. */
	readonly error?: PostError;
	readonly durationMs: number;
	/** False: certain that not one byte of the request was written. */
	readonly mayHaveArrived: boolean;
	/** The answer's Content-Type; absent without one. */
	readonly mediaType?: string;
	/** The first bytes of the answer's body. */
	readonly bytes: Uint8Array;
	/** The same as text, for the log of the one who owns the receiver. */
	readonly responseBody: string;
	/** What the answer's Retry-After asks for. */
	readonly retryAfterSeconds?: number;
};

const CONNECT_TIMEOUT_MS = 3_000;
const TOTAL_TIMEOUT_MS = 10_000;
const BYTES_MAX = 65_536;
const KEPT_BYTES = 4_096;
/** Interim answers (1xx) before the one that counts. Each costs more than its bytes. */
const INTERIM_MAX = 16;
/**
 * Bytes on the wire for each byte that the body may have, heads and framing included. What comes around a body (interim answers, blank
 * lines, zeros of a chunk's length) may go on for ever, and reading it takes a thread's whole time.
 */
const WIRE_FACTOR = 4;

/** Sends one POST. Never rejects for what the other side does. */
export function postOnce(options: PostOptions): Promise<PostResult> {
	return requestOnce(options);
}

/** Sends one GET, by the same rules. */
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
	// A stored URL is judged again: the policy may be stricter than on the day it was stored.
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
	/** From when the time for connecting counts. */
	readonly connectFrom: number;
};

async function exchange(call: Call, kept: RequestOptions["kept"]): Promise<Answer> {
	const place = kept && { owner: kept.owner, url: call.url, address: call.pinned.address };
	const answer = await tryOnce(call, place && kept?.connections.optionsFor(place));
	if (answer !== "connection-was-closed") return answer;
	if (place) kept?.connections.distrust(place);
	return exchange({ ...call, connectFrom: performance.now() }, undefined);
}

/** Tells of a connection that was closed under the request only where it was a kept one. */
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
			// After a whole answer a kept connection is the agent's, to leave open or to end.
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
				...(options.body ? { "content-length": String(options.body.length) } : {}),
			},
			lookup: onlyAnswer(pinned),
			...(kept ?? { agent: false }),
			// Said aloud: an environment variable can turn the default off.
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
		// Nobody asked for another protocol; without this the request would end without a word.
		request.on("upgrade", (incoming, socket) => {
			response = incoming;
			socket.destroy();
			settle("malformed-response");
		});
		request.on("error", (error) => {
			// What comes behind a whole answer is none of it, such as a body behind a 204. Its end is told next.
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

/** Keeps the first bytes of a stream. The text has no NUL, which a database's text cannot hold, and no torn last character. */
function keepFirst(bytesMax: number) {
	const chunks: Buffer[] = [];
	let left = bytesMax;
	return {
		add(chunk: Buffer) {
			if (left <= 0) return;
			// A copy: a slice would keep the whole chunk in memory.
			const part = Buffer.from(chunk.subarray(0, left));
			chunks.push(part);
			left -= part.length;
		},
		bytes: () => new Uint8Array(Buffer.concat(chunks)),
		text: () => new TextDecoder().decode(Buffer.concat(chunks), { stream: true }).replaceAll("\u0000", "\ufffd"),
	};
}

/** Names for the ways in which a POST can end without a whole answer; stored, shown to the tenant, and stable. */
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

/** The name of a socket's, TLS's or parser's error. */
export function nameError(error: unknown, stage: Stage): PostError {
	const code = (error as { code?: unknown } | null)?.code;
	if (typeof code === "string") {
		const known = byCode[code];
		if (known) return known;
		if (code.startsWith("HPE_")) return "malformed-response";
		if (code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL")) return "tls-error";
	}
	// The certificate's faults come as dozens of codes, all while hands are shaken.
	return stage === "handshake" ? "tls-error" : "connection-failed";
}
