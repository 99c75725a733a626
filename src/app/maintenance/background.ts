/** The work that no request waits for: dispatchers, watches, sweeps. */
import { join } from "node:path";
import { openArchiveEraser, startArchiveSweeps, startCheckpoints, startExportSweeps } from "../../archive";
import { changeStatus } from "../../companies";
import { operatorActor } from "../../identity/audit-log";
import { DEMO_TENANT_ID } from "../../identity/auth";
import { createWake } from "../../platform/outbox";
import { startWipes } from "../../sandbox/wipe";
import type { Parts } from "../components";
import type { Ground } from "../infrastructure";
import { type Close, closeTogether } from "../shutdown";
import { startDispatchThreads } from "../worker/worker-threads";
import { startAuthorityWatch } from "./authority-monitor";
import { startHousekeeping } from "./housekeeping";

type Threads = Awaited<ReturnType<typeof startDispatchThreads>>;

export type Background = {
	/** Absent where there is no authority to send to. */
	readonly threads: Threads | undefined;
	/** Begins to stop all of it at the first call, while requests are still being answered: what those leave is the next process's. */
	readonly stop: () => Promise<void>;
};

/** Deliveries wait for somebody's answer and do nothing meanwhile: thousands of receivers may be silent at once. */
const DISPATCH_SLOTS = 2_048;
/** For what is under way: beside it the leases of all else are to be given back in the time that a process has to stop. */
const MESSAGES_GRACE_MS = 3_000;
/** Longer than it takes until every process refuses credentials that have ended, and than requests take. */
const WIPE_PAUSE_MS = 5_000;

/** Throws what `refuseUnwanted` does, which is asked before each thread. */
export async function startBackground(
	ground: Ground,
	{ access, invoicing }: Parts,
	refuseUnwanted: () => void,
): Promise<Background> {
	const { config, log, closers, clock, environment, sql } = ground;
	const closes: Close[] = [];
	let stopped: Promise<void> | undefined;
	const stop = () => {
		stopped ??= closeTogether(closes, log);
		return stopped;
	};
	closers.add(stop);
	const threads = await startThreads(ground, refuseUnwanted);
	if (threads) closes.push(() => threads.stop(MESSAGES_GRACE_MS));
	closes.push(...watchAuthority(ground), startHousekeeping({ sql, access, clock, log }));
	if (invoicing) closes.push(startCheckpoints({ checkpoints: invoicing.checkpoints, log }));
	closes.push(startExportSweeps({ sql, folder: config.exportsDir, clock, log }));
	if (config.archiveSweep) {
		closes.push(startArchiveSweeps({ sql, archive: openArchiveEraser(config.archiveUrl), clock, log }));
	}
	if (environment === "public-sandbox") {
		closes.push(
			startWipes({
				sql,
				archive: openArchiveEraser(config.archiveUrl),
				closeTenant: async (tenantId, at) => {
					await changeStatus({ sql, access }, tenantId, "close", { actor: operatorActor(), at });
				},
				demoTenantId: DEMO_TENANT_ID,
				...(ground.releaseIssuer && { releaseIssuer: ground.releaseIssuer }),
				pauseMs: WIPE_PAUSE_MS,
				clock,
				log,
			}),
		);
	}
	return { threads, stop };
}

async function startThreads(ground: Ground, refuseUnwanted: () => void): Promise<Background["threads"]> {
	const { config, log, kek, environment, url, databaseUrl, authorityUrls } = ground;
	if (!authorityUrls) return undefined;
	const settings = {
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
	};
	return startDispatchThreads(config.submitThreads, settings, log, refuseUnwanted);
}

function watchAuthority(ground: Ground): Close[] {
	const { config, log, clock, environment, sql, authorityUrls, authorityStatusKey: statusKey } = ground;
	if (!authorityUrls) return [];
	const { authorityProbeSeconds: probeSeconds } = config;
	const watch = { sql, environment, authorityUrls, statusKey, probeSeconds, clock, log };
	return [startAuthorityWatch({ ...watch, wake: createWake(sql) })];
}

/** A bare network address is no domain for mail. */
function senderAt(host: string): string {
	return `no-reply@${/[A-Za-z]$/.test(host) ? host : "localhost"}`;
}
