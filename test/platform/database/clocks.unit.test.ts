import { afterAll, beforeAll, expect, test } from "bun:test";
import { doClocksAgree, measureClocks } from "../../../src/platform/database/clock";
import { type Clock, systemClock } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

const ahead = (seconds: number): Clock => ({ now: () => new Date(Date.now() + seconds * 1000) });

test("clocks agree up to half a minute, without the duration of the query", async () => {
	expect(await measureClocks(database.sql, systemClock)).toBeLessThan(1);
	expect(await doClocksAgree(database.sql, systemClock)).toBe(true);
	for (const seconds of [20, -20]) expect(await doClocksAgree(database.sql, ahead(seconds))).toBe(true);
	for (const seconds of [60, -60, 86_400]) expect(await doClocksAgree(database.sql, ahead(seconds))).toBe(false);
	// As if the answer had taken three minutes.
	let calls = 0;
	const slow: Clock = { now: () => new Date(Date.now() + (calls++ === 0 ? -90_000 : 90_000)) };
	expect(await measureClocks(database.sql, slow)).toBe(0);
});
