/**
 * The rim: every request finds its operation, passes its guard, is handled, logged and answered here.
 *
 * Order for each request: id → operation by exact path (404, 405) → still answered (410) → guard (401) → rate of the caller's plan (429) →
 * scope (403) → `Accept` (406) → what is counted of the plan (429) → the operation's own checks. The guard and the rate stand before anything
 * reads the body: an anonymous caller learns nothing of it and costs nothing, and one who floods costs little.
 *
 * The framework carries the requests; the paths that it is given are coarser than the real ones, because it reads `:` as the
 * start of a parameter. `OperationTable` decides what a path means, see there.
 */
import { Elysia } from "elysia";
import { type Access, requireScope } from "../access";
import type { DatabaseWatch } from "../database";
import type { LimitHeaders, Limits } from "../limits";
import {
	type Call,
	isPeerPath,
	type Method,
	NEEDS_BOTH,
	NO_SNIFFING,
	type Operation,
	OperationTable,
	type Principal,
	readQuery,
} from "../operation";
import { Problem } from "../problem";
import type { Log, Metrics } from "../telemetry";
import type { Usage } from "../usage";
import { type Clock, newId } from "../values";
import { checkAccept } from "./accept";
import { type AnsweredAtOnce, routeAtOnce } from "./answer-at-once";
import type { ReadCallerAddress } from "./caller-address";
import { checkNotRetired, deprecationHeaders } from "./deprecated";
import { toProblemResponse } from "./problem-response";
import { routeRefusals } from "./refuse-at-once";
import { clientRequestId } from "./request-id";

export type AppDeps = {
	readonly operations: readonly Operation[];
	readonly authenticate: Access["authenticate"];
	readonly recognise: Access["recognise"];
	readonly baseUrl: string;
	readonly clock: Clock;
	/** Absent: the socket's peer is the caller. */
	readonly callerAddress?: ReadCallerAddress;
	readonly log: Log;
	readonly metrics: Pick<Metrics, "requests">;
	/** Absent: nobody is limited. */
	readonly limits?: Limits;
	/** Absent: nothing is metered. */
	readonly usage?: Pick<Usage, "note">;
	/** Tells when the database answers nothing at all. */
	readonly watch: Pick<DatabaseWatch, "isSilent" | "onSilent">;
	/** While it answers true, every answer asks the peer to close its connection. */
	readonly isDraining: () => boolean;
};

export type App = ReturnType<typeof createApp>;

/** Longer addresses are refused before anything looks at them. */
const URL_BYTES_MAX = 8 * 1024;
const REFUSALS_TOLD_EVERY_MS = 1_000;

type Running = {
	readonly requestId: string;
	readonly startedAt: number;
	readonly pathname: string;
	call?: Call;
	/** What the answer tells of the caller's limits. */
	limits?: LimitHeaders | undefined;
	/** How many things a batch held. */
	items: number;
};

