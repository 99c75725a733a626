/**
 * Calls from pages of other sites: `CORS_ORIGINS` lists the sites whose pages may call `/v1`. Cookies are neither read nor allowed. Source: Fetch
 * Standard, 3.3 (CORS protocol).
 */
import type { Operation } from "../../platform/operation";

type Fetch = (request: Request, server?: Bun.Server<undefined>) => Response | Promise<Response>;
/** Handlers of the listener's own router, by path and method. */
type Routes = Readonly<
	Record<
		string,
		Readonly<Record<string, (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>>>
	>
>;

/** Seconds for which a browser keeps the answer to a preflight request. */
const PREFLIGHT_SECONDS = 600;
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
/** Besides those that operations declare. */
const SENT = ["x-api-key", "authorization", "content-type", "accept-language", "x-request-id", "last-event-id"];

export type CrossOrigin = {
	readonly fetch: (fetch: Fetch) => Fetch;
	/** Requests from a page take the slow path: answers of the fast ones share their headers. */
	readonly routes: <R extends Routes>(routes: R, fetch: Fetch) => R;
};

/** `origins` are sites such as `https://erp.example.do`, or `*`; without any, pages of other sites can call nothing of `/v1`. */
export function createCrossOrigin(origins: readonly string[], operations: readonly Operation[]): CrossOrigin {
	if (origins.length === 0) return { fetch: (fetch) => fetch, routes: (routes) => routes };
	const isForAll = origins.includes("*");
	const declared = operations.flatMap(({ parameters = [] }) =>
		parameters.filter((one) => one.in === "header").map(({ name }) => name.toLowerCase()),
	);
	const allowHeaders = [...new Set([...SENT, ...declared])].join(", ");
	/** The origin that the answer names; undefined for calls that are none of ours to allow. */
	const allowedFor = ({ url, headers }: Request): string | undefined => {
		const origin = headers.get("origin");
		if (origin === null || !/^[a-z]+:\/\/[^/]*\/v1\//.test(url)) return undefined;
		if (isForAll) return "*";
		return origins.includes(origin) ? origin : undefined;
	};
	const allow = (response: Response, origin: string): Response => {
		response.headers.set("access-control-allow-origin", origin);
		response.headers.set("access-control-expose-headers", "*");
		if (!isForAll) response.headers.append("vary", "Origin");
		return response;
	};
	return {
		fetch: (fetch) => (request, server) => {
			const origin = allowedFor(request);
			if (origin === undefined) return fetch(request, server);
			if (request.method === "OPTIONS" && request.headers.has("access-control-request-method")) {
				const headers = {
					"access-control-allow-methods": METHODS,
					"access-control-allow-headers": allowHeaders,
					"access-control-max-age": String(PREFLIGHT_SECONDS),
				};
				return allow(new Response(null, { status: 204, headers }), origin);
			}
			return Promise.resolve(fetch(request, server)).then((response) => allow(response, origin));
		},
		routes: <R extends Routes>(routes: R, fetch: Fetch): R =>
			mapHandlers(
				routes,
				(handler) => (request, server) =>
					request.headers.has("origin") ? fetch(request, server) : handler(request, server),
			),
	};
}

type Handler = Routes[string][string];

function mapHandlers<R extends Routes>(routes: R, wrap: (handler: Handler) => Handler): R {
	const wrapped = Object.entries(routes).map(([path, handlers]) => [
		path,
		Object.fromEntries(Object.entries(handlers).map(([method, handler]) => [method, wrap(handler)])),
	]);
	return Object.fromEntries(wrapped);
}
