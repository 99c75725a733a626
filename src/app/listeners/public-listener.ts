/**
 * Takes the public port: until the service serves on it, it answers that it is starting.
 *
 * A further process beside one that serves takes it only when it serves too: the kernel gives every process on the port its share of new
 * connections, and a share that is told to wait is one that the others could have answered.
 */

import type { createApp } from "../../api";
import { Problem } from "../../platform/problem";
import { newId } from "../../platform/values";
import type { Config } from "../config/config";
import { ListenError } from "./listen-error";

export type PublicListener = {
	/** The base of addresses, without a slash at the end. */
	readonly url: string;
	readonly port: number;
	/** Requests are answered from here on. Throws: ListenError. */
	readonly serve: (app: Served) => void;
	/** Refuses new connections and lets requests finish, or cuts all of them at once. */
	readonly stop: (how: "at-once" | "gently") => Promise<void>;
};

type Served = Pick<ReturnType<typeof createApp>, "fetch" | "routes">;
type Place = Pick<Config, "port" | "host" | "processes" | "reusePort" | "baseUrl">;

const RETRY_AFTER_SECONDS = 1;

/** Whether this process is one beside a first one that serves on the same port. */
function isFurther({ reusePort, processes, port }: Pick<Place, "reusePort" | "processes" | "port">): boolean {
	return reusePort && processes === 1 && port !== 0;
}

/** Throws: ListenError. */
export function takePort(place: Place): PublicListener {
	const { host, processes, baseUrl } = place;
	if (processes > 1 && place.port !== 0) refuseTaken(place);
	const notYet = (request: Request, url: string) => answerNotYet(request, baseUrl ?? url);
	let server = isFurther(place)
		? undefined
		: listen(place, { fetch: (request, itself) => notYet(request, urlOf(host, itself.port)), routes: {} });
	const port = server?.port ?? place.port;
	return {
		url: baseUrl ?? urlOf(host, port),
		port,
		serve({ fetch, routes }) {
			if (server) server.reload({ fetch, routes });
			else server = listen(place, { fetch, routes });
		},
		stop: async (how) => server?.stop(how === "at-once"),
	};
}

type Handlers = {
	readonly fetch: (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>;
	readonly routes: Served["routes"];
};

function listen({ port, host, reusePort }: Place, handlers: Handlers): Bun.Server<undefined> {
	try {
		return Bun.serve({
			port,
			hostname: host,
			reusePort,
			// Our own limits answer with a problem document; the runtime's would close the connection without a word.
			maxRequestBodySize: 1024 ** 4,
			idleTimeout: 60,
			...handlers,
		});
	} catch (error) {
		throw new ListenError(error, { host, port, setting: "PORT" });
	}
}

/** A port that is shared may be taken beside a stranger who shares it too, another service of this machine, and each would get the other's requests. */
function refuseTaken(place: Place): void {
	const alone = listen(
		{ ...place, reusePort: false },
		{ fetch: () => new Response(null, { status: 503 }), routes: {} },
	);
	void alone.stop(true);
}

function urlOf(host: string, port: number | undefined): string {
	return `http://${toUrlHost(host)}:${port}`;
}

/** The host as it stands in an address that can be called from here. Source: RFC 3986, 3.2.2. */
function toUrlHost(host: string): string {
	if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
	return host.includes(":") ? `[${host}]` : host;
}

/** An operation is refused as in any other outage; what asks for the service's health gets the word for it. */
function answerNotYet(request: Request, baseUrl: string): Response {
	const headers = { "cache-control": "no-store", "retry-after": String(RETRY_AFTER_SECONDS) };
	// The caller's Host is a part of it, and may be anything.
	const instance = URL.parse(request.url)?.pathname ?? "/";
	if (!instance.startsWith("/v1/")) {
		return new Response(JSON.stringify({ status: "starting" }), {
			status: 503,
			headers: { ...headers, "content-type": "application/json; charset=utf-8" },
		});
	}
	const requestId = newId();
	const problem = new Problem("service-unavailable", { detail: "The service is starting." });
	return new Response(JSON.stringify(problem.toDocument({ baseUrl, instance, requestId })), {
		status: problem.status,
		headers: { ...headers, "content-type": "application/problem+json; charset=utf-8", "x-request-id": requestId },
	});
}
