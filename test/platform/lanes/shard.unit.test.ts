import { afterAll, beforeAll, expect, test } from "bun:test";
import { shardOf } from "../../../src/platform/lanes/shard";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;

beforeAll(async () => {
	database = await openTestDatabase();
}, 60_000);

afterAll(() => database.close());

test("a tenant's shard never changes", () => {
	const shards = {
		"00000000-0000-0000-0000-000000000000": 52,
		"ffffffff-ffff-ffff-ffff-ffffffffffff": 21,
		"01890a5d-ac96-774b-bcce-b302099a8057": 17,
		"019aa3c1-7f00-7a4e-9d11-5c2b8e4f6a70": 25,
		"6fa459ea-ee8a-4ca4-894e-db77e160355e": 21,
	};
	for (const [id, shard] of Object.entries(shards)) expect(`${id} ${shardOf(id)}`).toBe(`${id} ${shard}`);
});

test("the database computes the same shards, and each has an anchor in it", async () => {
	const ids = Array.from({ length: 500 }, () => newId());
	const rows = await database.sql<{ id: string; shard: number }[]>`
		select id, shard_of(id) as shard from unnest(${ids}::uuid[]) id union all select anchor, shard from shards`;
	expect(rows.map(({ id }) => shardOf(id))).toEqual(rows.map(({ shard }) => shard));
	expect(new Set(rows.slice(500).map(({ shard }) => shard)).size).toBe(64);
});
