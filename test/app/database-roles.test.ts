import { afterAll, beforeAll, expect, test } from "bun:test";
import { ATTEMPTS, attemptsOn, TARGETS } from "../../scripts/scenarios/archive/sql-attempts";
import { codeOf, connect, WRITTEN_ONCE } from "../../src/platform/database";
import { createLog } from "../../src/platform/telemetry";
import { newId, systemClock } from "../../src/platform/values";
import { wipeOld } from "../../src/sandbox/wipe";
import { type Archived, addArchived, listWrittenOnce, photograph } from "../support/archived";
import { openTestDatabase, type TestDatabase } from "../support/database";

const TIMEOUT_MS = 120_000;

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, TIMEOUT_MS);
afterAll(() => database.close());

// Source: PostgreSQL, Appendix A: the code for a statement without rights.
const MALFORMED = ["42601", "42P01", "42P02", "42703", "42883", "42704", "25001", "22P02"];

test(
	"the service's login can never change or delete written-once rows",
	async () => {
		const { owner } = database;
		await addArchived(database.sql, "production");
		const tables = await listWrittenOnce(owner);
		const onTables = tables.flatMap((table) => attemptsOn(table, TARGETS[table] ?? ""));
		const before = await photograph(owner);
		const attacker = connect({ url: database.url, name: "attacker", connectionsMax: 1 });
		const passed: string[] = [];
		for (const { name, sql } of [...onTables, ...ATTEMPTS]) {
			const error = await attacker.unsafe(sql).then(
				() => undefined,
				(e: unknown) => e,
			);
			if (error === undefined) passed.push(`${name}: no error`);
			else if (MALFORMED.includes(codeOf(error))) passed.push(`${name}: ${error}`);
		}
		const [self] = await attacker`select current_user as role, current_setting('session_replication_role') as mode`;
		await attacker.end();
		expect(passed).toEqual([]);
		expect(await photograph(owner)).toEqual(before);
		expect(self).toEqual({ role: "sello_service", mode: "origin" });
		expect(onTables.length + ATTEMPTS.length).toBeGreaterThanOrEqual(100);
	},
	TIMEOUT_MS,
);

test("every table that is written once is attacked", () => {
	expect(Object.keys(TARGETS).toSorted()).toEqual([...WRITTEN_ONCE].toSorted());
});

test(
	"the public sandbox is wiped under the service's role, one tenant only",
	async () => {
		const { sql, owner } = database;
		const gone = await addArchived(sql, "public-sandbox");
		const [young, real] = [await addArchived(sql, "public-sandbox"), await addArchived(sql, "production")];
		await sql`update companies set created_at = now() - interval '25 hours' where tenant_id in (${gone.tenantId}, ${real.tenantId})`;
		await sql`delete from outbox where tenant_id = ${gone.tenantId}`;
		const others = await rowsOf([young, real]);

		// Rows of others at their places, named as the wiped tenant's.
		for (const table of ["papers", "audit", "received_documents", "approvals"]) {
			const attempt = sql`
				select wipe_written_once(${young.tenantId}, ${table}, 'tenant_id', array[${real.tenantId}]) as count`.then(
				([row]) => `${row?.count} wiped`,
				(error: Error) => error.message,
			);
			expect(await attempt).toBe("0 wiped");
		}
		await expect(sql`select forget_seals(${real.tenantId}, null)`).rejects.toThrow("is written once");
		const erased: string[] = [];
		const log = createLog("silent", "test");
		const wiped = await wipeOld({
			...{ sql, clock: systemClock, log, pauseMs: 0, demoTenantId: newId(), closeTenant: async () => undefined },
			archive: { erase: async (key) => void erased.push(key) },
		});
		expect(wiped).toEqual({ tenants: 1, documents: 0, busy: 0 });
		expect(erased).toEqual([gone.tenantId]);
		expect(await rowsOf([gone])).toEqual({});
		expect(await rowsOf([young, real])).toEqual(others);
		// Its digests stay, since others' proofs stand on them.
		expect(await owner`select encf from seals where tenant_id = ${gone.tenantId} and removed_at is not null`).toEqual([
			{ encf: null },
		] as never);
	},
	TIMEOUT_MS,
);

