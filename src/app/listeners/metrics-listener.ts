/** The private listener for `/metrics`, beside the public one. */

import { type MetricsShare, mergeMetrics } from "../../platform/telemetry";
import { ListenError } from "./listen-error";

/** Starts the listener; the answer stops it. Throws: ListenError. */
export function startMetricsListener(
	host: string,
	port: number,
	share: () => Promise<MetricsShare[]>,
	contentType: string,
): () => Promise<void> {
	try {
		const listener = Bun.serve({
			port,
			hostname: host,
			fetch: async (request) => {
				if (URL.parse(request.url)?.pathname !== "/metrics") return new Response("not found\n", { status: 404 });
				return new Response(await mergeMetrics(await share()), { headers: { "content-type": contentType } });
			},
		});
		return () => listener.stop(true);
	} catch (error) {
		throw new ListenError(error, { host, port, setting: "METRICS_PORT" });
	}
}
