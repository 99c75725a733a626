/**
 * The whole service of one process, put together from its configuration; stops in the reverse order.
 *
 *   ground        the key-encryption key, the database, the authority's addresses, the port     open-ground.ts
 *   parts         access, limits, registry, signer, examiners, archive                          open-parts.ts
 *   background    dispatchers, watches, sweeps                                                  start-background.ts
 *   operations    what can be called, with the parts that each needs                            assemble-operations.ts
 *   the rim       the listener serves; from here on it answers something else than 503
 *   further       metrics, the other processes on the port
 */

import { createApp, trustProxies } from "../api";
import { watchDatabase } from "../platform/database";
import { faultPoint } from "../platform/failpoints";
import { createLog, type MetricsShare } from "../platform/telemetry";
import { openParts, type Parts } from "./components";
import type { Config } from "./config/config";
import { describeConfig } from "./config/redact";
import { type Ground, openGround } from "./infrastructure";
import { startMetricsListener } from "./listeners/metrics-listener";
import type { Background } from "./maintenance/background";
import { type FurtherTellers, tellMetrics, tellSigning } from "./metrics/collect";
import { answerShareQuestions } from "./metrics/cross-process";
import { assembleOperations } from "./operations";
import { type HttpProcesses, startHttpProcesses } from "./process/http-processes";
import { isFurtherProcess } from "./process/parent-process";
import { createClosers } from "./shutdown";

export type Service = {
	readonly url: string;
	/** The demo key, where it exists and was not revoked. */
	readonly demoKey: string | undefined;
	/** The RSA engine that signs, where this process signs. */
	readonly engine: string | undefined;
	/** What it cannot go on after, when that happens: its own database server is gone. */
	readonly lost: Promise<Error>;
	readonly stop: () => Promise<void>;
};

/** Time in which peers learn from `Connection: close` and from readiness that they should go elsewhere. */
const NOTICE_MS = 400;
const REQUESTS_GRACE_MS = 5_000;
/** After it nothing is waited for any more: whoever stops a process gives it ten seconds, and the first one gives a further one seven. */
const STOP_MS = isFurtherProcess() ? 6_500 : 7_500;

/**
 * Starts everything that the role needs; when a part fails, what had started is stopped and the error is thrown. Once it is
 * `unwanted`, the start is given up in the same way: before the next part, or at once where it waits for another process.
 */
export async function startService(
	config: Config,
	unwanted: AbortSignal = new AbortController().signal,
): Promise<Service> {
	const log = createLog(config.logLevel, "main");
	const closers = createClosers(log);
	const refuseUnwanted = () => unwanted.throwIfAborted();
	try {
		log.info({ config: describeConfig(config) }, "starting");
		const startedAt = performance.now();
		const ground = await openGround(config, log, closers, unwanted);
		const parts = await openParts(ground, refuseUnwanted);
		const background = await startBackgroundOf(ground, parts, refuseUnwanted);
		return await serve(ground, parts, background, { startedAt, unwanted });
	} catch (error) {
		await closers.closeAll(STOP_MS);
		throw error;
	}
}

/** Loaded only where there is something to do. */
async function startBackgroundOf(ground: Ground, parts: Parts, refuseUnwanted: () => void): Promise<Background> {
	if (!ground.hasOutbox) return { threads: undefined, stop: async () => undefined };
	const { startBackground } = await import("./maintenance/background");
	return startBackground(ground, parts, refuseUnwanted);
}

