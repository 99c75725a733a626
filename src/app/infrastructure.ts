/** What every other part needs: the key-encryption key, the database, the authority's addresses and the public port. */
import { join } from "node:path";
import {
	checkEnvironment,
	checkReplicated,
	claimEnvironment,
	connect,
	lockDataDir,
	prepareDatabase,
	type ReplicationWatch,
	type Sql,
	startEmbeddedPostgres,
	watchHungSessions,
	watchReplication,
} from "../platform/database";
import { joinDeployment, type Membership } from "../platform/fleet";
import { listFencedSessions, nameNode } from "../platform/lanes";
import { createEnvelope, type Envelope, readKek, readOrMakeKek } from "../platform/secrets";
import { createMetrics, type Log, type Metrics } from "../platform/telemetry";
import { type Clock, type Environment, systemClock } from "../platform/values";
import type { SandboxAuthority } from "../sandbox/simulator";
import { API_CONNECTIONS, type Config, countConnections, warnOfFewConnections } from "./config/config";
import { listSharedSettings } from "./config/shared-settings";
import { openPublicListener, type PublicListener } from "./listeners/listeners";
import { isChildProcess } from "./process/process";
import type { ShutdownHooks } from "./shutdown";

export type Infrastructure = {
	readonly config: Config;
	readonly log: Log;
	readonly shutdownHooks: ShutdownHooks;
	readonly metrics: Metrics;
	readonly clock: Clock;
	readonly environment: Environment;
	readonly hasInvoices: boolean;
	/** Whether this process works off the outbox. */
	readonly hasOutbox: boolean;
	readonly kek: { readonly file: string };
	/** The key as it was at start, for keys that are derived from it once. */
	readonly initialKek: Uint8Array;
	readonly envelope: Envelope;
	readonly databaseUrl: string;
	readonly migration: number;
	readonly isCitus: boolean;
	/** Whether a batch holds documents of one shard alone. */
	readonly isByShard: boolean;
	readonly sql: Sql;
	/** One connection that listens for the whole process; absent behind a pooler. */
	readonly listenSql: Sql | undefined;
	/** Present with `DURABILITY=replicated`, in processes that issue or send. */
	readonly replication: ReplicationWatch | undefined;
	/** Of the processes on this database, which agree on their settings. */
	readonly membership: Membership;
	/** Resolves when the process cannot go on, because its embedded database server is gone. */
	readonly lost: Promise<Error>;
	/** Absent if the process needs no authority. */
	readonly authorityUrls: Config["authorityUrls"];
	readonly authorityStatusKey: Config["authorityStatusKey"];
	/** Absent unless the authority is this process's simulator. */
	readonly releaseIssuer?: SandboxAuthority["releaseIssuer"];
	readonly listener: PublicListener;
	/** Base of the service's addresses, without a trailing slash. */
	readonly url: string;
};

/** Connections to the embedded server beyond our own: for operator commands and monitoring. */
const OTHER_CONNECTIONS = 40;
/** Transactions that wait for something outside the database opt out (`mayWaitOutside`). */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** The authority's average response time. */
const SIMULATOR_DELAY_MS = 200;
/** The public sandbox deletes documents after a day, at the next hour, or an hour later if work on them is under way. */
const PUBLIC_SANDBOX_KEPT_MS = 26 * 3_600_000;

