import { afterAll, beforeAll, expect, test } from "bun:test";
import { measureLoad } from "../../../../src/invoicing/invoices";
import { openTestDatabase, type TestDatabase } from "../../../support/database";
import { addCompany, addInvoice, decide } from "../../../support/submission";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

test("latency covers the verdicts of the last hour only", async () => {
	const { sql } = database;
	const tenantId = await addCompany(sql);
	const now = new Date("2026-11-20T12:00:00Z");
	const add = async (minutesAgo: number, seconds: number | undefined) => {
		const receivedAt = new Date(now.getTime() - minutesAgo * 60_000);
		const document = await addInvoice(sql, tenantId, { receivedAt });
		if (seconds !== undefined)
			await decide(sql, [document], "accepted", new Date(receivedAt.getTime() + seconds * 1_000));
	};
	expect((await measureLoad(sql, tenantId, now)).verdictLatency).toEqual({ p50Seconds: null, p99Seconds: null });
	await add(61, 900);
	await add(59, 2);
	await add(30, 4.5);
	await add(1, 8);
	await add(1, undefined);
	expect((await measureLoad(sql, tenantId, now)).verdictLatency).toEqual({ p50Seconds: 4.5, p99Seconds: 8 });
});
