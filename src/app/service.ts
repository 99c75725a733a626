/** The composition root: starts one process of the service from its configuration, and stops it in reverse order. Read `startService` from top to bottom. */
import { renderProblemPage } from "../api/pages/docs";
import { admitOperators, createApp, trustProxies } from "../api/server";
import { failpoint } from "../platform/failpoints";
import { createLog, startTracing } from "../platform/telemetry";
import { type Config, describeConfig } from "./config/config";
import { startMetricsListener } from "./listeners/listeners";
import type { NodeContext } from "./node";
import { answerMetricsRequests, type ChildProcesses, startChildProcesses } from "./process/child-processes";
import { findFormerProcess } from "./process/former-process";
import { isChildProcess } from "./process/process";
import { createShutdownHooks } from "./shutdown";
import { VERSION } from "./version";

export type Service = {
	readonly url: string;
	/** Absent if it does not exist or was revoked. */
	readonly demoKey: string | undefined;
	/** Makes an address that opens the console of a local sandbox once; absent elsewhere. */
	readonly makeConsoleLink: (() => Promise<string>) | undefined;
	/** The RSA engine that signs; absent in processes that do not sign. */
	readonly engine: string | undefined;
	/** Resolves when the service cannot go on, because its embedded database server is gone. */
	readonly lost: Promise<Error>;
	/** `retired`: another process serves the port already, and callers get more time to go to it. */
	readonly stop: (why?: "stopped" | "retired") => Promise<void>;
};

type StartOptions = {
	/** Aborts the start. */
	readonly signal?: AbortSignal;
	/** Path of the program, which child processes run too; needed if `PROCESSES` is above 1. */
	readonly entry?: string;
};

/** Time in which clients and load balancers learn from `Connection: close` and from readiness to use another process. */
const NOTICE_MS = 400;
/** The same where another process has the port: no new caller comes, and a kept connection is closed without loss by its next answer. */
const RETIRING_MS = 3_000;
const REQUESTS_GRACE_MS = 5_000;
/** Supervisors usually allow ten seconds, and the first process allows its children seven. */
const STOP_MS = isChildProcess() ? 6_500 : 7_500;

/** Starts everything that the role needs. If a part fails or `signal` aborts, stops what has started and throws. */
export async function startService(
	config: Config,
	{ signal = new AbortController().signal, entry }: StartOptions = {},
): Promise<Service> {
	const startedAt = performance.now();
	const tracing = config.tracing && { ...config.tracing, version: VERSION };
	const stopTracing = await startTracing(tracing, (err) =>
		log.warn({ event: "trace.export_failed", err }, "spans were not taken by the collector"),
	);
	const log = createLog(config.logLevel, "main", config.logFormat);
	const shutdownHooks = createShutdownHooks(log);
	shutdownHooks.add(stopTracing);
	let leaving: "stopped" | "retired" | undefined;
	const isDraining = () => leaving !== undefined;
	// A probe on a kept connection asks for the port, on which another process serves.
	const isUnready = () => leaving === "stopped";
	try {
		// Before anything is opened: what cannot be replaced is left alone.
		const former = config.isReplacing ? findFormerProcess(config.port) : undefined;
		log.info({ event: "service.starting", config: describeConfig(config) }, "starting");

		const isProgram = entry !== undefined && !isChildProcess();
		const context: NodeContext = { shutdownHooks, signal, isDraining, isUnready, startedAt, isProgram };
		const node =
			config.role === "edge"
				? await (await import("./edge-node")).openEdgeNode(config, log, context)
				: await (await import("./full-node")).openFullNode(config, log, context);
		const { listener, clock, metrics, operations, background } = node;
		const { url } = listener;

		// Listener: from here on requests are served; until now they were answered with 503.
		const app = createApp({
			...{ ...node.server, operations, clock, log, metrics, isDraining, baseUrl: url },
			callerAddress: trustProxies(config.trustedProxies),
			isFromOperator: admitOperators(config.operatorNetworks),
			isBehindCdn: config.isBehindCdn,
			corsOrigins: config.corsOrigins,
			renderProblem: (problem, request, requestId) => renderProblemPage(config, problem, request, requestId),
		});
		listener.serve(app);

		// Metrics: the first process collects those of its threads and child processes; a child answers the first process.
		let children: ChildProcesses | undefined;
		if (isChildProcess()) {
			answerMetricsRequests(() => {
				node.collectSigning();
				return metrics.counted();
			});
		}
		const { metricsPort } = config;
		if (metricsPort !== undefined) {
			const collect = async () => {
				const ofThreads = await node.collect();
				const [own, ofChildren = []] = await Promise.all([metrics.share(), children?.metrics()]);
				return [own, ...ofThreads, ...ofChildren];
			};
			shutdownHooks.add(startMetricsListener({ ...config, metricsPort }, collect, metrics.contentType));
		}

		// Child processes: they share the port, the database and the authority of this one.
		if (config.processes > 1 && config.role !== "worker") {
			if (entry === undefined) throw new Error("PROCESSES above 1 needs the program's path");
			const child = { entry, settings: node.childSettings };
			children = await startChildProcesses(config.processes - 1, child, log, signal);
			shutdownHooks.add(children.stop);
		}

		if (former) {
			log.info({ event: "service.replacing", pid: former.pid }, "serving in place of another process, which finishes");
			former.retire();
		}

		return {
			url,
			demoKey: node.demoKey,
			makeConsoleLink: node.makeConsoleLink,
			engine: node.engine,
			lost: node.lost,
			// Shutdown: give notice, let requests finish, then run the hooks.
			async stop(why = "stopped") {
				leaving = why;
				const noticeMs = why === "retired" ? RETIRING_MS : NOTICE_MS;
				const stopBy = performance.now() + STOP_MS + noticeMs - NOTICE_MS;
				log.info({ event: "service.draining" }, "draining");
				// In parallel with requests. What fails or takes too long is logged by the hooks below.
				for (const part of [background?.stop(), children?.stop(why)]) part?.catch(() => undefined);
				await Bun.sleep(noticeMs);
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
