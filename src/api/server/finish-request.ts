/** Finishes every request: common headers, the log line, metrics and usage. */

import type { Usage } from "../../identity/usage";
import { NO_SNIFFING, type Operation, PUBLIC } from "../../platform/operation";
import type { Problem } from "../../platform/problem";
import { isTracing, type Log, type Metrics } from "../../platform/telemetry";
import { newId } from "../../platform/values";
import { deprecationHeaders } from "./deprecation";
import type { FastAnswer } from "./fast-path";
import type { RequestState } from "./request-state";
import { isSharable, shareHeaders } from "./shared-caches";
import { noteAnswer } from "./trace-request";

export type FinishSettings = {
	readonly baseUrl: string;
	readonly log: Log;
	readonly metrics: Pick<Metrics, "requests">;
	/** Absent: usage is not metered. */
	readonly usage?: Pick<Usage, "note"> | undefined;
	/** While true, every answer asks the client to close its connection. */
	readonly isDraining: () => boolean;
	/** Whether keys are accepted without the database; absent: never. */
	readonly isInGrace?: (() => boolean) | undefined;
	/** Whether a shared cache is in front of the service. */
	readonly isBehindCdn?: boolean | undefined;
	/** Milliseconds of a steady clock; absent: `performance.now`. */
	readonly now?: () => number;
};

export type Finish = {
	/** Adds the common headers and records the request. `state` is undefined if the request failed before it had one. */
	readonly answer: (request: Request, state: RequestState | undefined, response: Response) => Response;
	readonly noteFast: (answered: FastAnswer) => void;
	readonly noteShed: (operation: Operation, problem: Problem, startedAt: number) => void;
	/** Records a failure of the fast path; the request continued on the slow path. */
	readonly noteBroken: (operation: Operation, err: unknown) => void;
};

const SHED_LOG_EVERY_MS = 1_000;
const BROKEN_LOG_EVERY_MS = 60_000;

export function createFinish(deps: FinishSettings): Finish {
	// The request line has only the members below, none of them secret. Searching it for secrets would cost more than the answer.
	const lines = deps.log.child({}, { redact: [] });
	const { now: readNow = () => performance.now() } = deps;
	const debugs = lines.isLevelEnabled("debug");
	const shed = createLogThrottle(SHED_LOG_EVERY_MS);
	const broken = createLogThrottle(BROKEN_LOG_EVERY_MS);
	return {
		answer(request, state, response) {
			const { requestId, call, limits, items = 0, billable = 0, startedAt = readNow() } = state ?? {};
			const operation = call?.operation.id ?? "none";
			const seconds = (readNow() - startedAt) / 1000;
			response.headers.set("x-request-id", requestId ?? newId());
			for (const [name, value] of Object.entries(NO_SNIFFING)) response.headers.set(name, value);
			// A refusal by a limit has its own.
			if (limits && !response.headers.has("ratelimit")) {
				for (const [name, value] of Object.entries(limits)) response.headers.set(name, value);
			}
			if (deps.isDraining()) response.headers.set("connection", "close");
			addDeprecation(response, call?.operation, deps.baseUrl);
			if (call?.operation.scope === "registry:read" && deps.isInGrace?.())
				response.headers.set("x-registry-mode", "grace");
			if (deps.isBehindCdn && isSharable(response.headers)) shareHeaders(response.headers, call?.params.document);
			if (call && isForAnySite(call.operation, response)) response.headers.set("access-control-allow-origin", "*");
			const { status } = response;
			deps.metrics.requests.note(operation, status, seconds);
			const principal = call?.principal;
			// What a person does in the console is not billed.
			if (principal && !principal.person) deps.usage?.note(principal, operation, status, items, billable);
			const { tenantId, keyId } = principal ?? {};
			noteAnswer({ operation, status, tenantId, ...(requestId === undefined ? {} : { requestId }) });
			const isPlenty = call?.operation.isPlenty === true && status < 400;
			const line = {
				event: "request.finished" as const,
				requestId,
				method: request.method,
				operation,
				status,
				ms: toMs(seconds),
				tenantId,
				keyId,
				userId: principal?.person?.userId,
			};
			lines[isPlenty ? "debug" : "info"](line, "request");
			return response;
		},
		noteFast({ operation, principal, requestId, startedAt, status }) {
			const now = readNow();
			const seconds = (now - startedAt) / 1000;
			deps.metrics.requests.note(operation.id, status, seconds);
			deps.usage?.note(principal, operation.id, status, 0, 0, now);
			if (isTracing()) noteAnswer({ operation: operation.id, status, requestId, tenantId: principal.tenantId });
			if (!debugs) return;
			const { tenantId, keyId } = principal;
			const line = { requestId, method: "GET", operation: operation.id, status, ms: toMs(seconds), tenantId, keyId };
			lines.debug({ event: "request.finished", ...line }, "request");
		},
		/** Logs one line a second, so that a flood does not fill the log. */
		noteShed(operation, { status, detail }, startedAt) {
			const now = readNow();
			deps.metrics.requests.note(operation.id, status, (now - startedAt) / 1000);
			noteAnswer({ operation: operation.id, status });
			shed(now, (count) => {
				lines.warn(
					{ event: "request.shed", operation: operation.id, status, count, detail: String(detail) },
					"overloaded; refusing requests",
				);
			});
		},
		noteBroken(operation, err) {
			broken(readNow(), (count) => {
				const failure = { operation: operation.id, count, err };
				deps.log.warn({ event: "fast-path.failed", ...failure }, "fast path failed; using the slow path");
			});
		},
	};
}

/** Calls `write` at most once in `everyMs`, with the number of occurrences since the last time. */
function createLogThrottle(everyMs: number): (now: number, write: (count: number) => void) => void {
	let count = 0;
	let writtenAt = Number.NEGATIVE_INFINITY;
	return (now, write) => {
		count++;
		if (now - writtenAt < everyMs) return;
		write(count);
		count = 0;
		writtenAt = now;
	};
}

/** Pages of any site may read what needs no credentials and any cache may keep, and what the capability in its path opens. */
function isForAnySite({ credentials, findCaller, method }: Operation, { headers }: Response): boolean {
	if (findCaller) return true;
	if (credentials !== PUBLIC || method !== "GET") return false;
	return !/private|no-store/.test(headers.get("cache-control") ?? "no-store");
}

/** Refusals have these headers too, since refused callers also have to migrate. */
function addDeprecation(response: Response, operation: Operation | undefined, baseUrl: string): void {
	if (!operation?.deprecation) return;
	for (const [name, value] of deprecationHeaders(operation.deprecation, baseUrl)) response.headers.append(name, value);
}

const toMs = (seconds: number) => Math.round(seconds * 10_000) / 10;
