/**
 * One HTTP exchange with the authority, reported as what is certain about it.
 *
 *     connecting ──▶ connected ──▶ request written ──▶ head ──▶ body ──▶ "answer"
 *         │              └───────────────┬──────────────────────┘
 *      "nothing"                     "unknown"
 *
 * Model: the request's bytes reach the socket only after the connection is established and, over TLS, the certificate is verified. A failure
 * before that has certainly had no effect; after that, the request may have been carried out.
 *
 * Requests with a body use a fresh connection. A kept connection that the authority has closed would fail after the bytes were written, and an
 * ambiguous submission costs more than a handshake. Queries change nothing, so they use kept connections. A query that finds its connection
 * closed is repeated once over a fresh one. Redirects are not followed, and cookies and proxies are not used. Nothing else is ever sent twice.
 *
 * Quirk: it uses `node:http` because `fetch` does not reveal whether it was still connecting.
 * Quirk: an answer without a length ends with the connection, so truncation goes unnoticed here; a truncated document does not parse.
 */

import http from "node:http";
import https from "node:https";
import { parseRetryAfter } from "../../platform/concurrency";
import { failpoint } from "../../platform/failpoints";
import { currentSpan, inSpan, traceHeaders } from "../../platform/telemetry";
import type { Failure } from "./call-report";

/** Largest answer that is read. Genuine answers have a few KiB. */
const ANSWER_BYTES_MAX = 1024 * 1024;

export type HttpRequest = {
	readonly method: "GET" | "POST";
	readonly url: URL;
	readonly headers: Readonly<Record<string, string>>;
	/** Sent with its exact Content-Length, without which the authority cannot read a body. */
	readonly body?: Uint8Array;
	/** Checked once the connection is established, in the same turn in which the bytes are written. If false, nothing is written. */
	readonly maySend?: MaySend;
};

/** True if the sender may send a request that takes at most this long, from its first byte to the last byte of the answer. */
export type MaySend = (takesMaxMs: number) => boolean;

export type HttpAnswer = {
	readonly status: number;
	readonly mediaType: string;
	readonly bytes: Uint8Array;
	/** How long the service wants no calls; absent unless it asked for a pause. */
	readonly retryAfterMs?: number | undefined;
};

export type Exchange =
	| { readonly reached: "answer"; readonly answer: HttpAnswer }
	/** Not one byte of the request was written. */
	| ({ readonly reached: "nothing" } & Failure)
	/** Bytes may have been written, but no complete answer arrived. */
	| ({ readonly reached: "unknown" } & Failure);

export type TimeLimits = {
	/** Name resolution, TCP and TLS together. */
	readonly connectTimeoutMs: number;
	/** From the first byte of the request to the last byte of the answer. */
	readonly answerTimeoutMs: number;
};

/** Kept connections for queries, by host. */
export type KeptConnections = { readonly http: http.Agent; readonly https: https.Agent };

/** Less than the idle time-out of common servers, which is at least five seconds. */
const IDLE_MAX_MS = 3_000;

export function createKeptConnections(): KeptConnections {
	const options = { keepAlive: true, maxFreeSockets: 16, timeout: IDLE_MAX_MS };
	return { http: new http.Agent(options), https: new https.Agent(options) };
}

/** Sends a request once, a query over kept connections. Never throws. */
export async function exchange(request: HttpRequest, limits: TimeLimits, kept?: KeptConnections): Promise<Exchange> {
	const { method, url } = request;
	const attributes = { "http.request.method": method, "server.address": url.host, "url.path": url.pathname };
	return inSpan({ name: `authority ${method}`, kind: "client", attributes }, async () => {
		const result = await tryOnce(request, limits, kept);
		return noteReached(result === "connection-was-closed" ? await exchange(request, limits) : result);
	});
}

/** The span of a call that got no answer has failed. */
function noteReached(result: Exchange): Exchange {
	const span = currentSpan();
	if (result.reached === "answer") span?.set({ "http.response.status_code": result.answer.status });
	else span?.fail(result.fault);
	return result;
}

