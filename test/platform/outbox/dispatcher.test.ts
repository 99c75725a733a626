import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { connect, type Sql } from "../../../src/platform/database";
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
});

const log = createLog("silent", "test");
const tenantId = newId();

type Options = {
	slots?: number;
	leaseSeconds?: number;
	claimedMax?: Record<string, number>;
	shared?: string[];
	lostAwaitedMs?: number;
	claimOverdueMs?: number;
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
		claimedMax: options.claimedMax ?? {},
		shared: options.shared ?? [],
		...(options.lostAwaitedMs === undefined ? {} : { lostAwaitedMs: options.lostAwaitedMs }),
		...(options.claimOverdueMs === undefined ? {} : { claimOverdueMs: options.claimOverdueMs }),
	});
}

async function write(kind: string, count = 1, owner = tenantId): Promise<string[]> {
	const subjects = Array.from({ length: count }, () => newId());
	await database.sql.begin((tx) => append(tx, ...subjects.map((subject) => ({ kind, tenantId: owner, subject }))));
	createWake(database.sql)();
	return subjects;
}

const rows = () => database.sql`select kind, state, attempt, failures, last_error from outbox order by created_at`;

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
	expect([...(await rows())].every((r) => r.state === "done" && r.attempt === 1)).toBe(true);
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
	expect((await rows())[0]).toMatchObject({ attempt: 4, failures: 2, last_error: "over" });
});

test("a kind without a handler is left untouched", async () => {
	const dispatcher = dispatch({ a: async () => done });
	await write("from-newer-code");
	await write("a");
	await until(async () => (await rows()).some((r) => r.state === "done"));
	await dispatcher.stop(1_000);
	expect((await rows()).find((r) => r.kind === "from-newer-code")).toMatchObject({ state: "ready", attempt: 0 });
});

