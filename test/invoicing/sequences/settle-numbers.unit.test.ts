/** Numbers that documents of the caller's numbering have used: they leave the free ones, and each is counted once. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { storeAll } from "../../../src/invoicing/invoices/issue/batched-queries";
import { createNumbering } from "../../../src/invoicing/sequences";
import { settleNumbers } from "../../../src/invoicing/sequences/low-sequence";
import type { Sql } from "../../../src/platform/database";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import {
	clock,
	documentUnder,
	encfOf,
	freeNumbers,
	insertTenant,
	register,
	releaseNumber,
	TODAY,
} from "./support/numbered";

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
	database = await openTestDatabase();
	sql = database.sql;
}, 120_000);
afterAll(() => database.close());

const settle = () => settleNumbers(sql, clock);

function store(tenantId: string, numbers: readonly number[], receivedAt?: Date) {
	const documents = numbers.map((number) => {
		const document = documentUnder(tenantId, encfOf(number));
		return receivedAt ? { ...document, row: { ...document.row, receivedAt } } : document;
	});
	return storeAll(sql, documents).then(() => documents);
}

async function usageOf(tenantId: string): Promise<unknown> {
	return sql`select day::text as day, given::int as given from sequence_usage where tenant_id = ${tenantId} order by day`;
}

async function notifiedOf(tenantId: string): Promise<number[]> {
	const rows = await sql<{ percent: number }[]>`
		select (body::json -> 'low' ->> 'percent')::int as percent from events where tenant_id = ${tenantId} order by sequence`;
	return rows.map(({ percent }) => percent);
}

test("they leave the free numbers of all sequences, by day of receipt", async () => {
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 50]);
	await register(sql, tenantId, [51, 100]);
	await store(tenantId, [1], new Date("2026-11-20T03:00:00Z"));
	await store(tenantId, [2, 49, 50, 51, 60]);
	expect(await settle()).toEqual({ settled: 6, notified: 0 });
	expect(await freeNumbers(sql, tenantId)).toEqual(["{[3,49)}", "{[52,60),[61,101)}"]);
	const counted = [
		{ day: "2026-11-19", given: 1 },
		{ day: TODAY, given: 5 },
	];
	expect(await usageOf(tenantId)).toEqual(counted);
	expect(await settle()).toEqual({ settled: 0, notified: 0 });
	expect(await usageOf(tenantId)).toEqual(counted);
});

test("a number that a taker comes across is counted there, and not again", async () => {
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 100]);
	await store(tenantId, [1, 2]);
	const numbering = createNumbering({ sql, clock, environment: "production", wake: () => undefined });
	expect(await numbering.take({ tenantId, type: "31", place: `${tenantId} x` })).toMatchObject({ encf: encfOf(3) });
	await settle();
	expect(await usageOf(tenantId)).toEqual([{ day: TODAY, given: 3 }]);
	expect(await freeNumbers(sql, tenantId)).toEqual(["{[4,101)}"]);
});

test("a number that the authority gives back after it was counted is free again", async () => {
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 100]);
	const [document] = await store(tenantId, [5]);
	await settle();
	if (document) await releaseNumber(sql, document);
	await settle();
	expect(await freeNumbers(sql, tenantId)).toEqual(["{[1,101)}"]);
});

test("each threshold is notified once, and again after the next registration", async () => {
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 20]);
	const uses = async (numbers: readonly number[]) => {
		await store(tenantId, numbers);
		await settle();
		await settle();
		return notifiedOf(tenantId);
	};
	expect(await uses([1, 2, 3])).toEqual([]);
	expect(await uses(Array.from({ length: 13 }, (_, i) => i + 4))).toEqual([20]);
	expect(await uses([17, 18])).toEqual([20]);
	expect(await uses([19])).toEqual([20, 5]);
	expect(await uses([20])).toEqual([20, 5, 0]);
	await register(sql, tenantId, [21, 30]);
	expect(await uses([])).toEqual([20, 5, 0]);
	expect(await uses([21, 22, 23, 24, 25, 26, 27, 28])).toEqual([20, 5, 0, 20]);
});

test("voided types and closed companies get no notification", async () => {
	const voided = await insertTenant(sql);
	await sql`insert into sequence_types (tenant_id, type) values (${voided}, '31')`;
	const closed = await insertTenant(sql);
	await register(sql, closed, [1, 2]);
	await store(closed, [1, 2]);
	await sql`update companies set status = 'closed' where tenant_id = ${closed}`;
	await settle();
	expect([await notifiedOf(voided), await notifiedOf(closed)]).toEqual([[], []]);
});

test("a number with an event waits for the disk, a number alone does not", async () => {
	// As a commit begins: what it waits for is decided by then.
	await database.owner.unsafe(`
		create table commits (waits text);
		create function note_commit() returns trigger language plpgsql security definer as $$
		begin insert into commits values (current_setting('synchronous_commit')); return null; end $$;
		create constraint trigger note_commit after insert on events deferrable initially deferred for each row execute function note_commit();
		create constraint trigger note_commit after insert on sequence_holds deferrable initially deferred for each row execute function note_commit()`);
	const tenantId = await insertTenant(sql);
	await register(sql, tenantId, [1, 2]);
	const numbering = createNumbering({ sql, clock, environment: "production", wake: () => undefined });
	const waitsOf = async (place: string) => {
		await numbering.take({ tenantId, type: "31", place: `${tenantId} ${place}` }).catch(() => undefined);
		const rows = await database.owner<{ waits: string }[]>`delete from commits returning waits`;
		return rows.map(({ waits }) => waits);
	};
	expect(await waitsOf("first")).toEqual(["off"]);
	expect(await waitsOf("last, which is notified")).toEqual(["on", "on"]);
	expect(await notifiedOf(tenantId)).toEqual([0]);
});
