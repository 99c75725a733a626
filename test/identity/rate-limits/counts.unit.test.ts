import { afterAll, beforeAll, expect, test } from "bun:test";
import { createCounts } from "../../../src/identity/rate-limits/counts";
import { countedPolicyOf } from "../../../src/identity/rate-limits/policy";
import { SLICES } from "../../../src/identity/rate-limits/store";
import { newId } from "../../../src/platform/values";
import { problemFrom } from "../../platform/operation/support/call";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

test("the sixth company of an address in a day is refused, then from memory", async () => {
	const policy = countedPolicyOf("demo", "company");
	if (!policy) throw new Error("the demo key's companies are counted");
	const { count } = createCounts(database.sql);
	const subject = newId();
	for (let left = 4; left >= 0; left--) {
		expect((await count(policy, subject)).headers.ratelimit).toStartWith(`"demo-company-day";r=${left};t=`);
	}
	const refused = await problemFrom(() => count(policy, subject));
	expect(refused.slug).toBe("rate-limit-exceeded");
	expect(refused.extensions).toMatchObject({ limit: 5, windowSeconds: 86_400, policy: "demo-company-day" });
	await database.sql`delete from call_counts where subject_id = ${subject}`;
	const again = await problemFrom(() => count(policy, subject));
	expect(Number(again.headers["retry-after"])).toBeGreaterThan(80_000);
	await count(policy, newId());
});

test("a call that was taken back can be used again once, by any caller", async () => {
	const policy = countedPolicyOf("demo", "company");
	if (!policy) throw new Error("the demo key's companies are counted");
	const { count, giveBack } = createCounts(database.sql);
	const subject = newId();
	const { slot } = await count(policy, subject);
	expect((await giveBack(policy, subject, slot))?.ratelimit).toBe('"demo-company-day";r=5;t=0');
	for (let i = 0; i < 5; i++) await count(policy, subject);
	expect((await problemFrom(() => count(policy, subject))).slug).toBe("rate-limit-exceeded");
	expect((await giveBack(policy, subject, slot))?.ratelimit).toStartWith('"demo-company-day";r=1;t=');
	await count(policy, subject);
	expect((await problemFrom(() => count(policy, subject))).slug).toBe("rate-limit-exceeded");
});

test("what was counted in a slice that is over is not taken from the one in its place", async () => {
	const policy = countedPolicyOf("demo", "company");
	if (!policy) throw new Error("the demo key's companies are counted");
	const { count, giveBack } = createCounts(database.sql);
	const subject = newId();
	const { slot } = await count(policy, subject);
	expect(await giveBack(policy, subject, slot - SLICES)).toBeUndefined();
	const [row] = await database.sql`select counts from call_counts where subject_id = ${subject}`;
	expect(row?.counts.reduce((sum: number, n: number) => sum + n, 0)).toBe(1);
});
