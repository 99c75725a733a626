/** How long events and deliveries are kept, and what the feed shows afterwards. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sweepEvents } from "../../../src/events/feed";
import { readFeed } from "../../../src/events/feed/store";
import { sweepDeliveries } from "../../../src/events/webhooks";
import { reopen } from "../../../src/events/webhooks/dead-letter";
import { lockDelivery, takeSequences, writeAttempts } from "../../../src/events/webhooks/store";
import { done } from "../../../src/platform/outbox";
import { firstIdAt, newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { holdMessage } from "../../support/held-messages";
import { until } from "../../support/until";

const DAY_MS = 86_400_000;
const NOW = new Date("2026-11-20T12:00:00.000Z");
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

/** An id that looks made then. */
const idAt = (time: Date) => firstIdAt(time).slice(0, 14) + newId().slice(14);

/** A tenant with an event of each age, oldest first, and a delivery of each with a status. */
async function addEvents(ages: readonly { days: number; status: string }[]): Promise<string> {
	const { sql } = database;
	const tenantId = newId();
	await sql`insert into event_counters (tenant_id, last_sequence) values (${tenantId}, ${ages.length})`;
	for (const [n, { days, status }] of ages.entries()) {
		const [id, deliveryId] = [idAt(daysAgo(days)), idAt(daysAgo(days))];
		await sql`
			insert into events (tenant_id, sequence, id, event, doc_id, body, occurred_at)
			values (${tenantId}, ${n + 1}, ${id}, 'invoice.accepted', ${newId()}, '{}', ${daysAgo(days)})`;
		await sql`
			insert into deliveries (id, tenant_id, endpoint_id, event_id, sequence, event, doc_id, status)
			values (${deliveryId}, ${tenantId}, ${newId()}, ${id}, ${n + 1}, 'invoice.accepted', ${newId()}, ${status})`;
		await sql`
			insert into delivery_attempts (tenant_id, delivery_id, n, at, duration_ms, response_body)
			values (${tenantId}, ${deliveryId}, 1, now(), 1, '')`;
		if (status === "dead")
			await sql`
				insert into outbox (id, kind, tenant_id, subject, state, settled_at)
				values (${newId()}, 'webhook.deliver', ${tenantId}, ${deliveryId}, 'dead', ${daysAgo(days)})`;
	}
	return tenantId;
}

/** Sessions that wait for a lock. */
async function countWaiting(): Promise<number> {
	const waiting = await database.owner`
		select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and state = 'active'`;
	return waiting.length;
}

async function sweep(): Promise<void> {
	await sweepDeliveries(database.sql, daysAgo(30), daysAgo(90));
	await sweepEvents(database.sql, daysAgo(30));
}

const hold = (deliveryId: string) => holdMessage(database.sql, deliveryId);

const left = async (tenantId: string) => ({
	deliveries: [...(await database.sql`select sequence from deliveries where tenant_id = ${tenantId} order by 1`)].map(
		(row) => row.sequence,
	),
	events: [...(await database.sql`select sequence from events where tenant_id = ${tenantId} order by 1`)].map(
		(row) => row.sequence,
	),
});

test("ended deliveries are kept 30 days, dead letters 90, others for ever", async () => {
	const tenantId = await addEvents([
		{ days: 91, status: "dead" },
		{ days: 91, status: "failed" },
		{ days: 89, status: "dead" },
		{ days: 31, status: "delivered" },
		{ days: 29, status: "delivered" },
		{ days: 1, status: "pending" },
	]);
	await sweep();
	expect(await left(tenantId)).toEqual({ deliveries: [2, 3, 5, 6], events: [2, 3, 5, 6] });
	await sweep();
	expect(await left(tenantId)).toEqual({ deliveries: [2, 3, 5, 6], events: [2, 3, 5, 6] });
	const [attempts] = await database.sql`
		select count(*)::int as count from delivery_attempts where tenant_id = ${tenantId}`;
	expect(attempts?.count).toBe(4);
	// A letter that is kept can be sent again, so its message is kept with it.
	const [messages] = await database.sql`select count(*)::int as count from outbox where tenant_id = ${tenantId}`;
	expect(messages?.count).toBe(1);
	// The feed has forgotten what a letter still needs.
	expect(await readFeed(database.sql, tenantId, 0, undefined, 10)).toMatchObject({ last: 6, swept: 4 });
});

