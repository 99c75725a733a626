/** A wipe beside work of the wiped companies causes no deadlock. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Drawn, decideDocuments, drawDocument, storeDocuments } from "../../../scripts/random/decided-documents";
import { isActive } from "../../../src/companies";
import { rebuildReports, verifyReports } from "../../../src/invoicing/reports";
import { writeUnderLease } from "../../../src/platform/outbox";
import { createLog } from "../../../src/platform/telemetry";
import { newId, systemClock } from "../../../src/platform/values";
import { type WipeDeps, wipeOld } from "../../../src/sandbox/wipe";
import { createChance } from "../../support/chance";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { letGo } from "../../support/held-messages";
import { addInvoice, holdMessageOf } from "../../support/submission";
import { until } from "../../support/until";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

const untilWaiting = (sessions: number) =>
	until(async () => {
		const waiting = await database.owner`
			select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and state = 'active'`;
		return waiting.length === sessions;
	});

/** What a wipe could not do, as it logs it. */
const failures: unknown[] = [];

const wipe = (closeTenant: WipeDeps["closeTenant"] = async () => undefined, demoTenantId = newId()) =>
	wipeOld({
		sql: database.sql,
		archive: { erase: async () => undefined },
		closeTenant,
		demoTenantId,
		pauseMs: 0,
		clock: systemClock,
		log: { ...createLog("silent", "test"), error: (fields: unknown) => void failures.push(fields) },
	});

async function addOldCompany(rnc: string): Promise<string> {
	const tenantId = newId();
	await database.sql`
		insert into companies (tenant_id, environment, authority_environment, rnc, name, plan, registry, settings, created_at)
		values (${tenantId}, 'public-sandbox', 'test', ${rnc}, 'FERRETERIA', 'free', '{}', '{}', now() - interval '2 days')`;
	return tenantId;
}

test("a company that cannot be closed is wiped next time and does not stop the others", async () => {
	const stuck = await addOldCompany("990000002");
	await addOldCompany("990000003");
	const closing = async (tenantId: string) => {
		if (tenantId === stuck) throw new Error("its row is locked");
	};
	expect(await wipe(closing)).toMatchObject({ tenants: 1, busy: 1 });
	expect(failures).toMatchObject([{ tenantId: stuck }]);
	failures.length = 0;
	expect(await wipe()).toMatchObject({ tenants: 1, busy: 0 });
});

test("a step that holds its message and needs its company completes before the wipe", async () => {
	const { sql } = database;
	const tenantId = await addOldCompany("990000001");
	const { docId } = await addInvoice(sql, tenantId);
	const message = await holdMessageOf(sql, docId);
	if (!message) throw new Error("expected a message");
	const { wiped } = await writeUnderLease(sql, message, async (tx) => {
		const wiping = wipe();
		wiping.catch(() => undefined);
		await untilWaiting(1);
		expect(await isActive(tx, tenantId)).toBe(true);
		return { wiped: wiping };
	});
	expect(await wiped).toMatchObject({ tenants: 0, busy: 1 });
	expect(failures).toEqual([]);
	await letGo(sql, message);
	expect(await wipe()).toMatchObject({ tenants: 1, busy: 0 });
});

test("the sums of the demo company are those of the documents that are left", async () => {
	const { sql } = database;
	const demo = await addOldCompany("990000004");
	const chance = createChance(1);
	const drawn = Array.from({ length: 20 }, (_, i): Drawn => {
		const { row } = drawDocument(chance, [demo], ["2026-11-20"], i + 1);
		return { row: { ...row, receivedAt: new Date(Date.now() - (i % 2) * 2 * 86_400_000) }, fate: "accepted" };
	});
	await storeDocuments(sql, drawn);
	await decideDocuments(
		sql,
		drawn.map(({ row: { docId }, fate }) => ({ docId, fate })),
	);
	expect(await rebuildReports(sql)).toEqual({ documents: 20 });
	expect(await wipe(undefined, demo)).toMatchObject({ documents: 10 });
	expect(await verifyReports(sql)).toEqual({ documents: 10, drift: [] });
});
