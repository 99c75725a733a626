/** What every part of a process stands on: the key-encryption key, the database, the authority's addresses, the port. */
import { join } from "node:path";
import {
	checkEnvironment,
	claimEnvironment,
	connect,
	holdDataDir,
	prepareDatabase,
	type Sql,
	startEmbeddedPostgres,
	watchHungSessions,
} from "../platform/database";
import { createEnvelope, type Envelope, readKek, readOrMakeKek } from "../platform/secrets";
import { createMetrics, type Log, type Metrics } from "../platform/telemetry";
import { type Clock, type Environment, systemClock } from "../platform/values";
import { type SandboxAuthority, startSandboxAuthority } from "../sandbox/simulator";
import type { Config } from "./config/config";
import { API_CONNECTIONS, countConnections, tellConnections } from "./config/connection-budget";
import { listTrialDefaults } from "./config/warn-trial-defaults";
import { type PublicListener, takePort } from "./listeners/public-listener";
import { isFurtherProcess } from "./process/parent-process";
import type { Closers } from "./shutdown";

export type Ground = {
	readonly listener: PublicListener;
	/** The base of addresses, without a slash at the end. */
	readonly url: string;
	readonly config: Config;
	readonly log: Log;
	readonly closers: Closers;
	readonly metrics: Metrics;
	readonly clock: Clock;
	readonly environment: Environment;
	readonly hasInvoices: boolean;
	readonly hasOutbox: boolean;
	readonly kek: { readonly file: string };
	/** The key as it was at the start, for what is made under it once. */
	readonly firstKek: ReturnType<typeof readKek>;
	readonly envelope: Envelope;
	readonly databaseUrl: string;
	/** The newest migration. */
	readonly migration: number;
	readonly sql: Sql;
	/** What this process cannot go on after; stays open otherwise. */
	readonly lost: Promise<Error>;
	/** Absent where no authority is needed. */
	readonly authorityUrls: Config["authorityUrls"];
	readonly authorityStatusKey: Config["authorityStatusKey"];
	/** Absent where the authority is no simulator of this process. */
	readonly releaseIssuer?: SandboxAuthority["releaseIssuer"];
};

/** What operators' commands and whoever looks on may have of the embedded server besides. */
const OTHERS_CONNECTIONS = 40;
/** Those that wait for something besides the database say so (`mayWaitOutside`). */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** The simulator takes as long as the authority does on average. */
const SIMULATOR_DELAY_MS = 200;
/** In the public sandbox documents go after a day, at the next hour, or at the one after where something is under way. */
const PUBLIC_KEPT_MS = 26 * 3_600_000;

export async function openGround(config: Config, log: Log, closers: Closers, unwanted: AbortSignal): Promise<Ground> {
	const { environment, role } = config;
	if (config.databaseUrl === undefined) closers.add(holdDataDir(config.dataDir));
	// Before anything is made: a wrong key must not leave a database behind.
	const kekFile = config.kekFile ?? join(config.dataDir, "kek");
	const firstKek = config.kekFile === undefined ? readOrMakeKek(kekFile) : readKek(kekFile);
	const kek = { file: kekFile };
	const { lost, ...addresses } = await findDatabase(config, log, closers, unwanted);
	const {
		url: databaseUrl,
		migration,
		connections,
		remarks,
	} = await prepareDatabase(
		{
			...{ ...addresses, isStrict: config.databaseRights === "strict" },
			tell: (details, sentence) => log.warn(details, sentence),
		},
		unwanted,
	);
	// The first process has told it for the further ones.
	if (!isFurtherProcess()) {
		for (const remark of [...remarks, ...tellConnections(config, connections)])
			log[environment === "production" ? "warn" : "info"](remark);
		for (const sentence of listTrialDefaults(config)) log.warn(sentence);
	}
	const sql = connect({
		url: databaseUrl,
		name: "sello api",
		connectionsMax: API_CONNECTIONS,
		idleInTransactionTimeoutMs: IDLE_IN_TRANSACTION_MS,
	});
	closers.add(() => sql.end({ timeout: 2 }));
	const hasInvoices = role === "all" || role === "api";
	const hasOutbox = role === "all" || role === "worker";
	// Looking numbers up makes nobody's documents, but a sandbox leaves its demo key behind.
	if (hasInvoices || hasOutbox) await claimEnvironment(sql, environment);
	else await checkEnvironment(sql, environment);
	closers.add(watchHungSessions({ url: databaseUrl, log }));

	unwanted.throwIfAborted();
	const envelope = createEnvelope(kek);
	const metrics = createMetrics({ process: true });
	const authority = await findAuthority(config, closers);

	// The port is taken before anything that prints addresses is made.
	const listener = takePort(config);
	closers.add(() => listener.stop("at-once"));
	return {
		...{ config, log, closers, metrics, clock: systemClock, environment, kek, firstKek, envelope },
		...{ databaseUrl, migration, sql, lost, ...authority, listener, url: listener.url },
		...{ hasInvoices, hasOutbox },
	};
}

/** The database of the configuration, or the embedded one, which is started. */
async function findDatabase(config: Config, log: Log, closers: Closers, unwanted: AbortSignal) {
	if (config.databaseUrl !== undefined) {
		// A server that is another's comes back by itself.
		const lost = new Promise<never>(() => undefined);
		return { url: config.databaseUrl, migrationUrl: config.databaseMigrationUrl, lost };
	}
	const postgres = await startEmbeddedPostgres(config.dataDir, {
		connections: countConnections(config) + OTHERS_CONNECTIONS,
		tell: (sentence) => log.warn(sentence),
		unwanted,
	});
	// It has to write what it remembers; one that is cut off then has to read its log again at the next start.
	closers.add({ close: postgres.stop, atLeastMs: 1_000 });
	return { url: postgres.serviceUrl, migrationUrl: postgres.url, lost: postgres.lost };
}

/** The authority of the configuration, or the simulator, which is started. */
async function findAuthority(
	config: Config,
	closers: Closers,
): Promise<Pick<Ground, "authorityUrls" | "authorityStatusKey" | "releaseIssuer">> {
	const { authorityUrls, authorityStatusKey, role } = config;
	if (authorityUrls !== undefined || role === "registry") return { authorityUrls, authorityStatusKey };
	const keptMs = config.environment === "public-sandbox" ? PUBLIC_KEPT_MS : undefined;
	const simulator = await startSandboxAuthority(config.dataDir, SIMULATOR_DELAY_MS, false, keptMs);
	closers.add(simulator.stop);
	return {
		authorityUrls: { main: simulator.url, fc: simulator.url, status: simulator.url },
		releaseIssuer: simulator.releaseIssuer,
		// The simulator takes any.
		authorityStatusKey: authorityStatusKey ?? "sandbox",
	};
}
