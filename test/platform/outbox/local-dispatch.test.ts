/** A dispatcher goes on with what its own transactions cause in its shards, and takes nothing that was not committed. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { appendFor, done, type LocalDispatch, type Message, startDispatcher } from "../../../src/platform/outbox";
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

const tenantId = newId();

function dispatch(options: { slots?: number; leaseSeconds?: number; handler?: (message: Message) => Promise<void> }) {
	const seen: Message[] = [];
	const dispatcher = startDispatcher({
		sql: database.sql,
		log: createLog("silent", "test"),
		metrics: createMetrics(),
		slots: options.slots ?? 8,
		leaseSeconds: options.leaseSeconds ?? 5,
		handlers: {
			a: async (message) => {
				seen.push(message);
				await options.handler?.(message);
				return done;
			},
		},
	});
	return { seen, dispatcher };
}

const toMessages = (kind: string, count: number) =>
	Array.from({ length: count }, () => ({ kind, tenantId, subject: newId() }));
const write = (localDispatch: LocalDispatch, kind: string, count: number) =>
	database.sql.begin((tx) => appendFor(tx, toMessages(kind, count), localDispatch));
const countLeft = async () => (await database.sql`select 1 from outbox`).length;

test("a locally dispatched message runs once, in its own dispatcher", async () => {
	const { seen, dispatcher } = dispatch({});
	await dispatcher.ready;
	const localDispatch = dispatcher.openLocalDispatch();
	await write(localDispatch, "a", 3);
	expect(localDispatch.hasLeft()).toBe(false);
	localDispatch.start();
	await until(async () => (await countLeft()) === 0);
	await dispatcher.stop(1_000);
	expect(seen.map(({ isRepeat }) => isRepeat)).toEqual([false, false, false]);
});

test("what was rolled back is not carried out", async () => {
	const { seen, dispatcher } = dispatch({ slots: 2 });
	await dispatcher.ready;
	const localDispatch = dispatcher.openLocalDispatch();
	await database.sql
		.begin(async (tx) => {
			await appendFor(tx, toMessages("a", 1), localDispatch);
			throw new Error("rolled back by the test");
		})
		.catch(() => localDispatch.drop());
	localDispatch.start();
	await dispatcher.stop(1_000);
	expect(seen).toHaveLength(0);
});

test("what there is no handler for is left, and what there is no slot for waits", async () => {
	const busy = Promise.withResolvers<void>();
	const { seen, dispatcher } = dispatch({ slots: 2, handler: () => busy.promise });
	await dispatcher.ready;
	const localDispatch = dispatcher.openLocalDispatch();
	await write(localDispatch, "a", 5);
	expect(localDispatch.hasLeft()).toBe(false);
	await write(localDispatch, "unknown", 1);
	expect(localDispatch.hasLeft()).toBe(true);
	localDispatch.start();
	expect(seen.length).toBeLessThanOrEqual(2);
	busy.resolve();
	await until(async () => (await countLeft()) === 1);
	await dispatcher.stop(1_000);
	expect(seen).toHaveLength(5);
});

test("a message that is read before it is dispatched locally runs once", async () => {
	const { seen, dispatcher } = dispatch({});
	await dispatcher.ready;
	const localDispatch = dispatcher.openLocalDispatch();
	await write(localDispatch, "a", 1);
	dispatcher.wake();
	await until(async () => (await countLeft()) === 0);
	localDispatch.start();
	await dispatcher.stop(1_000);
	expect(seen).toHaveLength(1);
});

test("what a dispatcher does not begin before it stops is left to others", async () => {
	const { seen, dispatcher } = dispatch({});
	await dispatcher.ready;
	const localDispatch = dispatcher.openLocalDispatch();
	await dispatcher.stop(1_000);
	await write(localDispatch, "a", 1);
	expect(localDispatch.hasLeft()).toBe(true);
	localDispatch.start();
	expect(await countLeft()).toBe(1);
	expect(seen).toHaveLength(0);
});
