/**
 * Calls one service of the authority: address, headers, exchange, reading, and word of it to whoever keeps count.
 *
 * A service that answers 429 or 503 with `Retry-After` is left alone for so long, minutes at most: calls to it fail here, not a byte is sent, and
 * nobody is told of a call.
 */
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { type AuthorityUrls, addressOf, type Segment, type ServiceName } from "./addresses";
import { type CallReport, type Failure, type Recorder, toEvidence } from "./call-report";
import { type Exchange, exchange, keepConnections, type MaySend, type TimeLimits } from "./exchange";
import { decodeBody, readAnswer } from "./read-answer";
import { judgeStatus, type Reply } from "./reply";

export type WireOptions = TimeLimits & {
	/** Of what may be sent for a time only, instead of `answerTimeoutMs` where it is shorter. */
	readonly sendingTimeoutMs?: number;
	readonly urls: AuthorityUrls;
	readonly log: Log;
	readonly clock: Clock;
	/** Told of every call when it ends. */
	readonly onCall?: (report: CallReport) => void;
};

export type ServiceCall = {
	readonly service: ServiceName;
	readonly segment: Segment;
	readonly query?: Readonly<Record<string, string>>;
	/** Present on a POST. */
	readonly file?: MultipartBody;
	readonly token?: string;
	/** Asked just before the request is written; the call is not made when it answers false. */
	readonly maySend?: MaySend | undefined;
	readonly scenario?: string | undefined;
	/** What the scenario plays is reported to nobody. */
	readonly isPlayed?: boolean | undefined;
	readonly record?: Recorder | undefined;
};

/** A reply with its body as text, for the services whose answers are no JSON. */
export type WireReply = Reply & { readonly text: string };

export type Wire = {
	readonly call: (call: ServiceCall) => Promise<WireReply>;
	/** Units: milliseconds for which a service has yet to be left alone. */
	readonly restMs: (segment: Segment, service: ServiceName) => number;
};

export function createWire(options: WireOptions): Wire {
	const kept = keepConnections();
	const { answerTimeoutMs, sendingTimeoutMs = answerTimeoutMs } = options;
	const limitsOfSending = { ...options, answerTimeoutMs: Math.min(answerTimeoutMs, sendingTimeoutMs) };
	const pauses = new Map<string, Pause>();
	const restMs = (segment: Segment, service: ServiceName) =>
		Math.max(0, (pauses.get(toPlace(segment, service))?.untilMs ?? 0) - performance.now());
	return {
		restMs,
		async call(call) {
			const startedMs = performance.now();
			const place = toPlace(call.segment, call.service);
			const pause = pauses.get(place);
			if (pause && startedMs < pause.untilMs) return { reached: "nothing", ...pause.failure, text: "" };
			const limits = call.maySend ? limitsOfSending : options;
			const result = await exchange(toRequest(options.urls, call), limits, call.file ? undefined : kept);
			const reply = toReply(result);
			const durationMs = performance.now() - startedMs;
			if (result.reached === "answer") {
				const { status, mediaType, retryAfterMs } = result.answer;
				if (retryAfterMs !== undefined) pauses.set(place, pauseFor(status, retryAfterMs));
				call.record?.({
					operation: call.service,
					at: options.clock.now(),
					httpStatus: status,
					mediaType,
					body: toEvidence(reply.text),
				});
			}
			const outcome = outcomeOf(reply);
			if (!call.isPlayed) options.onCall?.({ operation: call.service, segment: call.segment, durationMs, outcome });
			if (outcome !== "ok") {
				const detail = reply.reached === "answer" ? `HTTP ${reply.status}` : reply.detail;
				options.log.warn(
					{ operation: call.service, segment: call.segment, outcome, durationMs, detail },
					"the authority failed",
				);
			}
			return reply;
		},
	};
}

const toPlace = (segment: Segment, service: ServiceName) => `${segment} ${service}`;

type Pause = { readonly untilMs: number; readonly failure: Failure };

function pauseFor(status: number, pauseMs: number): Pause {
	const detail = `HTTP ${status}: the service has asked to be left alone for ${Math.ceil(pauseMs / 1000)} s`;
	return { untilMs: performance.now() + pauseMs, failure: { fault: "authority-at-rest", detail } };
}

function toRequest(urls: AuthorityUrls, call: ServiceCall) {
	return {
		method: call.file ? ("POST" as const) : ("GET" as const),
		url: addressOf(urls, call.segment, call.service, call.query),
		headers: {
			accept: call.service === "seed" ? "application/xml, text/xml" : "application/json",
			...(call.token ? { authorization: `Bearer ${call.token}` } : {}),
			...(call.file ? { "content-type": call.file.contentType } : {}),
			...(call.scenario ? { "x-sandbox-scenario": call.scenario } : {}),
		},
		...(call.file ? { body: call.file.bytes } : {}),
		...(call.maySend ? { maySend: call.maySend } : {}),
	};
}

function toReply(result: Exchange): WireReply {
	if (result.reached !== "answer") return { ...result, text: "" };
	const text = decodeBody(result.answer);
	return { reached: "answer", status: result.answer.status, reading: readAnswer(text), text };
}

function outcomeOf(reply: Reply): CallReport["outcome"] {
	if (reply.reached !== "answer") return reply.fault;
	const failure = judgeStatus(reply.status);
	if (failure) return failure.fault;
	return reply.reading.form === "unreadable" ? "authority-answer-unreadable" : "ok";
}

/* HEAD multipart.ts: The one form in which the authority takes a document: a multipart body with a single file part called `xml`. */

export type MultipartBody = { readonly contentType: string; readonly bytes: Uint8Array };

const fileNameForm = /^[A-Za-z0-9._-]{1,60}$/;

/**
 * Wraps a document, its bytes untouched. Throws an Error on a file name that could break out of its header.
 * Source: RFC 7578; part name, media type and file name as the authority's description of its services wants them.
 */
export function wrapFile(fileName: string, xml: Uint8Array): MultipartBody {
	if (!fileNameForm.test(fileName)) throw new Error(`expected a plain file name, got ${JSON.stringify(fileName)}`);
	// 128 random bits: that the document contains them by chance is out of the question.
	const boundary = `sello-${crypto.randomUUID().replaceAll("-", "")}`;
	const head = `--${boundary}\r\nContent-Disposition: form-data; name="xml"; filename="${fileName}"\r\nContent-Type: text/xml\r\n\r\n`;
	return {
		contentType: `multipart/form-data; boundary=${boundary}`,
		bytes: Buffer.concat([Buffer.from(head), xml, Buffer.from(`\r\n--${boundary}--\r\n`)]),
	};
}

/** The mandated name: issuer's RNC, then the e-NCF; e-CF and summaries alike. */
export function fileNameOf(rnc: string, encf: string): string {
	return `${rnc}${encf}.xml`;
}
