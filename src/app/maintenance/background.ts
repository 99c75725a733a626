/** Work that no request waits for: dispatch threads, the authority monitor, housekeeping, checkpoints and sweeps. */
import { join } from "node:path";
import {
	createArchiveEraser,
	openSharedFiles,
	startArchiveSweeps,
	startCheckpoints,
	startExportSweeps,
} from "../../archive";
import { createProbe, createStatusHost } from "../../authority/client";
import { ownAuthorityOf, startCallCounter, startStatusWatch } from "../../authority/status";
import { changeStatus } from "../../companies";
import { findReceivedParts } from "../../exchange/reception";
import { operatorActor } from "../../identity/audit-log";
import { DEMO_TENANT_ID } from "../../identity/auth";
import { removeTrialUser } from "../../identity/sessions";
import { dropOldPapers, expediteSubmissions } from "../../invoicing/invoices";
import { CHANNELS } from "../../platform/database";
import { nameNode } from "../../platform/lanes";
import { createWake } from "../../platform/outbox";
import { startWipes } from "../../sandbox/wipe";
import type { Components } from "../components";
import type { Infrastructure } from "../infrastructure";
import { type Close, closeTogether } from "../shutdown";
import { VERSION } from "../version";
import { type DispatchThreads, startDispatchThreads } from "../worker/worker-threads";
import { startHousekeeping } from "./housekeeping";

export type Background = {
	/** Absent if there is no authority to send to. */
	readonly threads: DispatchThreads | undefined;
	/** Idempotent. Runs while requests are still answered; work that is left over goes to the next process. */
	readonly stop: () => Promise<void>;
};

/** Deliveries mostly wait for receivers, and thousands of receivers may be silent at once. */
const DISPATCH_SLOTS = 2_048;
/** For messages under way; the leases of all others are returned within the time that a process has to stop. */
const MESSAGES_GRACE_MS = 3_000;
/** Longer than it takes until every process refuses revoked credentials, and longer than requests take. */
const WIPE_PAUSE_MS = 5_000;

/** Throws when `signal` aborts. */
export async function startBackground(
	infrastructure: Infrastructure,
	{ access, invoicing }: Components,
	signal: AbortSignal,
): Promise<Background> {
	const { config, log, shutdownHooks, clock, environment, sql } = infrastructure;
	const closes: Close[] = [];
	let stopped: Promise<void> | undefined;
	const stop = () => {
		stopped ??= closeTogether(closes, log);
		return stopped;
	};
	shutdownHooks.add(stop);
	const threads = await startThreads(infrastructure, signal);
	if (threads) closes.push(() => threads.stop(MESSAGES_GRACE_MS));
	if (infrastructure.authorityUrls) closes.push(startAuthorityMonitor(infrastructure, infrastructure.authorityUrls));
	const { paperDays } = config;
	const archive = invoicing?.archive;
	closes.push(
		startHousekeeping({
			...{ sql, access, clock, log },
			...(archive && {
				dropPapers: () =>
					dropOldPapers({
						...{ sql, archive, environment, clock, log, paperDays },
						findReceivedParts: (document) => findReceivedParts({ sql, environment }, document),
					}),
			}),
		}),
	);
	if (invoicing) closes.push(startCheckpoints({ checkpoints: invoicing.checkpoints, log }));
	closes.push(
		startExportSweeps({ sql, folder: config.exportsDir, shared: await openSharedFiles(config.archiveUrl), clock, log }),
	);
	if (config.archiveSweep) {
		closes.push(startArchiveSweeps({ sql, archive: createArchiveEraser(config.archiveUrl), clock, log }));
	}
	if (environment === "public-sandbox") {
		closes.push(
			startWipes({
				...{ sql, clock, log, demoTenantId: DEMO_TENANT_ID, pauseMs: WIPE_PAUSE_MS },
				archive: createArchiveEraser(config.archiveUrl),
				closeTenant: async (tenantId, at) => {
					await changeStatus({ sql, access }, tenantId, "close", { actor: operatorActor(), at });
					await removeTrialUser(sql, tenantId);
				},
				...(infrastructure.releaseIssuer && { releaseIssuer: infrastructure.releaseIssuer }),
			}),
		);
	}
	return { threads, stop };
}

