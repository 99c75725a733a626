/** Gauges of the tax authority: its status as the authority monitor has stored it, and its clock against this one. */
import { AUTHORITY_ENVIRONMENTS, type AuthorityEnvironment, type ClockSkew, toSegment } from "../../authority/client";
import { createAuthorityStatus, OVERALL, ownAuthorityOf, STATUSES } from "../../authority/status";
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

/** Reads the measurement that issuing documents uses too, and makes one only if there is none. */
export function createClockCollector(
	{ metrics, environment }: Pick<Infrastructure, "metrics" | "environment">,
	clockSkew: ClockSkew,
): Collector {
	const segment = toSegment(ownAuthorityOf(environment));
	return async () => {
		const aheadMs = await clockSkew.aheadMs(segment);
		if (aheadMs !== undefined) metrics.authorityClockAhead.set(aheadMs / 1000);
	};
}