/** Opens it in order. Throws when a part is not usable, or when `signal` aborts. */
export async function openInfrastructure(
	config: Config,
	log: Log,
	shutdownHooks: ShutdownHooks,
	signal: AbortSignal,
): Promise<Infrastructure> {
	const { environment, role } = config;
	const hasInvoices = role === "all" || role === "api";
	const hasOutbox = role === "all" || role === "worker";
	if (config.databaseUrl === undefined) shutdownHooks.add(lockDataDir(config.dataDir));

	// Before the database is created: a wrong key must not leave a database behind.
	const kekFile = config.kekFile ?? join(config.dataDir, "kek");
	const initialKek = config.kekFile === undefined ? readOrMakeKek(kekFile) : readKek(kekFile);

	const { lost, ...addresses } = await findDatabase(config, log, shutdownHooks, signal);
	const prepared = await prepareDatabase(
		{
			...{ ...addresses, isStrict: config.databaseRights === "strict", engine: config.databaseEngine },
			report: (details, sentence) => log.warn({ event: "database.migration_waiting", ...details }, sentence),
		},
		signal,
	);
	if (!isChildProcess()) {
		const warnings = [...prepared.remarks, ...warnOfFewConnections(config, prepared.connections)];
		const level = environment === "production" ? "warn" : "info";
		for (const warning of warnings) log[level]({ event: "database.settings_noted" }, warning);
		for (const warning of config.trialDefaults) log.warn({ event: "config.trial_default" }, warning);
	}
	const databaseUrl = prepared.url;
	const isCitus = prepared.engine === "citus";
	const isByShard = config.lanes === "shard" || (config.lanes === "auto" && isCitus);
	const { isDatabasePooled: isPooled } = config;
	const sql = connect({
		url: databaseUrl,
		isPooled,
		name: "sello api",
		connectionsMax: API_CONNECTIONS,
		idleInTransactionTimeoutMs: IDLE_IN_TRANSACTION_MS,
	});
	shutdownHooks.add(() => sql.end({ timeout: 2 }));
	const listenSql = isPooled ? undefined : connect({ url: databaseUrl, name: "sello listen", connectionsMax: 1 });
	shutdownHooks.add(async () => listenSql?.end({ timeout: 2 }));
	// Look-ups alone create no documents, but a sandbox creates its demo key.
	if (hasInvoices || hasOutbox) await claimEnvironment(sql, environment);
	else await checkEnvironment(sql, environment);
	const membership = await joinDeployment({
		...{ sql, log, role, node: nameNode(), isAlone: config.databaseUrl === undefined },
		restores: (hasInvoices || hasOutbox) && config.databaseUrl !== undefined,
		// Gap: with `DURABILITY=replicated` a server takes over that has all that was acknowledged, unless an operator promotes another one.
		mustReport: hasInvoices && config.databaseUrl !== undefined && config.durability === "single",
		// A child process has addresses of its parent in place of its own settings.
		readSettings: isChildProcess() ? undefined : () => listSharedSettings(config, kekFile),
	});
	shutdownHooks.add(membership.leave);
	const needsStandby = config.durability === "replicated" && (hasInvoices || hasOutbox);
	// A child process that is replaced during a loss must not be refused.
	if (needsStandby && !isChildProcess()) await checkReplicated(sql);
	shutdownHooks.add(watchHungSessions({ url: databaseUrl, isPooled, log, findFenced: listFencedSessions }));

	signal.throwIfAborted();
	const kek = { file: kekFile };
	const envelope = createEnvelope(kek);
	const metrics = createMetrics({ process: true });
	const replication = needsStandby ? watchReplication({ sql, log, metrics }) : undefined;
	shutdownHooks.add(async () => replication?.close());
	const authority = await findAuthority(config, shutdownHooks);

	// Before anything that prints the service's address.
	const listener = openPublicListener(config);
	shutdownHooks.add(() => listener.stop("at-once"));
	return {
		...{ config, log, shutdownHooks, metrics, clock: systemClock, environment, hasInvoices, hasOutbox },
		...{ kek, initialKek, envelope, databaseUrl, migration: prepared.migration, sql, listenSql, lost, membership },
		...{ isCitus, isByShard, replication },
		...{ ...authority, listener, url: listener.url },
	};
}

/** The configured database, or the embedded one, which is started. */
async function findDatabase(config: Config, log: Log, shutdownHooks: ShutdownHooks, signal: AbortSignal) {
	if (config.databaseUrl !== undefined) {
		// An external server comes back by itself.
		const lost = new Promise<never>(() => undefined);
		const { databaseUrl: url, databaseDirectUrl: directUrl, databaseMigrationUrl: migrationUrl } = config;
		return { url, directUrl, migrationUrl, lost };
	}
	const postgres = await startEmbeddedPostgres(config.dataDir, {
		connections: countConnections(config) + OTHER_CONNECTIONS,
		report: (sentence) => log.warn({ event: "embedded-database.noted" }, sentence),
		signal,
	});
	// It writes a checkpoint; a server that is cut off has to recover at the next start.
	shutdownHooks.add({ close: postgres.stop, atLeastMs: 1_000 });
	return { url: postgres.serviceUrl, migrationUrl: postgres.url, lost: postgres.lost };
}

/** The configured authority, or the simulator, which is started. */
async function findAuthority(
	config: Config,
	shutdownHooks: ShutdownHooks,
): Promise<Pick<Infrastructure, "authorityUrls" | "authorityStatusKey" | "releaseIssuer">> {
	const { authorityUrls, authorityStatusKey, role } = config;
	if (authorityUrls !== undefined || role === "registry") return { authorityUrls, authorityStatusKey };
	const keptMs = config.environment === "public-sandbox" ? PUBLIC_SANDBOX_KEPT_MS : undefined;
	const { startSandboxAuthority } = await import("../sandbox/simulator");
	const simulator = await startSandboxAuthority(config.dataDir, SIMULATOR_DELAY_MS, false, keptMs);
	shutdownHooks.add(simulator.stop);
	return {
		authorityUrls: { main: simulator.url, fc: simulator.url, status: simulator.url },
		releaseIssuer: simulator.releaseIssuer,
		// The simulator accepts any key.
		authorityStatusKey: authorityStatusKey ?? "sandbox",
	};
}
