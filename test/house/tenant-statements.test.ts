/**
 * Every statement on a tenant's table names the tenant. Statements across tenants are listed in data/tenant-statements.json, each with its reason,
 * and those that are still to be changed as `unready` (`UPDATE=1` writes these anew).
 */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readTenantColumn, type TableEntry } from "../../scripts/check/tables";
import { findMisses, findMissesInFunction, findMissesInSource } from "../../scripts/check/tenant-statements";

const root = join(import.meta.dir, "../..");
const FILE = join(root, "data/tenant-statements.json");
const owners = JSON.parse(readFileSync(join(root, "data/tables.json"), "utf8")) as Record<string, TableEntry>;
const listed = JSON.parse(readFileSync(FILE, "utf8")) as {
	acrossTenants: Record<string, Record<string, string>>;
	unready: Record<string, string[]>;
};
const columnOf = (table: string) => readTenantColumn(owners, table);

test("every statement on a tenant's table names the tenant, or is listed", () => {
	const found = findMisses(root, columnOf).map(({ path, where }) => `${path} ${where}`);
	const across = Object.entries(listed.acrossTenants).flatMap(([path, reasons]) =>
		Object.keys(reasons).map((where) => `${path} ${where}`),
	);
	if (process.env.UPDATE) {
		const unready = Object.groupBy(
			findMisses(root, columnOf).filter(({ path, where }) => !listed.acrossTenants[path]?.[where]),
			({ path }) => path,
		);
		listed.unready = Object.fromEntries(
			Object.entries(unready).map(([path, all = []]) => [path, all.map(({ where }) => where)]),
		);
		writeFileSync(FILE, `${JSON.stringify(listed, null, "\t")}\n`);
	}
	const unready = Object.entries(listed.unready).flatMap(([path, all]) => all.map((where) => `${path} ${where}`));
	expect(found.toSorted()).toEqual([...across, ...unready].toSorted());
});

test("every statement across tenants has a reason", () => {
	const reasons = Object.values(listed.acrossTenants).flatMap((all) => Object.values(all));
	expect(reasons.filter((reason) => reason.length < 20)).toEqual([]);
});

const hole = (code: string) => `\${${code}}`;
const read = (body: string) =>
	findMissesInSource("a.ts", `function run(sql: Sql) {\n${body}\n}\n`, columnOf).map(({ where }) => where);

test("a tenant is named by a comparison, a join or an inserted column", () => {
	expect(read("sql`select 1 from events e where e.tenant_id = $1`")).toEqual([]);
	expect(read("sql`insert into events (id, tenant_id) select 1, 2`")).toEqual([]);
	expect(read("sql`select 1 from events join deliveries using (tenant_id, id) where tenant_id = $1`")).toEqual([]);
	expect(read("sql`delete from outbox where (tenant_id, id) in (select a, b from unnest(c))`")).toEqual([]);
	expect(read("sql`select 1 from request_keys where scope_id = $1`")).toEqual([]);
	expect(read("sql`select 1 from companies where rnc = $1`")).toEqual([]);
});

test("a statement without the tenant of a table is found", () => {
	expect(read("sql`select tenant_id from events where id = $1`")).toEqual(["run: events"]);
	expect(read("sql`update outbox set tenant = 1 where id = $1`")).toEqual(["run: outbox"]);
	expect(read("sql`select 1 from events e join deliveries d on d.id = e.id where e.tenant_id = 1`")).toEqual([
		"run: deliveries",
	]);
	expect(read("sql`select 1 from events e join deliveries d on d.tenant_id = e.tenant_id where e.id = 1`")).toEqual([
		"run: events",
	]);
	expect(read("sql`select 1 from events where tenant_id = 1 and exists (select 1 from outbox where id = 2)`")).toEqual([
		"run: outbox",
	]);
	expect(read(`sql\`select 1 ${hole("isOld ? sql`from events where id = 1` : sql``")}\``)).toEqual(["run: events"]);
	expect(findMissesInFunction("f.sql", "select 1; delete from outbox where id = old.id;", columnOf)).toEqual([
		{ path: "f.sql", where: "f: outbox" },
	]);
});

test("a condition is found in a fragment of the same file", () => {
	const file = `const mine = () => sql\`tenant_id = 1\`;\nfunction run() {\n\tsql\`select 1 from events where ${hole("mine()")}\`;\n}\n`;
	expect(findMissesInSource("a.ts", file, columnOf)).toEqual([]);
});
