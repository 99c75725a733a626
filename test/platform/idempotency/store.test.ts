import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, maintainPartitions, type Sql } from "../../../src/platform/database";
import {
	findAnswer,
	hashBytes,
	hashPayload,
	type IdempotencyKey,
	type StoredAnswer,
	saveAnswer,
} from "../../../src/platform/idempotency";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";

const RACERS = 20;
let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
	database = await openTestDatabase();
	sql = connect({ url: database.url, name: "racers", connectionsMax: RACERS });
}, 120_000);
afterAll(async () => {
	await sql.end({ timeout: 2 });
	await database.close();
});

const somewhere = (): IdempotencyKey => ({ scopeId: newId(), operation: "postInvoice", key: crypto.randomUUID() });
function answerOf(text: string): StoredAnswer {
	return {
		rawSha256: hashBytes(Buffer.from(text)),
		payloadSha256: hashPayload(text),
		answer: text,
		headers: { location: `/v1/invoices/${text}` },
		docId: newId(),
	};
}
const save = (place: IdempotencyKey, stored: StoredAnswer) => sql.begin((tx) => saveAnswer(tx, place, stored));
const age = (place: IdempotencyKey, interval: string) =>
	sql`update request_keys set created_at = now() - ${interval}::interval where key = ${place.key}`;

test("an answer is found again as it was stored, byte for byte", async () => {
	const place = somewhere();
	const stored = answerOf('{"b":1,  "a":"Ñ \u{1f9fe}"}');
	expect(await findAnswer(sql, place)).toBeUndefined();
	expect(await save(place, stored)).toBe(true);
	const found = await findAnswer(sql, place);
	expect(found).toMatchObject({ answer: stored.answer, headers: stored.headers, docId: stored.docId });
	expect(Buffer.from(found?.rawSha256 ?? []).equals(stored.rawSha256)).toBe(true);
	expect(Buffer.from(found?.payloadSha256 ?? [])).toEqual(Buffer.from(stored.payloadSha256 ?? [0]));
});

test("a second answer to a key is not stored and changes nothing", async () => {
	const place = somewhere();
	expect(await save(place, answerOf("first"))).toBe(true);
	expect(await save(place, answerOf("second"))).toBe(false);
	expect((await findAnswer(sql, place))?.answer).toBe("first");
});

test("the same key elsewhere is another key: another tenant, another operation", async () => {
	const place = somewhere();
	for (const other of [place, { ...place, scopeId: newId() }, { ...place, operation: "postCompany" }]) {
		expect(await findAnswer(sql, other)).toBeUndefined();
		expect(await save(other, answerOf("answer"))).toBe(true);
	}
});

test("of twenty open transactions with one key exactly one stores its answer", async () => {
	for (let round = 0; round < 5; round++) {
		const place = somewhere();
		let begun = 0;
		const allBegun = Promise.withResolvers<void>();
		const results = await Promise.all(
			Array.from({ length: RACERS }, (_, i) =>
				sql.begin(async (tx) => {
					await tx`select 1`;
					if (++begun === RACERS) allBegun.resolve();
					await allBegun.promise;
					return saveAnswer(tx, place, answerOf(`answer ${i}`));
				}),
			),
		);
		expect(results.filter((isFirst) => isFirst)).toHaveLength(1);
		expect((await findAnswer(sql, place))?.answer).toBe(`answer ${results.indexOf(true)}`);
	}
});

test("a key waits for an open transaction and is taken after its rollback", async () => {
	const place = somewhere();
	const isSaved = Promise.withResolvers<void>();
	const mayEnd = Promise.withResolvers<void>();
	const first = sql
		.begin(async (tx) => {
			expect(await saveAnswer(tx, place, answerOf("undone"))).toBe(true);
			isSaved.resolve();
			await mayEnd.promise;
			throw new Error("undone");
		})
		.catch((error: Error) => error.message);
	await isSaved.promise;
	const second = save(place, answerOf("kept"));
	mayEnd.resolve();
	expect(await first).toBe("undone");
	expect(await second).toBe(true);
	expect((await findAnswer(sql, place))?.answer).toBe("kept");
});

test("a key is remembered for 24 hours and not for a second more", async () => {
	const place = somewhere();
	await save(place, answerOf("first"));
	await age(place, "23:59:50");
	expect((await findAnswer(sql, place))?.answer).toBe("first");
	expect(await save(place, answerOf("second"))).toBe(false);
	await age(place, "24:00:01");
	expect(await findAnswer(sql, place)).toBeUndefined();
	expect(await save(place, answerOf("second"))).toBe(true);
	expect((await findAnswer(sql, place))?.answer).toBe("second");
	expect(await save(place, answerOf("third"))).toBe(false);
});

test("of twenty requests for an expired key exactly one takes it over", async () => {
	const place = somewhere();
	await save(place, answerOf("old"));
	await age(place, "24:00:01");
	const results = await Promise.all(Array.from({ length: RACERS }, (_, i) => save(place, answerOf(`new ${i}`))));
	expect(results.filter((isFirst) => isFirst)).toHaveLength(1);
	expect((await findAnswer(sql, place))?.answer).toBe(`new ${results.indexOf(true)}`);
});

test("a key of an earlier slot is found, and not taken again for 24 hours", async () => {
	const place = somewhere();
	await save(place, answerOf("first"));
	const moved = sql`update request_keys set slot = (slot + 3) % 4 where key = ${place.key}`;
	await moved;
	expect((await findAnswer(sql, place))?.answer).toBe("first");
	expect(await save(place, answerOf("second"))).toBe(false);
	await age(place, "24:00:01");
	expect(await save(place, answerOf("second"))).toBe(true);
	expect((await findAnswer(sql, place))?.answer).toBe("second");
});

test("of fifty requests around the change of the slot exactly one stores its answer", async () => {
	// Each session has a clock of its own here, which is before or behind the change.
	await database.owner.unsafe(`
		create or replace function request_slot(instant timestamptz) returns smallint language sql stable as $$
			select case when instant + current_setting('test.ahead')::interval < now() then 0 else 1 end::smallint
		$$`);
	try {
		const place = somewhere();
		const results = await Promise.all(
			Array.from({ length: 50 }, (_, i) =>
				sql.begin(async (tx) => {
					await tx`select set_config('test.ahead', ${i % 2 === 0 ? "-1 second" : "1 second"}, true)`;
					return saveAnswer(tx, place, answerOf(`answer ${i}`));
				}),
			),
		);
		expect(results.filter((isFirst) => isFirst)).toHaveLength(1);
		expect((await findAnswer(sql, place))?.answer).toBe(`answer ${results.indexOf(true)}`);
	} finally {
		await database.owner.unsafe(await Bun.file("src/platform/database/functions/request_slot.sql").text());
	}
});

test("the slot that comes next is emptied, and no other", async () => {
	const place = somewhere();
	await save(place, answerOf("kept"));
	const inSlot = (ahead: number) => sql`
		insert into request_keys (scope_id, key, operation, slot, raw_digest)
		values (${place.scopeId}, ${crypto.randomUUID()}, 'old', (request_slot(now()) + ${ahead}::int) % 4, '')`;
	for (const ahead of [1, 2, 3]) await inSlot(ahead);
	await maintainPartitions(sql);
	const rows = await sql`
		select (slot - request_slot(now()) + 4) % 4 as behind from request_keys where scope_id = ${place.scopeId} and operation = 'old' order by 1`;
	expect(rows.map(({ behind }) => behind)).toEqual([2, 3]);
	expect((await findAnswer(sql, place))?.answer).toBe("kept");
});
