/** The whole service of one process, put together from its configuration; stops in the reverse order. */
import { join } from "node:path";
import { DEMO_KEY, DEMO_TENANT_ID, openAccess } from "./access";
import { createApprovalExaminer } from "./approvals";
import {
	type Checkpoints,
	openArchive,
	openArchiveEraser,
	openCheckpoints,
	startArchiveSweeps,
	startCheckpoints,
	startExportSweeps,
} from "./archive";
import { AUTHORITY_ENVIRONMENTS } from "./authority";
import { type AuthorityStatus, OVERALL, openAuthorityStatus, STATUSES } from "./authority-status";
import { startAuthorityWatch } from "./authority-watch";
import { hasPassedTestSet } from "./certification";
import { readChangelog } from "./changelog";
import { ensureDemoCompany } from "./companies";
import { type Config, describeConfig } from "./config";
import { connect, holdDataDir, prepareDatabase, startEmbeddedPostgres, watchDatabase } from "./database";
import { startDispatchThreads } from "./dispatch-threads";
import { createPrinter } from "./documents";
import { resolveAt } from "./egress";
import { startHousekeeping } from "./housekeeping";
import { allOperations, createApp, trustProxies } from "./http";
import { startHttpProcesses } from "./http-processes";
import { measureLoad } from "./invoices";
import { keepExportLinkKey, keepPeerKey, keepTombstonePepper } from "./key-encryption";
import { openLimits } from "./limits";
import { startMetricsListener } from "./metrics-listener";
import { createWake, measureQueue } from "./outbox";
import { takePort } from "./public-listener";
import { createExaminer } from "./reception";
import { openRegistry, type RegistryStatus } from "./registry";
import { startWipes } from "./sandbox";
import { startSandboxAuthority } from "./sandbox-authority";
import { createEnvelope, readKek, readOrMakeKek } from "./secrets";
import { openSigner } from "./signing";
import { createLog, createMetrics, faultPoint, type Log, type Metrics } from "./telemetry";
import { openUsage } from "./usage";
import { isSandbox, systemClock } from "./values";
import { findCommit, VERSION } from "./version";

export type Service = {
	readonly url: string;
	/** The demo key, where it exists. */
	readonly demoKey: string | undefined;
	/** The RSA engine that signs, where this process signs. */
	readonly engine: string | undefined;
	readonly stop: () => Promise<void>;
};

const API_CONNECTIONS = 20;
const DIRECTORY_CONNECTIONS = 2;
/** Deliveries wait for somebody's answer and do nothing meanwhile: thousands of receivers may be silent at once. */
const DISPATCH_SLOTS = 2_048;
/** The simulator takes as long as the authority does on average. */
const SIMULATOR_DELAY_MS = 200;
/** Longer than it takes until every process refuses credentials that have ended, and than requests take. */
const WIPE_PAUSE_MS = 5_000;
/** Time in which peers learn from `Connection: close` and from readiness that they should go elsewhere. */
const NOTICE_MS = 400;
/** A message that has been due for so long has no dispatcher. */
const OVERDUE_MAX_SECONDS = 60;
const REQUESTS_GRACE_MS = 5_000;
const MESSAGES_GRACE_MS = 2_500;

/**
 * Starts everything that the role needs; when a part fails, what had started is stopped and the error is thrown. `isUnwanted`
 * is asked between the parts: once it answers true, the start is given up in the same way.
 */
export async function startService(config: Config, isUnwanted: () => boolean = () => false): Promise<Service> {
	const log = createLog(config.logLevel, "main");
	const closers: (() => Promise<void> | void)[] = [];
	const closeAll = async () => {
		for (const close of closers.splice(0).reverse()) {
			try {
				await close();
			} catch (error) {
				log.error({ err: error }, "a part could not be stopped");
			}
		}
	};
	try {
		return await assemble(config, log, closers, closeAll, isUnwanted);
	} catch (error) {
		await closeAll();
		throw error;
	}
}

