/** A wipe beside work of the wiped companies causes no deadlock. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { isActive } from "../../../src/companies";
import { writeUnderLease } from "../../../src/platform/outbox";
import { createLog } from "../../../src/platform/telemetry";
import { newId, systemClock } from "../../../src/platform/values";
import { type WipeDeps, wipeOld } from "../../../src/sandbox/wipe";
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

const wipe = (closeTenant: WipeDeps["closeTenant"] = async () => undefined) =>
	wipeOld({
		sql: database.sql,
		archive: { erase: async () => undefined },
		closeTenant,
		demoTenantId: newId(),
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