test("a kind at its limit is not claimed, and other kinds are", async () => {
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
		{ slots: 64, claimedMax: { a: 8 } },
	);
	await until(() => begun.length >= 8);
	await write("b", 30, newId());
	await until(() => others === 30);
	// One claim, which a tenant's part of the slots bounds.
	expect(begun.length).toBeLessThanOrEqual(48);
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
		{ slots: 64, claimedMax: { a: 8 }, shared: ["a"] },
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
	const dispatcher = dispatch({ a: wait, b: wait }, { slots: 64, claimedMax: { a: 8, b: 8 }, shared: ["a", "b"] });
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

test("two dispatchers never carry out the same claim", async () => {
	const seen: string[] = [];
	const handlers: Handlers = {
		a: async (m) => {
			seen.push(m.id);
			return done;
		},
	};
	const pair = [dispatch(handlers, { slots: 3 }), dispatch(handlers, { slots: 3 })];
	await write("a", 100);
	await until(() => seen.length >= 100);
	await Promise.all(pair.map((d) => d.stop(1_000)));
	expect(new Set(seen).size).toBe(100);
	expect(seen.length).toBe(100);
});

test("a holder that lost its lease changes nothing", async () => {
	let held: Message | undefined;
	let release = () => {};
	const stuck = new Promise<void>((r) => {
		release = r;
	});
	const slow = dispatch(
		{
			a: async (m) => {
				held = m;
				await stuck;
				return dead("written by the stale holder");
			},
		},
		{ leaseSeconds: 60 },
	);
	await write("a");
	await until(() => held !== undefined);
	await database.sql`update outbox set lease_until = now() - interval '1 second'`;
	const other = dispatch({ a: async () => done }, { leaseSeconds: 0.3 });
	await until(async () => (await rows())[0]?.state === "done");
	const message = held as Message;
	expect(await database.sql.begin((tx) => lockLeasedMessage(tx, message))).toBe(false);
	release();
	await slow.stop(1_000);
	await other.stop(1_000);
	expect((await rows())[0]).toMatchObject({ state: "done", attempt: 2, last_error: null });
});

test("stopping gives unfinished messages back at once", async () => {
	let entered = false;
	const dispatcher = dispatch({
		a: async () => {
			entered = true;
			return new Promise(() => undefined);
		},
	});
	await write("a");
	await until(() => entered);
	await dispatcher.stop(50);
	expect((await rows())[0]).toMatchObject({ state: "ready", attempt: 1 });
});

test("a lost attempt does not affect the lease of a later one", async () => {
	const LEASE_SECONDS = 1;
	const begun: Message[] = [];
	const ends: (() => void)[] = [];
	let running = 0;
	let most = 0;
	const dispatcher = dispatch(
		{
			a: async (message) => {
				begun.push(message);
				most = Math.max(most, ++running);
				await new Promise<void>((end) => ends.push(end));
				running--;
				return done;
			},
		},
		{ leaseSeconds: LEASE_SECONDS },
	);
	await write("a");
	await until(() => begun.length === 1);
	// Another holder takes it as if this one had been paused, and wants it looked at again when this one's lease is over.
	await database.sql`update outbox set owner = ${newId()}, attempt = 2, lease_until = now() + interval '1 hour'`;
	await until(() => (begun[0] as Message).leaseLeftMs() < 0);
	await database.sql`update outbox set state = 'ready', owner = null, lease_until = null, available_at = now()`;
	createWake(database.sql)();
	const holding = async () =>
		(await database.sql`select 1 from outbox where state = 'working' and attempt = 3 and lease_until > now()`)
			.length === 1;
	await until(holding);
	const leftOfLost: number[] = [];
	for (const endsAtMs = performance.now() + 1_500 * LEASE_SECONDS; performance.now() < endsAtMs; await Bun.sleep(20))
		leftOfLost.push((begun[0] as Message).leaseLeftMs());
	expect(Math.max(...leftOfLost)).toBeLessThan(0);
	expect(begun).toHaveLength(1);
	expect(await holding()).toBe(true);

	ends[0]?.();
	await until(() => begun.length === 2);
	expect(begun[1]).toMatchObject({ attempt: 3 });
	await Bun.sleep(1_500 * LEASE_SECONDS);
	expect((begun[1] as Message).leaseLeftMs()).toBeGreaterThan(0);
	expect((begun[0] as Message).leaseLeftMs()).toBeLessThan(0);
	expect(await holding()).toBe(true);
	ends[1]?.();
	await until(async () => (await rows())[0]?.state === "done");
	await dispatcher.stop(1_000);
	expect({ begun: begun.length, most, attempt: (await rows())[0]?.attempt }).toEqual({ begun: 2, most: 1, attempt: 3 });
});

test("a message with a lost attempt under way is released at the end", async () => {
	const begun: Message[] = [];
	const dispatcher = dispatch(
		{
			a: async (message) => {
				begun.push(message);
				return new Promise(() => undefined);
			},
		},
		{ leaseSeconds: 1 },
	);
	await write("a");
	await until(() => begun.length === 1);
	await database.sql`update outbox set state = 'ready', owner = null, lease_until = null, attempt = 2`;
	createWake(database.sql)();
	await until(async () => (await rows())[0]?.attempt === 3);
	await dispatcher.stop(50);
	expect(begun).toHaveLength(1);
	expect((await rows())[0]).toMatchObject({ state: "ready", attempt: 3 });
});

test("a lost attempt that hangs holds its message up for a while, not for ever", async () => {
	const begun: number[] = [];
	const dispatcher = dispatch(
		{
			a: async ({ attempt }) => {
				begun.push(attempt);
				return attempt > 1 ? done : new Promise(() => undefined);
			},
		},
		{ leaseSeconds: 2, lostAwaitedMs: 500 },
	);
	await write("a");
	await until(() => begun.length === 1);
	await database.sql`update outbox set state = 'ready', owner = null, lease_until = null, attempt = 2`;
	createWake(database.sql)();
	await until(async () => (await rows())[0]?.state === "done", 20_000);
	expect(begun).toEqual([1, 3]);
	await dispatcher.stop(50);
});

test("a holder knows how long its lease lasts", async () => {
	let atFirst: number | undefined;
	let afterLoss: number | undefined;
	const dispatcher = dispatch(
		{
			a: async ({ id, leaseLeftMs }) => {
				// What was lost is claimed once more.
				if (atFirst !== undefined) return done;
				atFirst = leaseLeftMs();
				const before = performance.now() + atFirst;
				// Kept: the end of the lease moves away.
				await until(() => performance.now() + leaseLeftMs() > before + 50);
				// Lost to another owner, it comes nearer and passes.
				await database.sql`update outbox set owner = ${newId()}, attempt = attempt + 1 where id = ${id}`;
				await until(() => leaseLeftMs() < 0);
				afterLoss = leaseLeftMs();
				return done;
			},
		},
		{ leaseSeconds: 2 },
	);
	await write("a");
	await until(() => afterLoss !== undefined);
	expect(atFirst).toBeGreaterThan(0);
	expect(atFirst).toBeLessThanOrEqual(2_000);
	expect(afterLoss).toBeLessThan(0);
	await dispatcher.stop(50);
});

test("a locked row costs no other message its lease", async () => {
	const begun: string[] = [];
	const goOn = Promise.withResolvers<void>();
	const dispatcher = dispatch(
		{
			a: async (m) => {
				begun.push(m.id);
				await goOn.promise;
				return done;
			},
		},
		{ slots: 32, leaseSeconds: 1 },
	);
	await write("a", 20);
	await until(() => begun.length === 20);
	const leases = () => database.sql<{ id: string; until: Date }[]>`
		select id, lease_until as until from outbox order by lease_until, id`;
	const [first] = await leases();
	if (!first) throw new Error("twenty are held");
	await database.owner.begin(async (tx) => {
		await tx`select 1 from outbox where id = ${first.id} for update`;
		// Long enough for many turns, each of which would wait for the one before.
		await until(async () => {
			const kept = (await leases()).filter(({ until }) => until.getTime() > first.until.getTime() + 3_000);
			return kept.length === 19;
		});
		expect((await leases())[0]).toMatchObject({ id: first.id });
	});
	goOn.resolve();
	await until(async () => [...(await rows())].every(({ state }) => state === "done"));
	await dispatcher.stop(1_000);
	expect(begun.filter((id) => id !== first.id)).toHaveLength(19);
	expect((await rows()).filter(({ attempt }) => attempt === 1).length).toBeGreaterThanOrEqual(19);
});

test("a kept lease always outlasts the longest call", async () => {
	const LEASE_SECONDS = 6;
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
	await until(async () => (await rows())[0]?.state === "done");
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
	const dispatcher = dispatch(handlers, { sql, claimOverdueMs: 50 });
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
