/** The composition root: starts one process of the service from its configuration, and stops it in reverse order. Read `startService` from top to bottom. */
import { readChangelog } from "../api/changelog";
import { createApp, type HealthSettings, trustProxies } from "../api/server";
import { withTimeout } from "../platform/concurrency";
import { createWriteWatch, doClocksAgree, findApplied, type WriteWatch, watchDatabase } from "../platform/database";
import { failpoint } from "../platform/failpoints";
import { measureQueue } from "../platform/outbox";
import { createLog } from "../platform/telemetry";
import { type Components, openComponents } from "./components";
import { type Config, describeConfig } from "./config/config";
import { type Infrastructure, openInfrastructure } from "./infrastructure";
import { startMetricsListener } from "./listeners/listeners";
import { type Collector, collectMetrics, collectSigning } from "./metrics/collect";
import { listOperations } from "./operations";
import { answerMetricsRequests, type ChildProcesses, startChildProcesses } from "./process/child-processes";
import { isChildProcess } from "./process/process";
import { createShutdownHooks } from "./shutdown";
import { VERSION } from "./version";

export type Service = {
	readonly url: string;
	/** Absent if it does not exist or was revoked. */
	readonly demoKey: string | undefined;
	/** The RSA engine that signs; absent in processes that do not sign. */
	readonly engine: string | undefined;
	/** Resolves when the service cannot go on, because its embedded database server is gone. */
	readonly lost: Promise<Error>;
	readonly stop: () => Promise<void>;
};

export type StartOptions = {
	/** Aborts the start. */
	readonly signal?: AbortSignal;
	/** Path of the program that child processes run; needed if `PROCESSES` is above 1. */
	readonly entry?: string;
};

/** Time in which clients and load balancers learn from `Connection: close` and from readiness to use another process. */
const NOTICE_MS = 400;
const REQUESTS_GRACE_MS = 5_000;
/** Supervisors usually allow ten seconds, and the first process allows its children seven. */
const STOP_MS = isChildProcess() ? 6_500 : 7_500;
/** Less than a health check may take. */
const DATABASE_CHECK_MS = 1_000;
/** A message that has been due for longer has no dispatcher. */
const OVERDUE_MAX_SECONDS = 60;

/** Starts everything that the role needs. If a part fails or `signal` aborts, stops what has started and throws. */
export async function startService(
	config: Config,
	{ signal = new AbortController().signal, entry }: StartOptions = {},
): Promise<Service> {
	const startedAt = performance.now();
	const log = createLog(config.logLevel, "main");
	const shutdownHooks = createShutdownHooks(log);
	let draining = false;
	const isDraining = () => draining;
	try {
		log.info({ event: "service.starting", config: describeConfig(config) }, "starting");

		// Infrastructure: the key-encryption key, the database, the authority's addresses, the port.
		const infrastructure = await openInfrastructure(config, log, shutdownHooks, signal);
		const { sql, clock, metrics, listener, url, databaseUrl } = infrastructure;

		// Components: access, limits, usage, registry; in processes that issue or send also signer, printer, examiners, archive.
		const components = await openComponents(infrastructure, signal);
		const { access, limits, usage, registry, invoicing } = components;

		// Background: dispatch threads, the authority monitor, housekeeping.
		const background = infrastructure.hasOutbox
			? await (await import("./maintenance/background")).startBackground(infrastructure, components, signal)
			: undefined;

		// Look-ups alone write nothing that a caller waits for.
		const writes = invoicing ? createWriteWatch(sql) : undefined;

		// Operations: everything that can be called.
		const operations = listOperations({
			baseUrl: url,
			access,
			registry,
			registryPage: config.registryPage,
			usage: registry ? { sql, clock } : undefined,
			invoicing: infrastructure.hasInvoices
				? await (await import("./invoicing-operations")).openInvoicingOperations(infrastructure, components, isDraining)
				: undefined,
			changelog: readChangelog(),
			health: { version: VERSION, startedAt, isDraining, ...listHealthChecks(infrastructure, components, writes) },
		});

		// Listener: from here on requests are served; until now they were answered with 503.
		const watch = watchDatabase({ url: databaseUrl });
		shutdownHooks.add(watch.stop);
		const app = createApp({
			...{ watch, writes, operations, clock, log, metrics, limits, usage, isDraining, baseUrl: url },
			authenticate: access.authenticate,
			recognise: access.recognise,
			callerAddress: trustProxies(config.trustedProxies),
			isBehindCdn: config.isBehindCdn,
			isInGrace: access.grace.isOn,
		});
		listener.serve(app);

		// Metrics: the first process collects those of its threads and child processes; a child answers the first process.
		let children: ChildProcesses | undefined;
		if (isChildProcess()) {
			answerMetricsRequests(() => {
				collectSigning(metrics, invoicing);
				return metrics.counted();
			});
		}
		if (config.metricsPort !== undefined) {
			const collectors = await loadCollectors(infrastructure, components);
			const collect = async () => {
				await collectMetrics(infrastructure, components, collectors);
				const shares = await Promise.all([metrics.share(), background?.threads?.metrics(), children?.metrics()]);
				const [own, ofThreads = [], ofChildren = []] = shares;
				return [own, ...ofThreads, ...ofChildren];
			};
			shutdownHooks.add(startMetricsListener(config.host, config.metricsPort, collect, metrics.contentType));
		}

		// Child processes: they share the port, the database and the authority of this one.
		if (config.processes > 1 && config.role !== "worker") {
			if (entry === undefined) throw new Error("PROCESSES above 1 needs the program's path");
			const child = { entry, settings: toChildSettings(infrastructure) };
			children = await startChildProcesses(config.processes - 1, child, log, signal);
			shutdownHooks.add(children.stop);
		}

		return {
			url,
			demoKey: await access.findDemoKey(),
			engine: invoicing?.signer?.engine,
			lost: infrastructure.lost,
			// Shutdown: give notice, let requests finish, then run the hooks.
			async stop() {
				draining = true;
				const stopBy = performance.now() + STOP_MS;
				log.info({ event: "service.draining" }, "draining");
				// In parallel with requests. What fails or takes too long is logged by the hooks below.
				for (const part of [background, children]) part?.stop().catch(() => undefined);
				await Bun.sleep(NOTICE_MS);
				// Refuses new connections and lets requests finish.
				void listener.stop("gently");
				const deadline = performance.now() + REQUESTS_GRACE_MS;
				failpoint("draining");
				while (app.inFlight() > 0 && performance.now() < deadline) await Bun.sleep(10);
				await shutdownHooks.run(stopBy - performance.now());
				log.info({ event: "service.stopped" }, "stopped");
			},
		};
	} catch (error) {
		await shutdownHooks.run(STOP_MS);
		throw error;
	}
}

