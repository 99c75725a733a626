/** A node with a database, which serves companies, the registry or both, or works off the outbox. */
import { readChangelog } from "../api/changelog";
import { createReadHealth, type HealthSettings } from "../api/server";
import { createBundle } from "../console";
import { usageOperations } from "../identity/usage";
import { withTimeout } from "../platform/concurrency";
import { createWriteWatch, doClocksAgree, findApplied, type WriteWatch, watchDatabase } from "../platform/database";
import { measureQueue } from "../platform/outbox";
import type { Log } from "../platform/telemetry";
import { type Components, openComponents } from "./components";
import type { Config } from "./config/config";
import { type Infrastructure, openInfrastructure } from "./infrastructure";
import { type Collector, collectMetrics, collectSigning } from "./metrics/collect";
import type { Node, NodeContext } from "./node";
import { listOperations } from "./operations";
import { findCommit, VERSION } from "./version";

/** Less than a health check may take. */
const DATABASE_CHECK_MS = 1_000;
/** A message that has been due for longer has no dispatcher. */
const OVERDUE_MAX_SECONDS = 60;

export async function openFullNode(config: Config, log: Log, context: NodeContext): Promise<Node> {
	const { shutdownHooks, signal, isDraining, isUnready, startedAt, isProgram } = context;
	// Infrastructure: the key-encryption key, the database, the authority's addresses, the port.
	const infrastructure = await openInfrastructure(config, log, shutdownHooks, signal);
	const { sql, clock, metrics, listener, url, databaseUrl } = infrastructure;

	// Components: access, limits, usage, registry; in processes that issue or send also signer, printer, examiners, archive.
	const components = await openComponents(infrastructure, signal);
	const { access, limits, usage, registry, invoicing, sessions } = components;

	// Background: dispatch threads, the authority monitor, housekeeping.
	const background = infrastructure.hasOutbox
		? await (await import("./maintenance/background")).startBackground(infrastructure, components, signal)
		: undefined;

	// Look-ups alone write nothing that a caller waits for.
	const writes = invoicing ? createWriteWatch(sql) : undefined;

	// Console: built beside the start of a program, elsewhere at its first request.
	const bundle = createBundle({ dataDir: config.dataDir, log });
	if (isProgram && sessions) bundle();

	const health: HealthSettings = {
		version: VERSION,
		commit: config.provider.commit ?? findCommit(),
		startedAt,
		isDraining: isUnready,
		...listHealthChecks(infrastructure, components, writes),
	};

	// Operations: everything that can be called.
	const operations = listOperations({
		baseUrl: url,
		access,
		registry,
		registryPage: config.registryPage,
		environment: config.environment,
		docsLanguage: config.docsLanguage,
		mcp: config.mcp,
		console: sessions
			? { consoleUrl: sessions.consoleUrl, bundle, findPortalOrigins: sessions.findPortalOrigins }
			: undefined,
		sessions: sessions?.operations ?? [],
		portal: sessions?.portalOperations ?? [],
		usage: registry ? usageOperations({ sql, clock }) : [],
		invoicing: infrastructure.hasInvoices
			? await (await import("./invoicing-operations")).openInvoicingOperations(infrastructure, components, {
					isDraining,
					readHealth: createReadHealth(health),
				})
			: undefined,
		changelog: readChangelog(),
		health,
	});

	const watch = watchDatabase({ url: databaseUrl, isPooled: config.isDatabasePooled });
	shutdownHooks.add(watch.stop);
	const collectors = config.metricsPort === undefined ? [] : await loadCollectors(infrastructure, components);
	return {
		...{ listener, clock, metrics, operations, background },
		server: {
			...{ watch, writes, limits, usage },
			authenticate: sessions?.authenticate ?? access.authenticate,
			recognise: access.recognise,
			isInGrace: access.grace.isOn,
		},
		collectSigning: () => collectSigning(metrics, invoicing),
		collect: async () => {
			await collectMetrics(infrastructure, components, collectors);
			return (await background?.threads?.metrics()) ?? [];
		},
		childSettings: toChildSettings(infrastructure),
		demoKey: await access.findDemoKey(),
		makeConsoleLink: config.environment === "sandbox" ? sessions?.makeLocalLink : undefined,
		engine: invoicing?.signer?.engine,
		lost: infrastructure.lost,
	};
}

function listHealthChecks(
	{ config, sql, migration, clock, membership }: Infrastructure,
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
			...(signer ? { acknowledgements: membership.isRestored } : {}),
			settings: () => membership.agrees() || "degraded",
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
		collectors.push(
			(await import("./metrics/database-gauges")).createDatabaseCollector({
				...infrastructure,
				paperDays: infrastructure.config.paperDays,
			}),
		);
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
		// Its own output is a pipe.
		LOG_FORMAT: config.logFormat,
		...(main && fc && status ? { AUTHORITY_URL: main, AUTHORITY_FC_URL: fc, AUTHORITY_STATUS_URL: status } : {}),
	};
}
