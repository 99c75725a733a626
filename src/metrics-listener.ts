/** The private listener for `/metrics`, beside the public one. */
import { type MetricsShare, mergeMetrics } from "./telemetry";

/** The metrics port is taken. */
export class MetricsPortTakenError extends Error {
	constructor(readonly port: number) {
		super(`port ${port} for metrics is in use: set METRICS_PORT to another one`);
		this.name = "MetricsPortTakenError";
	}
}

/** Starts the listener; the answer stops it. Throws: MetricsPortTakenError. */
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
		if ((error as { code?: string }).code === "EADDRINUSE") throw new MetricsPortTakenError(port);
		throw error;
	}
}
