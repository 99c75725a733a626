import { afterAll, beforeAll, expect, test } from "bun:test";
import { readHorizon } from "../../../src/platform/outbox/log-store";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

test("reads of the log reach back to the oldest transaction that still writes", async () => {
	const { sql } = database;
	const idle = await readHorizon(sql, 0);
	await sql.begin(async (tx) => {
		const tenantId = newId();
		await tx`
			insert into work_log (id, shard, tenant_id, doc_ids) values (new_log_id(), shard_of(${tenantId}), ${tenantId}, '{}')`;
		const [begun] = await tx<{ ms: number }[]>`select extract(epoch from now())::float8 * 1000 as ms`;
		expect(begun?.ms).toBeGreaterThan(idle);
		expect(await readHorizon(sql, 0)).toBe(begun?.ms ?? 0);
		expect(await readHorizon(sql)).toBeLessThan(begun?.ms ?? 0);
	});
	expect(await readHorizon(sql, 0)).toBeGreaterThan(idle);
});

test("a day of the work log is dropped behind every shard's mark", async () => {
	const { sql, owner } = database;
	await owner.unsafe(`create table work_log_2026_01_05 partition of work_log for values
		from ('019b8b28-5000-7000-8000-000000000000') to ('019b904e-ac00-7000-8000-000000000000')`);
	const isThere = async () => {
		await sql`select maintain_partitions()`;
		const [row] = await sql<{ is: boolean }[]>`select to_regclass('work_log_2026_01_05') is not null as is`;
		return row?.is;
	};
	await sql`update shards set done_before = now()`;
	await sql`update shards set done_before = '2026-01-05T12:00:00Z' where shard = 7`;
	expect(await isThere()).toBe(true);
	await sql`update shards set done_before = '2026-01-06T00:00:00Z' where shard = 7`;
	expect(await isThere()).toBe(false);
});
