import { afterAll, beforeAll, expect, test } from "bun:test";
import { WIPED_TABLES } from "../../../src/sandbox/wipe/tables";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

/** They contain digests, or numbers, and stay. */
const KEPT = ["archive_removals", "seals", "seal_chains"];

test("every table with a tenant's rows is wiped, by columns that it has", async () => {
	const columns = await database.sql<{ table: string; column: string }[]>`
		select c.relname::text as "table", a.attname::text as "column" from pg_class c join pg_attribute a on a.attrelid = c.oid
		where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0`;
	const wiped = WIPED_TABLES.map(({ table }) => table);
	const withTenant = columns.filter(({ column }) => column === "tenant_id").map(({ table }) => table);
	expect(withTenant.filter((table) => !wiped.includes(table) && !KEPT.includes(table))).toEqual([]);
	expect(wiped.filter((table) => KEPT.includes(table))).toEqual([]);
	const has = (table: string, column: string | undefined) =>
		column === undefined || columns.some((one) => one.table === table && one.column === column);
	for (const { table, tenant, document, parent } of WIPED_TABLES) {
		const isThere = has(table, parent ? parent.column : (tenant ?? "tenant_id")) && has(table, document);
		expect(isThere ? table : `${table} lacks a column`).toBe(table);
	}
});

test("rows that refer to others go before them, and companies last of all", async () => {
	const references = await database.sql<{ table: string; parent: string }[]>`
		select k.conrelid::regclass::text as "table", k.confrelid::regclass::text as parent from pg_constraint k
		join pg_class child on child.oid = k.conrelid and not child.relispartition
		join pg_class parent on parent.oid = k.confrelid and not parent.relispartition
		where k.contype = 'f' and k.connamespace = 'public'::regnamespace and k.conrelid <> k.confrelid`;
	const placeOf = new Map(WIPED_TABLES.map(({ table }, n) => [table, n]));
	const late = references.filter(({ table, parent }) => {
		const other = placeOf.get(parent);
		return other !== undefined && (placeOf.get(table) ?? other) >= other;
	});
	expect(late).toEqual([]);
	expect(WIPED_TABLES.at(-1)?.table).toBe("companies");
});
