import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { listShards, openLane, releaseNode, restartLanes } from "../../../src/platform/lanes";
import { type LaneOptions, nameNode, planShards } from "../../../src/platform/lanes/lane";
import { insertLane, isFenced, takeOver, takeShards } from "../../../src/platform/lanes/store";
import { createLog, createMetrics } from "../../../src/platform/telemetry";
import { newId } from "../../../src/platform/values";
import { captureLog } from "../../api/support/log";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";

let database: TestDatabase;

beforeAll(async () => {
	database = await openTestDatabase();
}, 60_000);

beforeEach(async () => {
	await database.owner`delete from lanes`;
	await database.owner`update shards set released_at = '-infinity'`;
});

afterAll(() => database.close());

const log = createLog("silent", "test");

async function start(options: Partial<LaneOptions> = {}) {
	const lane = openLane({
		...{ sql: database.sql, log, metrics: createMetrics(), changed: () => undefined, drain: async () => undefined },
		...{ node: "here/1/a", thread: newId(), leaseSeconds: 15, lookEveryMs: 20, restSeconds: 0, ...options },
	});
	await lane.ready;
	return lane;
}
type Started = Awaited<ReturnType<typeof start>>;

const sizes = (...lanes: Started[]) => lanes.map((lane) => lane.listShards().length).toSorted((a, b) => b - a);
const countOwned = (...lanes: Started[]) => new Set(lanes.flatMap((lane) => lane.listShards())).size;

test("living lanes share the shards evenly, and no two have the same one", async () => {
	const first = await start();
	expect(sizes(first)).toEqual([64]);
	const second = await start();
	await until(() => sizes(first, second).join() === "32,32");
	const third = await start();
	await until(() => sizes(first, second, third).join() === "22,21,21");
	expect(countOwned(first, second, third)).toBe(64);
	await second.stop();
	await until(() => sizes(first, third).join() === "32,32");
	expect(countOwned(first, third)).toBe(64);
	await Promise.all([first.stop(), third.stop()]);
	expect((await listShards(database.sql)).every(({ lane }) => lane === null)).toBe(true);
});

test("a lane starts when its database answers only after many looks", async () => {
	const { log, lines } = captureLog();
	const lock = await database.owner.reserve();
	await lock`begin`;
	await lock`lock table lanes`;
	const starting = start({ log, leaseSeconds: 1 });
	await until(() => lines.filter(({ event }) => event === "lane.look_failed").length > 6);
	await lock`commit`;
	lock.release();
	const lane = await starting;
	await until(() => sizes(lane).join() === "64");
	await lane.stop();
});

test("a shard that was given up rests where it is for a while", () => {
	const lanes = ["a", "b"].map((lane) => ({ lane, epoch: 1, isLive: true, isLeaving: false }));
	const shards = Array.from({ length: 64 }, (_, shard) => {
		return { shard, lane: "a", term: 1, releasedSecondsAgo: shard < 40 ? 10 : null };
	});
	expect(planShards({ lanes, shards }, "a", 30).giveUp).toHaveLength(24);
	expect(planShards({ lanes, shards }, "a", 10).giveUp).toHaveLength(32);
	expect(planShards({ lanes, shards }, "b", 30)).toEqual({ take: 0, giveUp: [] });
});

test("a lane gives shards up once nothing runs in them", async () => {
	const goOn = Promise.withResolvers<void>();
	const first = await start({ drain: () => goOn.promise });
	const second = await start();
	await until(() => first.listShards().length === 32);
	expect((await listShards(database.sql)).every(({ lane }) => lane !== null)).toBe(true);
	expect(second.listShards()).toEqual([]);
	goOn.resolve();
	await until(() => second.listShards().length === 32);
	await Promise.all([first.stop(), second.stop()]);
});

test("a lane that leaves gives its idle shards up at once, and the others at its end", async () => {
	const [first, second] = await Promise.all([start(), start()]);
	await until(() => sizes(first, second).join() === "32,32");
	const busy = new Set(first.listShards().slice(0, 3));
	await first.leave(busy);
	await until(() => second.listShards().length === 61);
	expect(first.listShards()).toEqual([...busy]);
	await first.stop();
	await until(() => second.listShards().length === 64);
	await second.stop();
});

