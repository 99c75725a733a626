import { afterAll, beforeAll, expect, test } from "bun:test";
import { deleteFullBuckets, shareBuckets } from "../../../src/identity/rate-limits/store";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { until } from "../../support/until";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

const QUOTA = 20;
/** So slow that nothing comes back between two tellings of a test. */
const SLOW = 0.000_01;

const bucketOf = (subject: string, perSecond: number) => async (taken: number, withinSeconds: number) =>
	(await shareBuckets(database.sql, [{ subject, place: "test", quota: QUOTA, perSecond, taken }], withinSeconds)).get(
		0,
	) ?? Number.NaN;

test("who took the burst and what came back meanwhile owes nothing", async () => {
	const share = bucketOf(newId(), 5);
	expect(await share(25, 1)).toBeCloseTo(0, 5);
});

test("what several took adds up to a debt of one burst at most", async () => {
	const share = bucketOf(newId(), SLOW);
	expect(await share(15, 1)).toBeCloseTo(5, 2);
	expect(await share(15, 1)).toBeCloseTo(-10, 2);
	expect(await share(100, 1)).toBe(-QUOTA);
});

test("what came back in a long time fills the bucket and no more", async () => {
	const subject = newId();
	const share = bucketOf(subject, 5);
	await share(20, 0);
	await database.sql`update rate_buckets set as_of = as_of - interval '1 hour' where subject = ${subject}`;
	// An hour's calls are lost beyond the burst; a second's are not.
	expect(await share(20, 1)).toBeCloseTo(5, 1);
});

test("forgetting full buckets waits in no circle with who shares several of them", async () => {
	const { sql, owner } = database;
	const subjects = [newId(), newId()].sort();
	// The last in the order of subjects is the first that a scan meets.
	for (const subject of subjects.toReversed()) await bucketOf(subject, SLOW)(0, 0);
	await owner`update rate_buckets set as_of = as_of - interval '1 hour' where subject = ${subjects[1] ?? ""}`;
	await owner`update rate_buckets set as_of = as_of - interval '1 hour' where subject = ${subjects[0] ?? ""}`;
	const untilWaiting = (sessions: number, orDone: () => boolean = () => false) =>
		until(async () => {
			const waiting = await owner`
				select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and state = 'active'`;
			return orDone() || waiting.length === sessions;
		});
	let shared: Promise<unknown> | undefined;
	let forgotten: Promise<number> | undefined;
	await owner.begin(async (tx) => {
		await tx`select 1 from rate_buckets where subject = ${subjects[0] ?? ""} for update`;
		const buckets = subjects.map((subject) => ({ subject, place: "test", quota: QUOTA, perSecond: SLOW, taken: 1 }));
		shared = shareBuckets(sql, buckets, 1);
		shared.catch(() => undefined);
		await untilWaiting(1);
		let isDone = false;
		forgotten = deleteFullBuckets(sql).finally(() => {
			isDone = true;
		});
		forgotten.catch(() => undefined);
		await untilWaiting(2, () => isDone);
	});
	expect(await shared).toMatchObject({ size: 2 });
	await forgotten;
});
