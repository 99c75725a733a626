/** A dispatcher goes on with what its own transactions cause, as far as it has room, and takes nothing that was not committed. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import {
	appendFor,
	createWake,
	done,
	type LocalDispatch,
	type Message,
	startDispatcher,
} from "../../../src/platform/outbox";
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
const countOf = async (state: string) => (await database.sql`select 1 from outbox where state = ${state}`).length;

test("a locally dispatched message runs once, in its own dispatcher", async () => {
	const { seen, dispatcher } = dispatch({});
	const localDispatch = dispatcher.openLocalDispatch();
	await write(localDispatch, "a", 3);
	expect(await countOf("working")).toBe(3);
	expect(localDispatch.hasLeft()).toBe(false);
	localDispatch.start();
	await until(async () => (await countOf("done")) === 3);
	await dispatcher.stop(1_000);
	expect(seen.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
});

test("what was rolled back is not carried out, and its room is free again", async () => {
	const { seen, dispatcher } = dispatch({ slots: 2 });
	for (let i = 0; i < 5; i++) {
		const localDispatch = dispatcher.openLocalDispatch();
		await database.sql
			.begin(async (tx) => {
				await appendFor(tx, toMessages("a", 1), localDispatch);
				throw new Error("rolled back by the test");
			})
			.catch(() => localDispatch.drop());
	}
	const localDispatch = dispatcher.openLocalDispatch();
	await write(localDispatch, "a", 1);
	expect(localDispatch.hasLeft()).toBe(false);
	localDispatch.start();
	await until(async () => (await countOf("done")) === 1);
	await dispatcher.stop(1_000);
	expect(seen).toHaveLength(1);
});

test("what there is no room for, or no handler, is left to be claimed", async () => {
	let free = (): void => undefined;
	const busy = new Promise<void>((resolve) => (free = resolve));
	const { seen, dispatcher } = dispatch({ slots: 2, handler: () => busy });
	const localDispatch = dispatcher.openLocalDispatch();
	await write(localDispatch, "a", 5);
	localDispatch.start();
	expect(localDispatch.hasLeft()).toBe(true);
	expect(await countOf("ready")).toBeGreaterThanOrEqual(3);
	await write(dispatcher.openLocalDispatch(), "unknown", 1);
	createWake(database.sql)();
	free();
	await until(async () => (await countOf("done")) === 5);
	await dispatcher.stop(1_000);
	expect(seen).toHaveLength(5);
	expect(await countOf("ready")).toBe(1);
});

test("a dispatcher that dies between commit and beginning holds a lease like any other", async () => {
	const dead = dispatch({});
	const localDispatch = dead.dispatcher.openLocalDispatch();
	await write(localDispatch, "a", 1);
	await database.sql`update outbox set lease_until = now() - interval '1 second'`;
	const { seen, dispatcher } = dispatch({ leaseSeconds: 1 });
	await until(async () => (await countOf("done")) === 1);
	await Promise.all([dispatcher.stop(1_000), dead.dispatcher.stop(1_000)]);
	expect([...dead.seen, ...seen].map(({ attempt }) => attempt)).toEqual([2]);
});

test("a dispatcher that stops gives back what it has not begun", async () => {
	const { seen, dispatcher } = dispatch({});
	const localDispatch = dispatcher.openLocalDispatch();
	await write(localDispatch, "a", 1);
	await dispatcher.stop(1_000);
	localDispatch.start();
	expect(await countOf("ready")).toBe(1);
	expect(seen).toHaveLength(0);
});
