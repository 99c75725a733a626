/** Too many polls get 429 with Retry-After; single and batch polls share the limit. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, get, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { documentOf } from "../support/documents";
import { tenantA, UNKNOWN_ID } from "../support/tenants";

const QUOTA = 120;

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service, { plan: "free" });
}, 120_000);

const ask = () => get(service, `/v1/invoices/${UNKNOWN_ID}/status`, tenant.headers);
const askMany = (encfs: readonly string[]) => post(service, "/v1/invoices:status", tenant.headers, { encfs });

test("the free plan has 120 polls an hour, and a batch counts once", async () => {
	const many = await askMany(["E310000000001", "E310000000002"]);
	expect({ status: many.status, text: await many.text() }).toMatchObject({ status: 200 });
	expect(many.headers.get("ratelimit-policy")).toBe(`"poll";q=${QUOTA};w=3600`);
	expect(many.headers.get("ratelimit")).toMatch(new RegExp(`^"poll";r=${QUOTA - 1};t=\\d{2,4}$`));

	const answers = await Promise.all(Array.from({ length: QUOTA + 4 }, ask));
	const absent = answers.filter(({ status }) => status === 404);
	expect(absent).toHaveLength(QUOTA - 1);
	for (const answer of absent) {
		expect(answer.headers.get("ratelimit-policy")).toBe(`"poll";q=${QUOTA};w=3600`);
		expect(answer.headers.get("ratelimit")).toMatch(/^"poll";r=\d+;t=\d+$/);
	}
	const refused = answers.filter(({ status }) => status === 429);
	expect(refused).toHaveLength(5);
	for (const answer of refused) {
		expect(await answer.json()).toMatchObject({
			type: expect.stringMatching(/\/errors\/polling-limit-exceeded$/),
			limit: QUOTA,
			windowSeconds: 3_600,
			retryAfter: Number(answer.headers.get("retry-after")),
			policy: "poll",
		});
		const wait = Number(answer.headers.get("retry-after"));
		expect(wait).toBeGreaterThan(3_000);
		expect(wait).toBeLessThanOrEqual(3_600);
		expect(answer.headers.get("ratelimit")).toBe(`"poll";r=0;t=${wait}`);
	}
	expect((await askMany(["E310000000001"])).status).toBe(429);
	expect((await get(service, "/v1/events", tenant.headers)).status).toBe(429);
}, 120_000);

test("a plan without limits has no limit headers", async () => {
	const { docId } = await documentOf("accepted");
	const answer = await get(service, `/v1/invoices/${docId}/status`, (await tenantA()).headers);
	expect(answer.status).toBe(200);
	expect(answer.headers.get("ratelimit")).toBeNull();
});
