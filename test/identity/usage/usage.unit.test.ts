import { afterAll, beforeAll, expect, test } from "bun:test";
import { createMeter, openUsage } from "../../../src/identity/usage/open-usage";
import { writeUsage } from "../../../src/identity/usage/store";
import { sumOwnerUsage } from "../../../src/identity/usage/units";
import type { Principal } from "../../../src/platform/operation";
import { createLog } from "../../../src/platform/telemetry";
import { newId, systemClock, toLocalIsoDate } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

const callerOf = (over: Partial<Principal> = {}): Principal => {
	return { environment: "sandbox", plan: "free", ownerId: newId(), keyId: newId(), scopes: new Set(), ...over };
};
const rowsOf = (caller: Principal) =>
	database.sql`select * from usage_days where owner_id = ${caller.ownerId} order by operation`;

test("answers are counted by what they were, items of those that were done", async () => {
	const usage = openUsage({ sql: database.sql, clock: systemClock, log: createLog("silent", "test") });
	const caller = callerOf();
	for (const status of [200, 202, 304, 400, 404, 429, 500, 503]) usage.note(caller, "getDocument", status, 3);
	usage.note(caller, "batchDocuments", 200, 100, 98);
	usage.note(caller, "batchDocuments", 503, 100, 98);
	await usage.flush();
	usage.note(caller, "getDocument", 200, 0);
	await usage.close();
	expect([...(await rowsOf(caller))]).toMatchObject([
		{ operation: "batchDocuments", succeeded: 1, items: 100, billable: 98 },
		{ operation: "getDocument", succeeded: 3, unmodified: 1, refused: 2, limited: 1, failed: 2, items: 6 },
	]);
});

test("an owner's usage is summed by operation and by unit", async () => {
	const usage = openUsage({ sql: database.sql, clock: systemClock, log: createLog("silent", "test") });
	const caller = callerOf();
	for (const status of [200, 304, 404, 429, 500]) usage.note(caller, "getDocument", status, 0);
	usage.note({ ...caller, keyId: newId() }, "matchDocuments", 200, 10, 7);
	usage.note(caller, "matchDocuments", 200, 5, 5);
	await usage.close();
	const today = toLocalIsoDate(systemClock.now());
	const period = { from: today, to: today };
	expect(await sumOwnerUsage(database.sql, caller.ownerId ?? "", period)).toEqual({
		...{ ownerId: caller.ownerId ?? "", ...period, billableUnits: { request: 3, number: 0, name: 12, row: 0 } },
		operations: [
			{ operation: "getDocument", billed: 3, items: 0, unit: "request", billableUnits: 3 },
			{ operation: "matchDocuments", billed: 2, items: 15, unit: "name", billableUnits: 12 },
		],
	});
});

test("counts during a write wait for the next one", async () => {
	const usage = openUsage({ sql: database.sql, clock: systemClock, log: createLog("silent", "test") });
	const caller = callerOf();
	usage.note(caller, "getDocument", 200, 0);
	let isWritten = false;
	const written = usage.flush().then(() => {
		isWritten = true;
	});
	let noted = 1;
	for (; !isWritten && noted < 100_000; noted++) {
		usage.note(caller, "getDocument", 200, 0);
		await new Promise(setImmediate);
	}
	expect(isWritten).toBe(true);
	expect((await rowsOf(caller))[0]?.succeeded).toBeLessThan(noted);
	await written;
	await usage.close();
	expect((await rowsOf(caller))[0]?.succeeded).toBe(noted);
});

test("the last write takes what is counted while it runs", async () => {
	const usage = openUsage({ sql: database.sql, clock: systemClock, log: createLog("silent", "test") });
	const caller = callerOf();
	usage.note(caller, "getDocument", 200, 0);
	const closed = usage.close();
	await new Promise(setImmediate);
	usage.note(caller, "getDocument", 200, 0);
	await closed;
	expect((await rowsOf(caller))[0]?.succeeded).toBe(2);
});

test("a write that is repeated without a confirmation counts once", async () => {
	const meter = createMeter(systemClock);
	const caller = callerOf();
	meter.note(caller, "getDocument", 200, 0);
	const counted = meter.take();
	const id = newId();
	await writeUsage(database.sql, id, counted);
	await writeUsage(database.sql, id, counted);
	expect((await rowsOf(caller))[0]?.succeeded).toBe(1);
	expect(meter.take()).toEqual([]);
});

test("processes that write the same rows at once lose nothing", async () => {
	const callers = Array.from({ length: 20 }, () => callerOf());
	const write = async () => {
		const meter = createMeter(systemClock);
		for (const caller of callers) meter.note(caller, "getDocument", 200, 0);
		await writeUsage(database.sql, newId(), meter.take());
	};
	await Promise.all(Array.from({ length: 10 }, write));
	for (const caller of callers) expect((await rowsOf(caller))[0]?.succeeded).toBe(10);
});

test("a wiped company gets no rows, and those of others are written", async () => {
	const tenantId = newId();
	await database.sql`
		insert into companies (tenant_id, environment, authority_environment, rnc, name, plan, registry, settings)
		values (${tenantId}, 'sandbox', 'test', '990000001', 'FERRETERIA', 'free', '{}', '{}')`;
	const [there, gone, ofNone] = [callerOf({ tenantId }), callerOf({ tenantId: newId() }), callerOf()];
	const meter = createMeter(systemClock);
	for (const caller of [there, gone, ofNone]) meter.note(caller, "listWebhooks", 200, 0);
	await writeUsage(database.sql, newId(), meter.take());
	const written = await Promise.all([there, gone, ofNone].map(async (caller) => (await rowsOf(caller)).length));
	expect(written).toEqual([1, 0, 1]);
});
