/**
 * The tables of tenants can be divided by tenant: PostgreSQL itself makes each of them again, partitioned by a hash of its tenant, which it refuses
 * when a primary or unique key lacks the column. Foreign keys between such tables have it on both sides.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readTenantColumn, type TableEntry } from "../../../scripts/check/tables";
import { openTestDatabase, type TestDatabase } from "../../support/database";

const owners = JSON.parse(readFileSync(join(import.meta.dir, "../../../data/tables.json"), "utf8")) as Record<
	string,
	TableEntry
>;
const tables = Object.keys(owners)
	.flatMap((name) => {
		const column = readTenantColumn(owners, name);
		return column ? [{ name, column }] : [];
	})
	.toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** Tables and foreign keys that are still to be changed; `UPDATE=1` writes them anew. */
const UNREADY = join(import.meta.dir, "unready-keys.json");
const unready = JSON.parse(readFileSync(UNREADY, "utf8")) as { tables: string[]; keys: string[] };

let database: TestDatabase;

beforeAll(async () => {
	database = await openTestDatabase();
	await database.owner`create schema h`;
}, 60_000);

afterAll(async () => {
	if (process.env.UPDATE) writeFileSync(UNREADY, `${JSON.stringify(unready, null, "\t")}\n`);
	await database.close();
});

async function isDivisible({ name, column }: { name: string; column: string }): Promise<boolean> {
	const { owner } = database;
	try {
		await owner`create table h.${owner(name)} (like public.${owner(name)} including all) partition by hash (${owner(column)})`;
	} catch (error) {
		if (error instanceof Error && "code" in error && ["0A000", "42703"].includes(String(error.code))) return false;
		throw error;
	}
	const [row] = await owner<{ attnotnull: boolean }[]>`
		select attnotnull from pg_attribute where attrelid = ${`public.${name}`}::regclass and attname = ${column}`;
	return row?.attnotnull === true;
}

test("every table of tenants can be partitioned by a hash of the tenant", async () => {
	const refused: string[] = [];
	for (const table of tables) if (!(await isDivisible(table))) refused.push(table.name);
	if (process.env.UPDATE) unready.tables = refused;
	expect(refused).toEqual(unready.tables);
});

test("a table whose unique key lacks the tenant cannot be partitioned", async () => {
	await database.owner`create table strange (tenant_id uuid not null, id uuid primary key)`;
	expect(await isDivisible({ name: "strange", column: "tenant_id" })).toBe(false);
});

test("foreign keys between tables of tenants have the tenant on both sides", async () => {
	const columns = new Map(tables.map(({ name, column }) => [name, column]));
	const keys = await database.owner<{ from: string; to: string; pairs: string[] }[]>`
		select conrelid::regclass::text as from, confrelid::regclass::text as to, array(
			select concat(a.attname, ' ', b.attname) from unnest(conkey, confkey) as k (own, other)
			join pg_attribute a on a.attrelid = conrelid and a.attnum = own
			join pg_attribute b on b.attrelid = confrelid and b.attnum = other
		) as pairs
		from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by 1, 2`;
	const bad = keys.filter(({ from, to, pairs }) => {
		const [own, other] = [columns.get(from), columns.get(to)];
		return own && other && !pairs.includes(`${own} ${other}`);
	});
	const names = bad.map(({ from, to }) => `${from} → ${to}`);
	if (process.env.UPDATE) unready.keys = names;
	expect(names).toEqual(unready.keys);
});