test("a hold is lost with its shard, even when the shard comes back", async () => {
	const lane = await start();
	const tenantId = newId();
	const hold = lane.findHold(tenantId);
	if (!hold) throw new Error("expected a hold");
	const isHeld = async () =>
		(await database.sql<{ terms: number[] | null }[]>`select held_terms(${hold.lane}, ${hold.epoch}) as terms`)[0]
			?.terms?.[hold.shard] === hold.term;
	expect(await isHeld()).toBe(true);
	expect(lane.leaseLeftMs(hold)).toBeGreaterThan(10_000);
	await database.sql`update shards set lane = null where shard = ${hold.shard}`;
	await until(() => (lane.findHold(tenantId)?.term ?? 0) > hold.term);
	expect(await isHeld()).toBe(false);
	expect(lane.leaseLeftMs(hold)).toBeLessThan(0);
	await lane.stop();
});

test("a lane that others took over starts again under another id", async () => {
	const paused = await start();
	const [before] = await listShards(database.sql);
	expect(await releaseNode(database.sql, "here/1/a")).toBe(1);
	await until(async () => {
		const [now] = await listShards(database.sql);
		return now?.lane !== null && now?.lane !== before?.lane && paused.listShards().length === 64;
	});
	await paused.stop();
});

test("lanes that begin again keep their shards from others until their lease has ended", async () => {
	const [first, second] = [await start({ leaseSeconds: 2 }), await start({ node: "there/2/b" })];
	await until(() => sizes(first, second).join() === "32,32");
	const [before] = await database.sql<{ lane: string; at: Date }[]>`
		select lane, lease_until as at from lanes where node = 'here/1/a'`;
	expect(await restartLanes(database.sql, "here/1/a")).toBe(1);
	await until(() => first.listShards().length === 0);
	let movedAt: Date | undefined;
	await until(async () => {
		const [row] = await database.sql<{ at: Date; left: number }[]>`
			select now() as at, (select count(*)::int from shards where lane = ${before?.lane ?? ""}) as left`;
		if (row && row.left < 32) movedAt = row.at;
		return movedAt !== undefined;
	});
	expect(movedAt?.getTime()).toBeGreaterThanOrEqual(before?.at.getTime() ?? 0);
	await until(() => sizes(first, second).join() === "32,32");
	await Promise.all([first.stop(), second.stop()]);
});

test("shards move after the writes that were open, and later writes are fenced", async () => {
	const { sql } = database;
	const token = { lane: newId(), epoch: 1 };
	await insertLane(sql, token, { node: "here/2/b", thread: "1" }, -1);
	await takeShards(sql, token, 64);
	let lane: Started | undefined;
	const error = await sql
		.begin(async (tx) => {
			await tx`select hold_lane(${token.lane}, ${token.epoch})`;
			lane = await start();
			// It has raised the epoch, and waits.
			await until(async () => (await sql`select 1 from lanes where lane = ${token.lane} and epoch > 1`).length === 1);
			expect(lane.listShards()).toEqual([]);
			await tx`select hold_lane(${token.lane}, ${token.epoch})`;
		})
		.catch((thrown) => thrown);
	expect(isFenced(error)).toBe(true);
	await until(() => lane?.listShards().length === 64);
	await lane?.stop();
	const late = sql`select hold_lane(${token.lane}, ${token.epoch})`;
	await expect(late.then(() => "held", isFenced)).resolves.toBe(true);
});

test("the lane of a thread or process that is gone is taken over at the start", async () => {
	const { sql } = database;
	const [node = "", thread] = [nameNode(), newId()];
	const [host, pid, startedAt] = node.split("/");
	const rows = [
		{ node, thread },
		{ node: `${host}/${pid}/other`, thread: "1" },
		{ node: `${host}/999999/${startedAt}`, thread: "1" },
		{ node: `elsewhere/999999/${startedAt}`, thread: "1" },
		{ node: `${host}/${process.ppid}/${startedAt}`, thread: "1" },
		{ node, thread: newId() },
	];
	for (const place of rows) await insertLane(sql, { lane: newId(), epoch: 1 }, place, 60);
	const lane = await start({ node, thread });
	const left = await sql<{ node: string; thread: string }[]>`select node, thread from lanes`;
	expect(
		rows.map((place) => left.filter((one) => one.node === place.node && one.thread === place.thread).length),
	).toEqual([1, 0, 0, 1, 1, 1]);
	await lane.stop();
});

test("a lane whose lease has expired is taken over, and a renewed one is not", async () => {
	const { sql } = database;
	const [dead, live] = [newId(), newId()];
	await insertLane(sql, { lane: dead, epoch: 1 }, { node: "x/1/a", thread: "1" }, -1);
	await insertLane(sql, { lane: live, epoch: 1 }, { node: "x/1/a", thread: "2" }, 60);
	await takeOver(sql, [dead, live], "expired");
	expect(await sql`select lane, epoch from lanes`).toEqual([{ lane: live, epoch: 1 }] as never);
});
