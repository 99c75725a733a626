import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** The counters of one process, served as Prometheus text on the private listener. */
export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
	const registry = new Registry();
	collectDefaultMetrics({ register: registry });
	return {
		requests: new Counter({
			name: "sello_http_requests_total",
			help: "Requests answered.",
			labelNames: ["operation", "status"],
			registers: [registry],
		}),
		requestSeconds: new Histogram({
			name: "sello_http_request_seconds",
			help: "Time from request to answer.",
			labelNames: ["operation"],
			buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
			registers: [registry],
		}),
		outboxMessages: new Counter({
			name: "sello_outbox_messages_total",
			help: "Outbox messages carried out, by outcome.",
			labelNames: ["kind", "outcome"],
			registers: [registry],
		}),
		staleFences: new Counter({
			name: "sello_outbox_stale_fences_total",
			help: "Outcomes refused because the lease had passed to another holder.",
			labelNames: ["kind"],
			registers: [registry],
		}),
		registryAge: new Gauge({
			name: "sello_registry_age_seconds",
			help: "Seconds since the last successful ingest.",
			registers: [registry],
		}),
		text: () => registry.metrics(),
		contentType: registry.contentType,
	};
}
