/**
 * The short road: a registry look-up or search is answered before a body is looked at or anything is awaited.
 *
 * What the framework, a URL object, a promise and a context per request cost is more than a look-up costs, and a third of a search. So the
 * listener's own router brings requests of the operations that can answer at once here first. A plain request of a known caller is answered;
 * everything else, every refusal above all, takes the long road in `app.ts` from its beginning. Both give the same answers.
 *
 *   GET /v1/authority/document/131880681   a parameter that needs no decoding, or the query of a path that has none
 *   x-api-key: …                           known in memory and good for the operation; no other credential
 *   accept, x-request-id                   absent or the usual
 *
 * The answer's headers are one object per operation in which only what differs is set: the runtime copies it when it makes the response,
 * and making it of names and values each time would cost a fifth of the whole answer.
 */

import { edenGC } from "bun:jsc";
import type { Access } from "../../identity/auth";
import type { Limits, RatesAtOnce } from "../../identity/rate-limits";
import type { Operation, Principal, ReadyAnswer } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { newId } from "../../platform/values";
import { clientRequestId } from "./request-state";

export type AnsweredAtOnce = {
	readonly operation: Operation;
	readonly principal: Principal;
	readonly requestId: string;
	/** Units: milliseconds of `performance.now`. */
	readonly startedAt: number;
	readonly status: number;
};

export type AnswerAtOnceDeps = {
	readonly operations: readonly Operation[];
	readonly recognise: Access["recognise"];
	/** Absent: nobody is limited. */
	readonly limits?: Pick<Limits, "ratesAtOnce"> | undefined;
	readonly onAnswered: (answered: AnsweredAtOnce) => void;
	/** Something broke here that may be well on the long road: nobody but the log would ever hear of it. */
	readonly onBroken: (operation: Operation, error: unknown) => void;
	/** The long road. */
	readonly takeOn: (request: Request, server: Bun.Server<undefined>) => Handled;
	/** While it answers true every request takes the long road. */
	readonly isDraining: () => boolean;
};

/** For the listener, by path in its own notation and by method; it brings any other method to its `fetch`. */
export type AtOnceRoutes = Record<string, { readonly GET: Road; readonly HEAD: Road }>;
type Road = (request: Request, server: Bun.Server<undefined>) => Handled;
type Handled = Response | Promise<Response>;

/** Throws for an operation that can answer at once and is no GET with a required key and at most one parameter, at its path's end. */
export function routeAtOnce(deps: AnswerAtOnceDeps): AtOnceRoutes {
	const noteGarbage = createCollectOften();
	return Object.fromEntries(
		deps.operations.flatMap((operation) => {
			const { answerAtOnce, path, method, credentials, deprecation } = operation;
			// Headers of a deprecated one are more than this road carries.
			if (!answerAtOnce || deprecation) return [];
			const [, start = "", parameter] = /^([^{}]+?)(?:(?<=\/)\{(\w+)\})?$/.exec(path) ?? [];
			if (start === "" || method !== "GET" || credentials.key !== "required") {
				throw new Error(`${operation.id} cannot be answered at once`);
			}
			const asked = parameter === undefined ? readQueryText : readParameter(start);
			const answer = (request: Request, ifNoneMatch: string | null) => answerAtOnce(asked(request), ifNoneMatch);
			const road = createRoad(deps, operation, answer, noteGarbage);
			return [[parameter === undefined ? start : `${start}:${parameter}`, { GET: road, HEAD: deps.takeOn }]];
		}),
	);
}

