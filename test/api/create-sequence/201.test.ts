import { beforeAll, expect, test } from "bun:test";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { encfOf, postSequence } from "../support/sequences";
import { uuid } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("a range is registered whole", async () => {
	const answer = await postSequence(service, tenant, [1, 500]);
	expect(answer.status).toBe(201);
	expect(await answer.json()).toEqual({
		id: expect.stringMatching(uuid),
		...{ type: "31", from: encfOf(1), to: encfOf(500), next: encfOf(1), available: 500, expiresAt: "2030-12-31" },
		...{ status: "active", forecast: { perDay: 0, exhaustedOn: null } },
	});
});

test("types 32 and 34 have no last day", async () => {
	for (const type of ["32", "34"]) {
		for (const [n, expiresAt] of [null, undefined].entries()) {
			const answer = await postSequence(service, tenant, [n * 10 + 1, n * 10 + 10], { type, expiresAt });
			expect(answer.status).toBe(201);
			expect(((await answer.json()) as { expiresAt: unknown }).expiresAt).toBeNull();
		}
	}
});

test("a repeat of the key answers the first sequence and registers nothing", async () => {
	const headers = { ...tenant.headers, "idempotency-key": crypto.randomUUID() };
	const body = { type: "31", from: encfOf(9_001), to: encfOf(9_002), expiresAt: "2030-12-31" };
	const answers = await Promise.all(Array.from({ length: 5 }, () => post(service, "/v1/sequences", headers, body)));
	expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
	expect(new Set(await Promise.all(answers.map((one) => one.text()))).size).toBe(1);
});
