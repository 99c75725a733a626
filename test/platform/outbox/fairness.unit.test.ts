/** Turns between tenants: judged by the order of claims, never by time. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { done, type Handlers, startDispatcher } from "../../../src/platform/outbox";
import { roomOf } from "../../../src/platform/outbox/slots";
import { claimMessages, type Wanted } from "../../../src/platform/outbox/store";
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

const wanted: Wanted = {
	owner: newId(),
	kinds: ["a"],
	limit: 8,
	leaseSeconds: 60,
	busy: [],
	roomOfOthers: 6,
	afterTenant: null,
};
const claim = (change: Partial<Wanted> = {}) => claimMessages(database.sql, { ...wanted, ...change });

describe("a claim", () => {
	test("takes the one message of a tenant before the second of fifty thousand of another", async () => {
		const [flooding, single] = [newId(), newId()];
		await queue(flooding, 50_000, 3_600);
		await queue(single, 1, 0.5);
		const { messages, hasMore } = await claim();
		expect(messages.slice(0, 2).map((m) => m.tenantId)).toEqual([flooding, single]);
		expect(messages).toHaveLength(7);
		expect(hasMore).toBe(true);
	});

	test("counts what a tenant holds already against its turn", async () => {
		const [busy, idle] = [newId(), newId()];
		await queue(busy, 20, 60);
		await queue(idle, 3, 1);
		const { messages } = await claim({ limit: 4, busy: [{ tenantId: busy, held: 3, room: 1 }] });
		expect(messages.map((m) => m.tenantId)).toEqual([idle, idle, idle, busy]);
	});

	test("takes nothing of a tenant that has no room, and says that more is due", async () => {
		const busy = newId();
		await queue(busy, 5, 60);
		const { messages, hasMore } = await claim({ busy: [{ tenantId: busy, held: 6, room: 0 }] });
		expect({ taken: messages.length, hasMore }).toEqual({ taken: 0, hasMore: true });
	});

	test("of one tenant's messages takes the oldest first", async () => {
		await queue(newId(), 30, 60);
		await claim();
		const [row] = await database.sql<{ inOrder: boolean }[]>`
			select max(available_at) filter (where state = 'working') < min(available_at) filter (where state = 'ready') as "inOrder"
			from outbox`;
		expect(row?.inOrder).toBe(true);
	});

	test("goes through more tenants than it looks at, a part at a time", async () => {
		for (let i = 0; i < 450; i++) await queue(newId(), 1, 60);
		const seen = new Set<string>();
		let afterTenant: string | null = null;
		for (let claims = 0; claims < 3; claims++) {
			const taken = await claim({ limit: 1_000, afterTenant });
			for (const { tenantId } of taken.messages) seen.add(tenantId);
			afterTenant = taken.lastTenant;
		}
		expect({ tenants: seen.size, afterTenant }).toEqual({ tenants: 450, afterTenant: null });
	});

	test("takes what a look at everything that is due would take", async () => {
		type Queue = { readonly count: number; readonly held: number; readonly dueForSeconds: number };
		const queues = fc.array(
			fc.record({
				count: fc.nat({ max: 6 }),
				held: fc.nat({ max: 4 }),
				dueForSeconds: fc.integer({ min: 1, max: 60 }),
			}),
			{ minLength: 1, maxLength: 8 },
		);
		const takes = async (all: readonly Queue[], limit: number) => {
			await database.owner`truncate outbox`;
			const tenants = all.map((one) => ({ ...one, tenantId: newId() }));
			for (const { tenantId, count, dueForSeconds } of tenants) await queue(tenantId, count, dueForSeconds);
			const busy = tenants
				.filter(({ held }) => held > 0)
				.map(({ tenantId, held }) => ({ tenantId, held, room: Math.min(limit, Math.max(0, 5 - held)) }));
			const { messages, hasMore } = await claim({ limit, busy, roomOfOthers: 5 });
			const roomOfTenant = new Map(busy.map((one) => [one.tenantId, one.room]));
			const due = tenants.flatMap(({ tenantId, count, held, dueForSeconds }) =>
				Array.from({ length: Math.min(count, roomOfTenant.get(tenantId) ?? 5) }, (_, i) => ({
					tenantId,
					place: held + i + 1,
					at: i * 0.0001 - dueForSeconds,
				})),
			);
			due.sort((a, b) => a.place - b.place || a.at - b.at);
			const taken = (ids: readonly string[]) =>
				tenants.map(({ tenantId }) => ids.filter((id) => id === tenantId).length);
			const wantedOf = due.slice(0, limit).map(({ tenantId }) => tenantId);
			expect(taken(messages.map(({ tenantId }) => tenantId))).toEqual(taken(wantedOf));
			expect(hasMore).toBe(tenants.reduce((sum, { count }) => sum + count, 0) > messages.length);
		};
		await fc.assert(
			fc.asyncProperty(
				// Two that have been due for equally long would be taken in any order.
				queues.map((all) => all.map((one, i) => ({ ...one, dueForSeconds: one.dueForSeconds + i / 10 }))),
				fc.integer({ min: 1, max: 12 }),
				takes,
			),
			{ numRuns: 60 },
		);
	});

	test("shows when the next message becomes due", async () => {
		await queue(newId(), 1, -30);
		const { messages, nextDueSeconds } = await claim();
		expect(messages).toHaveLength(0);
		expect(nextDueSeconds).toBeGreaterThan(25);
		expect(nextDueSeconds).toBeLessThanOrEqual(30.1);
	});
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