function listHealthChecks(
	{ config, sql, migration, clock }: Infrastructure,
	{ access, registry, invoicing }: Components,
	writes: WriteWatch | undefined,
): Pick<HealthSettings, "checks" | "furtherChecks"> {
	const { signer, archive } = invoicing ?? {};
	const canServeAlone = () =>
		config.role === "registry" && access.grace.isPossible() && registry?.isVerified() === true;
	/** Look-ups alone go on for a while without the database. */
	const orInGrace = (check: () => Promise<boolean | "degraded">) => async () => {
		const result = await withTimeout(
			check().catch(() => false as const),
			DATABASE_CHECK_MS,
			() => false as const,
		);
		return result === false && canServeAlone() ? "degraded" : result;
	};
	return {
		checks: {
			database: orInGrace(async () => (await sql`select 1`).length === 1),
			// The authority refuses a document that is signed on a wrong day, and its number is lost.
			...(signer ? { clocks: () => doClocksAgree(sql, clock) } : {}),
			...(writes ? { writes: writes.canWrite } : {}),
			// A newer version that starts beside this one may have migrated further; this one keeps working.
			migrations: orInGrace(async () => {
				const applied = await findApplied(sql);
				return applied > migration ? "degraded" : applied === migration;
			}),
			...(registry ? { registry: registry.isLoaded } : {}),
			...(signer ? { signer: () => signer.stats().threads > 0 } : {}),
		},
		furtherChecks: {
			...(archive ? { archive: archive.isWritable } : {}),
			// Whether messages are picked up, not how many wait.
			...(archive ? { queue: async () => (await measureQueue(sql)).overdueSeconds < OVERDUE_MAX_SECONDS } : {}),
		},
	};
}

/** Collectors that depend on large parts of the service, loaded before the first scrape. */
async function loadCollectors(infrastructure: Infrastructure, { invoicing }: Components): Promise<Collector[]> {
	const collectors: Collector[] = [];
	if (infrastructure.authorityUrls) {
		collectors.push((await import("./metrics/authority-gauges")).createAuthorityCollector(infrastructure));
	}
	if (invoicing) {
		collectors.push((await import("./metrics/database-gauges")).createDatabaseCollector(infrastructure));
		collectors.push(
			(await import("./metrics/authority-gauges")).createClockCollector(infrastructure, invoicing.clockSkew),
		);
	}
	return collectors;
}

function toChildSettings({ config, kek, listener, url, databaseUrl, authorityUrls }: Infrastructure) {
	const { main, fc, status } = authorityUrls ?? {};
	return {
		ROLE: config.role === "registry" ? ("registry" as const) : ("api" as const),
		PORT: String(listener.port),
		BASE_URL: url,
		DATABASE_URL: databaseUrl,
		// Only the first process migrates, so only it needs the owner's password.
		DATABASE_MIGRATION_URL: "",
		KEK_FILE: kek.file,
		...(main && fc && status ? { AUTHORITY_URL: main, AUTHORITY_FC_URL: fc, AUTHORITY_STATUS_URL: status } : {}),
	};
}
