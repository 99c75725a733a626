/** Migrations beside others who use the tables. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { explainStartupError } from "../../src/app/explain-startup-error";
import { checkMigrated, connect, LOCKS, prepareDatabase } from "../../src/platform/database";
import { applyWhenFree, migrate } from "../../src/platform/database/migrate";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { until } from "../support/until";

const folder = mkdtempSync(join(tmpdir(), "sello-test-migrate-"));
let database: TestDatabase;

beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(async () => {
	await database.close();
	rmSync(folder, { recursive: true });
});

test("a migration that waits for a table lets its readers through", async () => {
	await using stack = new AsyncDisposableStack();
	writeFileSync(join(folder, "9001_wider.sql"), "alter table events add column wider int;");
	const reader = connect({ url: database.url, name: "reader", connectionsMax: 1, statementTimeoutMs: 10_000 });
	stack.defer(() => reader.end({ timeout: 1 }));
	const dump = await database.owner.reserve();
	await dump`begin`;
	await dump`select count(*) from events`;

	const reported: unknown[] = [];
	const migrated = migrate(database.owner, { directory: folder, report: (details) => reported.push(details) });
	const isAwaited = async () => {
		const [row] = await reader<{ waits: boolean }[]>`
			select exists (select from pg_locks where relation = 'events'::regclass and not granted) as waits`;
		return row?.waits === true;
	};
	await until(isAwaited);
	expect((await reader`select count(*) from events`).length).toBe(1);

	const [{ pid } = { pid: 0 }] = await dump<{ pid: number }[]>`select pg_backend_pid() as pid`;
	await until(async () => reported.length > 0);
	await dump`commit`;
	dump.release();
	expect(await migrated).toBe(9001);
	expect(reported).toEqual([{ migration: 9001, perhapsBy: expect.objectContaining({ pid }) }]);
	expect((await reader`select wider from events`).length).toBe(0);
}, 60_000);

test("a table that stays locked ends the start and names its user", async () => {
	await using stack = new AsyncDisposableStack();
	const dump = await database.owner.reserve();
	stack.defer(() => dump.release());
	await dump`begin`;
	stack.defer(async () => {
		await dump`rollback`;
	});
	const migrator = await database.owner.reserve();
	stack.defer(() => migrator.release());
	await dump`select count(*) from events`;
	const [{ pid } = { pid: 0 }] = await dump<{ pid: number }[]>`select pg_backend_pid() as pid`;
	const text = "alter table events add column wider_still int;";
	const migration = { number: 9002, name: "wider_still", text, fingerprint: "" };
	const failed = await applyWhenFree(migrator, migration, () => undefined, 0).catch((error: unknown) => error);
	expect(explainStartupError(failed)).toStartWith(
		`migration 9002 (wider_still) waited a quarter of an hour for a table that is in use, perhaps by process ${pid} of the database`,
	);
}, 60_000);

test("a start behind another migration waits without an open statement", async () => {
	await using stack = new AsyncDisposableStack();
	const other = await database.owner.reserve();
	stack.defer(() => other.release());
	await other`select pg_advisory_lock(${LOCKS.migrations})`;
	const impatient = connect({
		...{ url: database.ownerUrl, name: "impatient", connectionsMax: 1, statementTimeoutMs: 300 },
	});
	stack.defer(() => impatient.end({ timeout: 1 }));
	const migrated = migrate(impatient, { directory: folder });
	const looks = new Set<number>();
	await until(async () => {
		const [row] = await database.owner<{ at: Date }[]>`
			select query_start as at from pg_stat_activity where application_name = 'impatient' and query like '%advisory%'`;
		if (row) looks.add(row.at.getTime());
		return looks.size >= 4;
	});
	await other`select pg_advisory_unlock(${LOCKS.migrations})`;
	expect(await migrated).toBe(9001);
}, 60_000);

test("a migration in a deadlock lets the other through and is applied then", async () => {
	const circle = mkdtempSync(join(folder, "circle-"));
	writeFileSync(join(circle, "9003_circle.sql"), "lock table events; lock table outbox;");
	const other = await database.owner.reserve();
	await other`begin`;
	await other`lock table outbox in row exclusive mode`;
	const migrated = migrate(database.owner, { directory: circle });
	await until(async () => {
		const waiting = await database.sql`select from pg_locks where relation = 'outbox'::regclass and not granted`;
		return waiting.length > 0;
	});
	await other`lock table events in row exclusive mode`;
	await other`commit`;
	other.release();
	expect(await migrated).toBe(9003);
}, 60_000);

test("functions are replaced when their files differ, and after every migration", async () => {
	const { owner } = database;
	const replace =
		"create or replace function fold_name(name text) returns text language sql immutable as 'select name';";
	const fold = async () => (await owner`select fold_name('á') as name`).map(({ name }) => name);
	const later = mkdtempSync(join(folder, "later-"));
	writeFileSync(join(later, "9004_later.sql"), replace);
	expect(await migrate(owner, { directory: later })).toBe(9004);
	expect(await fold()).toEqual(["A"]);
	await owner.unsafe(replace);
	await migrate(owner, { directory: later });
	expect(await fold()).toEqual(["á"]);
	await owner`update schema_migrations set fingerprint = 'of an earlier version' where number = 0`;
	await migrate(owner, { directory: later });
	expect(await fold()).toEqual(["A"]);
}, 60_000);

test("functions and triggers use the schema that the service is installed in", async () => {
	const { owner, ownerUrl } = database;
	await owner`create schema elsewhere`;
	const url = new URL(ownerUrl);
	url.searchParams.set("options", "-c search_path=elsewhere");
	const sql = connect({ url: url.href, name: "elsewhere", connectionsMax: 1 });
	expect(await migrate(sql)).toBe(1);
	await sql.end({ timeout: 1 });
	const [row] = await owner`
		select count(*)::int as here, count(*) filter (where proconfig::text like '%search_path=public%')::int as there
		from pg_proc where pronamespace = 'elsewhere'::regnamespace and proconfig::text like '%search_path=%'`;
	expect(row).toEqual({ here: expect.any(Number), there: 0 });
	expect(row?.here).toBeGreaterThan(10);
}, 60_000);

test("a database of another baseline, or from before there was one, is refused", async () => {
	const { owner, sql } = database;
	const sentence =
		"the database was made from other schema files, and before the first release none is upgraded: start on an empty database (embedded: remove DATA_DIR/postgres), then rebuild its documents with `bun run admin archive restore`";
	const refusal = async (work: Promise<unknown>) =>
		explainStartupError(
			await work.then(
				() => undefined,
				(error: unknown) => error,
			),
		);
	await owner`update schema_migrations set fingerprint = 'of other files' where number = 1`;
	expect(await refusal(migrate(owner))).toBe(sentence);
	expect(await refusal(checkMigrated(sql))).toBe(sentence);
	await owner`alter table schema_migrations drop column fingerprint`;
	expect(await refusal(migrate(owner))).toBe(sentence);
	expect(await refusal(prepareDatabase({ url: database.url, isStrict: true }))).toBe(sentence);
}, 60_000);
