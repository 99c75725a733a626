/** The parts of one process that operations and background work share: who calls, how much they may, what is known, and what invoices need. */
import { join } from "node:path";
import { type Access, findKin, openAccess } from "../identity/auth";
import { type Limits, openLimits } from "../identity/rate-limits";
import { openUsage, type Usage } from "../identity/usage";
import { connect } from "../platform/database";
import { openRegistry, type Registry } from "../registry";
import { DIRECTORY_CONNECTIONS } from "./config/connection-budget";
import type { Ground } from "./infrastructure";
import type { InvoicingParts } from "./invoicing-components";
import { keepTombstonePepper } from "./maintenance/kek";

export type Parts = {
	readonly access: Access;
	readonly limits: Limits;
	readonly usage: Usage;
	/** Absent in workers. */
	readonly registry: Registry | undefined;
	/** Absent where nothing is issued or sent. */
	readonly invoicing: InvoicingParts | undefined;
};

/** Who is asked about waits for no longer than that, so a connection that has died without a word is soon another one. */
const DIRECTORY_STATEMENT_MS = 3_000;

export async function openParts(ground: Ground, refuseUnwanted: () => void): Promise<Parts> {
	const { config, log, closers, clock, environment, envelope, sql, url, databaseUrl } = ground;
	refuseUnwanted();
	const directorySql = connect({
		...{ url: databaseUrl, name: "sello callers", connectionsMax: DIRECTORY_CONNECTIONS },
		statementTimeoutMs: DIRECTORY_STATEMENT_MS,
	});
	closers.add(() => directorySql.end({ timeout: 2 }));
	const access = await openAccess({ sql, directorySql, envelope, environment, baseUrl: url, clock, log });
	closers.add(access.close);
	const limits = openLimits({ sql, log, environment });
	closers.add(limits.close);
	const usage = openUsage({ sql, clock, log });
	closers.add(usage.close);
	const registry = config.role === "worker" ? undefined : await openRegistryOf(ground, access);
	if (registry) closers.add(registry.close);

	refuseUnwanted();
	const invoicing = ground.hasInvoices || ground.hasOutbox ? await openInvoicing(ground, refuseUnwanted) : undefined;
	return { access, limits, usage, registry, invoicing };
}

/** The registry alone needs none of it, and it is most of the service: it would take a process twice the memory. */
async function openInvoicing(ground: Ground, refuseUnwanted: () => void): Promise<InvoicingParts> {
	const { openInvoicingParts } = await import("./invoicing-components");
	return openInvoicingParts(ground, refuseUnwanted);
}

async function openRegistryOf(ground: Ground, access: Access): Promise<Registry> {
	const { config, log, clock, envelope, sql, firstKek } = ground;
	return openRegistry({
		sql,
		source: config.registrySource,
		directory: join(config.dataDir, "registry"),
		schedule: config.registrySchedule,
		pepper: await keepTombstonePepper({ sql, envelope }, firstKek),
		clock,
		log,
		signReceipt: access.signReceipt,
		findKeyLineage: findKin,
	});
}
