/**
 * The public sandbox forgets: what anybody has left there goes a day after it came.
 *
 *     company older than 24 h ─▶ it is closed ─▶ a pause ─▶ one transaction: all its rows ─▶ its archived files, then the commit
 *     document of the demo company, older than 24 h ─────────────▶ one transaction: all rows of it ─▶ its archived files, then the commit
 *
 * The demo company belongs to everybody and stays; its documents go, those of a test set with the set and all at once. Of any other company nothing stays, the certificate and what is
 * written once included: the archive's ten years do not hold here, where no document has a fiscal effect.
 *
 * What is under way is left to end: a company one of whose messages is being carried out is passed over until the next time, because its
 * handler may still write. Messages that wait are held by the transaction and go with the rest. They are locked before the company, as whoever
 * carries one out locks them. Files go before the commit, and so do the numbers that the simulator holds: a crash in
 * between leaves rows that are found again, never files that nothing names, nor numbers that whoever registers the company again may not use.
 */

import { Cron } from "croner";
import type { ArchiveEraser } from "../../archive";
import { removeUnownedUsage } from "../../identity/usage";
import { doClocksAgree, mayWaitOutside, type Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { planDocumentWipe, planWipe, type Rows } from "./plan-wipe";
import {
	deleteRows,
	findApprovals,
	findObjectKeys,
	findOldDocuments,
	findOldTenants,
	findOldTestSets,
	holdCompany,
	holdMessages,
	holdNewMessages,
	holdWipes,
	readCatalogue,
} from "./store";

export type WipeDeps = {
	readonly sql: Sql;
	readonly archive: ArchiveEraser;
	/** Ends a company's credentials, and whatever its owner's key could change of it: new credentials among that. */
	readonly closeTenant: (tenantId: string, now: Date) => Promise<void>;
	/** Frees the numbers of an issuer at the simulator, where there is one of our own. */
	readonly releaseIssuer?: (rnc: string) => Promise<void>;
	/** The company that stays. */
	readonly demoTenantId: string;
	/** Time in which requests end that came in before the company was closed. */
	readonly pauseMs: number;
	readonly clock: Clock;
	readonly log: Log;
};

export type Wiped = { readonly tenants: number; readonly documents: number; readonly busy: number };

export const LIFE_MS = 24 * 3_600_000;
const TENANTS_AT_ONCE_MAX = 100;
const DOCUMENTS_AT_ONCE_MAX = 500;
const TEST_SETS_AT_ONCE_MAX = 20;

/** Wipes all that is older than a day. One process at a time should. */
export async function wipeOld(deps: WipeDeps): Promise<Wiped> {
	const { sql, clock } = deps;
	const before = new Date(clock.now().getTime() - LIFE_MS);
	const catalogue = await readCatalogue(sql);
	const tenants = await wipeOldTenants(deps, planWipe(catalogue), before);
	const documents = await wipeDemoDocuments(deps, planDocumentWipe(catalogue), before);
	await removeUnownedUsage(sql);
	return { ...tenants, documents };
}

async function wipeOldTenants(deps: WipeDeps, plan: readonly Rows[], before: Date): Promise<Omit<Wiped, "documents">> {
	const { sql, log } = deps;
	/** One that fails keeps none of the others. */
	const withEach = async (tenantIds: readonly string[], work: (tenantId: string) => Promise<boolean>) => {
		const done: string[] = [];
		for (const tenantId of tenantIds) {
			try {
				if (await work(tenantId)) done.push(tenantId);
			} catch (error) {
				log.error({ tenantId, err: error }, "a company of the public sandbox could not be wiped");
			}
		}
		return done;
	};
	let tenants = 0;
	let busy = 0;
	for (;;) {
		const old = await findOldTenants(sql, before, deps.demoTenantId, TENANTS_AT_ONCE_MAX + busy);
		// Those that were busy are still the oldest.
		const due = old.slice(busy);
		if (due.length === 0) return { tenants, busy };
		const closed = await withEach(due, async (tenantId) => {
			await deps.closeTenant(tenantId, deps.clock.now());
			return true;
		});
		await Bun.sleep(deps.pauseMs);
		const wiped = await withEach(closed, (tenantId) => wipeTenant(deps, plan, tenantId));
		tenants += wiped.length;
		busy += due.length - wiped.length;
	}
}

/** False when the tenant's work is under way. */
async function wipeTenant(
	{ sql, archive, releaseIssuer }: WipeDeps,
	plan: readonly Rows[],
	tenantId: string,
): Promise<boolean> {
	return sql.begin(async (tx) => {
		if ((await holdMessages(tx, tenantId)).size > 0) return false;
		const rnc = await holdCompany(tx, tenantId);
		if (rnc === undefined) return true;
		// What came in between is held without waiting: whoever has it may be waiting for the company.
		if (!(await holdNewMessages(tx, tenantId))) return false;
		for (const rows of plan) await deleteRows(tx, tenantId, rows, [tenantId]);
		await mayWaitOutside(tx);
		await releaseIssuer?.(rnc);
		await archive.erase(tenantId);
		return true;
	});
}

async function wipeDemoDocuments(deps: WipeDeps, plan: readonly Rows[], before: Date): Promise<number> {
	let documents = 0;
	for (;;) {
		const docIds = await wipeSomeOfDemo(deps, plan, before);
		if (!docIds) return documents;
		documents += docIds.length;
	}
}

/** The documents that went; undefined when there was nothing to wipe. */
async function wipeSomeOfDemo(
	{ sql, archive, demoTenantId }: WipeDeps,
	plan: readonly Rows[],
	before: Date,
): Promise<readonly string[] | undefined> {
	return sql.begin(async (tx) => {
		const underWay = await holdMessages(tx, demoTenantId);
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
		for (const rows of plan) await deleteRows(tx, demoTenantId, rows, ids);
		await mayWaitOutside(tx);
		for (const key of keys) await archive.erase(key);
		return docIds;
	});
}

/* HEAD schedule.ts: Wipes the public sandbox every hour; nowhere else is there anything to start. */

const EVERY_HOUR = "17 * * * *";

/** Starts the schedule; the answer stops it. A wipe that is under way then is cut off with its connection, and its rest comes next time. */
export function startWipes(deps: WipeDeps): () => void {
	const job = new Cron(EVERY_HOUR, { timezone: "UTC", protect: true }, () => wipeAlone(deps));
	return () => job.stop();
}

async function wipeAlone(deps: WipeDeps): Promise<void> {
	const { sql, clock, log } = deps;
	try {
		if (!(await doClocksAgree(sql, clock))) {
			log.warn("this machine's clock and the database's are apart: nothing is wiped");
			return;
		}
		const wiped = await sql.begin(async (tx) => {
			return (await holdWipes(tx)) ? wipeOld(deps) : undefined;
		});
		if (wiped) log.info(wiped, "wiped");
	} catch (error) {
		log.warn({ err: error }, "wiping failed and is tried again at the next turn");
	}
}
