/** Gives every operation the parts that it needs; operations whose parts this process lacks are left out. */
import type { AuthorityStatus } from "./authority-status";
import { hasPassedTestSet } from "./certification";
import { readChangelog } from "./changelog";
import { resolveAt } from "./egress";
import { allOperations } from "./http";
import { measureLoad } from "./invoices";
import { keepExportLinkKey, keepPeerKey } from "./key-encryption";
import type { Ground } from "./open-ground";
import type { Parts } from "./open-parts";
import type { Operation } from "./operation";
import { createWake, measureQueue } from "./outbox";
import { findCommit, VERSION } from "./version";

type OperationsDeps = Parameters<typeof allOperations>[0];

/** A message that has been due for so long has no dispatcher. */
const OVERDUE_MAX_SECONDS = 60;

export type Alive = {
	readonly authorityStatus: AuthorityStatus;
	/** Units: milliseconds of `performance.now`. */
	readonly startedAt: number;
	readonly isDraining: () => boolean;
};

export async function assembleOperations(ground: Ground, parts: Parts, alive: Alive): Promise<readonly Operation[]> {
	const { sql, clock, url } = ground;
	const { access, registry } = parts;
	return allOperations({
		baseUrl: url,
		access,
		registry,
		usage: registry ? { sql, clock } : undefined,
		invoicing: await assembleInvoicing(ground, parts, alive),
		changelog: readChangelog(),
		health: assembleHealth(ground, parts, alive),
	});
}

async function assembleInvoicing(
	ground: Ground,
	parts: Parts,
	{ authorityStatus, isDraining }: Alive,
): Promise<OperationsDeps["invoicing"]> {
	const { config, log, clock, environment, envelope, sql, firstKek, authorityUrls } = ground;
	const { access, registry, signer, printer, approvalExaminer, examiner, archive, checkpoints } = parts;
	if (!signer || !registry || !authorityUrls || !archive || !checkpoints) return undefined;
	const egress = { environment, allow: config.webhookAllow };
	return {
		sql,
		access,
		registry,
		signer,
		printer,
		examineApproval: approvalExaminer.examine,
		examiner,
		peerKey: await keepPeerKey({ sql, envelope }, firstKek),
		peerAuthentication: config.receiverAuthentication,
		envelope,
		egress,
		policy: egress,
		...(config.webhookResolver === undefined ? {} : { limits: { resolve: resolveAt(config.webhookResolver) } }),
		environment,
		clock,
		authorityUrls,
		authorityStatus,
		measureTenantLoad: (tenantId) => measureLoad(sql, tenantId, clock.now()),
		archive,
		checkpoints,
		wake: createWake(sql),
		exportsFolder: config.exportsDir,
		exportLinkKey: await keepExportLinkKey({ sql, envelope }, firstKek),
		hasPassedTestSet: (tenantId) => hasPassedTestSet(sql, tenantId, environment),
		isDraining,
		mailHookSecret: config.mailHookSecret,
		provider: { ...config.provider, commit: config.provider.commit ?? findCommit() },
		log,
	};
}

function assembleHealth(
	{ sql, migration }: Ground,
	{ registry, signer, archive }: Parts,
	{ startedAt, isDraining }: Alive,
): OperationsDeps["health"] {
	return {
		version: VERSION,
		startedAt,
		isDraining,
		checks: {
			database: async () => (await sql`select 1`).length === 1,
			migrations: async () => {
				const [row] = await sql<{ at: number }[]>`select max(number)::int as at from schema_migrations`;
				return row?.at === migration;
			},
			...(registry ? { registry: registry.isLoaded } : {}),
			...(signer ? { signer: () => signer.stats().threads > 0 } : {}),
		},
		furtherChecks: {
			...(archive ? { archive: archive.isWritable } : {}),
			// Not how much waits, but whether somebody takes it.
			...(archive ? { queue: async () => (await measureQueue(sql)).overdueSeconds < OVERDUE_MAX_SECONDS } : {}),
		},
	};
}
