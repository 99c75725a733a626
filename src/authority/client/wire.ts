/**
 * Calls one service of the authority: address, headers, exchange, reading, and a report to the call counter.
 *
 * A service that answers 429 or 503 with `Retry-After` is left alone for that long, at most minutes. Calls during the pause fail here: no byte
 * is sent and no call is reported.
 */
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { type AuthorityUrls, addressOf, type Segment, type ServiceName } from "./addresses";
import { type CallReport, type Failure, type Recorder, toEvidence } from "./call-report";
import { createKeptConnections, type Exchange, exchange, type MaySend, type TimeLimits } from "./exchange";
import { decodeBody, readAnswer } from "./read-answer";
import { judgeStatus, type Reply } from "./reply";

export type WireOptions = TimeLimits & {
	/** For requests with a limited right to send: replaces `answerTimeoutMs` if shorter. */
	readonly sendingTimeoutMs?: number;
	readonly urls: AuthorityUrls;
	readonly log: Log;
	readonly clock: Clock;
	readonly onCall?: (report: CallReport) => void;
};

export type ServiceCall = {
	readonly service: ServiceName;
	readonly segment: Segment;
	readonly query?: Readonly<Record<string, string>>;
	/** Present in a POST. */
	readonly file?: MultipartBody;
	readonly token?: string;
	/** Checked just before the request is written. If false, the call is not made. */
	readonly maySend?: MaySend | undefined;
	readonly scenario?: string | undefined;
	/** A fault that the scenario plays is not reported. */
	readonly isPlayed?: boolean | undefined;
	readonly record?: Recorder | undefined;
};

/** A reply with its body as text, for services that do not answer in JSON. */
export type WireReply = Reply & { readonly text: string };

export type Wire = {
	readonly call: (call: ServiceCall) => Promise<WireReply>;
	/** How long a service still has to be left alone. Units: milliseconds. */
	readonly restMs: (segment: Segment, service: ServiceName) => number;
};

export function createWire(options: WireOptions): Wire {
	const kept = createKeptConnections();
	const { answerTimeoutMs, sendingTimeoutMs = answerTimeoutMs } = options;
	const limitsOfSending = { ...options, answerTimeoutMs: Math.min(answerTimeoutMs, sendingTimeoutMs) };
	const pauses = new Map<string, Pause>();
	const restMs = (segment: Segment, service: ServiceName) =>
		Math.max(0, (pauses.get(keyOf(segment, service))?.untilMs ?? 0) - performance.now());
	return {
		restMs,
		async call(call) {
			const startedMs = performance.now();
			const key = keyOf(call.segment, call.service);
			const pause = pauses.get(key);
			if (pause && startedMs < pause.untilMs) return { reached: "nothing", ...pause.failure, text: "" };
			const limits = call.maySend ? limitsOfSending : options;
			const result = await exchange(toRequest(options.urls, call), limits, call.file ? undefined : kept);
			const reply = toReply(result);
			const durationMs = performance.now() - startedMs;
			if (result.reached === "answer") {
				const { status, mediaType, retryAfterMs } = result.answer;
				if (retryAfterMs !== undefined) pauses.set(key, pauseFor(status, retryAfterMs));
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
					{
						event: "authority.call_failed",
						...{ operation: call.service, segment: call.segment, outcome, durationMs, detail },
					},
					"call to the authority failed",
				);
			}
			return reply;
		},
	};
}

const keyOf = (segment: Segment, service: ServiceName) => `${segment} ${service}`;

type Pause = { readonly untilMs: number; readonly failure: Failure };

function pauseFor(status: number, pauseMs: number): Pause {
	const detail = `HTTP ${status}: the service asked for a pause of ${Math.ceil(pauseMs / 1000)} s`;
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

export type MultipartBody = { readonly contentType: string; readonly bytes: Uint8Array };

const fileNameForm = /^[A-Za-z0-9._-]{1,60}$/;

/**
 * Wraps a document in the form that the authority takes: a multipart body with a single file part called `xml`. The document's bytes are
 * unchanged. Throws an Error for a file name that could break out of its header.
 * Source: RFC 7578; part name, media type and file name as in the authority's description of its services.
 */
export function wrapFile(fileName: string, xml: Uint8Array): MultipartBody {
	if (!fileNameForm.test(fileName)) throw new Error(`expected a plain file name, got ${JSON.stringify(fileName)}`);
	// With 128 random bits, a collision with the document's content is out of the question.
	const boundary = `sello-${crypto.randomUUID().replaceAll("-", "")}`;
	const head = `--${boundary}\r\nContent-Disposition: form-data; name="xml"; filename="${fileName}"\r\nContent-Type: text/xml\r\n\r\n`;
	return {
		contentType: `multipart/form-data; boundary=${boundary}`,
		bytes: Buffer.concat([Buffer.from(head), xml, Buffer.from(`\r\n--${boundary}--\r\n`)]),
	};
}

/** The mandated name: the issuer's RNC, then the e-NCF, for e-CFs and summaries alike. */
export function fileNameOf(rnc: string, encf: string): string {
	return `${rnc}${encf}.xml`;
}
