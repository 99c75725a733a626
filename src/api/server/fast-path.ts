/**
 * The fast path: registry look-ups and searches are answered without reading a body and without awaiting anything.
 *
 * The framework, a URL object, a promise and a context per request cost more than a look-up, and a third of a search. So the listener's own router
 * brings requests of these operations here first. A plain request of a known caller is answered; all others, above all refusals, take the slow path in
 * `app.ts` from its beginning. Both paths give the same answers.
 *
 *   GET /v1/authority/document/131880681   a parameter that needs no decoding, or the query of a path without parameters
 *   x-api-key: …                           known in memory and allowed to call the operation; no other credential
 *   accept, x-request-id                   absent or usual
 *
 * The answer's headers are one object per operation in which only the differences are set. The runtime copies it for each response; building it from
 * names and values would cost a fifth of the whole answer.
 */

import { edenGC } from "bun:jsc";
import type { Access } from "../../identity/auth";
import type { Limits, RatesAtOnce } from "../../identity/rate-limits";
import { codeAnswer, type Operation, type Principal, type ReadyAnswer } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { newId } from "../../platform/values";
import { clientRequestId } from "./request-state";
import { shareHeaders } from "./shared-caches";

export type FastAnswer = {
	readonly operation: Operation;
	readonly principal: Principal;
	readonly requestId: string;
	/** Units: milliseconds of `performance.now`. */
	readonly startedAt: number;
	readonly status: number;
};

export type FastPathSettings = {
	readonly operations: readonly Operation[];
	readonly recognise: Access["recognise"];
	/** Absent: there are no limits. */
	readonly limits?: Pick<Limits, "ratesAtOnce"> | undefined;
	readonly onAnswered: (answered: FastAnswer) => void;
	/** Reports a failure of the fast path, which the slow path may not have. */
	readonly onBroken: (operation: Operation, error: unknown) => void;
	readonly slowPath: (request: Request, server: Bun.Server<undefined>) => Handled;
	/** While true, every request takes the slow path. */
	readonly isDraining: () => boolean;
	/** Whether keys are accepted without the database; absent: never. */
	readonly isInGrace?: (() => boolean) | undefined;
	/** Whether shared caches keep these answers; all of them are public. */
	readonly isBehindCdn?: boolean | undefined;
};

/** For the listener, by path in its notation and by method; it sends other methods to `fetch`. */
export type FastRoutes = Record<string, { readonly GET: Route; readonly HEAD: Route }>;
type Route = (request: Request, server: Bun.Server<undefined>) => Handled;
type AnswerAtOnce = (request: Request, ifNoneMatch: string | null, principal: Principal) => ReadyAnswer | undefined;
type Handled = Response | Promise<Response>;

/** Throws for an operation with a fast answer that is not a GET with a required key and at most one parameter at the end of its path. */
export function createFastRoutes(deps: FastPathSettings): FastRoutes {
	const noteGarbage = createGarbagePacing();
	return Object.fromEntries(
		deps.operations.flatMap((operation) => {
			const { answerAtOnce, path, method, credentials, deprecation } = operation;
			// The fast path does not add deprecation headers.
			if (!answerAtOnce || deprecation) return [];
			const [, start = "", parameter] = /^([^{}]+?)(?:(?<=\/)\{(\w+)\})?$/.exec(path) ?? [];
			if (start === "" || method !== "GET" || credentials.key !== "required") {
				throw new Error(`${operation.id} cannot use the fast path`);
			}
			const argumentOf = parameter === undefined ? readQueryText : readParameter(start);
			const answer: AnswerAtOnce = (request, ifNoneMatch, principal) =>
				answerAtOnce(argumentOf(request), ifNoneMatch, principal);
			const documentOf = parameter === "document" ? argumentOf : () => undefined;
			const route = createRoute(deps, operation, answer, documentOf, noteGarbage);
			return [[parameter === undefined ? start : `${start}:${parameter}`, { GET: route, HEAD: deps.slowPath }]];
		}),
	);
}

