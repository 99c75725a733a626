/** Which numbers documents have is asked with every number that is taken: the question costs the same with few documents and with many. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { storeAll } from "../../../src/invoicing/invoices/issue/batched-queries";
import { parseRanges } from "../../../src/invoicing/sequences/number-ranges";
import { findFirstUsed, findUsed } from "../../../src/invoicing/sequences/used-numbers-store";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { documentUnder, encfOf, insertTenant, register } from "./support/numbered";

const DOCUMENTS = 10_000;
/** A walk from the index's root for each of two ranges takes some five; all documents of the tenant have more than 60 in it. */
const PAGES_MAX = 30;

let database: TestDatabase;
let tenantId: string;
beforeAll(async () => {
	database = await openTestDatabase();
	const { sql, owner } = database;
	tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 1_000_000]);
	await storeAll(sql, [documentUnder(tenantId, encfOf(900_000))]);
	await sql`
		insert into names (tenant_id, kind, name, doc_id)
		select ${tenantId}, 't', 'E31' || lpad(n::text, 10, '0'), gen_random_uuid() from generate_series(1, ${DOCUMENTS}::int) n`;
	await owner`vacuum analyze names`;
}, 120_000);
afterAll(() => database.close());

test("of a few numbers it reads a few pages, whatever the tenant has", async () => {
	const asked = "{[9999,10010),[899999,900002)}";
	const [row] = await database.sql.begin(async (tx) => {
		const explain = () => tx<{ "QUERY PLAN": { Plan: Record<string, number> }[] }[]>`
			explain (analyze, buffers, format json) select used_numbers(${tenantId}, '31', ${asked}::int8multirange)`;
		// The first question of a connection reads the catalogue too.
		await explain();
		return explain();
	});
	expect(row?.["QUERY PLAN"][0]?.Plan["Shared Hit Blocks"]).toBeLessThan(PAGES_MAX);
	const ranges = parseRanges(asked);
	expect(await database.sql.begin((tx) => findUsed(tx, { tenantId, type: "31" }, ranges))).toEqual([
		{ first: 9_999, last: 10_000 },
		{ first: 900_000, last: 900_000 },
	]);
});

test("the first used number of a range is found", async () => {
	const { sql } = database;
	const tenant = await insertTenant(sql);
	const key = { tenantId: tenant, type: "31" };
	await storeAll(
		sql,
		[encfOf(12), encfOf(14), encfOf(16), "E3100000011", encfOf(11, "32")].map((encf) => documentUnder(tenant, encf)),
	);
	await sql`delete from names where tenant_id = ${tenant} and name = ${encfOf(12)}`;
	const firstOf = (first: number, last: number) => sql.begin((tx) => findFirstUsed(tx, key, { first, last }));
	const asked = [await firstOf(1, 9_999_999_999), await firstOf(15, 16), await firstOf(1, 13), await firstOf(17, 20)];
	expect(asked).toEqual([14, 16, undefined, undefined]);
});
