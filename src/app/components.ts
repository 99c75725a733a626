/** The components that operations and background work share: access, limits, usage, the registry, and what invoicing needs. */
import { join } from "node:path";
import { PAGE_PATH } from "../api/pages/registry";
import { type Access, findKeyLineage, openAccess } from "../identity/auth";
import { type Limits, openLimits } from "../identity/rate-limits";
import { openUsage, type Usage } from "../identity/usage";
import { openChangeFeed } from "../platform/changes";
import { connect } from "../platform/database";
import { opensCompany } from "../platform/operation";
import { keepTombstonePepper } from "../platform/secrets";
import { openRegistry, openRegistryKeys, type Registry } from "../registry";
import { DIRECTORY_CONNECTIONS } from "./config/config";
import type { Infrastructure } from "./infrastructure";
import type { InvoicingComponents } from "./invoicing-components";

export type Components = {
	readonly access: Access;
	readonly limits: Limits;
	readonly usage: Usage;
	/** Absent in workers. */
	readonly registry: Registry | undefined;
	/** Absent in processes that neither issue nor send. */
	readonly invoicing: InvoicingComponents | undefined;
};

/** Credential look-ups wait no longer, so a connection that has died silently is soon replaced. */
const DIRECTORY_STATEMENT_MS = 3_000;

/** Throws when `signal` aborts. */
export async function openComponents(infrastructure: Infrastructure, signal: AbortSignal): Promise<Components> {
	const { config, log, shutdownHooks, clock, environment, envelope, initialKek, sql, url, databaseUrl } =
		infrastructure;
	signal.throwIfAborted();
	const { isDatabasePooled: isPooled } = config;
	const directorySql = connect({
		...{ url: databaseUrl, isPooled, name: "sello callers", connectionsMax: DIRECTORY_CONNECTIONS },
		statementTimeoutMs: DIRECTORY_STATEMENT_MS,
	});
	shutdownHooks.add(() => directorySql.end({ timeout: 2 }));
	const changes = await openChangeFeed({ sql: directorySql, listenSql: infrastructure.listenSql, log });
	shutdownHooks.add(changes.close);
	const keys = config.role === "worker" ? undefined : await openRegistryKeys({ sql, envelope, clock, log });
	const graceSeconds = config.registryGraceSeconds;
	const access = await openAccess({
		...{ sql, directorySql, changes, envelope, environment, baseUrl: url, clock, log, graceSeconds },
		...(keys ? { signerKeys: keys.publicKeys } : {}),
	});
	shutdownHooks.add(access.close);
	const limits = openLimits({ sql, log, environment });
	shutdownHooks.add(limits.close);
	const usage = openUsage({ sql, clock, log });
	shutdownHooks.add(usage.close);

	let registry: Registry | undefined;
	if (keys) {
		registry = await openRegistry({
			...{
				sql,
				changes,
				clock,
				log,
				findKeyLineage,
				graceSeconds,
				keys,
				receiptKeys: access.receiptKeys,
				baseUrl: url,
			},
			source: config.registrySource,
			directory: join(config.dataDir, "registry"),
			store: config.registryStore,
			schedule: config.registrySchedule,
			pepper: await keepTombstonePepper({ sql, envelope }, initialKek),
			findKeyCaller: access.findKeyCaller,
			viewUrl: config.registryPage === "off" ? undefined : `${url}${PAGE_PATH}/{{id}}`,
			ownsCompany: async (principal, rnc) => {
				// Loaded when needed: a process that serves the registry alone has no companies.
				const { findByRnc } = await import("../companies");
				const company = await findByRnc(sql, rnc, environment);
				if (!company || !opensCompany(principal, company.tenantId)) return false;
				const isOwners = company.ownerId !== null && company.ownerId === principal.ownerId;
				return isOwners || company.tenantId === principal.tenantId;
			},
			languageOf: async (tenantId) => {
				const { findCompany } = await import("../companies");
				const company = await findCompany(sql, tenantId);
				return company?.settings.locale === "en-US" ? "en" : "es";
			},
		});
		shutdownHooks.add(registry.close);
	}

	signal.throwIfAborted();
	let invoicing: InvoicingComponents | undefined;
	if (infrastructure.hasInvoices || infrastructure.hasOutbox) {
		// Most of the service: a process that serves the registry alone would need twice the memory.
		const { openInvoicingComponents } = await import("./invoicing-components");
		invoicing = await openInvoicingComponents(infrastructure, signal);
	}
	return { access, limits, usage, registry, invoicing };
}