export function createApp(deps: AppDeps) {
	const table = new OperationTable(deps.operations);
	const running = new WeakMap<Request, Running>();
	let inFlight = 0;
	// The request line holds only what is named below, no secret among it; searching it for secrets would cost more than answering.
	const lines = deps.log.child({}, { redact: [] });

	async function open(request: Request, remoteAddress: string): Promise<void> {
		inFlight++;
		const sent = request.headers.get("x-request-id");
		const requestId = sent !== null && clientRequestId.test(sent) ? sent : newId();
		const url = readAddress(request, requestId);
		const state: Running = { requestId, startedAt: performance.now(), pathname: url.pathname, items: 0 };
		running.set(request, state);
		if (request.url.length > URL_BYTES_MAX) {
			throw new Problem("payload-too-large", {
				detail: `The URL exceeds ${URL_BYTES_MAX} bytes.`,
				extensions: { limitBytes: URL_BYTES_MAX },
			});
		}
		// A HEAD is a GET whose answer keeps its body to itself: the server leaves it out, and tells its length. Source: RFC 9110, 9.3.2.
		const match = table.find(request.method === "HEAD" ? "GET" : request.method, url.pathname);
		if (match.found === "nothing") throw new Problem("not-found");
		if (match.found === "other-method")
			throw new Problem("method-not-allowed", { headers: { allow: listMethods(match.allow) } });
		const { operation, params } = match;
		const countItems = (count: number): void => {
			state.items += count;
		};
		const base = { request, url, requestId, remoteAddress, isLengthEnforced: true, params, operation, countItems };
		// Known from here on, so that a refusal is logged under its operation.
		state.call = base;
		checkNotRetired(operation, deps.clock);
		const authenticate = () => deps.authenticate(request, operation.credentials, remoteAddress);
		const checkScope = (caller: Principal | undefined): void => {
			if (operation.scope && caller) requireScope(caller, operation.scope);
		};
		const principal = await authenticate();
		const checkAgain = async () => checkScope(await authenticate());
		if (principal) state.call = { ...base, principal, checkAgain };
		state.limits = deps.limits?.take(state.call);
		checkScope(principal);
		checkAccept(request, operation);
	}

	/** The runtime makes the address of what the caller sent as Host, which may be anything. Throws: validation-error. */
	function readAddress(request: Request, requestId: string): URL {
		if (URL.canParse(request.url)) return new URL(request.url);
		running.set(request, { requestId, startedAt: performance.now(), pathname: "/", items: 0 });
		const detail = "Path and host are no address together.";
		throw new Problem("validation-error", { faults: [{ pointer: "#/headers/host", code: "invalid-host", detail }] });
	}

	/** Adds what every answer carries and writes the request's one line. */
	function close(request: Request, response: Response): Response {
		inFlight--;
		const state = running.get(request);
		const operation = state?.call?.operation.id ?? "none";
		const seconds = (performance.now() - (state?.startedAt ?? performance.now())) / 1000;
		response.headers.set("x-request-id", state?.requestId ?? newId());
		for (const [name, value] of Object.entries(NO_SNIFFING)) response.headers.set(name, value);
		// A refusal by a limit brings its own.
		if (state?.limits && !response.headers.has("ratelimit")) {
			for (const [name, value] of Object.entries(state.limits)) response.headers.set(name, value);
		}
		if (deps.isDraining()) response.headers.set("connection", "close");
		tellDeprecation(response, state?.call?.operation);
		deps.metrics.requests.note(operation, response.status, seconds);
		const principal = state?.call?.principal;
		if (principal) deps.usage?.note(principal, operation, response.status, state?.items ?? 0);
		const isPlenty = state?.call?.operation.isPlenty === true && response.status < 400;
		lines[isPlenty ? "debug" : "info"](
			{
				requestId: state?.requestId,
				method: request.method,
				operation,
				status: response.status,
				ms: toMs(seconds),
				tenantId: principal?.tenantId,
				keyId: principal?.keyId,
			},
			"request",
		);
		return response;
	}

	/** Refusals carry it too: whoever cannot get in must hear of it as well. */
	function tellDeprecation(response: Response, operation: Operation | undefined): void {
		if (!operation?.deprecation) return;
		for (const [name, value] of deprecationHeaders(operation.deprecation, deps.baseUrl))
			response.headers.append(name, value);
	}

	const debugs = lines.isLevelEnabled("debug");

	function noteAtOnce({ operation, principal, requestId, startedAt, status }: AnsweredAtOnce): void {
		const now = performance.now();
		const seconds = (now - startedAt) / 1000;
		deps.metrics.requests.note(operation.id, status, seconds);
		deps.usage?.note(principal, operation.id, status, 0, now);
		if (!debugs) return;
		const { tenantId, keyId } = principal;
		const line = { requestId, method: "GET", operation: operation.id, status, ms: toMs(seconds), tenantId, keyId };
		lines.debug(line, "request");
	}

	const refused = { count: 0, toldAt: Number.NEGATIVE_INFINITY };

	/** One line a second for all of them: a flood must not fill the log as well. */
	function noteRefused(operation: Operation, { status, detail }: Problem, startedAt: number): void {
		const now = performance.now();
		deps.metrics.requests.note(operation.id, status, (now - startedAt) / 1000);
		refused.count++;
		if (now - refused.toldAt < REFUSALS_TOLD_EVERY_MS) return;
		lines.warn({ operation: operation.id, status, count: refused.count, detail }, "requests are refused at the door");
		Object.assign(refused, { count: 0, toldAt: now });
	}

	/** A refusal, and the repeat of an answer, have made nothing. A count that cannot be given back is one too many for its window. */
	async function unlessMade(
		answer: () => Promise<Response>,
		giveBack: () => Promise<LimitHeaders | undefined>,
		state: Running,
	): Promise<Response> {
		let isMade = false;
		try {
			const response = await answer();
			isMade = response.status === 201;
			return response;
		} catch (error) {
			// What broke on our side may have been made before.
			isMade = !(error instanceof Problem) || error.status >= 500;
			throw error;
		} finally {
			if (!isMade) {
				state.limits = await giveBack().catch((err: unknown) => {
					deps.log.warn({ err }, "a call that made nothing stays counted");
					return state.limits;
				});
			}
		}
	}

	function refuse(request: Request, raised: unknown): Response {
		const state = running.get(request);
		const error = raised instanceof Problem ? refuseCredentials(raised, request, state?.call) : raised;
		const place = { baseUrl: deps.baseUrl, instance: state?.pathname ?? "/", requestId: state?.requestId ?? newId() };
		return close(request, toProblemResponse(error, place, deps.log));
	}

	/**
	 * Who has sent none has guessed nothing, and peers are held by a rate of their own. A bearer is a signature, which is not guessed either; of
	 * one that has just run out its sender must hear 401, whatever its neighbours have sent.
	 */
	function refuseCredentials(refusal: Problem, { headers }: Request, call: Call | undefined): Problem {
		if (refusal.slug !== "unauthorised" || !call || !deps.limits) return refusal;
		const { limit } = call.operation;
		const hasSent = limit === "token" || (headers.has("x-api-key") && !headers.has("authorization"));
		return hasSent && limit !== "peer" ? deps.limits.refuse(refusal, call.remoteAddress) : refusal;
	}

	async function handle(request: Request): Promise<Response> {
		const state = running.get(request);
		const call = state?.call;
		if (!call) return refuse(request, new Problem("not-found"));
		const work = async (): Promise<Response> => {
			const counted = await deps.limits?.count(call, state.limits);
			if (counted) state.limits = counted.headers;
			const answer = async () => {
				checkQuery(call);
				return call.operation.handle(call);
			};
			return counted?.giveBack ? unlessMade(answer, counted.giveBack, state) : answer();
		};
		try {
			return close(request, await unlessSilent(deps.watch, call.operation, work));
		} catch (error) {
			return refuse(request, error);
		}
	}

	const app = new Elysia({ aot: true })
		.onRequest(async ({ request, server }) => {
			try {
				const peer = server?.requestIP(request)?.address ?? "";
				const forwardedFor = () => request.headers.get("x-forwarded-for");
				await open(request, deps.callerAddress?.(peer, forwardedFor) ?? peer);
			} catch (error) {
				return refuse(request, error);
			}
		})
		// Only what the framework itself cannot route comes here: `open` has refused everything that is ours to refuse.
		.onError(({ request, error, code }) => refuse(request, code === "NOT_FOUND" ? new Problem("not-found") : error));
	for (const [method, path] of frameworkRoutes(deps.operations)) {
		app.route(method, path, ({ request }) => handle(request), { parse: "none" });
		if (method === "GET") app.route("HEAD", path, ({ request }) => handle(request), { parse: "none" });
	}
	// Compiled once, here: the first request must not be the one that waits for it.
	app.compile();
	const fetch = (request: Request, server?: Bun.Server<undefined>): Response | Promise<Response> => {
		if (server) app.server = server as unknown as typeof app.server;
		return app.fetch(request);
	};
	const { operations, recognise, isDraining, limits } = deps;
	return {
		/** For the listener; `server` tells the peer's address. */
		fetch,
		/** For the listener, which asks them before `fetch`. */
		routes: {
			...routeAtOnce({ operations, recognise, isDraining, limits, onAnswered: noteAtOnce, takeOn: fetch }),
			...routeRefusals({ operations, isDraining, baseUrl: deps.baseUrl, onRefused: noteRefused, takeOn: fetch }),
		},
		inFlight: () => inFlight,
	};
}

