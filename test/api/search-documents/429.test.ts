/** A rate limit as callers meet it: shown on every answer, refused beyond it, and separate for each owner. */
import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

const POLICY = '"search";q=10;w=4';

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
}, 120_000);

const search = (key: string, query = "field=name&q=srl&limit=1", headers: Record<string, string> = {}) =>
	get(service, `/v1/authority/document:search?${query}`, { "x-api-key": key, ...headers });
const lookUp = (key: string, number: string, headers: Record<string, string> = {}) =>
	get(service, `/v1/authority/document/${number}`, { "x-api-key": key, ...headers });

test("every answer has the remaining limit: found, unchanged, refused, on both paths", async () => {
	const key = await service.createKey({ plan: "free" });
	const found = await lookUp(key, "131880681");
	const etag = found.headers.get("etag") ?? "";
	const longRoad = { accept: "application/json;q=0.9, */*;q=0.1" };
	const answers = [
		found,
		await lookUp(key, "131880681"),
		await lookUp(key, "131880681", longRoad),
		await lookUp(key, "131880681", { "if-none-match": etag }),
		await lookUp(key, "131880681", { "if-none-match": etag, ...longRoad }),
		await lookUp(key, "999999999"),
		await lookUp(key, "12"),
		await lookUp(key, "131880681", { accept: "text/html" }),
	];
	expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 304, 304, 404, 400, 406]);
	for (const { headers } of answers) {
		expect(headers.get("ratelimit-policy")).toBe('"lookup";q=50;w=5');
		expect(headers.get("ratelimit")).toMatch(/^"lookup";r=\d+;t=\d+$/);
	}
	expect(found.headers.get("ratelimit")).toBe('"lookup";r=49;t=1');
	expect((await search(key, "field=name&q=sr")).headers.get("ratelimit-policy")).toBe(POLICY);
	const unlimited = await lookUp(await service.createKey(), "131880681");
	expect([unlimited.headers.get("ratelimit"), unlimited.headers.get("ratelimit-policy")]).toEqual([null, null]);
});

test("a refusal beyond the burst has limit, window and delay; other owners go on", async () => {
	const key = await service.createKey({ plan: "free" });
	// More than the burst and its refill: some are refused, however slow the machine is.
	let refused: Response | undefined;
	for (let turn = 0; turn < 50 && !refused; turn++) {
		const answers = await Promise.all(Array.from({ length: 40 }, () => search(key)));
		refused = answers.find(({ status }) => status === 429);
	}
	if (!refused) throw new Error("nothing was refused");
	expect(refused.headers.get("ratelimit-policy")).toBe(POLICY);
	expect(refused.headers.get("ratelimit")).toMatch(/^"search";r=0;t=\d+$/);
	const wait = Number(refused.headers.get("retry-after"));
	expect(wait).toBeGreaterThan(0);
	expect(wait).toBeLessThanOrEqual(5);
	expect(await expectProblem(refused, 429, "rate-limit-exceeded")).toMatchObject({
		...{ limit: 10, windowSeconds: 4, retryAfter: wait, policy: "search" },
	});
	expect((await search(await service.createKey({ plan: "free" }))).status).toBe(200);
});