async function assemble(
	config: Config,
	log: Log,
	closers: (() => Promise<void> | void)[],
	closeAll: () => Promise<void>,
	isUnwanted: () => boolean,
): Promise<Service> {
	log.info({ config: describeConfig(config) }, "starting");
	const startedAt = performance.now();
	const { environment, role } = config;
	const hasInvoices = role === "all" || role === "api";
	const hasOutbox = role === "all" || role === "worker";
	let draining = false;
	const refuseUnwanted = () => {
		if (isUnwanted()) throw new Error("the start was given up");
	};

	if (config.databaseUrl === undefined) closers.push(holdDataDir(config.dataDir));
	// Before anything is made: a wrong key must not leave a database behind.
	const kekFile = config.kekFile ?? join(config.dataDir, "kek");
	const firstKek = config.kekFile === undefined ? readOrMakeKek(kekFile) : readKek(kekFile);
	const kek = { file: kekFile };
	const {
		url: databaseUrl,
		migration,
		remarks,
	} = await prepareDatabase({
		...(await findDatabase(config, closers)),
		isStrict: config.databaseRights === "strict",
	});
	for (const remark of remarks) log[environment === "production" ? "warn" : "info"](remark);
	const sql = connect({ url: databaseUrl, name: "sello api", connectionsMax: API_CONNECTIONS });
	closers.push(() => sql.end({ timeout: 2 }));

	refuseUnwanted();
	const envelope = createEnvelope(kek);
	const metrics = createMetrics({ process: true });
	const clock = systemClock;

	let authorityUrls = config.authorityUrls;
	let { authorityStatusKey } = config;
	if (authorityUrls === undefined && role !== "registry") {
		const simulator = await startSandboxAuthority(config.dataDir, SIMULATOR_DELAY_MS);
		closers.push(simulator.stop);
		authorityUrls = { main: simulator.url, fc: simulator.url, status: simulator.url };
		// The simulator takes any.
		authorityStatusKey ??= "sandbox";
	}

	// The port is taken before anything that prints addresses is made; until the end it answers 503.
	const { server, url } = takePort(config);
	closers.push(() => server.stop(true));

	refuseUnwanted();
	const directorySql = connect({ url: databaseUrl, name: "sello callers", connectionsMax: DIRECTORY_CONNECTIONS });
	closers.push(() => directorySql.end({ timeout: 2 }));
	const access = await openAccess({ sql, directorySql, envelope, environment, baseUrl: url, clock, log });
	closers.push(access.close);
	const limits = openLimits({ sql, log });
	closers.push(limits.close);
	const usage = openUsage({ sql, clock, log });
	closers.push(usage.close);
	const registry =
		role === "worker"
			? undefined
			: await openRegistry({
					sql,
					source: config.registrySource,
					directory: join(config.dataDir, "registry"),
					schedule: config.registrySchedule,
					pepper: await keepTombstonePepper({ sql, envelope }, firstKek),
					clock,
					log,
					signReceipt: access.signReceipt,
				});
	if (registry) closers.push(registry.close);

	refuseUnwanted();
	const signer = hasInvoices
		? await openSigner({
				threads: config.signThreads,
				queueMax: config.signQueueMax,
				deadlineMs: config.signTimeoutSeconds * 1_000,
				kek,
				engine: config.signEngine,
				log,
			})
		: undefined;
	if (signer) metrics.signingEngine.set({ engine: signer.engine }, 1);
	if (signer) closers.push(signer.close);
	if (signer && isSandbox(environment)) {
		await ensureDemoCompany(
			{ sql, signer, environment, clock },
			DEMO_TENANT_ID,
			environment === "sandbox" ? "free" : "demo",
		);
	}

	const approvalExaminer = createApprovalExaminer({ trustedCaFile: config.trustedCaFile, log });
	closers.push(approvalExaminer.close);
	const printer = createPrinter({ log });
	closers.push(printer.close);
	const examiner = createExaminer({ trustedCaFile: config.trustedCaFile, log });
	closers.push(examiner.close);

	refuseUnwanted();
	const archive = hasInvoices || hasOutbox ? await openArchive(config.archiveUrl, log) : undefined;
	const checkpoints = archive && openCheckpoints({ sql, archive, envelope, environment, clock, log, metrics });
	const threads =
		hasOutbox && authorityUrls
			? await startDispatchThreads(
					config.submitThreads,
					{
						databaseUrl,
						kek,
						environment,
						baseUrl: url,
						mail: {
							smtpUrl: config.smtpUrl,
							directory: join(config.dataDir, "mail"),
							from: config.mailFrom ?? senderAt(new URL(url).hostname),
						},
						wantsMailNotices: config.mailHookSecret !== undefined,
						authorityUrls,
						archiveUrl: config.archiveUrl,
						exportsDir: config.exportsDir,
						trustedCaFile: config.trustedCaFile,
						webhookAllow: [...config.webhookAllow],
						webhookResolver: config.webhookResolver,
						webhookTimeScale: config.webhookTimeScale,
						webhookRetriesMax: config.webhookRetriesMax,
						internalSlaSeconds: config.internalSlaSeconds,
						leaseSeconds: config.leaseSeconds,
						slots: DISPATCH_SLOTS,
						signEngine: config.signEngine,
						logLevel: config.logLevel,
					},
					log,
				)
			: undefined;
	if (threads) closers.push(() => threads.stop(MESSAGES_GRACE_MS));
	const authorityStatus = openAuthorityStatus({ sql });
	if (hasOutbox && authorityUrls) {
		const { authorityProbeSeconds: probeSeconds } = config;
		const watch = { sql, environment, authorityUrls, statusKey: authorityStatusKey, probeSeconds, clock, log };
		closers.push(startAuthorityWatch({ ...watch, wake: createWake(sql) }));
	}
	if (hasOutbox) closers.push(startHousekeeping({ sql, access, clock, log }));
	if (hasOutbox && checkpoints) closers.push(startCheckpoints({ checkpoints, log }));
	if (hasOutbox) closers.push(startExportSweeps({ sql, folder: config.exportsDir, clock, log }));
	if (hasOutbox && config.archiveSweep) {
		closers.push(startArchiveSweeps({ sql, archive: openArchiveEraser(config.archiveUrl), clock, log }));
	}
	if (hasOutbox && environment === "public-sandbox") {
		closers.push(
			startWipes({
				sql,
				archive: openArchiveEraser(config.archiveUrl),
				closeTenant: (tenantId, now) => sql.begin((tx) => access.retireClients(tx, tenantId, now)),
				demoTenantId: DEMO_TENANT_ID,
				pauseMs: WIPE_PAUSE_MS,
				clock,
				log,
			}),
		);
	}

	const egress = { environment, allow: config.webhookAllow };
	const operations = allOperations({
		baseUrl: url,
		access,
		registry,
		usage: registry ? { sql, clock } : undefined,
		invoicing:
			signer && registry && authorityUrls && archive && checkpoints
				? {
						sql,
						access,
						registry,
						signer,
						printer,
						examineApproval: approvalExaminer.examine,
						examiner,
						peerKey: await keepPeerKey({ sql, envelope }, firstKek),
						peerAuthentication: config.receiverAuthentication,
						envelope,
						egress,
						policy: egress,
						...(config.webhookResolver === undefined ? {} : { limits: { resolve: resolveAt(config.webhookResolver) } }),
						environment,
						clock,
						authorityUrls,
						authorityStatus,
						measureTenantLoad: (tenantId) => measureLoad(sql, tenantId, clock.now()),
						archive,
						checkpoints,
						wake: createWake(sql),
						exportsFolder: config.exportsDir,
						exportLinkKey: await keepExportLinkKey({ sql, envelope }, firstKek),
						hasPassedTestSet: (tenantId) => hasPassedTestSet(sql, tenantId, environment),
						isDraining: () => draining,
						mailHookSecret: config.mailHookSecret,
						provider: { ...config.provider, commit: config.provider.commit ?? findCommit() },
						log,
					}
				: undefined,
		changelog: readChangelog(),
		health: {
			version: VERSION,
			startedAt,
			isDraining: () => draining,
			checks: {
				database: async () => (await sql`select 1`).length === 1,
				migrations: async () => {
					const [row] = await sql<{ at: number }[]>`select max(number)::int as at from schema_migrations`;
					return row?.at === migration;
				},
				...(registry ? { registry: registry.isLoaded } : {}),
				...(signer ? { signer: () => signer.stats().threads > 0 } : {}),
			},
			furtherChecks: {
				...(archive ? { archive: archive.isWritable } : {}),
				// Not how much waits, but whether somebody takes it.
				...(archive ? { queue: async () => (await measureQueue(sql)).overdueSeconds < OVERDUE_MAX_SECONDS } : {}),
			},
		},
	});
	const watch = watchDatabase({ url: databaseUrl });
	closers.push(watch.stop);
	const app = createApp({
		watch,
		operations,
		authenticate: access.authenticate,
		recognise: access.recognise,
		baseUrl: url,
		clock,
		callerAddress: trustProxies(config.trustedProxies),
		log,
		metrics,
		limits,
		usage,
		isDraining: () => draining,
	});
	server.reload({ fetch: app.fetch, routes: app.routes });

	if (config.metricsPort !== undefined) {
		const share = async () => {
			if (registry) tellRegistry(metrics, registry.status());
			if (checkpoints) await tellArchive(metrics, checkpoints, log);
			if (authorityUrls) await tellAuthority(metrics, authorityStatus, log);
			return [await metrics.share(), ...((await threads?.metrics()) ?? [])];
		};
		closers.push(startMetricsListener(config.host, config.metricsPort, share, metrics.contentType));
	}

	if (config.processes > 1 && role !== "worker") {
		const processes = await startHttpProcesses(
			config.processes - 1,
			{
				ROLE: role === "registry" ? "registry" : "api",
				PORT: String(server.port),
				BASE_URL: url,
				DATABASE_URL: databaseUrl,
				// Its owner's password is for this process alone.
				DATABASE_MIGRATION_URL: "",
				KEK_FILE: kekFile,
				...(authorityUrls
					? {
							AUTHORITY_URL: authorityUrls.main,
							AUTHORITY_FC_URL: authorityUrls.fc,
							AUTHORITY_STATUS_URL: authorityUrls.status,
						}
					: {}),
			},
			log,
		);
		closers.push(processes.stop);
	}

	return {
		url,
		demoKey: isSandbox(environment) ? DEMO_KEY : undefined,
		engine: signer?.engine,
		async stop() {
			draining = true;
			log.info("draining");
			await Bun.sleep(NOTICE_MS);
			// Refuses new connections and lets requests finish; idle connections are cut when the last answer is out.
			void server.stop(false);
			const deadline = performance.now() + REQUESTS_GRACE_MS;
			faultPoint("draining");
			while (app.inFlight() > 0 && performance.now() < deadline) await Bun.sleep(10);
			await closeAll();
			log.info("stopped");
		},
	};
}

