/** How long events and deliveries are kept, and what the feed shows afterwards. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sweepEvents } from "../../../src/events/feed";
import { readFeed } from "../../../src/events/feed/store";
import { deliveryIdOf, takeNumbers } from "../../../src/events/webhooks/store";
import { firstIdAt, newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
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
	await sql`insert into heads (tenant_id, last_sequence) values (${tenantId}, ${ages.length})`;
	for (const [n, { days, status }] of ages.entries()) {
		const [id, docId, endpointId] = [idAt(daysAgo(days)), newId(), newId()];
		const deliveryId = deliveryIdOf(tenantId, id, endpointId);
		await sql`
			insert into events (tenant_id, sequence, id, event, doc_id, body, endpoint_ids)
			values (${tenantId}, ${n + 1}, ${id}, 'invoice.accepted', ${docId}, '{}', ${[endpointId]}::uuid[])`;
		if (status !== "pending")
			await sql`
				insert into deliveries (id, tenant_id, endpoint_id, sequence, doc_id, status)
				values (${deliveryId}, ${tenantId}, ${endpointId}, ${n + 1}, ${docId}, ${status})`;
	}
	return tenantId;
}

/** Sessions that wait for a lock. */
async function countWaiting(): Promise<number> {
	const waiting = await database.owner`
		select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and state = 'active'`;
	return waiting.length;
}

const sweep = () => sweepEvents(database.sql, daysAgo(30), daysAgo(90));

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
		{ days: 40, status: "pending" },
		{ days: 40, status: "delivered" },
		{ days: 29, status: "delivered" },
		{ days: 1, status: "pending" },
	]);
	for (let n = 0; n < 2; n++) {
		await sweep();
		expect(await left(tenantId)).toEqual({ deliveries: [2, 3, 6], events: [2, 3, 4, 6, 7] });
	}
	// The feed has forgotten what a letter still needs.
	expect(await readFeed(database.sql, tenantId, 0, undefined, 10)).toMatchObject({ last: 7, swept: 5 });
});

test("an old letter that was sent again is kept for 30 days after its arrival", async () => {
	const { sql } = database;
	const tenantId = await addEvents([{ days: 60, status: "delivered" }]);
	await sql`update deliveries set ended_at = ${daysAgo(29)} where tenant_id = ${tenantId}`;
	await sweep();
	expect(await left(tenantId)).toEqual({ deliveries: [1], events: [1] });
	await sql`update deliveries set ended_at = ${daysAgo(40)} where tenant_id = ${tenantId}`;
	await sweep();
	expect(await left(tenantId)).toEqual({ deliveries: [], events: [] });
});

test("an old week is dropped, and its dead letters are kept", async () => {
	const { owner } = database;
	for (const name of ["events", "deliveries"])
		await owner.unsafe(`create table ${name}_2026_09_28 partition of ${name}
			for values from ('${firstIdAt(new Date("2026-09-28"))}') to ('${firstIdAt(new Date("2026-10-05"))}')`);
	const tenantId = await addEvents([
		{ days: 50, status: "delivered" },
		{ days: 49, status: "dead" },
		{ days: 48, status: "pending" },
	]);
	const [within] = await owner`select count(*)::int as count from events_2026_09_28`;
	expect(within?.count).toBe(3);
	await sweep();
	expect(await left(tenantId)).toEqual({ deliveries: [2], events: [2, 3] });
	const [rest] =
		await owner`select to_regclass('events_2026_09_28') as events, to_regclass('deliveries_2026_09_28') as deliveries`;
	expect(rest).toEqual({ events: null, deliveries: null });
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
	for (let n = 0; n < 2; n++) tenantIds.push(await addEvents([{ days: 40, status: "delivered" }]));
	await owner`truncate heads`;
	tenantIds.sort();
	for (const id of tenantIds.toReversed()) await sql`insert into heads (tenant_id, last_sequence) values (${id}, 1)`;
	const counts = new Map(tenantIds.map((id) => [id, 1]));
	let both: Promise<unknown> | undefined;
	await owner.begin(async (tx) => {
		await tx`select 1 from heads where tenant_id = ${tenantIds[0] ?? ""} for update`;
		const numbered = sql.begin((other) => takeNumbers(other, counts));
		numbered.catch(() => undefined);
		await until(async () => (await countWaiting()) === 1);
		both = Promise.all([numbered, sweep()]);
		both.catch(() => undefined);
		await until(async () => (await countWaiting()) === 2);
	});
	await both;
	for (const id of tenantIds) expect(await readFeed(sql, id, 0, undefined, 10)).toMatchObject({ last: 2, swept: 1 });
});