function createRoad(
	deps: AnswerAtOnceDeps,
	operation: Operation,
	answerAtOnce: (request: Request, ifNoneMatch: string | null) => ReadyAnswer | undefined,
	noteGarbage: NoteGarbage,
): Road {
	const { scope } = operation;
	const rateOf: RatesAtOnce = deps.limits?.ratesAtOnce(operation) ?? (() => "none");
	const answer = (request: Request): Response | undefined => {
		if (deps.isDraining()) return undefined;
		const startedAt = performance.now();
		const { headers } = request;
		if (headers.get("authorization") !== null || !isUsualAccept(headers.get("accept"))) return undefined;
		const sentId = headers.get("x-request-id");
		if (sentId !== null && !clientRequestId.test(sentId)) return undefined;
		const principal = deps.recognise(headers.get("x-api-key") ?? "", startedAt);
		if (!principal || (scope && !principal.scopes.has(scope))) return undefined;
		const limit = rateOf(principal, startedAt);
		if (!limit || (limit !== "none" && limit.rate.isEmpty(startedAt))) return undefined;
		const ready = answerAtOnce(request, headers.get("if-none-match"));
		if (!ready) return undefined;
		const requestId = sentId ?? newId();
		tellLimit(ready.headers, limit, startedAt);
		const response = toResponse(ready, requestId);
		deps.onAnswered({ operation, principal, requestId, startedAt, status: ready.body === null ? 304 : 200 });
		noteGarbage(ready.body?.length ?? 0);
		return response;
	};
	return (request, server) => {
		try {
			const response = answer(request);
			if (response) return response;
		} catch (error) {
			// The long road meets a refusal again, and it knows how to tell it.
			if (!(error instanceof Problem)) deps.onBroken(operation, error);
		}
		return deps.takeOn(request, server);
	};
}

/**
 * All that follows the path's start, a query with it, which no operation takes for a parameter: it goes the long road. The address alone tells
 * both for less than the address and the router's parameters.
 */
function readParameter(start: string): (request: Request) => string {
	return ({ url }) => {
		const at = url.indexOf(start);
		return at < 0 ? "" : url.slice(at + start.length);
	};
}

function readQueryText({ url }: Request): string {
	const at = url.indexOf("?");
	return at < 0 ? "" : url.slice(at + 1);
}

function isUsualAccept(accept: string | null): boolean {
	return accept === null || accept === "*/*" || accept === "application/json";
}

/** What headers that are used again told last of a policy. */
const told = new WeakMap<Headers, string>();

/** Whoever was answered before may have been told of another plan; to set and delete what is the same costs as much as all else here. */
function tellLimit(headers: Headers, limit: Exclude<ReturnType<RatesAtOnce>, undefined>, now: number): void {
	const before = told.get(headers);
	if (limit === "none") {
		if (before === undefined) return;
		headers.delete("ratelimit-policy");
		headers.delete("ratelimit");
		told.delete(headers);
		return;
	}
	if (before !== limit.policyText) {
		headers.set("ratelimit-policy", limit.policyText);
		told.set(headers, limit.policyText);
	}
	headers.set("ratelimit", limit.rate.take(now));
}

function toResponse({ body, headers }: ReadyAnswer, requestId: string): Response {
	headers.set("x-request-id", requestId);
	return new Response(body, body === null ? { status: 304, headers } : { headers });
}

/**
 * Has the garbage of quick answers collected in small portions, so that no caller waits long for it.
 *
 * Left alone the runtime collects once in some ten thousand look-ups. What it has found dead it clears away on the serving thread a tenth of
 * a second later, for 10 ms at a time (JavaScriptCore's incremental sweeper), and every caller waits meanwhile; the memory goes back to the
 * system and comes again page by page. Of a small portion little is left by then: new answers have taken its place, which clears it away in
 * steps that nobody feels.
 *
 * A collection takes 1 to 2 ms however little there is to collect, so portions must not be too small either.
 */

/** Notes an answer. Units: bytes of its body. */
export type NoteGarbage = (bodyBytes: number) => void;

/** Units: answers with an empty body. These are about 3,000 look-ups, or 1,200 searches. */
const PORTION = 4_500;
/** So much of a body counts as another answer: of longer ones more is left behind. */
const ANSWER_BYTES = 768;

/** `collect` is called after every portion, once the answers of the event loop's turn are sent. */
export function createCollectOften(collect: () => unknown = edenGC): NoteGarbage {
	let noted = 0;
	return (bodyBytes) => {
		noted += 1 + bodyBytes / ANSWER_BYTES;
		if (noted < PORTION) return;
		noted = 0;
		setImmediate(collect);
	};
}
