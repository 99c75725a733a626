/** Turns between tenants: judged by the order of messages, never by time. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { done, type Handlers, startDispatcher } from "../../../src/platform/outbox";
import { roomOf } from "../../../src/platform/outbox/slots";
import { createLog, createMetrics } from "../../../src/platform/telemetry";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
	await database.owner`truncate outbox`;
});

/** Messages that have been due for a while, the oldest for the longest. */
async function queue(tenantId: string, count: number, dueForSeconds: number): Promise<void> {
	await database.sql`
		insert into outbox (id, kind, tenant_id, subject, available_at)
		select gen_random_uuid(), 'a', ${tenantId}, gen_random_uuid(),
			now() - make_interval(secs => ${dueForSeconds}::float8) + make_interval(secs => n * 0.0001)
		from generate_series(1, ${count}::int) n`;
}

/** Carries messages out one after another and notes whose they were. */
async function runInTurn(slots: number, count: number, fill: () => Promise<void>): Promise<string[]> {
	const order: string[] = [];
	await fill();
	const dispatcher = startDispatcher({
		...{ sql: database.sql, log: createLog("silent", "test"), metrics: createMetrics(), slots, leaseSeconds: 60 },
		handlers: {
			a: async ({ tenantId }) => {
				order.push(tenantId);
				return done;
			},
		},
	});
	await until(() => order.length >= count);
	await dispatcher.stop(1_000);
	return order;
}

test("one message of a tenant runs before the second of fifty thousand of another", async () => {
	const [flooding, single] = [newId(), newId()];
	const order = await runInTurn(8, 200, async () => {
		await queue(flooding, 50_000, 3_600);
		await queue(single, 1, 0.5);
	});
	expect(order.indexOf(single)).toBeLessThan(8);
});

test("tenants are served in turn, the oldest messages of each first", async () => {
	const tenants = [newId(), newId(), newId()];
	const order = await runInTurn(1, 60, async () => {
		for (const tenantId of tenants) await queue(tenantId, 20, 60);
	});
	for (let round = 0; round < 20; round++) expect(new Set(order.slice(3 * round, 3 * round + 3)).size).toBe(3);
});

test("a queue that is longer than the memory is carried out to its end", async () => {
	const tenantId = newId();
	const order = await runInTurn(64, 5_000, () => queue(tenantId, 5_000, 60));
	expect(order).toHaveLength(5_000);
	expect(await database.sql`select 1 from outbox`).toHaveLength(0);
});

test("the messages of very many tenants are all carried out", async () => {
	const tenants = Array.from({ length: 450 }, () => newId());
	const order = await runInTurn(64, 450, async () => {
		await database.sql`
			insert into outbox (id, kind, tenant_id, subject, available_at)
			select gen_random_uuid(), 'a', t, gen_random_uuid(), now() - interval '1 hour' from unnest(${tenants}::uuid[]) t`;
	});
	expect(new Set(order).size).toBe(450);
});

test("a tenant whose messages never end leaves slots for others", async () => {
	const [stuck, other] = [newId(), newId()];
	const release: (() => void)[] = [];
	const carriedOut: string[] = [];
	const handlers: Handlers = {
		a: async ({ tenantId }) => {
			if (tenantId === stuck) await new Promise<void>((resolve) => release.push(resolve));
			else carriedOut.push(tenantId);
			return done;
		},
	};
	await queue(stuck, 3_000, 60);
	const dispatcher = startDispatcher({
		sql: database.sql,
		log: createLog("silent", "test"),
		metrics: createMetrics(),
		handlers,
		slots: 16,
		leaseSeconds: 60,
	});
	await until(() => release.length >= 12);
	await queue(other, 40, 1);
	dispatcher.wake();
	await until(() => carriedOut.length === 40);
	expect(release.length).toBeLessThan(16);
	for (const free of release) free();
	await dispatcher.stop(50);
});

test("a tenant without a slot gets one while any is free", () => {
	const claims = fc.array(fc.nat({ max: 9 }), { maxLength: 200 });
	fc.assert(
		fc.property(fc.integer({ min: 4, max: 256 }), claims, (slots, tenants) => {
			const held = new Map<number, number>();
			let free = slots;
			for (const tenant of tenants) {
				const own = held.get(tenant) ?? 0;
				const room = Math.min(free, roomOf(own, free));
				if (own === 0 && free > 0) expect(room).toBeGreaterThan(0);
				held.set(tenant, own + room);
				free -= room;
				expect(free).toBeGreaterThanOrEqual(0);
				expect(own + room).toBeLessThan(slots);
			}
		}),
	);
});
