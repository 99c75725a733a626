/**
 * The HTTP server: every request finds its operation, passes admission, is handled, logged and answered here.
 *
 * Order for each request: id → operation by exact path (404, 405) → retired (410) → credentials (401) → rate of the caller's plan (429) →
 * scope (403) → `Accept` (406) → counted limits of the plan (429) → the operation's own checks. Credentials and rate come before the body is read, so
 * that an anonymous caller learns and costs nothing, and a flood costs little.
 *
 * The framework carries the requests. Its paths are coarser than the real ones, because it reads `:` as the start of a parameter. `OperationTable`
 * decides which operation a path means.
 */
import { Elysia } from "elysia";
import type { Access } from "../../identity/auth";
import type { Limits } from "../../identity/rate-limits";
import type { Usage } from "../../identity/usage";
import { type DatabaseWatch, isServerUnable, type WriteWatch } from "../../platform/database";
import { isCounterpartyPath, type Operation } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { currentSpan, isTracing, type Log, type Metrics } from "../../platform/telemetry";
import { type Clock, newId } from "../../platform/values";
import { createAdmit } from "./admit-request";
import type { IsFromOperator, ReadCallerAddress } from "./caller-address";
import { createCrossOrigin } from "./cross-origin";
import { createFastRoutes } from "./fast-path";
import { createFinish } from "./finish-request";
import { createInvoke, type Deadline } from "./invoke-operation";
import { toProblemResponse } from "./problem-response";
import { beginRequest, pathOf, type RequestState } from "./request-state";
import { createShedRoutes } from "./shed-load";
import { traceRequests, traceRoutes } from "./trace-request";

export type ServerDeps = {
	readonly operations: readonly Operation[];
	readonly authenticate: Access["authenticate"];
	readonly recognise: Access["recognise"];
	readonly baseUrl: string;
	readonly clock: Clock;
	/** Absent: the caller is the socket's peer. */
	readonly callerAddress?: ReadCallerAddress;
	/** Default: from this machine alone. */
	readonly isFromOperator?: IsFromOperator;
	readonly log: Log;
	readonly metrics: Pick<Metrics, "requests">;
	/** Absent: there are no limits. */
	readonly limits?: Limits;
	/** Absent: usage is not metered. */
	readonly usage?: Pick<Usage, "note">;
	/** Reports when the database does not answer at all. */
	readonly watch: Pick<DatabaseWatch, "isSilent" | "onSilent">;
	/** Absent: readiness does not depend on writes. */
	readonly writes?: Pick<WriteWatch, "noteFailed"> | undefined;
	/** Whether keys are accepted without the database; absent: never. */
	readonly isInGrace?: () => boolean;
	/** Whether a shared cache is in front of the service; absent: it is not. */
	readonly isBehindCdn?: boolean;
	/** Sites whose pages may call `/v1`; absent: none. */
	readonly corsOrigins?: readonly string[];
	/** Ends requests that have waited too long; absent: after the default time. */
	readonly deadline?: Deadline;
	/** Where an operation's own gives none; absent: problem documents. */
	readonly renderProblem?: Operation["renderProblem"];
	/** While true, every answer asks the client to close its connection. */
	readonly isDraining: () => boolean;
};

export type App = ReturnType<typeof createApp>;

