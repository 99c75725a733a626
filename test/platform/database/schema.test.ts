/** The database equals its files: tables, functions, and settings that statements rely on. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { readTables } from "../../../scripts/check/tables";
import { compareCatalogue, type Sql } from "../../../src/platform/database";
import { openTestDatabase, type TestDatabase } from "../../support/database";

const ROOT = join(import.meta.dir, "../../..");
const DIRECTORY = join(ROOT, "src/platform/database/functions");
const files = readdirSync(DIRECTORY).filter((name) => name.endsWith(".sql"));

let database: TestDatabase;

beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);

afterAll(() => database.close());

/** Every function of the service's schema; an extension's functions are not ours. */
function readFunctions(sql: Sql) {
	return sql<{ name: string }[]>`
		select p.proname as name from pg_proc p
		where p.pronamespace = 'public'::regnamespace
			and not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
		order by p.oid`;
}

test("every function of the database has a file, and every file a function", async () => {
	const names = new Set((await readFunctions(database.owner)).map(({ name }) => name));
	expect(files.map((file) => basename(file, ".sql")).toSorted()).toEqual([...names].toSorted());
});

for (const file of files)
	test(`${file} has the function of its name`, () => {
		const text = readFileSync(join(DIRECTORY, file), "utf8");
		const defined = [...text.matchAll(/^create or replace function (\w+)/gm)].map(([, name]) => `${name}.sql`);
		expect(new Set(defined)).toEqual(new Set([file]));
	});

test("the whole catalogue equals a fresh installation of the files", async () => {
	expect(await compareCatalogue(database.owner)).toEqual([]);
});

test("the tables of the database are those of the schema files", async () => {
	const rows = await database.owner<{ name: string }[]>`
		select relname as name from pg_class
		where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'schema_migrations'`;
	expect(rows.map(({ name }) => name).toSorted()).toEqual([...readTables(ROOT).keys()].toSorted());
});

test("tables that grow have small samples and are analysed after a third is new", async () => {
	const rows = await database.owner<{ name: string; options: string[]; sample: number }[]>`
		select relname as name, reloptions as options, (
			select max(coalesce(attstattarget, 100)) from pg_attribute a
			where a.attnum > 0 and not a.attisdropped
				and (a.attrelid = c.oid or exists (select from pg_index i where i.indexrelid = a.attrelid and i.indrelid = c.oid and i.indkey[a.attnum - 1] = 0))
		)::int as sample
		from pg_class c where reloptions::text like '%autovacuum_analyze_scale_factor=0.3%' order by 1`;
	expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(["names", "outbox"]));
	expect(rows.filter(({ sample }) => sample > 10)).toEqual([]);
});

test("what an operator has changed is found, object by object", async () => {
	const { owner } = database;
	await owner`alter table documents disable trigger documents_once`;
	await owner`alter table heads add column note text`;
	await owner`drop index documents_modifying`;
	await owner`create table notes (id int primary key)`;
	await owner`create or replace function refuse_change() returns trigger language plpgsql as 'begin return new; end'`;
	const found = (await compareCatalogue(owner)).map(({ object, difference }) => `${difference} ${object}`);
	expect(found).toEqual([
		"changed function refuse_change()",
		"missing index documents_default_tenant_id_modifies_idx",
		"missing index documents_modifying",
		"extra index notes_pkey",
		"changed table documents",
		"changed table heads",
		"extra table notes",
	]);
});
