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
import type { Access } from "../../identity/auth";
import type { Limits } from "../../identity/rate-limits";
import type { Usage } from "../../identity/usage";
import type { DatabaseWatch } from "../../platform/database";
import { isPeerPath, type Operation } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { Log, Metrics } from "../../platform/telemetry";
import { type Clock, newId } from "../../platform/values";
import { createOpenCall } from "./admit-request";
import type { ReadCallerAddress } from "./caller-address";
import { routeAtOnce } from "./fast-path";
import { createFinish } from "./finish-request";
import { createHandleCall, type InTime } from "./invoke-operation";
import { toProblemResponse } from "./problem-response";
import { beginRequest, pathOf, type RequestState } from "./request-state";
import { routeRefusals } from "./shed-load";

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
	/** Tells who has waited for too long; absent: with the usual patience. */
	readonly inTime?: InTime;
	/** While it answers true, every answer asks the peer to close its connection. */
	readonly isDraining: () => boolean;
};

export type App = ReturnType<typeof createApp>;

export function createApp(deps: AppDeps) {
	const { operations, recognise, limits, isDraining, baseUrl } = deps;
	const states = new WeakMap<Request, RequestState>();
	const { name, peerOf } = nameHost(baseUrl);
	const openCall = createOpenCall(deps);
	const handleCall = createHandleCall(deps);
	const mend = mendHead(deps.clock);
	const finish = createFinish(deps);
	let inFlight = 0;

	async function open(request: Request, peer: string): Promise<void> {
		inFlight++;
		const state = beginRequest(request);
		states.set(request, state);
		const forwardedFor = () => request.headers.get("x-forwarded-for");
		await openCall(request, state, deps.callerAddress?.(peer, forwardedFor) ?? peer);
	}

	function close(request: Request, response: Response): Response {
		inFlight--;
		return finish.answer(request, states.get(request), response);
	}

	function refuse(request: Request, raised: unknown): Response {
		const state = states.get(request);
		const error = raised instanceof Problem ? refuseCredentials(raised, request, state) : raised;
		const place = { baseUrl, instance: pathOf(state), requestId: state?.requestId ?? newId() };
		return close(request, toProblemResponse(error, place, deps.log, state?.call?.operation));
	}

	/**
	 * Who has sent none has guessed nothing, and peers are held by a rate of their own. A bearer is a signature, which is not guessed either; of
	 * one that has just run out its sender must hear 401, whatever its neighbours have sent.
	 */
	function refuseCredentials(refusal: Problem, { headers }: Request, state: RequestState | undefined): Problem {
		const call = state?.call;
		if (refusal.slug !== "unauthorised" || !call || !limits) return refusal;
		const { limit } = call.operation;
		const hasSent = limit === "token" || (headers.has("x-api-key") && !headers.has("authorization"));
		return hasSent && limit !== "peer" ? limits.refuse(refusal, call.remoteAddress) : refusal;
	}

	async function handle(request: Request): Promise<Response> {
		const state = states.get(request);
		if (!state?.call) return refuse(request, new Problem("not-found"));
		try {
			return close(request, await handleCall(state.call, state));
		} catch (error) {
			return refuse(request, error);
		}
	}

	// Where a host may be as short as the name of a container, the path begins earlier than the framework expects by itself.
	const app = new Elysia({ aot: true, handler: { standardHostname: false } })
		.onRequest(async ({ request, server }) => {
			try {
				await open(request, peerOf(request, server));
			} catch (error) {
				return refuse(request, error);
			}
		})
		// Only what the framework itself cannot route comes here: `open` has refused everything that is ours to refuse.
		.onError(({ request, error, code }) => refuse(request, code === "NOT_FOUND" ? new Problem("not-found") : error));
	for (const [method, path] of frameworkRoutes(operations)) {
		app.route(method, path, ({ request }) => handle(request), { parse: "none" });
		if (method === "GET") app.route("HEAD", path, ({ request }) => handle(request), { parse: "none" });
	}
	// Compiled once, here: the first request must not be the one that waits for it.
	app.compile();
	const fetch = (request: Request, server?: Bun.Server<undefined>): Response | Promise<Response> => {
		if (server) app.server = server as unknown as typeof app.server;
		const answer = app.fetch(name(request, server));
		return request.method === "HEAD" ? Promise.resolve(answer).then(mend) : answer;
	};
	const { noteAtOnce: onAnswered, noteRefused: onRefused, noteBroken: onBroken } = finish;
	return {
		/** For the listener; `server` tells the peer's address. */
		fetch,
		/** For the listener, which asks them before `fetch`. */
		routes: {
			...routeAtOnce({ operations, recognise, isDraining, limits, onAnswered, onBroken, takeOn: fetch }),
			...routeRefusals({ operations, isDraining, baseUrl, onRefused, takeOn: fetch }),
		},
		inFlight: () => inFlight,
	};
}

/** What the framework is given to route: coarser than the operations' paths, for it reads `:` as the start of a parameter. */

/** The framework compares letter by letter; which operation a peer's path means is decided by the table. */
const PEER_ROUTES = ["/fe/*", "/Fe/*", "/fE/*", "/FE/*"] as const;

/**
 * Method and coarse path of each route, once: segments with a parameter or a colon become parameters named by place, and paths of peers are
 * taken in any spelling.
 */
export function frameworkRoutes(operations: readonly Pick<Operation, "method" | "path">[]): [string, string][] {
	const routes = new Map<string, [string, string]>();
	for (const { method, path } of operations) {
		for (const route of isPeerPath(path) ? PEER_ROUTES : [coarsen(path)]) {
			routes.set(`${method} ${route}`, [method, route]);
		}
	}
	return [...routes.values()];
}

function coarsen(path: string): string {
	return path
		.split("/")
		.map((segment, i) => (segment.includes("{") || segment.includes(":") ? `:p${i}` : segment))
		.join("/");
}

/**
 * Requests of HTTP/1.0 may come without a Host, as health checks of load balancers do: they mean the one service that is here.
 *
 * The runtime hands them on with a bare path as their address. They go on as requests with the service's own, and their peer is remembered,
 * since the runtime knows only what it has made itself.
 */
type Listener = { readonly requestIP: (request: Request) => { readonly address: string } | null } | null | undefined;

export function nameHost(baseUrl: string) {
	const { origin } = new URL(baseUrl);
	const peers = new WeakMap<Request, string>();
	const peerOf = (request: Request, listener: Listener): string =>
		peers.get(request) ?? listener?.requestIP(request)?.address ?? "";
	return {
		peerOf,
		/** A Host that was sent, and is none, is left as it is, to be refused. */
		name(request: Request, listener: Listener): Request {
			if (!request.url.startsWith("/") || request.headers.has("host")) return request;
			const named = new Request(`${origin}${request.url}`, request);
			peers.set(named, peerOf(request, listener));
			return named;
		},
	};
}

/**
 * Puts the headers of an answer to a HEAD right, once the framework has told its length: the runtime gives every answer a date but this one, and a 304
 * tells the length of the 200 or none, never that of its own missing content. Source: RFC 9110, 6.6.1 and 8.6.
 */
export function mendHead({ now }: Clock): (answer: Response) => Response {
	return (answer) => {
		answer.headers.set("date", now().toUTCString());
		if (answer.status === 304) answer.headers.delete("content-length");
		return answer;
	};
}
