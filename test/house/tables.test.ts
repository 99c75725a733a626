/** Each table has one owning folder, and every SQL text in src is checked against the list of owners in data/tables.json. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
	findTableViolations,
	readTables,
	readTableUses,
	readTenantColumn,
	type TableEntry,
} from "../../scripts/check/tables";

const root = join(import.meta.dir, "../..");
const owners = JSON.parse(readFileSync(join(root, "data/tables.json"), "utf8")) as Record<string, TableEntry>;
const tables = readTables(root);
const uses = [...new Bun.Glob("src/**/*.ts").scanSync({ cwd: root })]
	.filter((path) => !path.startsWith("src/simulator/"))
	.sort()
	.flatMap((path) =>
		[...readTableUses(readFileSync(join(root, path), "utf8"), tables)].map((table) => ({ path, table })),
	);

test("only the owner of a table names it in SQL, or a folder whose reason is listed", () => {
	expect(uses.length).toBeGreaterThan(100);
	expect(findTableViolations(owners, tables, uses)).toEqual([]);
});

test("the owner of each table is a folder, and every exception has a reason", () => {
	const entries = Object.values(owners);
	expect(entries.filter(({ owner }) => !existsSync(join(root, owner)))).toEqual([]);
	const reasons = entries.flatMap(({ alsoNamedBy = {} }) => Object.values(alsoNamedBy));
	expect(reasons.filter((reason) => reason.length < 20)).toEqual([]);
});

const { distributed, reference, local } = JSON.parse(readFileSync(join(root, "data/placements.json"), "utf8")) as {
	readonly distributed: Readonly<Record<string, string[]>>;
	readonly reference: readonly string[];
	readonly local: readonly string[];
};

// Citus does not know the arguments of such a function when it plans its statement.
test("no function in plain SQL reads a table that Citus distributes; plpgsql does", () => {
	const folder = join(root, "src/platform/database/functions");
	const names = new Set(Object.values(distributed).flat());
	const texts = [...new Bun.Glob("*.sql").scanSync(folder)].map((name) => readFileSync(join(folder, name), "utf8"));
	const plain = texts.filter((text) => text.includes("language sql")).map((text) => text.replace(/^--.*$/gm, ""));
	expect(plain.length).toBeGreaterThan(10);
	expect(plain.filter((text) => readTableUses(`\`${text}\``, names).size > 0)).toEqual([]);
});

test("each table has one place on Citus, in data/placements.json", () => {
	const placed = [...Object.values(distributed).flat(), ...reference, ...local];
	expect(placed.sort()).toEqual([...tables.keys()].sort());
	// Rows of tenants lie on the nodes of their tenants.
	const columnOf = (table: string) => Object.keys(distributed).find((column) => distributed[column]?.includes(table));
	const strange = Object.keys(owners).filter((table) => {
		const column = readTenantColumn(owners, table);
		return column !== undefined && !reference.includes(table) && columnOf(table) !== column;
	});
	expect(strange).toEqual([]);
});

test("a missing owner, a wrong file and uses that are not as listed are violations", () => {
	const own = { api_keys: { owner: "src/identity/auth", alsoNamedBy: { "src/sandbox": "wipes a sandbox company" } } };
	const used = [
		{ path: "src/identity/auth/store.ts", table: "api_keys" },
		{ path: "src/archive/store.ts", table: "api_keys" },
	];
	expect(
		findTableViolations(
			own,
			new Map([
				["api_keys", "registry"],
				["owners", "identity"],
			]),
			used,
		),
	).toEqual([
		"owners has no owner",
		"api_keys of identity is created in the file of registry",
		"src/archive/store.ts names api_keys",
		"src/sandbox no longer names api_keys",
	]);
});

test("a table is found in every kind of statement, and not in comments or prose", () => {
	const known = new Set(["events", "outbox"]);
	const read = (text: string) => [...readTableUses(text, known)];
	expect(read("sql`select 1 from events e join only outbox o on true`")).toEqual(["events", "outbox"]);
	expect(read("sql`insert into events select 1`; sql`update outbox set a = 1`")).toEqual(["events", "outbox"]);
	expect(read("// from events\nconst events = read(from, events);")).toEqual([]);
});
