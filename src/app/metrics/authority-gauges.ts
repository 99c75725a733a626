/** What the metrics tell of the tax authority, as the watch has written it. */
import { AUTHORITY_ENVIRONMENTS, type AuthorityEnvironment } from "../../authority/client";
import { createAuthorityStatus, OVERALL, STATUSES } from "../../authority/status";
import type { Ground } from "../infrastructure";
import { inTime } from "./with-timeout";

export type TellAuthority = () => Promise<void>;

/** Environments that nobody watches are left out. */
export function openTellAuthority({ sql, metrics, log }: Pick<Ground, "sql" | "metrics" | "log">): TellAuthority {
	const authorityStatus = createAuthorityStatus({ sql });
	const tell = async (environment: AuthorityEnvironment) => {
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
			await inTime(Promise.all(AUTHORITY_ENVIRONMENTS.map(tell)));
		} catch (error) {
			log.warn({ err: error }, "the authority's metrics could not be read");
		}
	};
}
