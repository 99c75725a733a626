/** Takes the public port: until the service serves on it, it answers that it is starting. */
import type { Config } from "./config";

export type PublicListener = {
	readonly server: Bun.Server<undefined>;
	/** The base of addresses, without a slash at the end. */
	readonly url: string;
};

export function takePort(config: Pick<Config, "port" | "host" | "reusePort" | "baseUrl">): PublicListener {
	const server = Bun.serve({
		port: config.port,
		hostname: config.host,
		reusePort: config.reusePort,
		// Our own limits answer with a problem document; the runtime's would close the connection without a word.
		maxRequestBodySize: 1024 ** 4,
		idleTimeout: 60,
		fetch: notYet,
	});
	return { server, url: config.baseUrl ?? `http://${toUrlHost(config.host)}:${server.port}` };
}

/** The host as it stands in an address that can be called from here. Source: RFC 3986, 3.2.2. */
function toUrlHost(host: string): string {
	if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
	return host.includes(":") ? `[${host}]` : host;
}

function notYet(): Response {
	return new Response(JSON.stringify({ status: "starting" }), {
		status: 503,
		headers: { "content-type": "application/json; charset=utf-8", "retry-after": "1" },
	});
}