export function createApp(deps: ServerDeps) {
	const { operations, limits, isDraining, baseUrl } = deps;
	const states = new WeakMap<Request, RequestState>();
	const { withHost, peerOf, setPeer } = createHostDefault(baseUrl);
	const forward = async (request: Request, address: string): Promise<Response> => {
		setPeer(request, address);
		return app.fetch(request);
	};
	const admit = createAdmit({ ...deps, forward });
	const invoke = createInvoke(deps);
	const fixHead = createHeadFix(deps.clock);
	const finish = createFinish(deps);
	let inFlight = 0;

	async function open(request: Request, peer: string): Promise<void> {
		inFlight++;
		const state = beginRequest(request);
		states.set(request, state);
		const forwardedFor = () => request.headers.get("x-forwarded-for");
		await admit(request, state, deps.callerAddress?.(peer, forwardedFor) ?? peer, peer);
	}

	function close(request: Request, response: Response): Response {
		inFlight--;
		return finish.answer(request, states.get(request), response);
	}

	function refuse(request: Request, raised: unknown): Response {
		const state = states.get(request);
		if (isServerUnable(raised)) deps.writes?.noteFailed();
		const error = raised instanceof Problem ? refuseCredentials(raised, request, state) : raised;
		const traceId = currentSpan()?.traceId;
		const place = { baseUrl, instance: pathOf(state), requestId: state?.requestId ?? newId(), traceId };
		const { extendProblem, renderProblem: renderOwn } = state?.call?.operation ?? {};
		const renderProblem: Operation["renderProblem"] = (...all) => renderOwn?.(...all) ?? deps.renderProblem?.(...all);
		return close(request, toProblemResponse(error, place, deps.log, { extendProblem, renderProblem }, request));
	}

	/**
	 * Counts failed credentials. A request without credentials has guessed nothing, and counterparties have a rate of their own. A bearer token is a
	 * signature and cannot be guessed; if it has just expired, its sender must get 401, whatever others behind the address have sent.
	 */
	function refuseCredentials(refusal: Problem, { headers }: Request, state: RequestState | undefined): Problem {
		const call = state?.call;
		if (refusal.slug !== "unauthorised" || !call || !limits) return refusal;
		const { limit } = call.operation;
		if (limit === "token") return limits.refuseClient(refusal, call.remoteAddress, state.clientId);
		const hasSent = headers.has("x-api-key") && !headers.has("authorization");
		return hasSent && limit !== "peer" ? limits.refuse(refusal, call.remoteAddress) : refusal;
	}

	async function handle(request: Request): Promise<Response> {
		const state = states.get(request);
		if (!state?.call) return refuse(request, new Problem("not-found"));
		try {
			return close(request, await invoke(state.call, state));
		} catch (error) {
			return refuse(request, error);
		}
	}

	// The host may be as short as a container's name; without this option the framework looks for the path too late.
	const app = new Elysia({ aot: true, handler: { standardHostname: false } })
		.onRequest(async ({ request, server }) => {
			try {
				await open(request, peerOf(request, server));
			} catch (error) {
				return refuse(request, error);
			}
		})
		// Only requests that the framework cannot route come here: `open` has refused everything else.
		.onError(({ request, error, code }) => refuse(request, code === "NOT_FOUND" ? new Problem("not-found") : error));
	for (const [method, path] of frameworkRoutes(operations)) {
		app.route(method, path, ({ request }) => handle(request), { parse: "none" });
		if (method === "GET") app.route("HEAD", path, ({ request }) => handle(request), { parse: "none" });
	}
	// Compiled here, so that the first request does not wait for it.
	app.compile();
	const crossOrigin = createCrossOrigin(deps.corsOrigins ?? [], operations);
	const fetch = crossOrigin.fetch((request, server) => {
		if (server) app.server = server as unknown as typeof app.server;
		const answer = app.fetch(withHost(request, server));
		return request.method === "HEAD" ? Promise.resolve(answer).then(fixHead) : answer;
	});
	const { noteFast: onAnswered, noteShed: onRefused, noteBroken: onBroken } = finish;
	return {
		/** For the listener; `server` knows the client's address. */
		fetch: isTracing() ? traceRequests(fetch) : fetch,
		/** For the listener, which tries them before `fetch`. */
		routes: {
			...traceRoutes(crossOrigin.routes(createFastRoutes({ ...deps, onAnswered, onBroken, slowPath: fetch }), fetch)),
			...traceRoutes(
				crossOrigin.routes(createShedRoutes({ operations, isDraining, baseUrl, onRefused, slowPath: fetch }), fetch),
			),
		},
		inFlight: () => inFlight,
	};
}

/** The framework compares case-sensitively; the operation table decides what a counterparty's path means. */
const PEER_ROUTES = ["/fe/*", "/Fe/*", "/fE/*", "/FE/*"] as const;

/** Method and coarse path of each route, once. Segments with a parameter or a colon become parameters; paths of counterparties match in any case. */
export function frameworkRoutes(
	operations: readonly Pick<Operation, "method" | "path" | "coversBelow">[],
): [string, string][] {
	const routes = new Map<string, [string, string]>();
	for (const { method, path, coversBelow } of operations) {
		const own = coversBelow ? [coarsen(path), `${coarsen(path)}/*`] : [coarsen(path)];
		for (const route of isCounterpartyPath(path) ? PEER_ROUTES : own) {
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
 * HTTP/1.0 requests may come without a Host header, as health checks of load balancers do. They mean the one service that is here.
 *
 * The runtime gives them a bare path as URL. They continue as requests with the service's own host; their client's address is remembered, because the
 * runtime only knows it for requests that it has created.
 */
type Listener = { readonly requestIP: (request: Request) => { readonly address: string } | null } | null | undefined;

export function createHostDefault(baseUrl: string) {
	const { origin } = new URL(baseUrl);
	const peers = new WeakMap<Request, string>();
	const peerOf = (request: Request, listener: Listener): string =>
		peers.get(request) ?? listener?.requestIP(request)?.address ?? "";
	return {
		peerOf,
		/** For a request that no listener has received. */
		setPeer: (request: Request, address: string) => void peers.set(request, address),
		/** An invalid Host header is left as it is and refused later. */
		withHost(request: Request, listener: Listener): Request {
			if (!request.url.startsWith("/") || request.headers.has("host")) return request;
			const completed = new Request(`${origin}${request.url}`, request);
			peers.set(completed, peerOf(request, listener));
			return completed;
		},
	};
}

/**
 * Corrects the headers of an answer to HEAD: the runtime adds no date to it, and a 304 must have the content length of the 200 or none.
 * Source: RFC 9110, 6.6.1 and 8.6.
 */
export function createHeadFix({ now }: Clock): (answer: Response) => Response {
	return (answer) => {
		answer.headers.set("date", now().toUTCString());
		if (answer.status === 304) answer.headers.delete("content-length");
		return answer;
	};
}
