/** Keys that have expired are forgotten beside those who take them over. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { storeParts, type ToStore } from "../../../src/invoicing/invoices/issue/issue-store";
import { sweepExpired } from "../../../src/platform/idempotency";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { addCompany, addInvoice } from "../../support/submission";
import { until } from "../../support/until";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

test("sweeping does not deadlock with invoices that reuse expired keys", async () => {
	const { sql, owner } = database;
	const tenantId = await addCompany(sql);
	const keys = [crypto.randomUUID(), crypto.randomUUID()].sort();
	// The last in the order of keys is the first that a scan meets.
	for (const key of keys.toReversed())
		await sql`
			insert into idempotency_keys (scope_id, operation, key, raw_sha256, answer, headers, created_at)
			values (${tenantId}, 'postInvoice', ${key}, '', '{}', '{}', now() - interval '2 days')`;
	const template = await addInvoice(sql, tenantId);
	const toStore = keys.map(
		(key, n): ToStore => ({
			row: { ...template, docId: newId(), trackId: newId(), encf: `E31900000000${n}` },
			key: { place: { scopeId: tenantId, operation: "postInvoice", key }, rawSha256: new Uint8Array(32) },
		}),
	);
	const countWaiting = async () =>
		(
			await owner`
				select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and state = 'active'`
		).length;
	let stored: Promise<unknown> | undefined;
	let swept: Promise<number> | undefined;
	await owner.begin(async (tx) => {
		await tx`select 1 from idempotency_keys where key = ${keys[0] ?? ""} for update`;
		stored = storeParts(sql, toStore);
		stored.catch(() => undefined);
		await until(async () => (await countWaiting()) === 1);
		let isOver = false;
		swept = sweepExpired(sql).finally(() => {
			isOver = true;
		});
		swept.catch(() => undefined);
		await until(async () => isOver || (await countWaiting()) === 2);
	});
	expect(await stored).toEqual(["stored", "stored"]);
	await swept;
});