/** The database of the configuration, or the embedded one, which is started. */
async function findDatabase(config: Config, closers: (() => Promise<void> | void)[]) {
	if (config.databaseUrl !== undefined) return { url: config.databaseUrl, migrationUrl: config.databaseMigrationUrl };
	const postgres = await startEmbeddedPostgres(config.dataDir);
	closers.push(postgres.stop);
	return { url: postgres.serviceUrl, migrationUrl: postgres.url };
}

/** A bare network address is no domain for mail. */
function senderAt(host: string): string {
	return `no-reply@${/[A-Za-z]$/.test(host) ? host : "localhost"}`;
}

/** Read when somebody asks: the status ages by itself. */
function tellRegistry(metrics: Metrics, status: RegistryStatus): void {
	if (status.age_seconds !== null) metrics.registryAge.set(status.age_seconds);
	metrics.registryEntries.set(status.record_count);
	for (const result of ["ok", "unchanged", "refused", "failed"]) {
		metrics.registryLastIngest.set({ result }, status.last_attempt?.result === result ? 1 : 0);
	}
}

/** A database that is away must not take the other metrics along: these keep what they told last. */
async function tellArchive(metrics: Metrics, checkpoints: Checkpoints, log: Log): Promise<void> {
	try {
		const { leaves, ageSeconds } = await checkpoints.status();
		metrics.archiveLeaves.set(leaves);
		if (ageSeconds !== null) metrics.checkpointAge.set(ageSeconds);
	} catch (error) {
		log.warn({ err: error }, "the archive's metrics could not be read");
	}
}

/** Environments that nobody watches are left out. */
async function tellAuthority(metrics: Metrics, authorityStatus: AuthorityStatus, log: Log): Promise<void> {
	try {
		for (const environment of AUTHORITY_ENVIRONMENTS) {
			const { status, services, contingency, updatedAt } = await authorityStatus.read(environment);
			if (updatedAt === null) continue;
			for (const one of [{ name: OVERALL, status }, ...services]) {
				for (const word of STATUSES) {
					const labels = { environment, service: one.name, status: word };
					metrics.authorityStatus.set(labels, word === one.status ? 1 : 0);
				}
			}
			metrics.authorityContingency.set({ environment }, contingency ? 1 : 0);
		}
	} catch (error) {
		log.warn({ err: error }, "the authority's metrics could not be read");
	}
}
