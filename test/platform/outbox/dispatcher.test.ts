import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { connect, type Sql } from "../../../src/platform/database";
import { releaseNode } from "../../../src/platform/lanes";
import {
	append,
	createWake,
	dead,
	done,
	type Handlers,
	lockLeasedMessage,
	longestCallMs,
	type Message,
	retry,
	snooze,
	startDispatcher,
} from "../../../src/platform/outbox";
import { createLog, createMetrics } from "../../../src/platform/telemetry";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { startTcpProxy } from "../../support/tcp-proxy";
import { until } from "../../support/until";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
	await database.owner`truncate outbox`;
	await database.owner`delete from lanes`;
});

const log = createLog("silent", "test");
const tenantId = newId();

type Options = {
	slots?: number;
	leaseSeconds?: number;
	startedMax?: Record<string, number>;
	shared?: string[];
	lostAwaitedMs?: number;
	readMaxMs?: number;
	sql?: Sql;
};

function dispatch(handlers: Handlers, options: Options = {}) {
	const metrics = createMetrics();
	return startDispatcher({
		sql: options.sql ?? database.sql,
		log,
		metrics,
		handlers,
		slots: options.slots ?? 8,
		leaseSeconds: options.leaseSeconds ?? 5,
		startedMax: options.startedMax ?? {},
		shared: options.shared ?? [],
		lane: { lookEveryMs: 20, restSeconds: 0 },
		...(options.lostAwaitedMs === undefined ? {} : { lostAwaitedMs: options.lostAwaitedMs }),
		...(options.readMaxMs === undefined ? {} : { readMaxMs: options.readMaxMs }),
	});
}

async function write(kind: string, count = 1, owner = tenantId): Promise<string[]> {
	const subjects = Array.from({ length: count }, () => newId());
	await database.sql.begin((tx) => append(tx, ...subjects.map((subject) => ({ kind, tenantId: owner, subject }))));
	createWake(database.sql)();
	return subjects;
}

const rows = () => database.sql`select kind, state, failures, last_error from outbox order by created_at`;

test("a message is carried out once, soon after its transaction commits", async () => {
	const seen: string[] = [];
	const dispatcher = dispatch({
		a: async (m) => {
			seen.push(m.subject);
			return done;
		},
	});
	const subjects = await write("a", 20);
	await until(() => seen.length === 20);
	await dispatcher.stop(1_000);
	expect(seen.sort()).toEqual(subjects.sort());
	expect(await rows()).toHaveLength(0);
});

test("a message whose transaction rolls back never exists", async () => {
	await database.sql
		.begin(async (tx) => {
			await append(tx, { kind: "a", tenantId, subject: newId() });
			throw new Error("changed my mind");
		})
		.catch(() => undefined);
	expect(await rows()).toHaveLength(0);
});

test("a retry counts as a failure, a snooze does not, and a throw is a retry", async () => {
	let calls = 0;
	const dispatcher = dispatch({
		a: async () => {
			calls++;
			if (calls === 1) return retry(0.01, "first");
			if (calls === 2) return snooze(0.01);
			if (calls === 3) throw new Error("third");
			return dead("over");
		},
	});
	await write("a");
	await until(async () => (await rows())[0]?.state === "dead");
	await dispatcher.stop(1_000);
	expect((await rows())[0]).toMatchObject({ failures: 2, last_error: "over" });
});

test("a kind without a handler is left untouched", async () => {
	const dispatcher = dispatch({ a: async () => done });
	await write("from-newer-code");
	await write("a");
	await until(async () => (await rows()).length === 1);
	await dispatcher.stop(1_000);
	expect((await rows())[0]).toMatchObject({ kind: "from-newer-code", state: "ready", failures: 0 });
});

test("a kind at its limit starts no more, and other kinds do", async () => {
	const begun: string[] = [];
	const release: (() => void)[] = [];
	let isOpen = false;
	let others = 0;
	await write("a", 100);
	const dispatcher = dispatch(
		{
			a: async (m) => {
				begun.push(m.id);
				if (!isOpen) await new Promise<void>((resolve) => release.push(resolve));
				return done;
			},
			b: async () => {
				others++;
				return done;
			},
		},
		{ slots: 64, startedMax: { a: 8 } },
	);
	await until(() => begun.length >= 8);
	await write("b", 30, newId());
	await until(() => others === 30);
	expect(begun.length).toBe(8);
	isOpen = true;
	for (const go of release) go();
	await until(() => begun.length >= 100);
	await dispatcher.stop(1_000);
	expect(new Set(begun).size).toBe(100);
});

