import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { createFigures, SIGNING_QUEUED } from "./figures";
import { createRequestMeter } from "./request-meter";

/** The counters of one process, served as Prometheus text on the private listener. */
export type Metrics = ReturnType<typeof createMetrics>;

/** One thread's share of the metrics, as it crosses to the thread that serves them all. */
export type MetricsShare = object;

/** The shares of all threads as one text: counters and histograms are summed. */
export function mergeMetrics(shares: readonly MetricsShare[]): Promise<string> {
	return AggregatorRegistry.aggregate([...shares]).metrics();
}

/** What two have counted, as one share. Gauges are left out: they tell of something that is. */
export function addCounts(one: MetricsShare, other: MetricsShare): MetricsShare {
	const added = AggregatorRegistry.aggregate([one, other]).getMetricsAsArray();
	return added.filter(({ type }) => ["counter", "histogram"].includes(String(type)));
}

/** `process` adds the metrics of the whole process, which one of its threads tells for all. */
export function createMetrics(options: { process: boolean } = { process: false }) {
	const registry = new Registry();
	const requests = createRequestMeter();
	if (options.process) collectDefaultMetrics({ register: registry });
	return {
		requests,
		...createFigures(registry),
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
		outsideCalls: new Counter({
			name: "sello_outside_calls_total",
			help: "Objects handed to the archive's store and mails handed to the mail server, by what came of it; alert on failed that grow while ok do not.",
			labelNames: ["service", "result"],
			registers: [registry],
		}),
		webhookBreakersOpen: new Gauge({
			name: "sello_webhook_breakers_open",
			help: "Webhook endpoints that fail so that they get few deliveries at once, summed over dispatchers.",
			registers: [registry],
		}),
		registryAge: new Gauge({
			name: "sello_registry_age_seconds",
			help: "Seconds since the last successful ingest.",
			registers: [registry],
		}),
		signingEngine: new Gauge({
			name: "sello_signing_engine",
			help: "1 for the RSA engine that signs.",
			labelNames: ["engine"],
			registers: [registry],
		}),
		registryEntries: new Gauge({
			name: "sello_registry_entries",
			help: "Entries of the ingest run in use; 0 while nothing is loaded.",
			registers: [registry],
		}),
		registryLastIngest: new Gauge({
			name: "sello_registry_last_ingest",
			help: "1 for the outcome of the latest ingest, 0 for the others; alert on refused and failed.",
			labelNames: ["result"],
			registers: [registry],
		}),
		archiveLeaves: new Gauge({
			name: "sello_archive_leaves",
			help: "Leaves of the archive's tree: documents ever archived.",
			registers: [registry],
		}),
		checkpointAge: new Gauge({
			name: "sello_archive_checkpoint_age_seconds",
			help: "Seconds since the archive's newest signed checkpoint; alert beyond a day and an hour.",
			registers: [registry],
		}),
		authorityStatus: new Gauge({
			name: "sello_authority_status",
			help: "1 for the state that a service of the authority, or under `overall` all of them, is in; alert on outage.",
			labelNames: ["environment", "service", "status"],
			registers: [registry],
		}),
		authorityContingency: new Gauge({
			name: "sello_authority_contingency",
			help: "1 while documents cannot be expected to reach the authority.",
			labelNames: ["environment"],
			registers: [registry],
		}),
		verdictContradictions: new Counter({
			name: "sello_verdict_contradictions_total",
			help: "Verdicts of the authority that say the contrary of the one that stands; alert on any.",
			registers: [registry],
		}),
		archiveContradictions: new Counter({
			name: "sello_archive_contradictions_total",
			help: "Checkpoints that were not signed because the archive's tables or its store contradict what was signed before; alert on any.",
			registers: [registry],
		}),
		share: async (): Promise<MetricsShare> => [...(await registry.getMetricsAsJSON()), ...requests.share()],
		/** What is to be added to others' counts: gauges but one tell of things that processes have in common, and Node's of one process. */
		counted: async (): Promise<MetricsShare> => {
			const own = await registry.getMetricsAsJSON();
			const isCount = ({ name, type }: (typeof own)[number]) => name.startsWith("sello_") && String(type) === "counter";
			return [...own.filter((one) => isCount(one) || one.name === SIGNING_QUEUED), ...requests.share()];
		},
		contentType: registry.contentType,
	};
}
