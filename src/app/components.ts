/** The components that operations and background work share: access, limits, usage, the registry, and what invoicing needs. */
import { join } from "node:path";
import { PAGE_PATH } from "../api/pages/registry";
import type { Portal, PortalDeps } from "../api/portal";
import type { Signer } from "../ecf/signing";
import { type Access, findKeyLineage, openAccess } from "../identity/auth";
import { type Limits, openLimits } from "../identity/rate-limits";
import type { Sessions } from "../identity/sessions";
import { openUsage, type Usage } from "../identity/usage";
import { type ChangeFeed, openChangeFeed } from "../platform/changes";
import { connect, type Sql } from "../platform/database";
import { type Call, NEEDS_KEY_ONLY, type Operation, opensCompany } from "../platform/operation";
import { keepExportLinkKey, keepTombstonePepper } from "../platform/secrets";
import { isLoopbackHost, isSandbox } from "../platform/values";
import { openRegistry, openRegistryKeys, type Registry } from "../registry";
import { DIRECTORY_CONNECTIONS, toConsoleUrl } from "./config/config";
import type { Infrastructure } from "./infrastructure";
import type { InvoicingComponents } from "./invoicing-components";

export type Components = {
	readonly access: Access;
	readonly limits: Limits;
	readonly usage: Usage;
	/** Absent in processes without the console. */
	readonly sessions:
		| (Sessions & {
				readonly consoleUrl: string;
				readonly portalOperations: readonly Operation[];
				readonly findPortalOrigins: Portal["findOrigins"];
		  })
		| undefined;
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
	infrastructure.membership.follow(changes);
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
	const sessions = await openConsoleSessions(infrastructure, {
		...{ access, limits, registry, changes, directorySql },
		signer: invoicing?.signer,
	});
	return { access, limits, usage, registry, invoicing, sessions };
}

/** People sign in where companies are served. Outside the sandboxes their cookie needs https. */
async function openConsoleSessions(
	{ config, log, shutdownHooks, clock, environment, envelope, initialKek, sql, url, hasInvoices }: Infrastructure,
	parts: TrialParts & { readonly changes: ChangeFeed; readonly directorySql: Sql },
): Promise<Components["sessions"]> {
	const { access, changes, directorySql } = parts;
	if (!hasInvoices || !config.isConsoleOn) return undefined;
	const consoleUrl = config.consoleUrl ?? toConsoleUrl(url);
	if (!isSandbox(environment) && !consoleUrl.startsWith("https:")) {
		log.info({ event: "console.off" }, "the console is off: outside the sandboxes CONSOLE_URL must have https");
		return undefined;
	}
	const [{ openPortal, portalOperations }, { openSessions }, { findCompany, listCompaniesOf }, { createWake }] =
		await Promise.all([
			import("../api/portal"),
			import("../identity/sessions"),
			import("../companies"),
			import("../platform/outbox"),
		]);
	const sessions = openSessions({
		...{ sql, directorySql, changes, clock, log, envelope },
		address: { url: consoleUrl, environment },
		isLoopback: isLoopbackHost(config.host),
		makeTrialCompany: makeTrials({ sql, clock, environment }, parts),
		sso: config.sso,
		authenticate: access.authenticate,
		listCompanies: (memberships, limit, alsoIds) => listCompaniesOf(sql, memberships, limit, alsoIds),
		wake: createWake(sql),
	});
	shutdownHooks.add(sessions.close);
	const portalDeps: PortalDeps = {
		...{
			sql,
			clock,
			environment,
			consoleUrl,
			findKeyCaller: access.findKeyCaller,
			findSessionCaller: sessions.findCompanyCaller,
		},
		linkKey: await keepExportLinkKey({ sql, envelope }, initialKek),
		findOpenCompany: async (tenantId) => {
			const company = await findCompany(sql, tenantId);
			return company && company.status !== "closed" ? { name: company.name, rnc: company.rnc } : undefined;
		},
	};
	const portal = openPortal(portalDeps);
	return {
		...sessions,
		authenticate: portal.accept(sessions.authenticate),
		consoleUrl,
		portalOperations: portalOperations(portalDeps, portal),
		findPortalOrigins: portal.findOrigins,
	};
}

type TrialParts = Pick<Components, "access" | "limits" | "registry"> & { readonly signer: Signer | undefined };

/** A trial counts as a company that the demo key registers from the caller's address. */
function makeTrials(
	{ sql, clock, environment }: Pick<Infrastructure, "sql" | "clock" | "environment">,
	{ access, limits, registry, signer }: TrialParts,
): ((call: Call) => Promise<string>) | undefined {
	if (environment !== "public-sandbox" || !registry || !signer) return undefined;
	const principal = { environment, plan: "demo", ownerId: null, scopes: new Set<string>() } as const;
	return async (call) => {
		const operation = { ...call.operation, credentials: NEEDS_KEY_ONLY, limit: "company" } as const;
		const { giveBack } = await limits.count({ ...call, principal, operation }, undefined);
		try {
			const { createTrialCompany } = await import("../companies");
			return await createTrialCompany({ sql, clock, environment, access, registry, signer });
		} catch (error) {
			await giveBack?.();
			throw error;
		}
	};
}