test("an old letter that was sent again is kept for 30 days after its arrival", async () => {
	const { sql } = database;
	const tenantId = await addEvents([{ days: 60, status: "dead" }]);
	const [letter] = await sql<{ id: string; endpointId: string }[]>`
		select id, endpoint_id as "endpointId" from deliveries where tenant_id = ${tenantId}`;
	if (!letter) throw new Error("a letter was written");
	await sql.begin((tx) => reopen(tx, tenantId, letter.endpointId, [letter.id], "hand"));
	const message = await hold(letter.id);
	const attempt = { at: NOW, durationMs: 1, responseStatus: 200, error: null, responseBody: "" };
	const attempted = { message, deliveryId: letter.id, endpointId: letter.endpointId, attempt, outcome: done };
	expect(await writeAttempts(sql, [attempted])).toEqual([true]);
	await sql`update deliveries set delivered_at = ${daysAgo(29)} where id = ${letter.id}`;
	await sweep();
	expect(await left(tenantId)).toEqual({ deliveries: [1], events: [1] });
	await sql`update deliveries set delivered_at = ${daysAgo(31)} where id = ${letter.id}`;
	await sweep();
	expect(await left(tenantId)).toEqual({ deliveries: [], events: [] });
});

test("a tenant with only recent events has lost none", async () => {
	const tenantId = await addEvents([{ days: 29, status: "delivered" }]);
	await sweep();
	expect(await readFeed(database.sql, tenantId, 0, undefined, 10)).toMatchObject({
		last: 1,
		swept: 0,
		rows: [{ sequence: 1 }],
	});
});

test("the sweep and events of several tenants do not deadlock", async () => {
	const { sql, owner } = database;
	// Those that come last in the order of ids are the first that a scan meets.
	const tenantIds: string[] = [];
	for (let n = 0; n < 2; n++) tenantIds.push(await addEvents([{ days: 31, status: "delivered" }]));
	await owner`truncate event_counters`;
	tenantIds.sort();
	for (const id of tenantIds.toReversed())
		await sql`insert into event_counters (tenant_id, last_sequence) values (${id}, 1)`;
	const counts = new Map(tenantIds.map((id) => [id, 1]));
	let both: Promise<unknown> | undefined;
	await owner.begin(async (tx) => {
		await tx`select 1 from event_counters where tenant_id = ${tenantIds[0] ?? ""} for update`;
		const numbered = sql.begin((other) => takeSequences(other, counts));
		numbered.catch(() => undefined);
		await until(async () => (await countWaiting()) === 1);
		both = Promise.all([numbered, sweepEvents(sql, daysAgo(30))]);
		both.catch(() => undefined);
		await until(async () => (await countWaiting()) === 2);
	});
	await both;
	for (const id of tenantIds) expect(await readFeed(sql, id, 0, undefined, 10)).toMatchObject({ last: 2, swept: 1 });
});

test("a letter redelivered during the sweep is sent, without a deadlock", async () => {
	const { sql } = database;
	const tenantId = await addEvents([{ days: 91, status: "dead" }]);
	const [letter] = await sql<{ id: string; endpointId: string }[]>`
		select id, endpoint_id as "endpointId" from deliveries where tenant_id = ${tenantId}`;
	if (!letter) throw new Error("a letter was written");
	let swept: Promise<number> | undefined;
	await sql.begin(async (tx) => {
		await lockDelivery(tx, { tenantId, id: letter.id });
		let isOver = false;
		swept = sweepDeliveries(sql, daysAgo(30), daysAgo(90)).finally(() => {
			isOver = true;
		});
		swept.catch(() => undefined);
		await until(async () => isOver || (await countWaiting()) === 1);
		await reopen(tx, tenantId, letter.endpointId, [letter.id], "hand");
	});
	await swept;
	const [message] = await sql`select state from outbox where subject = ${letter.id}`;
	const [delivery] = await sql`select status from deliveries where id = ${letter.id}`;
	expect({ message, delivery }).toEqual({ message: { state: "ready" }, delivery: { status: "pending" } });
});