function tryOnce(
	request: HttpRequest,
	limits: TimeLimits,
	kept: KeptConnections | undefined,
): Promise<Exchange | "connection-was-closed"> {
	return new Promise((resolve) => {
		let connected = false;
		let answered = false;
		const secure = request.url.protocol === "https:";
		const call = (secure ? https : http).request(request.url, {
			method: request.method,
			agent: kept ? (secure ? kept.https : kept.http) : false,
			headers: {
				...request.headers,
				...traceHeaders(),
				"accept-encoding": "identity",
				...(request.body ? { "content-length": String(request.body.length) } : {}),
			},
		});
		const settle = (result: Exchange) => {
			clearTimeout(timer);
			resolve(result);
			if (!kept || result.reached !== "answer") call.destroy();
		};
		const fail = (failure: Failure) => settle({ reached: connected ? "unknown" : "nothing", ...failure });
		const broken = (error: Error) => {
			if (kept && call.reusedSocket && !answered) {
				clearTimeout(timer);
				return resolve("connection-was-closed");
			}
			fail({
				fault: connected ? "authority-connection-lost" : "authority-unreachable",
				detail: `${request.url.host}: ${error.message}`,
			});
		};
		const limit = (timeoutMs: number, failure: Failure) => setTimeout(() => fail(failure), timeoutMs);
		let timer = limit(limits.connectTimeoutMs, {
			fault: "authority-unreachable",
			detail: `${request.url.host}: no connection within ${limits.connectTimeoutMs} ms`,
		});
		call.on("error", broken);
		const write = () => {
			if (call.destroyed) return;
			if (request.maySend?.(limits.answerTimeoutMs) === false) {
				fail({ fault: "send-withdrawn", detail: `${request.url.host}: the sender may no longer send` });
				return;
			}
			connected = true;
			clearTimeout(timer);
			timer = limit(limits.answerTimeoutMs, {
				fault: "authority-timeout",
				detail: `${request.url.host}: no complete answer within ${limits.answerTimeoutMs} ms`,
			});
			call.end(request.body, () => failpoint("after-request"));
		};
		call.once("socket", (socket) => {
			if (call.reusedSocket) write();
			else socket.once(secure ? "secureConnect" : "connect", write);
		});
		call.once("response", (response) => {
			failpoint("after-head");
			answered = true;
			const chunks: Uint8Array[] = [];
			let sizeBytes = 0;
			response.on("error", broken);
			response.on("data", (chunk: Uint8Array) => {
				sizeBytes += chunk.length;
				chunks.push(chunk);
				if (sizeBytes <= ANSWER_BYTES_MAX) return;
				const detail = `the answer is larger than ${ANSWER_BYTES_MAX} bytes`;
				fail({ fault: "authority-answer-unreadable", detail });
			});
			response.once("close", () => {
				if (!response.complete) return broken(new Error("the answer broke off"));
				const mediaType = response.headers["content-type"] ?? "";
				const status = response.statusCode ?? 0;
				const retryAfterMs = readRetryAfter(status, response.headers);
				settle({ reached: "answer", answer: { status, mediaType, bytes: Buffer.concat(chunks), retryAfterMs } });
			});
		});
	});
}

const RETRY_AFTER_MAX_MS = 300_000;

/**
 * The pause requested by a service that refuses work, at most five minutes, so that a header cannot hold documents back for hours.
 * Source: RFC 6585, 4.
 */
function readRetryAfter(status: number, headers: http.IncomingHttpHeaders): number | undefined {
	if (status !== 429 && status !== 503) return undefined;
	const pauseMs = parseRetryAfter(headers["retry-after"], headers.date, Date.now()) ?? 0;
	return pauseMs > 0 ? Math.min(RETRY_AFTER_MAX_MS, pauseMs) : undefined;
}
