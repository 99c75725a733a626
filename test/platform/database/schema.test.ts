/** The database equals its files: tables, functions, and settings that statements rely on. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { readTables } from "../../../scripts/check/tables";
import type { Sql, Tx } from "../../../src/platform/database";
import { openTestDatabase, type TestDatabase } from "../../support/database";

const ROOT = join(import.meta.dir, "../../..");
const DIRECTORY = join(ROOT, "src/platform/database/functions");
const files = readdirSync(DIRECTORY).filter((name) => name.endsWith(".sql"));

let database: TestDatabase;

beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);

afterAll(() => database.close());

/** Every function of the service's schema with its full definition; an extension's functions are not ours. */
function readFunctions(sql: Sql | Tx) {
	return sql<{ name: string; definition: string }[]>`
		select p.proname as name, pg_get_functiondef(p.oid) as definition from pg_proc p
		where p.pronamespace = 'public'::regnamespace
			and not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
		order by p.oid`;
}

test("every function of the database has a file, and every file a function", async () => {
	const names = new Set((await readFunctions(database.owner)).map(({ name }) => name));
	expect(files.map((file) => basename(file, ".sql")).toSorted()).toEqual([...names].toSorted());
});

/** What differs from the prepared database after the text has been run. */
async function findDifferences(text: string): Promise<string[]> {
	const undo = new Error("undo");
	let differences: string[] = [];
	await database.owner
		.begin(async (tx) => {
			const before = await readFunctions(tx);
			await tx.unsafe(text);
			const known = new Set(before.map(({ definition }) => definition));
			differences = (await readFunctions(tx))
				.filter(({ definition }) => !known.has(definition))
				.map(({ name }) => name);
			throw undo;
		})
		.catch((error) => {
			if (error !== undo) throw error;
		});
	return differences;
}

for (const file of files)
	test(`${file} holds what the database has`, async () => {
		const text = readFileSync(join(DIRECTORY, file), "utf8");
		const defined = [...text.matchAll(/^create or replace function (\w+)/gm)].map(([, name]) => `${name}.sql`);
		expect(new Set(defined)).toEqual(new Set([file]));
		expect(await findDifferences(text)).toEqual([]);
	});

test("a file that differs from the database is found", async () => {
	const text = readFileSync(join(DIRECTORY, "refuse_change.sql"), "utf8");
	expect(await findDifferences(text.replace("begin", "begin -- changed"))).toEqual(["refuse_change"]);
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
