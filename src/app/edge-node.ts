/** A node without a database: it reads keys, erasures and runs from the store, and answers look-ups and searches. */
import { join } from "node:path";
import { readChangelog } from "../api/changelog";
import { COPY_LATE_MS, openEdgeAccess } from "../identity/auth";
import { openLimits } from "../identity/rate-limits";
import { usageOperations } from "../identity/usage";
import { absentPart, refuseWithoutDatabase } from "../platform/operation";
import { createEnvelope, readKek } from "../platform/secrets";
import { createMetrics, type Log } from "../platform/telemetry";
import { systemClock } from "../platform/values";
import { type EdgeRegistry, openEdgeRegistry } from "../registry";
import type { Config } from "./config/config";
import { openPublicListener } from "./listeners/listeners";
import { collectRegistry } from "./metrics/collect";
import type { Node, NodeContext } from "./node";
import { listOperations } from "./operations";
import { findCommit, VERSION } from "./version";

/** Waits for the store's keys. Throws when `signal` aborts, and: KekFileError, SealedSecretError. */
export async function openEdgeNode(config: Config, log: Log, context: NodeContext): Promise<Node> {
	const { shutdownHooks, signal, isUnready, startedAt } = context;
	const { environment, kekFile, registryStore: store, registryGraceSeconds: graceSeconds } = config;
	if (kekFile === undefined || store === undefined) throw new Error("an edge needs KEK_FILE and REGISTRY_STORE");
	readKek(kekFile);
	const clock = systemClock;
	const metrics = createMetrics({ process: true });
	const listener = openPublicListener(config);
	shutdownHooks.add(() => listener.stop("at-once"));
	const { url: baseUrl } = listener;

	let registry: EdgeRegistry | undefined;
	const currentUntil = () => registry?.currentUntil() ?? Number.NEGATIVE_INFINITY;
	const access = openEdgeAccess({ currentUntil, graceSeconds, environment, baseUrl, clock });
	registry = await openEdgeRegistry({
		...{ store, baseUrl, clock, log, signal, onKeys: access.takeKeys },
		envelope: createEnvelope({ file: kekFile }),
		directory: join(config.dataDir, "registry"),
	});
	shutdownHooks.add(registry.close);
	const { status, isLoaded, isVerified } = registry;
	const limits = openLimits({ sql: undefined, log, environment });
	shutdownHooks.add(limits.close);

	const checkStore = () => {
		if (!access.grace.isPossible()) return false;
		return performance.now() - currentUntil() < COPY_LATE_MS || "degraded";
	};
	const operations = listOperations({
		...{
			baseUrl,
			registry,
			registryPage: config.registryPage,
			mcp: config.mcp,
			console: undefined,
			sessions: [],
			portal: [],
			invoicing: undefined,
		},
		...{ environment, docsLanguage: config.docsLanguage, changelog: readChangelog() },
		access: { operations: access.operations, keyOperations: [] },
		usage: usageOperations({ sql: absentPart(), clock }).map(refuseWithoutDatabase),
		health: {
			...{
				version: VERSION,
				commit: config.provider.commit ?? findCommit(),
				startedAt,
				isDraining: isUnready,
				furtherChecks: {},
			},
			checks: { registry: () => isLoaded() && isVerified(), store: checkStore },
		},
	});
	return {
		...{ listener, clock, metrics, operations, background: undefined },
		server: {
			watch: { isSilent: () => false, onSilent: () => () => undefined },
			...{ writes: undefined, limits, authenticate: access.authenticate, recognise: access.recognise },
			isInGrace: access.grace.isOn,
		},
		collectSigning: () => undefined,
		collect: async () => {
			collectRegistry(metrics, status());
			return [];
		},
		childSettings: { ROLE: "edge", PORT: String(listener.port), BASE_URL: baseUrl, LOG_FORMAT: config.logFormat },
		demoKey: undefined,
		makeConsoleLink: undefined,
		engine: undefined,
		lost: new Promise<never>(() => undefined),
	};
}
