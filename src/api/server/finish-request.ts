/** What every answer carries, and what is told of it: the request's one line, its metrics, its caller's usage. */

import type { Usage } from "../../identity/usage";
import { NO_SNIFFING, type Operation } from "../../platform/operation";
import type { Problem } from "../../platform/problem";
import type { Log, Metrics } from "../../platform/telemetry";
import { newId } from "../../platform/values";
import { deprecationHeaders } from "./deprecation";
import type { AnsweredAtOnce } from "./fast-path";
import type { RequestState } from "./request-state";

export type FinishDeps = {
	readonly baseUrl: string;
	readonly log: Log;
	readonly metrics: Pick<Metrics, "requests">;
	/** Absent: nothing is metered. */
	readonly usage?: Pick<Usage, "note"> | undefined;
	/** While it answers true, every answer asks the peer to close its connection. */
	readonly isDraining: () => boolean;
	/** Milliseconds of a steady clock; absent: `performance.now`. */
	readonly now?: () => number;
};

export type Finish = {
	/** Adds what every answer carries, and tells of it. The state is undefined for what broke before there was one. */
	readonly answer: (request: Request, state: RequestState | undefined, response: Response) => Response;
	readonly noteAtOnce: (answered: AnsweredAtOnce) => void;
	readonly noteRefused: (operation: Operation, problem: Problem, startedAt: number) => void;
	/** What broke on the short road and went on along the long one. */
	readonly noteBroken: (operation: Operation, err: unknown) => void;
};

const REFUSALS_TOLD_EVERY_MS = 1_000;
const BROKEN_TOLD_EVERY_MS = 60_000;

export function createFinish(deps: FinishDeps): Finish {
	// The request line holds only what is named below, no secret among it; searching it for secrets would cost more than answering.
	const lines = deps.log.child({}, { redact: [] });
	const { now: readNow = () => performance.now() } = deps;
	const debugs = lines.isLevelEnabled("debug");
	const refusals = createSeldom(REFUSALS_TOLD_EVERY_MS);
	const broken = createSeldom(BROKEN_TOLD_EVERY_MS);
	return {
		answer(request, state, response) {
			const { requestId, call, limits, items = 0, startedAt = readNow() } = state ?? {};
			const operation = call?.operation.id ?? "none";
			const seconds = (readNow() - startedAt) / 1000;
			response.headers.set("x-request-id", requestId ?? newId());
			for (const [name, value] of Object.entries(NO_SNIFFING)) response.headers.set(name, value);
			// A refusal by a limit brings its own.
			if (limits && !response.headers.has("ratelimit")) {
				for (const [name, value] of Object.entries(limits)) response.headers.set(name, value);
			}
			if (deps.isDraining()) response.headers.set("connection", "close");
			tellDeprecation(response, call?.operation, deps.baseUrl);
			const { status } = response;
			deps.metrics.requests.note(operation, status, seconds);
			const principal = call?.principal;
			if (principal) deps.usage?.note(principal, operation, status, items);
			const { tenantId, keyId } = principal ?? {};
			const isPlenty = call?.operation.isPlenty === true && status < 400;
			const line = { requestId, method: request.method, operation, status, ms: toMs(seconds), tenantId, keyId };
			lines[isPlenty ? "debug" : "info"](line, "request");
			return response;
		},
		noteAtOnce({ operation, principal, requestId, startedAt, status }) {
			const now = readNow();
			const seconds = (now - startedAt) / 1000;
			deps.metrics.requests.note(operation.id, status, seconds);
			deps.usage?.note(principal, operation.id, status, 0, now);
			if (!debugs) return;
			const { tenantId, keyId } = principal;
			const line = { requestId, method: "GET", operation: operation.id, status, ms: toMs(seconds), tenantId, keyId };
			lines.debug(line, "request");
		},
		/** One line a second for all of them: a flood must not fill the log as well. */
		noteRefused(operation, { status, detail }, startedAt) {
			const now = readNow();
			deps.metrics.requests.note(operation.id, status, (now - startedAt) / 1000);
			refusals(now, (count) => {
				lines.warn({ operation: operation.id, status, count, detail }, "requests are refused at the door");
			});
		},
		noteBroken(operation, err) {
			broken(readNow(), (count) => {
				deps.log.warn({ operation: operation.id, count, err }, "the short road is broken, the long one is taken");
			});
		},
	};
}

/** Tells of something at most once in a time, with how often it was since. Units: milliseconds. */
function createSeldom(everyMs: number): (now: number, tell: (count: number) => void) => void {
	let count = 0;
	let toldAt = Number.NEGATIVE_INFINITY;
	return (now, tell) => {
		count++;
		if (now - toldAt < everyMs) return;
		tell(count);
		count = 0;
		toldAt = now;
	};
}

/** Refusals carry it too: whoever cannot get in must hear of it as well. */
function tellDeprecation(response: Response, operation: Operation | undefined, baseUrl: string): void {
	if (!operation?.deprecation) return;
	for (const [name, value] of deprecationHeaders(operation.deprecation, baseUrl)) response.headers.append(name, value);
}

const toMs = (seconds: number) => Math.round(seconds * 10_000) / 10;