/** Rows about documents or their tenants, for each table that is written once, those aside that only grow. */
async function rowsOf(archived: readonly Archived[]): Promise<Record<string, number>> {
	const found: Record<string, number> = {};
	const tables = ["documents", "papers", "steps", "verdicts", "audit", "companies"];
	for (const table of [
		...tables,
		"received_documents",
		"received_papers",
		"received_standings",
		"approvals",
		"approval_papers",
	]) {
		const ids = archived.flatMap(({ tenantId, docId }) => [tenantId, docId]);
		const [row] = await database.owner<{ n: number }[]>`
			select count(*)::int as n from ${database.owner(table)} t
			where exists (select 1 from unnest(${ids}::text[]) id where strpos(t::text, id) > 0)`;
		if (row && row.n > 0) found[table] = row.n;
	}
	return found;
}

test("a table that comes later is the service's to change, and not to empty", async () => {
	const { sql, owner } = database;
	await owner`create table later (n int generated always as identity, word text)`;
	try {
		await sql`insert into later (word) values ('a'), ('b')`;
		await sql`update later set word = 'c' where n = 1`;
		await sql`delete from later where n = 2`;
		expect([...(await sql`select word from later`)]).toEqual([{ word: "c" }]);
		expect(await sql`truncate later`.catch(codeOf)).toBe("42501");
	} finally {
		await owner`drop table later`;
	}
});

test("every table that refuses deletes is listed as written once", async () => {
	const { owner } = database;
	const kept = await owner<{ name: string }[]>`
		select distinct c.relname::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
		-- Before rows are deleted, or the table is emptied.
		where not t.tgisinternal and not c.relispartition and t.tgtype & 2 = 2 and (t.tgtype & 8 = 8 or t.tgtype & 32 = 32) order by 1`;
	expect(kept.map(({ name }) => name)).toEqual((await listWrittenOnce(owner)).toSorted());
	const cascades = await owner<{ name: string }[]>`
		select c.relname::text as name from pg_constraint k join pg_class c on c.oid = k.conrelid
		where k.contype = 'f' and (k.confdeltype not in ('a', 'r') or k.confupdtype not in ('a', 'r'))
			and c.relname = any(${[...WRITTEN_ONCE]}::text[])`;
	expect([...cascades]).toEqual([]);
});

test("every archive table is listed as written once or as changeable", async () => {
	// An export goes through its states; removals are counted by a function of the owner.
	const changing = ["archive_exports", "archive_removals"];
	const rows = await database.owner<{ name: string }[]>`
		select tablename as name from pg_tables where schemaname = 'public' and tablename like 'archive\\_%' order by 1`;
	const unknown = rows.filter(({ name }) => !changing.includes(name) && !WRITTEN_ONCE.includes(name));
	expect(unknown.map(({ name }) => name)).toEqual([]);
});

test("functions with their owner's rights are only for the service", async () => {
	const rows = await database.owner<{ name: string; settings: string[]; isOpen: boolean; mayServe: boolean }[]>`
		select proname::text as name, coalesce(proconfig, '{}') as settings,
			coalesce(exists (select 1 from aclexplode(proacl) a where a.grantee = 0), true) as "isOpen",
			has_function_privilege('sello_service', oid, 'EXECUTE') as "mayServe"
		from pg_proc where pronamespace = 'public'::regnamespace and prosecdef order by 1`;
	expect(rows.map(({ name }) => name)).toContain("wipe_written_once");
	for (const { name, settings, isOpen, mayServe } of rows) {
		expect({ name, settings, isOpen, mayServe }).toEqual({
			name,
			settings: expect.arrayContaining(["search_path=public, pg_temp"]) as string[],
			isOpen: false,
			mayServe: true,
		});
	}
});