async function serve(
	ground: Ground,
	parts: Parts,
	background: Background,
	{ startedAt, unwanted }: { readonly startedAt: number; readonly unwanted: AbortSignal },
): Promise<Service> {
	const { log, closers, listener, url } = ground;
	let draining = false;
	const isDraining = () => draining;
	const operations = await assembleOperations(ground, parts, { startedAt, isDraining });
	const app = openRim(ground, parts, operations, isDraining);
	listener.serve(app);
	if (isFurtherProcess()) {
		answerShareQuestions(() => {
			tellSigning(ground.metrics, parts.invoicing);
			return ground.metrics.counted();
		});
	}
	let further: HttpProcesses | undefined;
	await listenForMetrics(ground, parts, background, async () => (await further?.metrics()) ?? []);
	further = await startFurtherProcesses(ground, unwanted);
	return {
		url,
		demoKey: await parts.access.findDemoKey(),
		engine: parts.invoicing?.signer?.engine,
		lost: ground.lost,
		async stop() {
			draining = true;
			const stopBy = performance.now() + STOP_MS;
			log.info("draining");
			// Each takes its time, beside requests and not after them; what they cannot do in it is told when they are closed.
			for (const part of [background, further]) part?.stop().catch(() => undefined);
			await Bun.sleep(NOTICE_MS);
			// Refuses new connections and lets requests finish; idle connections are cut when the last answer is out.
			void listener.stop("gently");
			const deadline = performance.now() + REQUESTS_GRACE_MS;
			faultPoint("draining");
			while (app.inFlight() > 0 && performance.now() < deadline) await Bun.sleep(10);
			await closers.closeAll(stopBy - performance.now());
			log.info("stopped");
		},
	};
}

function openRim(
	{ config, log, closers, metrics, clock, url, databaseUrl }: Ground,
	{ access, limits, usage }: Parts,
	operations: Parameters<typeof createApp>[0]["operations"],
	isDraining: () => boolean,
): ReturnType<typeof createApp> {
	const watch = watchDatabase({ url: databaseUrl });
	closers.add(watch.stop);
	return createApp({
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
		isDraining,
	});
}

async function listenForMetrics(
	ground: Ground,
	parts: Parts,
	{ threads }: Background,
	askFurther: () => Promise<MetricsShare[]>,
): Promise<void> {
	const { config, closers, metrics } = ground;
	if (config.metricsPort === undefined) return;
	const tellers = await openTellers(ground, parts);
	const share = async () => {
		await tellMetrics(ground, parts, tellers);
		const [own, ofThreads, ofFurther] = await Promise.all([metrics.share(), threads?.metrics(), askFurther()]);
		return [own, ...(ofThreads ?? []), ...ofFurther];
	};
	closers.add(startMetricsListener(config.host, config.metricsPort, share, metrics.contentType));
}

/** Much hangs on the authority and on what waits for it, so they are loaded where they are told of, and before somebody asks. */
async function openTellers(ground: Ground, { invoicing }: Parts): Promise<FurtherTellers> {
	return {
		...(ground.authorityUrls && {
			tellAuthority: (await import("./metrics/authority-gauges")).openTellAuthority(ground),
		}),
		...(invoicing && { tellFigures: (await import("./metrics/database-gauges")).openTellFigures(ground) }),
	};
}

/** They share the port, the database and the authority of this one. Undefined where there are none. */
async function startFurtherProcesses(
	{ config, log, closers, kek, listener, url, databaseUrl, authorityUrls }: Ground,
	unwanted: AbortSignal,
): Promise<HttpProcesses | undefined> {
	if (config.processes <= 1 || config.role === "worker") return undefined;
	const { main, fc, status } = authorityUrls ?? {};
	const settings = {
		ROLE: config.role === "registry" ? ("registry" as const) : ("api" as const),
		PORT: String(listener.port),
		BASE_URL: url,
		DATABASE_URL: databaseUrl,
		// Its owner's password is for this process alone.
		DATABASE_MIGRATION_URL: "",
		KEK_FILE: kek.file,
		...(main && fc && status ? { AUTHORITY_URL: main, AUTHORITY_FC_URL: fc, AUTHORITY_STATUS_URL: status } : {}),
	};
	const processes = await startHttpProcesses(config.processes - 1, settings, log, unwanted);
	closers.add(processes.stop);
	return processes;
}
