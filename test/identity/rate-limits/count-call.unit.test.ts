import { afterAll, beforeAll, expect, test } from "bun:test";
import { countCalls, SLICES } from "../../../src/identity/rate-limits/store";
import { newId } from "../../../src/platform/values";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

function limitOf(quota: number) {
	const subjectId = newId();
	return {
		count: (calls = 1) => countCalls(database.sql, { subjectId, policy: "poll", quota, windowSeconds: 3_600, calls }),
		/** Lets time pass: everything was counted so many slices earlier. */
		age: (slices: number) => database.sql`
			update call_counts set slot = slot - ${slices}, counts = array(
				select counts[mod(place + ${slices}, ${SLICES}) + 1] from generate_series(0, ${SLICES - 1}) place order by place
			) where subject_id = ${subjectId}`,
		/** The server's clock is set back. */
		setBack: (slices: number) => database.sql`
			update call_counts set slot = slot + ${slices}, counts = array(
				select counts[mod(place - ${slices} + ${SLICES}, ${SLICES}) + 1] from generate_series(0, ${SLICES - 1}) place order by place
			) where subject_id = ${subjectId}`,
	};
}

test("of many calls at the same time exactly the quota is within it", async () => {
	const limit = limitOf(40);
	const all = await Promise.all(Array.from({ length: 60 }, limit.count));
	expect(all.filter(({ isWithin }) => isWithin)).toHaveLength(40);
	expect(Math.max(...all.map(({ used }) => used))).toBe(40);
});

test("the first call shows one as used, which leaves the window within the hour", async () => {
	const first = await limitOf(5).count();
	expect(first).toMatchObject({ isWithin: true, used: 1 });
	expect(first.freesInSeconds).toBeGreaterThan(3_600 - 31);
	expect(first.freesInSeconds).toBeLessThanOrEqual(3_600);
});

test("a call is forgotten when its slice has left the window, and not before", async () => {
	const limit = limitOf(2);
	await limit.count();
	await limit.age(60);
	await limit.count();
	await limit.age(58);
	// 118 slices ago, 119 should a slice end just now: still within the window.
	expect(await limit.count()).toMatchObject({ isWithin: false, used: 2 });
	await limit.age(2);
	const next = await limit.count();
	expect(next).toMatchObject({ isWithin: true, used: 2 });
	await limit.age(500);
	expect(await limit.count()).toMatchObject({ isWithin: true, used: 1 });
});

test("a refused call counts nothing and shows how long to wait", async () => {
	const limit = limitOf(1);
	await limit.count();
	await limit.age(100);
	for (let i = 0; i < 3; i++) {
		const refused = await limit.count();
		expect(refused).toMatchObject({ isWithin: false, used: 1 });
		expect(refused.freesInSeconds).toBeGreaterThan(18 * 30);
		expect(refused.freesInSeconds).toBeLessThanOrEqual(20 * 30);
	}
});

test("a clock that is set back gives nothing back", async () => {
	const limit = limitOf(2);
	await limit.count();
	await limit.setBack(10);
	expect(await limit.count()).toMatchObject({ isWithin: true, used: 2 });
	expect(await limit.count()).toMatchObject({ isWithin: false, used: 2 });
});

test("several calls count together or not at all", async () => {
	const limit = limitOf(10);
	expect(await limit.count(7)).toMatchObject({ isWithin: true, used: 7 });
	expect(await limit.count(4)).toMatchObject({ isWithin: false, used: 7 });
	expect(await limit.count(3)).toMatchObject({ isWithin: true, used: 10 });
	expect(await limit.count()).toMatchObject({ isWithin: false, used: 10 });
});