async function startThreads(
	{ config, log, kek, environment, url, databaseUrl, isCitus, isByShard, listenSql, authorityUrls }: Infrastructure,
	signal: AbortSignal,
): Promise<DispatchThreads | undefined> {
	if (!authorityUrls) return undefined;
	const { archiveUrl, exportsDir, trustedCaFile, webhookResolver, webhookTimeScale, webhookRetriesMax } = config;
	const { internalSlaSeconds, leaseSeconds, signEngine, logLevel, smtpUrl } = config;
	const tracing = config.tracing && { ...config.tracing, version: VERSION };
	const from = config.mailFrom ?? senderAt(new URL(url).hostname);
	const settings = {
		node: nameNode(),
		...{
			databaseUrl,
			isPooled: config.isDatabasePooled,
			isCitus,
			isByShard,
			kek,
			environment,
			baseUrl: url,
			authorityUrls,
			archiveUrl,
			exportsDir,
			trustedCaFile,
		},
		...{ webhookResolver, webhookTimeScale, webhookRetriesMax, webhookAllow: [...config.webhookAllow] },
		...{
			internalSlaSeconds,
			leaseSeconds,
			slots: DISPATCH_SLOTS,
			signEngine,
			logLevel,
			logFormat: config.logFormat,
			tracing,
		},
		mail: { smtpUrl, directory: join(config.dataDir, "mail"), from },
		wantsMailNotices: config.mailHookSecret !== undefined,
	};
	const threads = await startDispatchThreads(config.submitThreads, settings, log, signal);
	listenSql?.listen(CHANNELS.outbox, threads.wake).catch((err: unknown) => {
		log.warn({ event: "outbox.listen_failed", err }, "cannot listen for wake signals; polling only");
	});
	return threads;
}

/** An IP address cannot be a mail domain. */
function senderAt(host: string): string {
	return `no-reply@${/[A-Za-z]$/.test(host) ? host : "localhost"}`;
}

/** A seed that takes longer fails the probe; the limit is lower if probes are frequent. */
const PROBE_TIMEOUT_MS = 4_000;
const PROBE_TIMEOUT_MIN_MS = 1_500;
const CONNECT_TIMEOUT_MS = 2_000;
const STATUS_HOST_TIMEOUT_MS = 5_000;

/** Probes the authority, counts our calls to it and reads its status host; the returned function stops it. */
function startAuthorityMonitor(
	{ config, log, clock, environment, sql, authorityStatusKey }: Infrastructure,
	authorityUrls: NonNullable<Infrastructure["authorityUrls"]>,
): () => Promise<void> {
	const probeSeconds = config.authorityProbeSeconds;
	const calls = startCallCounter({ sql, clock, log });
	const watch = startStatusWatch({
		...{ sql, log, probeSeconds, wake: createWake(sql), flush: calls.flush, expedite: expediteSubmissions },
		probe: createProbe({
			...{ urls: authorityUrls, log, clock, onCall: calls.record, connectTimeoutMs: CONNECT_TIMEOUT_MS },
			answerTimeoutMs: Math.min(PROBE_TIMEOUT_MS, Math.max(PROBE_TIMEOUT_MIN_MS, probeSeconds * 750)),
		}),
		statusHost: createStatusHost({
			...{ url: authorityUrls.status, key: authorityStatusKey, log, connectTimeoutMs: CONNECT_TIMEOUT_MS },
			answerTimeoutMs: STATUS_HOST_TIMEOUT_MS,
		}),
		ownEnvironment: ownAuthorityOf(environment),
		hasFcHost: new URL(authorityUrls.fc).origin !== new URL(authorityUrls.main).origin,
	});
	return async () => {
		await watch.stop();
		await calls.stop();
	};
}
