/**
 * One HTTP exchange with the authority, told as what is certain about it.
 *
 *     connecting ──▶ connected ──▶ request written ──▶ head ──▶ body ──▶ "answer"
 *         │              └───────────────┬──────────────────────┘
 *      "nothing"                     "unknown"
 *
 * Model: the request's bytes are handed to the socket only when the connection stands (over TLS: when the certificate has
 * been verified). What fails before that has certainly reached nobody; what fails after it may have been carried out.
 *
 * What carries something has a connection of its own. A kept one that the authority has closed in the meantime fails after the bytes
 * were written, and a submission with an unknown outcome costs more than a handshake. Questions change nothing: they go over kept
 * connections, and one that finds its connection closed is asked once more, over a fresh one. No redirect is followed, no cookie is
 * kept, no proxy is used, and nothing else is ever sent twice.
 *
 * Quirk: it stands on `node:http` rather than on `fetch`, because `fetch` does not tell whether it was still connecting.
 * Quirk: an answer without a length ends when the connection does, so a cut cannot be seen here; a cut document does not parse.
 */

import http from "node:http";
import https from "node:https";
import { parseRetryAfter } from "../../platform/concurrency";
import { faultPoint } from "../../platform/failpoints";
import type { Failure } from "./call-report";

/** Largest answer that is read; the largest honest one is a few KiB. */
const ANSWER_BYTES_MAX = 1024 * 1024;

export type HttpRequest = {
	readonly method: "GET" | "POST";
	readonly url: URL;
	readonly headers: Readonly<Record<string, string>>;
	/** Sent with its exact Content-Length: the authority cannot read a body without one. */
	readonly body?: Uint8Array;
	/** Asked when the connection stands, in the same turn in which the bytes are written: false, and nothing is. */
	readonly maySend?: MaySend;
};

/** True while the sender may send what takes so long at most, from its first byte to the last one of the answer. */
export type MaySend = (takesMaxMs: number) => boolean;

export type HttpAnswer = {
	readonly status: number;
	readonly mediaType: string;
	readonly bytes: Uint8Array;
	/** For how long the service wants no more calls; absent when it has not asked for that. */
	readonly retryAfterMs?: number | undefined;
};

export type Exchange =
	| { readonly reached: "answer"; readonly answer: HttpAnswer }
	/** Certain that not one byte of the request was written. */
	| ({ readonly reached: "nothing" } & Failure)
	/** Bytes may have been written, and no whole answer came. */
	| ({ readonly reached: "unknown" } & Failure);

export type TimeLimits = {
	/** Name, TCP and TLS together. */
	readonly connectTimeoutMs: number;
	/** From the first byte of the request to the last one of the answer. */
	readonly answerTimeoutMs: number;
};

/** Connections that questions keep, to each host. */
export type KeptConnections = { readonly http: http.Agent; readonly https: https.Agent };

/** Shorter than servers keep idle connections, which is five seconds at least among the usual ones. */
const IDLE_MAX_MS = 3_000;

export function keepConnections(): KeptConnections {
	const options = { keepAlive: true, maxFreeSockets: 16, timeout: IDLE_MAX_MS };
	return { http: new http.Agent(options), https: new https.Agent(options) };
}

/** Sends a request once; over kept connections a question. Never throws. */
export async function exchange(request: HttpRequest, limits: TimeLimits, kept?: KeptConnections): Promise<Exchange> {
	const result = await tryOnce(request, limits, kept);
	return result === "connection-was-closed" ? exchange(request, limits) : result;
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
				fail({ fault: "send-withdrawn", detail: `${request.url.host}: the sender may not send any more` });
				return;
			}
			connected = true;
			clearTimeout(timer);
			timer = limit(limits.answerTimeoutMs, {
				fault: "authority-timeout",
				detail: `${request.url.host}: no whole answer within ${limits.answerTimeoutMs} ms`,
			});
			call.end(request.body, () => faultPoint("after-request"));
		};
		call.once("socket", (socket) => {
			if (call.reusedSocket) write();
			else socket.once(secure ? "secureConnect" : "connect", write);
		});
		call.once("response", (response) => {
			faultPoint("after-head");
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

/** The pause that a service which refuses work asks for, at most five minutes: a header must not keep documents back for hours. Source: RFC 6585, 4. */
function readRetryAfter(status: number, headers: http.IncomingHttpHeaders): number | undefined {
	if (status !== 429 && status !== 503) return undefined;
	const pauseMs = parseRetryAfter(headers["retry-after"], headers.date, Date.now()) ?? 0;
	return pauseMs > 0 ? Math.min(RETRY_AFTER_MAX_MS, pauseMs) : undefined;
}