/** A parameter that an operation does not know is a misspelt one; pages for anybody are opened with whatever others append to addresses. */
function checkQuery(call: Call): void {
	const { key, bearer } = call.operation.credentials;
	if (call.url.search !== "" && (key !== "ignored" || bearer !== "ignored")) readQuery(call);
}

/**
 * The operation's answer, or 503 as soon as the database is known to be silent: its own error would never come. What was begun may
 * still be done later; a repeat under the same key finds it. Tenants' operations are not even begun then, so that nothing piles up.
 */
function unlessSilent(
	{ isSilent, onSilent }: AppDeps["watch"],
	operation: Operation,
	work: () => Promise<Response>,
): Promise<Response> {
	const silence = () =>
		new Problem("service-unavailable", {
			detail: "The database does not answer.",
			headers: { "retry-after": "1" },
		});
	if (isSilent() && operation.credentials === NEEDS_BOTH) return Promise.reject(silence());
	return new Promise<Response>((resolve, reject) => {
		const forget = onSilent(() => reject(silence()));
		const answered = work();
		answered.finally(forget).then(resolve, reject);
	});
}

const toMs = (seconds: number) => Math.round(seconds * 10_000) / 10;

function listMethods(methods: readonly Method[]): string {
	return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
}

/** The framework compares letter by letter; which operation a peer's path means is decided by the table. */
const PEER_ROUTES = ["/fe/*", "/Fe/*", "/fE/*", "/FE/*"] as const;

/**
 * Method and coarse path of each route, once: segments with a parameter or a colon become parameters named by place, and paths of peers are
 * taken in any spelling.
 */
function frameworkRoutes(operations: readonly Operation[]): [string, string][] {
	const routes = new Map<string, [string, string]>();
	for (const { method, path } of operations) {
		if (isPeerPath(path)) {
			for (const route of PEER_ROUTES) routes.set(`${method} ${route}`, [method, route]);
			continue;
		}
		const coarse = path
			.split("/")
			.map((segment, i) => (segment.includes("{") || segment.includes(":") ? `:p${i}` : segment))
			.join("/");
		routes.set(`${method} ${coarse}`, [method, coarse]);
	}
	return [...routes.values()];
}
