/** What the metrics tell of parts that count nothing themselves, read when somebody asks. */
import type { Checkpoints } from "../../archive";
import type { Log, Metrics } from "../../platform/telemetry";
import type { RegistryStatus } from "../../registry";
import type { Parts } from "../components";
import type { Ground } from "../infrastructure";
import type { TellAuthority } from "./authority-gauges";
import type { TellFigures } from "./database-gauges";
import { inTime } from "./with-timeout";

/** Absent where nothing is issued or sent. */
export type FurtherTellers = { readonly tellAuthority?: TellAuthority; readonly tellFigures?: TellFigures };

export async function tellMetrics(
	{ metrics, log }: Ground,
	{ registry, invoicing }: Parts,
	{ tellAuthority, tellFigures }: FurtherTellers,
): Promise<void> {
	if (registry) tellRegistry(metrics, registry.status());
	tellSigning(metrics, invoicing);
	// At once: where the database is silent, whoever scrapes waits for the three together.
	await Promise.all([
		invoicing && tellArchive(metrics, invoicing.checkpoints, log),
		...[tellAuthority?.(), tellFigures?.()],
	]);
}

/** Of this process, whose threads are nobody else's: a further one tells it when it is asked for what it has counted. */
export function tellSigning(metrics: Metrics, invoicing: Parts["invoicing"]): void {
	if (invoicing?.signer) metrics.signingQueued.set(invoicing.signer.stats().queued);
}

/** The status ages by itself. */
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
		const { leaves, ageSeconds } = await inTime(checkpoints.status());
		metrics.archiveLeaves.set(leaves);
		if (ageSeconds !== null) metrics.checkpointAge.set(ageSeconds);
	} catch (error) {
		log.warn({ err: error }, "the archive's metrics could not be read");
	}
}
