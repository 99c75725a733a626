/** Numbers that documents have in the forms of eleven and twelve characters, which the sandboxes take. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { storeAll } from "../../../src/invoicing/invoices/issue/batched-queries";
import { createNumbering } from "../../../src/invoicing/sequences";
import { leaseNumbers } from "../../../src/invoicing/sequences/lease";
import type { Sql } from "../../../src/platform/database";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import {
	clock,
	documentUnder,
	encfOf,
	freeNumbers,
	insertTenant,
	NOW,
	register,
	releaseNumber,
	TODAY,
} from "./support/numbered";

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
	database = await openTestDatabase();
	sql = database.sql;
}, 120_000);
afterAll(() => database.close());

const environment = "sandbox" as const;
const shortOf = (number: number, digits: 8 | 9) => `E31${String(number).padStart(digits, "0")}`;
const take = async (tenantId: string) => {
	const numbering = createNumbering({ sql, clock, environment, wake: () => undefined });
	return (await numbering.take({ tenantId, type: "31", place: `${tenantId} ${crypto.randomUUID()}` })).encf;
};

test("numbers used in short forms are skipped until they are given back", async () => {
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 1_000]);
	const [second] = [documentUnder(tenantId, shortOf(2, 9))];
	await storeAll(sql, [
		documentUnder(tenantId, shortOf(1, 8)),
		second,
		documentUnder(tenantId, encfOf(3)),
		documentUnder(tenantId, shortOf(5, 8)),
		// As a text it lies between short forms.
		documentUnder(tenantId, encfOf(500)),
	]);
	expect(await take(tenantId)).toBe(encfOf(4));
	const at = { now: NOW, today: TODAY, environment };
	const lease = await sql.begin((tx) => leaseNumbers(tx, tenantId, { type: "31", count: 3, ttl: 3_600 }, at));
	expect(lease.ranges.map(({ first, last }) => [first, last])).toEqual([[6, 8]]);
	expect(await freeNumbers(sql, tenantId)).toEqual(["{[9,1001)}"]);
	await releaseNumber(sql, second);
	expect(await take(tenantId)).toBe(encfOf(2));
});

test("a sequence whose last numbers have short forms has none left", async () => {
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [99_999_999, 100_000_000]);
	await storeAll(sql, [documentUnder(tenantId, "E3199999999"), documentUnder(tenantId, "E31100000000")]);
	expect(await take(tenantId).catch((error: { slug: string }) => error.slug)).toBe("sequence-exhausted");
});
