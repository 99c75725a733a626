/** A type of a tenant that is locked for long, as while a range is registered under which there are many documents: nothing else waits for it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { storeAll } from "../../../src/invoicing/invoices/issue/batched-queries";
import { createNumbering } from "../../../src/invoicing/sequences";
import { requestVoid } from "../../../src/invoicing/sequences/request-void";
import { lockType } from "../../../src/invoicing/sequences/store";
import { connect, type Sql } from "../../../src/platform/database";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";
import { clock, documentUnder, encfOf, insertTenant, NOW, register, TODAY } from "./support/numbered";

let database: TestDatabase;
/** What waits too long fails, long before the test does. */
let sql: Sql;
beforeAll(async () => {
	database = await openTestDatabase();
	sql = connect({ url: database.url, name: "impatient", connectionsMax: 10, statementTimeoutMs: 10_000 });
}, 120_000);
afterAll(async () => {
	await sql.end({ timeout: 2 });
	await database.close();
});

const untilWaiting = (sessions: number) =>
	until(async () => {
		const waiting = await database.owner`
			select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and state = 'active'`;
		return waiting.length === sessions;
	});

test("numbers of other tenants and of other types are given", async () => {
	const [tenantId, other] = [await insertTenant(sql), await insertTenant(sql)];
	for (const id of [tenantId, other]) await register(sql, id, [1, 10]);
	await register(sql, tenantId, [1, 10], { type: "32" as "31", expiresAt: null });
	const numbering = createNumbering({ sql, clock, environment: "production", wake: () => undefined });
	const take = (id: string, type: string) => numbering.take({ tenantId: id, type, place: `${id} ${type}` });
	let waiting: ReturnType<typeof take> | undefined;
	await database.owner.begin(async (tx) => {
		await lockType(tx, { tenantId, type: "31" });
		waiting = take(tenantId, "31");
		const given = await Promise.all([take(other, "31"), take(tenantId, "32")]);
		expect(given.map(({ encf }) => encf)).toEqual([encfOf(1), encfOf(1, "32")]);
	});
	expect((await waiting)?.encf).toBe(encfOf(1));
});

test("documents are stored beside a void that waits for it", async () => {
	const [tenantId, other] = [await insertTenant(sql), await insertTenant(sql)];
	await register(sql, tenantId, [1, 10]);
	const request = { type: "31", from: encfOf(8), to: encfOf(9), reason: "Punto de venta cerrado" } as const;
	let voided: Promise<unknown> | undefined;
	await database.owner.begin(async (tx) => {
		await lockType(tx, { tenantId, type: "31" });
		voided = sql.begin((mine) => requestVoid(mine, tenantId, request, { now: NOW, today: TODAY }));
		voided.catch(() => undefined);
		await untilWaiting(1);
		const documents = [documentUnder(tenantId, encfOf(7)), documentUnder(other, encfOf(7))];
		expect(await storeAll(sql, documents)).toEqual(["stored", "stored"]);
	});
	expect(await voided).toMatchObject({ status: "pending", first: 8, last: 9 });
});
