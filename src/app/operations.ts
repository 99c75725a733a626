/** Gives every operation the parts that it needs; operations whose parts this process lacks are left out. */

import { allOperations, gatherInvoicing } from "../api";
import { readChangelog } from "../api/changelog";
import { doClocksAgree, findApplied } from "../platform/database";
import type { Operation } from "../platform/operation";
import { measureQueue } from "../platform/outbox";
import type { Parts } from "./components";
import type { Ground } from "./infrastructure";
import { VERSION } from "./version";

/** A message that has been due for so long has no dispatcher. */
const OVERDUE_MAX_SECONDS = 60;

type OperationsDeps = Parameters<typeof allOperations>[0];

export type Alive = {
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
		invoicing: await assembleInvoicingOf(ground, parts, alive),
		changelog: readChangelog(),
		health: assembleHealth(ground, parts, alive),
	});
}

async function assembleInvoicingOf(ground: Ground, parts: Parts, alive: Alive): Promise<OperationsDeps["invoicing"]> {
	if (!ground.hasInvoices) return undefined;
	const { assembleInvoicing } = await import("./invoicing-operations");
	const deps = await assembleInvoicing(ground, parts, alive);
	return deps && gatherInvoicing(deps);
}

function assembleHealth(
	{ sql, migration, clock }: Ground,
	{ registry, invoicing }: Parts,
	{ startedAt, isDraining }: Alive,
): OperationsDeps["health"] {
	const { signer, archive } = invoicing ?? {};
	return {
		version: VERSION,
		startedAt,
		isDraining,
		checks: {
			database: async () => (await sql`select 1`).length === 1,
			// A document that is signed on a wrong day is refused by the authority, number and all.
			...(signer ? { clocks: () => doClocksAgree(sql, clock) } : {}),
			// A newer version that begins beside this one, or has failed to, has migrated further: this one goes on all the same.
			migrations: async () => (await findApplied(sql)) >= migration,
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
