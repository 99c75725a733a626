/** Takes the public port: until the service serves on it, it answers that it is starting. */
import type { Config } from "./config";
import { ListenError } from "./listen-error";
import { Problem } from "./problem";
import { newId } from "./values";

export type PublicListener = {
	readonly server: Bun.Server<undefined>;
	/** The base of addresses, without a slash at the end. */
	readonly url: string;
};

const RETRY_AFTER_SECONDS = 1;

type Place = Pick<Config, "port" | "host" | "reusePort" | "baseUrl">;

/** Throws: ListenError. */
export function takePort(config: Place): PublicListener {
	const server = listen(config);
	return { server, url: config.baseUrl ?? urlOf(config.host, server.port) };
}

function listen({ port, host, reusePort, baseUrl }: Place): Bun.Server<undefined> {
	try {
		return Bun.serve({
			port,
			hostname: host,
			reusePort,
			// Our own limits answer with a problem document; the runtime's would close the connection without a word.
			maxRequestBodySize: 1024 ** 4,
			idleTimeout: 60,
			fetch: (request, itself) => notYet(request, baseUrl ?? urlOf(host, itself.port)),
		});
	} catch (error) {
		throw new ListenError(error, { host, port, setting: "PORT" });
	}
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
function notYet(request: Request, baseUrl: string): Response {
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
