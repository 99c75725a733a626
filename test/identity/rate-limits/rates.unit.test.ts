/** Buckets of several processes: each process is a `Rates` of its own, which shares when the test says so. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { RatePolicy } from "../../../src/identity/rate-limits/policy";
import { openRates, type Rates } from "../../../src/identity/rate-limits/rates";
import { msg } from "../../../src/platform/problem";
import { createLog } from "../../../src/platform/telemetry";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
const processes: Rates[] = [];
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(async () => {
	for (const one of processes) one.close();
	await database.close();
});

/** So slow that nothing comes back while a test runs, whatever the machine does. */
const policy: RatePolicy = {
	...{ name: "search", quota: 20, windowSeconds: 2_000_000, perSecond: 0.00001 },
	...{ place: "test/search", slug: "rate-limit-exceeded", detail: msg`Twenty.` },
};

function start(): Rates {
	const rates = openRates({ sql: database.sql, log: createLog("silent", "test") });
	processes.push(rates);
	return rates;
}

function take(rates: Rates, subject: string, count: number): number {
	let taken = 0;
	for (let i = 0; i < count; i++) {
		const now = performance.now();
		const rate = rates.under(policy).of(subject, now);
		if (rate.isEmpty(now)) continue;
		rate.take(now);
		taken++;
	}
	return taken;
}

test("after sharing, one process has less by what the other gave out", async () => {
	const [one, other] = [start(), start()];
	const subject = newId();
	expect(take(one, subject, 15)).toBe(15);
	expect(take(other, subject, 1)).toBe(1);
	await one.share();
	await other.share();
	expect(take(other, subject, 10)).toBe(4);
});

test("the excess of several processes is a debt of at most one burst", async () => {
	const [one, other] = [start(), start()];
	const subject = newId();
	expect(take(one, subject, 30)).toBe(20);
	expect(take(other, subject, 30)).toBe(20);
	await one.share();
	await other.share();
	await one.share();
	expect([take(one, subject, 1), take(other, subject, 1)]).toEqual([0, 0]);
	const [row] = await database.sql`select level from rate_buckets where subject = ${subject}`;
	expect(row?.level).toBeGreaterThanOrEqual(-20);
	expect(row?.level).toBeLessThan(-19);
});

test("a later process learns what was given out; other buckets are full", async () => {
	const one = start();
	const subject = newId();
	take(one, subject, 20);
	await one.share();
	const late = start();
	take(late, subject, 1);
	await late.share();
	expect(take(late, subject, 5)).toBe(0);
	expect(take(late, newId(), 30)).toBe(20);
});

test("simultaneous reports are counted once", async () => {
	const one = start();
	const subject = newId();
	take(one, subject, 5);
	await Promise.all([one.share(), one.share(), one.share()]);
	const [row] = await database.sql`select level from rate_buckets where subject = ${subject}`;
	expect(Math.round(row?.level)).toBe(15);
	expect(take(one, subject, 30)).toBe(15);
});