test("a tenant with no running job of a full kind gets one slot", async () => {
	const [flooding, late] = [newId(), newId()];
	const begun: string[] = [];
	const stuck: (() => void)[] = [];
	let atOnce = 0;
	let atOnceMax = 0;
	const dispatcher = dispatch(
		{
			a: async ({ tenantId: owner }) => {
				begun.push(owner);
				if (owner === flooding) await new Promise<void>((resolve) => stuck.push(resolve));
				else {
					atOnceMax = Math.max(atOnceMax, ++atOnce);
					await Promise.resolve();
					atOnce--;
				}
				return done;
			},
		},
		{ slots: 64, startedMax: { a: 8 }, shared: ["a"] },
	);
	await write("a", 100, flooding);
	await until(() => begun.length >= 8);
	const held = () => begun.filter((owner) => owner === flooding).length;
	const heldBefore = held();
	await write("a", 3, late);
	await until(() => begun.filter((owner) => owner === late).length === 3);
	expect(atOnceMax).toBe(1);
	expect(held()).toBe(heldBefore);
	for (const go of stuck) go();
	await dispatcher.stop(1_000);
});

test("a tenant that runs one full kind gets a slot of another", async () => {
	const [flooding, late] = [newId(), newId()];
	const begun: string[] = [];
	const stuck: (() => void)[] = [];
	const wait = async ({ kind, tenantId: owner }: Message) => {
		begun.push(`${kind} ${owner}`);
		await new Promise<void>((resolve) => stuck.push(resolve));
		return done;
	};
	const dispatcher = dispatch({ a: wait, b: wait }, { slots: 64, startedMax: { a: 8, b: 8 }, shared: ["a", "b"] });
	const count = (kind: string) => begun.filter((one) => one === `${kind} ${flooding}`).length;
	await Promise.all([write("a", 20, flooding), write("b", 20, flooding)]);
	await until(() => count("a") >= 8 && count("b") >= 8);
	await write("a", 1, late);
	await until(() => begun.includes(`a ${late}`));
	await write("b", 1, late);
	await until(() => begun.includes(`b ${late}`));
	for (const go of stuck) go();
	await dispatcher.stop(1_000);
});

test("two dispatchers never carry out the same message", async () => {
	const seen: string[] = [];
	const handlers: Handlers = {
		a: async (m) => {
			seen.push(m.id);
			return done;
		},
	};
	const pair = [dispatch(handlers, { slots: 3 }), dispatch(handlers, { slots: 3 })];
	for (let n = 0; n < 100; n++) await write("a", 1, newId());
	await until(() => seen.length >= 100);
	await Promise.all(pair.map((d) => d.stop(1_000)));
	expect(new Set(seen).size).toBe(100);
	expect(seen.length).toBe(100);
});

test("a lane that was taken over changes nothing, and another one carries on", async () => {
	let held: Message | undefined;
	const stuck = Promise.withResolvers<void>();
	const slow = dispatch({
		a: async (m) => {
			held = m;
			await stuck.promise;
			return dead("written by the stale holder");
		},
	});
	await write("a");
	await until(() => held !== undefined);
	const message = held as Message;
	const other = dispatch({ a: async () => done });
	await database.sql`update lanes set lease_until = now() - interval '1 second' where lane = ${message.hold.lane}`;
	await releaseNode(database.sql, (await database.sql`select node from lanes`)[0]?.node);
	await until(async () => (await rows()).length === 0 || message.leaseLeftMs() < 0);
	expect(await database.sql.begin((tx) => lockLeasedMessage(tx, message))).toBe(false);
	stuck.resolve();
	await slow.stop(1_000);
	await until(async () => (await rows()).length === 0);
	await other.stop(1_000);
});

test("stopping gives unfinished messages to another dispatcher at once", async () => {
	const begun: string[] = [];
	const handler = (name: string, end: Promise<typeof done>) =>
		dispatch({
			a: async () => {
				begun.push(name);
				return end;
			},
		});
	const first = handler("first", new Promise(() => undefined));
	await write("a");
	await until(() => begun.length === 1);
	const second = handler("second", Promise.resolve(done));
	await first.stop(50);
	await until(async () => (await rows()).length === 0);
	expect(begun).toEqual(["first", "second"]);
	await second.stop(1_000);
});

/** The shard of a message goes and comes back, as after a pause. */
const losing = ({ tenantId: owner }: Message) =>
	database.sql`update shards set lane = null where shard = shard_of(${owner})`;

