/** A type of a tenant that is locked for long, as while a range is registered under which there are many documents: nobody else waits for it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Sql } from "../../src/database";
import { createNumbering } from "../../src/sequences";
import { lockType } from "../../src/sequences/store";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { clock, encfOf, insertTenant, register } from "./support/numbered";

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
