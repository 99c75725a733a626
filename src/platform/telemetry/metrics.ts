import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { METRIC_NAMES, METRIC_PREFIX, type MetricName } from "./metric-names";
import { createRequestMeter } from "./request-meter";

/** The counters of one process or thread. */
export type Metrics = ReturnType<typeof createMetrics>;

/** One thread's metrics as a message to the thread that serves all of them. */
export type MetricsShare = object;

/** The metrics of all threads as Prometheus text: counters and histograms are summed. */
export function mergeMetrics(shares: readonly MetricsShare[]): Promise<string> {
	return AggregatorRegistry.aggregate([...shares]).metrics();
}

/** The sum of two shares. Gauges are left out: they describe a present state. */
function addCounts(one: MetricsShare, other: MetricsShare): MetricsShare {
	const added = AggregatorRegistry.aggregate([one, other]).getMetricsAsArray();
	return added.filter(({ type }) => ["counter", "histogram"].includes(String(type)));
}

/** `process` adds the metrics of the whole process; exactly one of its threads sets it. */
export function createMetrics(options: { process: boolean } = { process: false }) {
	const registry = new Registry();
	const requests = createRequestMeter();
	if (options.process) collectDefaultMetrics({ register: registry });
	const counter = <L extends string = string>(name: MetricName, help: string, labelNames: readonly L[] = []) =>
		new Counter({ name, help, labelNames, registers: [registry] });
	const gauge = <L extends string = string>(name: MetricName, help: string, labelNames: readonly L[] = []) =>
		new Gauge({ name, help, labelNames, registers: [registry] });
	return {
		requests,
		outboxMessages: counter(METRIC_NAMES.outboxMessages, "Outbox messages handled, by outcome.", ["kind", "outcome"]),
		staleFences: counter(
			METRIC_NAMES.staleFences,
			"Outcomes that were refused because another worker had taken over the lease.",
			["kind"],
		),
		shardsOwned: gauge(METRIC_NAMES.shardsOwned, "Shards whose messages this process runs, of 64 in all processes."),
		shardsUnowned: gauge(
			METRIC_NAMES.shardsUnowned,
			"Shards whose messages no living process runs; alert if it stays above 0 for a minute.",
		),
		workLogAge: new Gauge({
			name: METRIC_NAMES.workLogAge,
			help: "Seconds since a dispatch thread read the oldest issued document that it has not decided, archived or put off; alert above 60.",
			aggregator: "max",
			registers: [registry],
		}),
		acknowledgementsRestored: counter(
			METRIC_NAMES.acknowledgementsRestored,
			"Acknowledged invoices that a database server lacked when it took over, and that were stored again.",
		),
		synchronousStandbys: gauge(
			METRIC_NAMES.synchronousStandbys,
			"Synchronous standbys of the database that are connected, read every 5 seconds with DURABILITY=replicated alone; alert on fewer than needed.",
		),
		standbysNeeded: gauge(
			METRIC_NAMES.standbysNeeded,
			"1 with DURABILITY=replicated, where acknowledged invoices must be on a second server, else 0.",
		),
		paperDaysUnverified: gauge(
			METRIC_NAMES.paperDaysUnverified,
			"Days of papers older than PAPER_DAYS that are still in the database, since their sealed objects are not verified.",
		),
		lanesFenced: counter(METRIC_NAMES.lanesFenced, "Lanes that another process took over while they lived."),
		deadLetters: gauge(
			METRIC_NAMES.deadLetters,
			"Outbox messages that are no longer retried and that no operator has sent again, by kind; 10,000 means 10,000 or more.",
			["kind"],
		),
		dueOldest: gauge(
			METRIC_NAMES.dueOldest,
			"Seconds that the oldest due message has waited, by kind; 0 if none is due. Counts the 20,000 oldest due messages of each tenant. A message scheduled for later is not due.",
			["kind"],
		),
		outsideCalls: counter(
			METRIC_NAMES.outsideCalls,
			"Objects sent to the archive's store and e-mails sent to the mail server, by result; alert when failed grows and ok does not.",
			["service", "result"],
		),
		webhookBreakersOpen: gauge(
			METRIC_NAMES.webhookBreakersOpen,
			"Webhook endpoints that are failing and get few deliveries at a time, summed over dispatchers.",
		),
		registryAge: gauge(METRIC_NAMES.registryAge, "Seconds since the last successful ingest."),
		registryEntries: gauge(METRIC_NAMES.registryEntries, "Entries of the ingest run in use; 0 if none is loaded."),
		registryLastIngest: gauge(
			METRIC_NAMES.registryLastIngest,
			"1 for the result of the latest ingest, 0 for the others; alert on refused and failed.",
			["result"],
		),
		signingEngine: gauge(METRIC_NAMES.signingEngine, "1 for the RSA engine in use.", ["engine"]),
		/** Each process has its own signing threads, so this gauge is summed over processes. */
		signingQueued: gauge(
			METRIC_NAMES.signingQueued,
			"Documents that wait for a signing thread, summed over processes.",
		),
		archiveLeaves: gauge(METRIC_NAMES.archiveLeaves, "Leaves of the archive's tree: all documents ever archived."),
		checkpointAge: gauge(
			METRIC_NAMES.checkpointAge,
			"Seconds since the archive's newest signed checkpoint; alert above 25 hours.",
		),
		archiveContradictions: counter(
			METRIC_NAMES.archiveContradictions,
			"Checkpoints that were not signed because the archive's tables or its store contradict an earlier signature; alert on any.",
		),
		authorityStatus: gauge(
			METRIC_NAMES.authorityStatus,
			"1 for the current status of each service of the authority, and of all together as `overall`; alert on outage.",
			["environment", "service", "status"],
		),
		authorityClockAhead: gauge(
			METRIC_NAMES.authorityClockAhead,
			"Seconds that the clock of the first process is ahead of the authority's, negative behind it; 0 while unknown; alert at 30 either way.",
		),
		authorityContingency: gauge(
			METRIC_NAMES.authorityContingency,
			"1 while documents are not expected to reach the authority.",
			["environment"],
		),
		verdictContradictions: counter(
			METRIC_NAMES.verdictContradictions,
			"Verdicts of the authority that contradict the recorded one; alert on any.",
		),
		certificatesEnding: gauge(
			METRIC_NAMES.certificatesEnding,
			"Certificates in use by open companies that have ended, or end within 1d, 7d or 30d (each includes the shorter times), without those that will have been replaced by then.",
			["within"],
		),
		share: async (): Promise<MetricsShare> => [...(await registry.getMetricsAsJSON()), ...requests.share()],
		/** What another process adds to the first process's metrics: its counters, and the one gauge that is summed. */
		counted: async (): Promise<MetricsShare> => {
			const own = await registry.getMetricsAsJSON();
			const isCounter = ({ name, type }: (typeof own)[number]) =>
				name.startsWith(METRIC_PREFIX) && String(type) === "counter";
			return [...own.filter((one) => isCounter(one) || one.name === METRIC_NAMES.signingQueued), ...requests.share()];
		},
		contentType: registry.contentType,
	};
}

/**
 * Collects the counts of threads and processes, including those that have ended: Prometheus takes a counter that falls for a restart from
 * zero, and would count all that is left as new. What a source counted after it was last read is lost with it.
 */
export function createKeptShares<Source>(read: (source: Source) => Promise<MetricsShare | undefined>) {
	const last = new Map<Source, MetricsShare>();
	let ended: MetricsShare = [];

	return {
		/** A source whose `read` gives undefined, because it is busy or has just ended, counts with its last share. */
		async collect(sources: ReadonlySet<Source>): Promise<MetricsShare[]> {
			await Promise.all(
				[...sources].map(async (source) => {
					const share = await read(source);
					// A source that ended during the read is part of `ended` already.
					if (share !== undefined && sources.has(source)) last.set(source, share);
				}),
			);
			return [ended, ...last.values()];
		},
		/** Call it when a source has ended. */
		leave(source: Source): void {
			const share = last.get(source);
			last.delete(source);
			if (share !== undefined) ended = addCounts(ended, share);
		},
	};
}
