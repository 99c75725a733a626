/**
 * Deletes everything in the public sandbox a day after it arrived.
 *
 *     company older than 24 h ─▶ close it, put its messages off ─▶ pause ─▶ one transaction: all its rows ─▶ its archived files, then the commit
 *     document of the demo company, older than 24 h ─▶ one transaction: all its rows ─▶ its archived files, then the commit
 *
 * The shared demo company stays, but its documents are deleted; those of a test set together with the set. Every other company is deleted
 * completely, including its certificate and its write-once rows. The archive's ten years do not apply, since no document here has fiscal
 * effect.
 *
 * A company with a message that is being handled is skipped until the next run, because the handler may still write. Waiting messages are
 * locked by the transaction and deleted. They are locked before the company, in the lock order of their handlers. Files are deleted before the
 * commit, and so are the simulator's numbers. A crash in between leaves rows that the next run finds, never files without rows, or numbers
 * that a new registration could not use.
 */

import { Cron } from "croner";
import type { ArchiveEraser } from "../../archive";
import { removeUnownedUsage } from "../../identity/usage";
import { findCarried } from "../../invoicing/invoices";
import { sumAfresh } from "../../invoicing/reports";
import { doClocksAgree, mayWaitOutside, type Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import {
	deleteRows,
	findApprovals,
	findObjectKeys,
	findOldDocuments,
	findOldTenants,
	findOldTestSets,
	forgetSeals,
	lockCompany,
	lockMessages,
	lockNewMessages,
	lockWipes,
	putMessagesOff,
} from "./store";
import { WIPED_TABLES } from "./tables";

export type WipeDeps = {
	readonly sql: Sql;
	readonly archive: ArchiveEraser;
	/** Ends a company's credentials, and prevents changes by its owner's key, including new credentials. */
	readonly closeTenant: (tenantId: string, now: Date) => Promise<void>;
	/** Frees an issuer's numbers at the simulator, if this service runs one. */
	readonly releaseIssuer?: (rnc: string) => Promise<void>;
	readonly demoTenantId: string;
	/** Lets requests finish that arrived before the company was closed. */
	readonly pauseMs: number;
	readonly clock: Clock;
	readonly log: Log;
};

export type Wiped = { readonly tenants: number; readonly documents: number; readonly busy: number };

export const LIFE_MS = 24 * 3_600_000;
const TENANTS_AT_ONCE_MAX = 100;
const DOCUMENTS_AT_ONCE_MAX = 500;
const TEST_SETS_AT_ONCE_MAX = 20;

/** Wipes everything older than a day. Only one process should run it at a time. */
export async function wipeOld(deps: WipeDeps): Promise<Wiped> {
	const { sql, clock } = deps;
	const before = new Date(clock.now().getTime() - LIFE_MS);
	const tenants = await wipeOldTenants(deps, before);
	const documents = await wipeDemoDocuments(deps, before);
	await removeUnownedUsage(sql);
	return { ...tenants, documents };
}

async function wipeOldTenants(deps: WipeDeps, before: Date): Promise<Omit<Wiped, "documents">> {
	const { sql, log } = deps;
	/** A failed company does not stop the others. */
	const withEach = async (tenantIds: readonly string[], work: (tenantId: string) => Promise<boolean>) => {
		const done: string[] = [];
		for (const tenantId of tenantIds) {
			try {
				if (await work(tenantId)) done.push(tenantId);
			} catch (error) {
				log.error(
					{ event: "sandbox-wipe.company_failed", tenantId, err: error },
					"could not wipe a company of the public sandbox",
				);
			}
		}
		return done;
	};
	let tenants = 0;
	let busy = 0;
	for (;;) {
		const old = await findOldTenants(sql, before, deps.demoTenantId, TENANTS_AT_ONCE_MAX + busy);
		// Busy companies remain the oldest.
		const due = old.slice(busy);
		if (due.length === 0) return { tenants, busy };
		const closed = await withEach(due, async (tenantId) => {
			await deps.closeTenant(tenantId, deps.clock.now());
			await putMessagesOff(sql, tenantId);
			return true;
		});
		await Bun.sleep(deps.pauseMs);
		const wiped = await withEach(closed, (tenantId) => wipeTenant(deps, tenantId));
		tenants += wiped.length;
		busy += due.length - wiped.length;
	}
}

/** False if work of the tenant is in progress. */
async function wipeTenant({ sql, archive, releaseIssuer }: WipeDeps, tenantId: string): Promise<boolean> {
	return sql.begin(async (tx) => {
		if ((await lockMessages(tx, tenantId)).size > 0) return false;
		const rnc = await lockCompany(tx, tenantId);
		if (rnc === undefined) return true;
		// Newer messages are locked without waiting, since their holder may be waiting for the company.
		if (!(await lockNewMessages(tx, tenantId))) return false;
		if ((await findCarried(tx, tenantId)).length > 0) return false;
		await forgetSeals(tx, tenantId, null);
		for (const table of WIPED_TABLES) await deleteRows(tx, tenantId, table);
		await mayWaitOutside(tx);
		await releaseIssuer?.(rnc);
		await archive.erase(tenantId);
		return true;
	});
}

async function wipeDemoDocuments(deps: WipeDeps, before: Date): Promise<number> {
	let documents = 0;
	for (;;) {
		const docIds = await wipeSomeOfDemo(deps, before);
		if (!docIds) return documents;
		documents += docIds.length;
	}
}

/** The deleted documents; undefined if there was nothing to wipe. */
async function wipeSomeOfDemo(
	{ sql, archive, demoTenantId }: WipeDeps,
	before: Date,
): Promise<readonly string[] | undefined> {
	return sql.begin(async (tx) => {
		const underWay = new Set([...(await lockMessages(tx, demoTenantId)), ...(await findCarried(tx, demoTenantId))]);
		const old = await findOldDocuments(tx, demoTenantId, before, DOCUMENTS_AT_ONCE_MAX + underWay.size);
		const oldSets = await findOldTestSets(tx, demoTenantId, before, TEST_SETS_AT_ONCE_MAX + underWay.size);
		const approvals = await findApprovals(tx, demoTenantId, [...old, ...oldSets.flatMap((set) => set.docIds)]);
		for (const { id, docId } of approvals) if (underWay.has(id)) underWay.add(docId);
		const sets = oldSets.filter(({ id, docIds }) => ![id, ...docIds].some((one) => underWay.has(one)));
		const docIds = [...old.filter((docId) => !underWay.has(docId)), ...sets.flatMap((set) => set.docIds)];
		const gone = new Set(docIds);
		const words = approvals.filter(({ docId }) => gone.has(docId));
		const ids = [...docIds, ...[...sets, ...words].map(({ id }) => id)];
		if (ids.length === 0) return undefined;
		const keys = await findObjectKeys(tx, demoTenantId, ids);
		await forgetSeals(tx, demoTenantId, ids);
		for (const table of WIPED_TABLES) await deleteRows(tx, demoTenantId, table, ids);
		await mayWaitOutside(tx);
		for (const key of keys) await archive.erase(key);
		await sumAfresh(tx, demoTenantId);
		return docIds;
	});
}

const EVERY_HOUR = "17 * * * *";

/**
 * Starts the hourly schedule; returns a function that stops it. A wipe in progress is then cut off with its connection, and the next one
 * finishes it.
 */
export function startWipes(deps: WipeDeps): () => void {
	const job = new Cron(EVERY_HOUR, { timezone: "UTC", protect: true }, () => wipeAlone(deps));
	return () => job.stop();
}

async function wipeAlone(deps: WipeDeps): Promise<void> {
	const { sql, clock, log } = deps;
	try {
		if (!(await doClocksAgree(sql, clock))) {
			log.warn(
				{ event: "sandbox-wipe.skipped" },
				"the clocks of this machine and the database disagree; nothing is wiped",
			);
			return;
		}
		const wiped = await sql.begin(async (tx) => {
			return (await lockWipes(tx)) ? wipeOld(deps) : undefined;
		});
		if (wiped) log.info({ event: "sandbox-wipe.finished", ...wiped }, "wiped old data of the public sandbox");
	} catch (error) {
		log.warn({ event: "sandbox-wipe.failed", err: error }, "wipe failed; retrying at the next run");
	}
}
