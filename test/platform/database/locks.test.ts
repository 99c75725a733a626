import { afterAll, beforeAll, expect, test } from "bun:test";
import { mayWaitOutside, type Tx, tryLock } from "../../../src/platform/database";
import { openTestDatabase, type TestDatabase } from "../../support/database";

const LOCK = 7_301_999;

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

async function idleLimit(tx: Tx): Promise<unknown> {
	const [row] = await tx`show idle_in_transaction_session_timeout`;
	return row?.idle_in_transaction_session_timeout;
}

test("one transaction at a time has a turn, which is free with its end", async () => {
	const { sql } = database;
	await sql.begin(async (first) => {
		expect(await tryLock(first, LOCK)).toBe(true);
		expect(await sql.begin((second) => tryLock(second, LOCK))).toBe(false);
	});
	expect(await sql.begin((third) => tryLock(third, LOCK))).toBe(true);
});

test("a transaction with outside work may be idle for hours, not for ever", async () => {
	const limits = await database.sql.begin(async (tx) => {
		await tryLock(tx, LOCK);
		const ofTurn = await idleLimit(tx);
		await tx`set local idle_in_transaction_session_timeout = '10s'`;
		await mayWaitOutside(tx);
		return [ofTurn, await idleLimit(tx)];
	});
	expect(limits).toEqual(["2h", "2h"]);
});
