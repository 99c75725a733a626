/** What the metrics tell of parts that count nothing themselves, read when somebody asks. */
import type { Checkpoints } from "./archive";
import { AUTHORITY_ENVIRONMENTS } from "./authority";
import { type AuthorityStatus, OVERALL, STATUSES } from "./authority-status";
import type { Ground } from "./open-ground";
import type { Parts } from "./open-parts";
import type { RegistryStatus } from "./registry";
import type { Log, Metrics } from "./telemetry";

export async function tellMetrics(
	{ metrics, log, authorityUrls }: Ground,
	{ registry, checkpoints }: Parts,
	authorityStatus: AuthorityStatus,
): Promise<void> {
	if (registry) tellRegistry(metrics, registry.status());
	if (checkpoints) await tellArchive(metrics, checkpoints, log);
	if (authorityUrls) await tellAuthority(metrics, authorityStatus, log);
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
