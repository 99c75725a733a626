import { afterAll, beforeAll, expect, test } from "bun:test";
import { createCounts } from "../../src/limits/counts";
import { countedPolicyOf } from "../../src/limits/policy";
import { newId } from "../../src/values";
import { problemFrom } from "../operation/support/call";
import { openTestDatabase, type TestDatabase } from "../support/database";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 120_000);
afterAll(() => database.close());

test("the sixth company of an address in a day is refused, and again without asking the database", async () => {
	const policy = countedPolicyOf("demo", "company");
	if (!policy) throw new Error("the demo key's companies are counted");
	const count = createCounts(database.sql);
	const subject = newId();
	for (let left = 4; left >= 0; left--) {
		expect((await count(policy, subject)).ratelimit).toStartWith(`"demo-company-day";r=${left};t=`);
	}
	const refused = await problemFrom(() => count(policy, subject));
	expect(refused.slug).toBe("rate-limit-exceeded");
	expect(refused.extensions).toMatchObject({ limit: 5, windowSeconds: 86_400, policy: "demo-company-day" });
	await database.sql`delete from call_counts where subject_id = ${subject}`;
	const again = await problemFrom(() => count(policy, subject));
	expect(Number(again.headers["retry-after"])).toBeGreaterThan(80_000);
	await count(policy, newId());
});
