/** Gauges of the tax authority's status, as the authority monitor has stored it. */
import { AUTHORITY_ENVIRONMENTS, type AuthorityEnvironment } from "../../authority/client";
import { createAuthorityStatus, OVERALL, STATUSES } from "../../authority/status";
import type { Infrastructure } from "../infrastructure";
import { type Collector, withinScrape } from "./collect";

/** Leaves out environments that are not monitored. */
export function createAuthorityCollector({
	sql,
	metrics,
	log,
}: Pick<Infrastructure, "sql" | "metrics" | "log">): Collector {
	const authorityStatus = createAuthorityStatus({ sql });
	const collect = async (environment: AuthorityEnvironment) => {
		const { status, services, contingency, updatedAt } = await authorityStatus.read(environment);
		if (updatedAt === null) return;
		for (const one of [{ name: OVERALL, status }, ...services]) {
			for (const word of STATUSES) {
				const labels = { environment, service: one.name, status: word };
				metrics.authorityStatus.set(labels, word === one.status ? 1 : 0);
			}
		}
		metrics.authorityContingency.set({ environment }, contingency ? 1 : 0);
	};
	return async () => {
		try {
			await withinScrape(Promise.all(AUTHORITY_ENVIRONMENTS.map(collect)));
		} catch (err) {
			log.warn({ event: "metrics.authority_failed", err }, "authority metrics could not be read");
		}
	};
}
