/**
 * The places of tables on Citus, and the step that puts them there. Citus itself is not installed here: a stub stands for its functions, and its
 * rules for keys are those of `findKeyFaults`.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { prepareDatabase, readPlacements, type Sql } from "../../../src/platform/database";
import { findEngine, type Placements, toCitus } from "../../../src/platform/database/citus";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { installCitusStub } from "./support/citus-stub";

const TIMEOUT_MS = 60_000;
const placements = readPlacements();

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, TIMEOUT_MS);
afterAll(() => database.close());

type Key = { readonly from: string; readonly to: string; readonly definition: string };

const listKeys = (sql: Sql) => sql<(Key & { pairs: string[]; deletion: string; change: string })[]>`
	select k.conrelid::regclass::text as from, k.confrelid::regclass::text as to, pg_get_constraintdef(k.oid) as definition,
		k.confdeltype::text as deletion, k.confupdtype::text as change, array(
			select concat(a.attname, ' ', b.attname) from unnest(k.conkey, k.confkey) as x (own, other)
			join pg_attribute a on a.attrelid = k.conrelid and a.attnum = own
			join pg_attribute b on b.attrelid = k.confrelid and b.attnum = other
		) as pairs
	from pg_constraint k
	where k.contype = 'f' and k.conparentid = 0 and k.connamespace = 'public'::regnamespace order by 1, 2, 3`;

/** Foreign keys that Citus refuses. Source: foreign_constraint.c, ErrorIfUnsupportedForeignConstraintExists. */
async function findKeyFaults(sql: Sql, { distributed, reference, local }: Placements): Promise<string[]> {
	const columns = new Map(Object.entries(distributed).flatMap(([column, all]) => all.map((table) => [table, column])));
	const isWhole = (table: string) => reference.includes(table) || local.includes(table);
	const [plain, restrict, cascade] = ["a", "r", "c"];
	const faults = (await listKeys(sql)).filter(({ from, to, pairs, deletion, change }) => {
		const [own, other] = [columns.get(from), columns.get(to)];
		if (own === undefined) {
			// Changes of a table of the coordinator cannot cascade to the copies on the nodes.
			const isPlain = [plain, restrict].includes(deletion) && [plain, restrict].includes(change);
			return !isWhole(to) || (reference.includes(from) && local.includes(to) && !isPlain);
		}
		const isOnColumn = pairs.some((pair) => pair.startsWith(`${own} `));
		if (isOnColumn && !([plain, restrict, cascade].includes(deletion) && [plain, restrict].includes(change)))
			return true;
		return other === undefined ? !reference.includes(to) : !pairs.includes(`${own} ${other}`);
	});
	return faults.map(({ from, to }) => `${from} → ${to}`);
}

test("Citus allows the foreign keys of all tables in their places", async () => {
	expect(await findKeyFaults(database.owner, placements)).toEqual([]);
});

test("a key from a distributed table to one of the coordinator is found", async () => {
	const reference = placements.reference.filter((table) => table !== "owners");
	const faults = await findKeyFaults(database.owner, {
		...placements,
		reference,
		local: [...placements.local, "owners"],
	});
	expect(faults).toEqual(["webhook_endpoints → owners"]);
});

test("the columns of distribution are ids that are never null", async () => {
	const wanted = Object.entries(placements.distributed).flatMap(([column, all]) =>
		all.map((table) => `${table}.${column}`),
	);
	const rows = await database.owner<{ name: string }[]>`
		select attrelid::regclass || '.' || attname as name from pg_attribute where attnotnull and atttypid = 'uuid'::regtype
			and attrelid::regclass || '.' || attname = any(${wanted})`;
	expect(rows.map(({ name }) => name).sort()).toEqual(wanted.sort());
});

test("conditions for Citus are comments elsewhere; there no plan is generic", () => {
	const text =
		"f() set plan_cache_mode = 'force_generic_plan' as 'where a = b /*citus and a = any(all)*/ and c /* d */'";
	expect(toCitus(text)).toBe("f() as 'where a = b and a = any(all) and c /* d */'");
});

test("the engine is what the database has, and another one is refused", async () => {
	const { owner } = database;
	expect(await findEngine(owner, "auto")).toBe("postgres");
	expect(await findEngine(owner, "postgres")).toBe("postgres");
	await expect(findEngine(owner, "citus")).rejects.toThrow(
		/^DATABASE_ENGINE=citus, but the database lacks the extension/,
	);
});

test(
	"tables and functions are put in their places once, and all keys are there again",
	async () => {
		const { owner, url, ownerUrl } = database;
		const keys = await listKeys(owner);
		await installCitusStub(owner);
		const prepare = () => prepareDatabase({ url, migrationUrl: ownerUrl, isStrict: true });
		expect(await prepare()).toMatchObject({ url, engine: "citus", remarks: [] });

		const placed = await owner<{ table: string; column: string | null }[]>`
			select logicalrelid::text as "table", partkey as column from pg_dist_partition order by 1`;
		const wanted = [
			...Object.entries(placements.distributed).flatMap(([column, all]) => all.map((table) => ({ table, column }))),
			...placements.reference.map((table) => ({ table, column: null })),
		].sort((a, b) => (a.table < b.table ? -1 : 1));
		expect([...placed]).toEqual(wanted);
		expect([...(await listKeys(owner))]).toEqual([...keys]);
		const functions = await owner<{ name: string; argument: number }[]>`
			select objid::regproc::text as name, distribution_argument_index as argument from pg_dist_object`;
		expect([...functions]).toEqual([{ name: "look_up", argument: 0 }]);
		const planned = await owner`select from pg_proc where 'plan_cache_mode=force_generic_plan' = any(proconfig)`;
		expect(planned).toHaveLength(0);

		expect(await prepare()).toMatchObject({ engine: "citus" });
		expect(await owner`select from pg_dist_object`).toHaveLength(1);
		await expect(findEngine(owner, "postgres")).rejects.toThrow(/^DATABASE_ENGINE=postgres, but Citus has distributed/);
	},
	TIMEOUT_MS,
);
