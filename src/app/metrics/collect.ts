/** Metrics of parts that count nothing themselves: they are read when a scrape comes. */
import type { Checkpoints } from "../../archive";
import { withTimeout } from "../../platform/concurrency";
import type { Log, Metrics } from "../../platform/telemetry";
import type { RegistryStatus } from "../../registry";
import type { Components } from "../components";
import type { Infrastructure } from "../infrastructure";

/** Updates the gauges of one part. Never throws. */
export type Collector = () => Promise<void>;

/** A scrape waits for all metrics, so a silent database may delay it by no more than this. */
const TIMEOUT_MS = 2_000;

/**
 * Updates the gauges of this process. `lazy` are the collectors of `database-gauges.ts` and `authority-gauges.ts`; all run in parallel, so that a silent
 * database delays the scrape once.
 */
export async function collectMetrics(
	{ metrics, log }: Pick<Infrastructure, "metrics" | "log">,
	{ registry, invoicing }: Components,
	lazy: readonly Collector[],
): Promise<void> {
	if (registry) collectRegistry(metrics, registry.status());
	collectSigning(metrics, invoicing);
	await Promise.all([
		invoicing && collectArchive(metrics, invoicing.checkpoints, log),
		...lazy.map((collect) => collect()),
	]);
}

/** Of this process's own threads; a child process calls it when the first process asks for its metrics. */
export function collectSigning(metrics: Metrics, invoicing: Components["invoicing"]): void {
	if (invoicing?.signer) metrics.signingQueued.set(invoicing.signer.stats().queued);
}

export function collectRegistry(metrics: Metrics, status: RegistryStatus): void {
	if (status.age_seconds !== null) metrics.registryAge.set(status.age_seconds);
	metrics.registryEntries.set(status.record_count);
	for (const result of ["ok", "unchanged", "refused", "failed"]) {
		metrics.registryLastIngest.set({ result }, status.last_attempt?.result === result ? 1 : 0);
	}
}

/** Without the database the gauges keep their last values. */
async function collectArchive(metrics: Metrics, checkpoints: Checkpoints, log: Log): Promise<void> {
	try {
		const { leaves, ageSeconds } = await withinScrape(checkpoints.status());
		metrics.archiveLeaves.set(leaves);
		if (ageSeconds !== null) metrics.checkpointAge.set(ageSeconds);
	} catch (err) {
		log.warn({ event: "metrics.archive_failed", err }, "archive metrics could not be read");
	}
}

/** Rejects when the work takes too long for a scrape; the work itself goes on. */
export function withinScrape<T>(work: Promise<T>): Promise<T> {
	return withTimeout(work, TIMEOUT_MS, () => {
		throw new Error("the database does not answer in time");
	});
}
