import { expect, test } from "bun:test";
import { createTenant, post, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";

test("a company gets ten test events a minute and the remaining number", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service, { plan: "free", webhook: true });
	const ask = () => post(service, "/v1/webhooks/test", tenant.headers, {});
	const first = await ask();
	expect(first.headers.get("ratelimit-policy")).toBe('"webhook-test";q=10;w=60');
	expect(first.headers.get("ratelimit")).toMatch(/^"webhook-test";r=9;t=\d+$/);
	const answers = await Promise.all(Array.from({ length: 9 }, ask));
	expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(200));
	const refused = await ask();
	expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
	await expectProblem(refused, 429, "rate-limit-exceeded");
});
