/**
 * The two HTTP listeners: the public one, and the private one for `/metrics`.
 *
 * The public listener answers 503 "starting" until the service serves on it. A process beside others takes the port only when it serves: the kernel gives
 * every process on a port its share of new connections, and a share that gets 503 is one that the other processes could have served.
 */
import http from "node:http";
import type { App } from "../../api/server";
import { codeOf } from "../../platform/database";
import { chooseLanguage, msg, Problem, toProblemDocument } from "../../platform/problem";
import { type MetricsShare, mergeMetrics } from "../../platform/telemetry";
import { newId } from "../../platform/values";
import type { Config } from "../config/config";
import { listenFirst } from "../process/former-process";

export type PublicListener = {
	/** Base of the service's addresses, without a trailing slash. */
	readonly url: string;
	readonly port: number;
	/** Serves the app from now on. Throws: ListenError. */
	readonly serve: (app: Pick<App, "fetch" | "routes">) => void;
	/** Refuses new connections and lets requests finish, or cuts all of them at once. */
	readonly stop: (how: "at-once" | "gently") => Promise<void>;
};

type ListenerSettings = Pick<Config, "port" | "host" | "portSharing" | "isReplacing" | "baseUrl">;

/** A port or address that cannot be used; the message names the settings that choose it. */
export class ListenError extends Error {
	constructor(cause: unknown, at: { readonly host: string; readonly port: number; readonly setting: string }) {
		const { host, port, setting } = at;
		const isTaken = codeOf(cause) === "EADDRINUSE";
		const reason = cause instanceof Error ? cause.message : String(cause);
		super(
			isTaken
				? `port ${port} is in use: set ${setting} to another one`
				: `cannot listen on ${host}, port ${port}; check HOST and ${setting}: ${reason}`,
			{ cause },
		);
		this.name = "ListenError";
	}
}

const RETRY_AFTER_SECONDS = 1;
/** Heads up to this size reach us, so that those above our own limit get a problem document. The runtime refuses longer ones without one. */
const HEAD_BYTES_MAX = 64 * 1024;

/** Takes the port. Throws: ListenError. */
export function openPublicListener(settings: ListenerSettings): PublicListener {
	// The runtime has one value for all listeners of the process; its type is that of Node.js, where it cannot be changed.
	Reflect.set(http, "maxHeaderSize", HEAD_BYTES_MAX);
	const { host, portSharing, baseUrl } = settings;
	if (portSharing === "first" && settings.port !== 0) refuseTaken(settings);
	const starting = (request: Request, url: string) => answerStarting(request, baseUrl ?? url);
	let server = joinsPort(settings)
		? undefined
		: listen(settings, { fetch: (request, self) => starting(request, urlOf(host, self.port)), routes: {} });
	const port = server?.port ?? settings.port;
	return {
		url: baseUrl ?? urlOf(host, port),
		port,
		serve({ fetch, routes }) {
			if (server) server.reload({ fetch, routes });
			else if (!settings.isReplacing) server = listen(settings, { fetch, routes });
			else listenFirst(port, () => (server = listen(settings, { fetch, routes })));
		},
		stop: async (how) => server?.stop(how === "at-once"),
	};
}

/** Starts the private listener; the returned function stops it. Throws: ListenError. */
export function startMetricsListener(
	{ host, metricsPort: port, portSharing }: { readonly metricsPort: number } & Pick<Config, "host" | "portSharing">,
	collect: () => Promise<MetricsShare[]>,
	contentType: string,
): () => Promise<void> {
	try {
		if (portSharing === "first" && port !== 0) void tryAlone(host, port).stop(true);
		const listener = Bun.serve({
			port,
			hostname: host,
			reusePort: portSharing !== "alone" && port !== 0,
			fetch: async (request) => {
				if (URL.parse(request.url)?.pathname !== "/metrics") return new Response("not found\n", { status: 404 });
				return new Response(await mergeMetrics(await collect()), { headers: { "content-type": contentType } });
			},
		});
		return () => listener.stop(true);
	} catch (error) {
		throw new ListenError(error, { host, port, setting: "METRICS_PORT" });
	}
}

/** Whether another process already serves on the port. */
function joinsPort({ portSharing, port }: ListenerSettings): boolean {
	return portSharing === "beside" && port !== 0;
}

type Handlers = {
	readonly fetch: (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>;
	readonly routes: App["routes"];
};

function listen({ port, host, portSharing }: ListenerSettings, handlers: Handlers): Bun.Server<undefined> {
	try {
		return Bun.serve({
			port,
			hostname: host,
			reusePort: portSharing !== "alone",
			// Our own limits answer with a problem document; the runtime's would close the connection without one.
			maxRequestBodySize: 1024 ** 4,
			idleTimeout: 60,
			...handlers,
		});
	} catch (error) {
		throw new ListenError(error, { host, port, setting: "PORT" });
	}
}

/** A shared port can also be taken beside an unrelated service that shares it, and each would get the other's requests. So it is tried unshared first. */
function refuseTaken({ host, port }: ListenerSettings): void {
	try {
		void tryAlone(host, port).stop(true);
	} catch (error) {
		throw new ListenError(error, { host, port, setting: "PORT" });
	}
}

const tryAlone = (hostname: string, port: number) =>
	Bun.serve({ port, hostname, fetch: () => new Response(null, { status: 503 }) });

function urlOf(host: string, port: number | undefined): string {
	return `http://${toUrlHost(host)}:${port}`;
}

/** The host as it appears in a URL that works on this machine. Source: RFC 3986, 3.2.2. */
function toUrlHost(host: string): string {
	if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
	return host.includes(":") ? `[${host}]` : host;
}

/** A problem document for operations, `{"status":"starting"}` for health checks. */
function answerStarting(request: Request, baseUrl: string): Response {
	const headers = { "cache-control": "no-store", "retry-after": String(RETRY_AFTER_SECONDS) };
	// The URL contains the caller's Host header, which may be anything.
	const instance = URL.parse(request.url)?.pathname ?? "/";
	if (!instance.startsWith("/v1/")) {
		return new Response(JSON.stringify({ status: "starting" }), {
			status: 503,
			headers: { ...headers, "content-type": "application/json; charset=utf-8" },
		});
	}
	const requestId = newId();
	const problem = new Problem("service-unavailable", { detail: msg`The service is starting.` });
	const language = chooseLanguage(request.headers.get("accept-language"));
	return new Response(JSON.stringify(toProblemDocument(problem, { baseUrl, instance, requestId, language })), {
		status: problem.status,
		headers: {
			...headers,
			"content-type": "application/problem+json; charset=utf-8",
			"content-language": language,
			"x-request-id": requestId,
		},
	});
}
