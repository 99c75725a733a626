import { afterAll, afterEach, beforeAll, expect, setSystemTime, test } from "bun:test";
import type { Sql } from "../../../src/platform/database";
import { type FollowedClock, followClock } from "../../../src/platform/database";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());
const open: FollowedClock[] = [];
afterEach(() => {
	setSystemTime();
	for (const clock of open.splice(0)) clock.stop();
});

async function follow(sql: Sql, everyMs?: number): Promise<FollowedClock> {
	const clock = await followClock(sql, everyMs);
	open.push(clock);
	return clock;
}

test("it shows the database's time, whatever this machine's clock says", async () => {
	const clock = await follow(database.sql);
	const [before] = await database.sql<{ at: Date }[]>`select clock_timestamp() as at`;
	setSystemTime(new Date("2038-01-19T03:14:08Z"));
	expect(Date.now()).toBeGreaterThan(Date.parse("2038-01-01"));
	const passedMs = clock.now().getTime() - (before?.at.getTime() ?? 0);
	expect(passedMs).toBeGreaterThan(-100);
	expect(passedMs).toBeLessThan(60_000);
});

/** A database that only knows the time. */
function fakeClock(read: () => number): { sql: Sql; asked: () => number } {
	let asked = 0;
	const sql = async () => {
		asked++;
		return [{ ms: read() }];
	};
	return { sql: sql as unknown as Sql, asked: () => asked };
}

async function untilAskedAgain({ asked }: { asked: () => number }): Promise<void> {
	const before = asked();
	// One more: the answer before it has been taken over by then.
	while (asked() < before + 2) await Bun.sleep(1);
}

test("it follows the database's clock and ignores network noise", async () => {
	let ms = Date.parse("2026-11-23T00:00:00Z") - performance.now();
	const time = fakeClock(() => ms + performance.now());
	const clock = await follow(time.sql, 1);
	const startMs = clock.now().getTime() - performance.now();
	ms += 5;
	await untilAskedAgain(time);
	expect(clock.now().getTime() - performance.now()).toBeCloseTo(startMs, -1);
	ms += 3_600_000;
	await untilAskedAgain(time);
	expect(clock.now().getTime() - performance.now() - startMs).toBeGreaterThan(3_599_000);
});

test("time goes on while the database is away", async () => {
	let isAway = false;
	const time = fakeClock(() => {
		if (isAway) throw new Error("away");
		return 1_000_000 + performance.now();
	});
	const clock = await follow(time.sql, 1);
	isAway = true;
	await untilAskedAgain(time);
	const before = clock.now().getTime();
	await Bun.sleep(20);
	expect(clock.now().getTime()).toBeGreaterThanOrEqual(before + 15);
});

test("before any answer it uses this machine's clock, then the database's", async () => {
	let isAway = true;
	const time = fakeClock(() => {
		if (isAway) throw new Error("away");
		return 1_000_000 + performance.now();
	});
	const clock = await follow(time.sql, 1);
	expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(1_000);
	isAway = false;
	await untilAskedAgain(time);
	expect(clock.now().getTime()).toBeLessThan(100_000_000);
});

test("a question that is not answered is not asked again beside itself", async () => {
	let asked = 0;
	const answer = Promise.withResolvers<{ ms: number }[]>();
	const sql = () => {
		asked++;
		return asked === 1 ? Promise.resolve([{ ms: Date.now() }]) : answer.promise;
	};
	await follow(sql as unknown as Sql, 1);
	while (asked < 2) await Bun.sleep(1);
	await Bun.sleep(30);
	expect(asked).toBe(2);
	answer.resolve([{ ms: Date.now() }]);
	while (asked < 3) await Bun.sleep(1);
});