function createRoute(
	deps: FastPathSettings,
	operation: Operation,
	answerAtOnce: AnswerAtOnce,
	documentOf: (request: Request) => string | undefined,
	noteGarbage: NoteGarbage,
): Route {
	const { scope } = operation;
	const rateOf: RatesAtOnce = deps.limits?.ratesAtOnce(operation) ?? (() => "none");
	const answer = (request: Request): Response | undefined => {
		if (deps.isDraining()) return undefined;
		const startedAt = performance.now();
		const { headers } = request;
		if (headers.get("host")?.includes(",") === true) return undefined;
		if (headers.get("authorization") !== null || !isUsualAccept(headers.get("accept"))) return undefined;
		const sentId = headers.get("x-request-id");
		if (sentId !== null && !clientRequestId.test(sentId)) return undefined;
		const principal = deps.recognise(headers.get("x-api-key") ?? "", startedAt);
		if (!principal || (scope && !principal.scopes.has(scope))) return undefined;
		const limit = rateOf(principal, startedAt);
		if (!limit || (limit !== "none" && limit.rate.isEmpty(startedAt))) return undefined;
		const ready = answerAtOnce(request, headers.get("if-none-match"), principal);
		if (!ready) return undefined;
		const requestId = sentId ?? newId();
		if (deps.isBehindCdn) {
			if (limit !== "none") limit.rate.take(startedAt);
			shareHeaders(ready.headers, documentOf(request));
		} else {
			setLimit(ready.headers, limit, startedAt);
			ready.headers.set("x-request-id", requestId);
		}
		markGrace(ready.headers, deps.isInGrace?.() === true);
		const response = toResponse(ready, headers);
		deps.onAnswered({ operation, principal, requestId, startedAt, status: ready.body === null ? 304 : 200 });
		noteGarbage(ready.body?.length ?? 0);
		return response;
	};
	return (request, server) => {
		try {
			const response = answer(request);
			if (response) return response;
		} catch (error) {
			// The slow path raises the same problem again and answers it.
			if (!(error instanceof Problem)) deps.onBroken(operation, error);
		}
		return deps.slowPath(request, server);
	};
}

/** Everything after the path's start, including a query, which no operation takes for a parameter. Reading the URL costs less than the router's parameters. */
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

const policies = new WeakMap<Headers, string>();

/** Sets the caller's limit. Setting and deleting an unchanged header would cost as much as everything else here. */
function setLimit(headers: Headers, limit: Exclude<ReturnType<RatesAtOnce>, undefined>, now: number): void {
	const before = policies.get(headers);
	if (limit === "none") {
		if (before === undefined) return;
		headers.delete("ratelimit-policy");
		headers.delete("ratelimit");
		policies.delete(headers);
		return;
	}
	if (before !== limit.policyText) {
		headers.set("ratelimit-policy", limit.policyText);
		policies.set(headers, limit.policyText);
	}
	headers.set("ratelimit", limit.rate.take(now));
}

/** Headers that say that the answer was given without the database. */
const marked = new WeakSet<Headers>();

function markGrace(headers: Headers, isInGrace: boolean): void {
	if (marked.has(headers) === isInGrace) return;
	if (isInGrace) {
		headers.set("x-registry-mode", "grace");
		marked.add(headers);
	} else {
		headers.delete("x-registry-mode");
		marked.delete(headers);
	}
}

function toResponse({ body, headers }: ReadyAnswer, asked: Headers): Response {
	const coded = body && codeAnswer(body, asked.get("accept-encoding"));
	if (coded) {
		const response = new Response(coded.bytes, { headers });
		response.headers.set("content-encoding", coded.coding);
		return response;
	}
	return new Response(body, body === null ? { status: 304, headers } : { headers });
}

/**
 * Collects the garbage of fast answers in small portions, so that no caller waits long for it.
 *
 * By default the runtime collects once in some ten thousand look-ups. Then it sweeps dead objects on the serving thread, 10 ms at a time
 * (JavaScriptCore's incremental sweeper), and every caller waits; the memory goes back to the system and returns page by page. Little of a small portion
 * is left by then, because new answers have reused its memory. A collection takes 1 to 2 ms however little there is, so portions must not be too small.
 */

/** Counts an answer by the bytes of its body. */
export type NoteGarbage = (bodyBytes: number) => void;

/** In answers with an empty body: about 3,000 look-ups or 1,200 searches. */
const PORTION = 4_500;
/** Body bytes that count as another answer, since longer answers leave more garbage. */
const ANSWER_BYTES = 768;

/** Calls `collect` after every portion, once the answers of the current turn of the event loop are sent. */
export function createGarbagePacing(collect: () => unknown = edenGC): NoteGarbage {
	let noted = 0;
	return (bodyBytes) => {
		noted += 1 + bodyBytes / ANSWER_BYTES;
		if (noted < PORTION) return;
		noted = 0;
		setImmediate(collect);
	};
}