test("a message that comes back waits for its lost attempt to end", async () => {
	const begun: Message[] = [];
	const ends: (() => void)[] = [];
	let running = 0;
	let most = 0;
	const dispatcher = dispatch({
		a: async (message) => {
			begun.push(message);
			most = Math.max(most, ++running);
			await new Promise<void>((end) => ends.push(end));
			running--;
			return done;
		},
	});
	await write("a");
	await until(() => begun.length === 1);
	const [lost] = begun as [Message];
	await losing(lost);
	await until(() => lost.leaseLeftMs() < 0);
	await until(async () => {
		const [row] = await database.sql<{ term: number }[]>`select term from shards where shard = shard_of(${tenantId})`;
		return (row?.term ?? 0) > lost.hold.term;
	});
	dispatcher.wake();
	ends[0]?.();
	await until(() => begun.length === 2);
	expect(begun[1]?.isRepeat).toBe(true);
	expect(lost.leaseLeftMs()).toBeLessThan(0);
	expect((begun[1] as Message).leaseLeftMs()).toBeGreaterThan(0);
	ends[1]?.();
	await until(async () => (await rows()).length === 0);
	await dispatcher.stop(1_000);
	expect({ begun: begun.length, most }).toEqual({ begun: 2, most: 1 });
});

test("a lost attempt that hangs holds its message up for a while, not for ever", async () => {
	const begun: Message[] = [];
	const dispatcher = dispatch(
		{
			a: async (message) => {
				begun.push(message);
				return begun.length > 1 ? done : new Promise(() => undefined);
			},
		},
		{ lostAwaitedMs: 200 },
	);
	await write("a");
	await until(() => begun.length === 1);
	await losing(begun[0] as Message);
	await until(async () => (await rows()).length === 0, 20_000);
	expect(begun).toHaveLength(2);
	await dispatcher.stop(50);
});

test("a message that runs for a while is marked, even beside a locked one", async () => {
	const begun: Message[] = [];
	const goOn = Promise.withResolvers<void>();
	const dispatcher = dispatch({
		a: async (message) => {
			begun.push(message);
			await goOn.promise;
			return done;
		},
	});
	await write("a", 2);
	await until(() => begun.length === 2);
	const [first, second] = begun as [Message, Message];
	await database.owner.begin(async (tx) => {
		await tx`select 1 from outbox where id = ${first.id} for update`;
		await until(async () => {
			const busy = await database.sql`select id from outbox where busy_until > now()`;
			return busy.length === 1 && busy[0]?.id === second.id;
		});
	});
	goOn.resolve();
	await until(async () => (await rows()).length === 0);
	await dispatcher.stop(1_000);
});

test("a kept lease always outlasts the longest call", async () => {
	const LEASE_SECONDS = 3;
	const left: number[] = [];
	const dispatcher = dispatch(
		{
			a: async ({ leaseLeftMs }) => {
				for (
					const endsAtMs = performance.now() + 1_500 * LEASE_SECONDS;
					performance.now() < endsAtMs;
					await Bun.sleep(5)
				)
					left.push(leaseLeftMs());
				return done;
			},
		},
		{ leaseSeconds: LEASE_SECONDS },
	);
	await write("a");
	await until(async () => (await rows()).length === 0);
	await dispatcher.stop(1_000);
	expect(left.length).toBeGreaterThan(100);
	expect(Math.min(...left)).toBeGreaterThan(longestCallMs(LEASE_SECONDS));
	expect(longestCallMs(15)).toBe(10_000);
});

test("silently dead connections do not stop the dispatcher", async () => {
	const proxy = await startTcpProxy({ port: Number(new URL(database.url).port) });
	const address = new URL(database.url);
	address.port = String(proxy.port);
	const sql = connect({ url: address.href, name: "sello test", connectionsMax: 10 });
	const seen: string[] = [];
	const handlers: Handlers = {
		a: async ({ subject }) => {
			seen.push(subject);
			return done;
		},
	};
	const dispatcher = dispatch(handlers, { sql, readMaxMs: 50 });
	const before = await write("a");
	await until(() => seen.length === 1);
	for (const link of proxy.links())
		for (const direction of ["upstream", "downstream"] as const) link.add(direction, { type: "timeout", timeoutMs: 0 });
	const after = await write("a");
	dispatcher.wake();
	await until(() => seen.length === 2);
	expect(seen).toEqual([...before, ...after]);
	for (const link of proxy.links()) link.reset();
	await dispatcher.stop(1_000);
	await sql.end({ timeout: 0 });
	await proxy.stop();
});
