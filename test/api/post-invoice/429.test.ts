/** Issuing faster than the plan allows is refused; replays are not, and cost nothing. */
import { beforeAll, expect, test } from "bun:test";
import { buildInvoice, createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

/** The free plan: five a second, ten at once. */
const MORE_THAN_AT_ONCE = 40;

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service, { plan: "free" });
});

const freshKey = () => crypto.randomUUID();
const send = (path: string, key: string, body: string) =>
	fetch(`${service.url}${path}`, {
		method: "POST",
		headers: { ...tenant.headers, "content-type": "application/json", "idempotency-key": key },
		body,
	});
const many = (ask: () => Promise<Response>) => Promise.all(Array.from({ length: MORE_THAN_AT_ONCE }, ask));
const leftOf = (answer: Response) => Number(/;r=(\d+);/.exec(answer.headers.get("ratelimit") ?? "")?.[1]);

/** Nothing is left of the rate behind this. */
async function exhaust(): Promise<void> {
	const answers = await many(() => send("/v1/invoices", freshKey(), "{"));
	const refused = answers.filter(({ status }) => status === 429);
	expect(refused.length).toBeGreaterThan(0);
	for (const answer of refused) {
		const problem = await expectProblem(answer, 429, "rate-limit-exceeded");
		expect(problem).toMatchObject({ policy: "issue", detail: expect.any(String) });
		expect(Number(answer.headers.get("retry-after"))).toBe(problem.retryAfter as number);
	}
}

test.each([
	["an invoice", "/v1/invoices", 202, () => buildInvoice(tenant)],
	[
		"a batch",
		"/v1/invoices:batch",
		200,
		() => ({ invoices: [{ ...buildInvoice(tenant), client_request_id: freshKey() }] }),
	],
] as const)(
	"the repeat of %s gets its answer although the rate is used up, and takes nothing of it",
	async (_, path, status, build) => {
		const key = freshKey();
		const body = JSON.stringify(build());
		let first = await send(path, key, body);
		while (first.status === 429) first = await send(path, key, body);
		expect(first.status).toBe(status);
		const text = await first.text();
		await exhaust();
		const repeats = await many(() => send(path, key, body));
		expect(new Set(repeats.map((answer) => answer.status))).toEqual(new Set([200]));
		for (const answer of repeats) expect(await answer.text()).toBe(text);
		// Replays do not use the refilled rate.
		expect(leftOf(repeats.at(-1) as Response)).toBeGreaterThanOrEqual(leftOf(repeats[0] as Response));
	},
);

test("another body under a used key is refused, also over the limit", async () => {
	const key = freshKey();
	const body = JSON.stringify(buildInvoice(tenant));
	let first = await send("/v1/invoices", key, body);
	while (first.status === 429) first = await send("/v1/invoices", key, body);
	expect(first.status).toBe(202);
	await exhaust();
	await expectProblem(send("/v1/invoices", key, JSON.stringify(buildInvoice(tenant))), 422, "idempotency-key-reused");
});
