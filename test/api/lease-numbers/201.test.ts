import { beforeAll, expect, test } from "bun:test";
import { buildInvoice, post, postInvoice, sharedService, type Tenant, type TestService } from "../../support/service";
import { createNumbered, encfOf, postLease, postSequence } from "../support/sequences";
import { instant, uuid } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createNumbered(service);
	await postSequence(service, tenant, [1, 100]);
});

test("a point of sale gets exclusive numbers and issues with them", async () => {
	const answer = await postLease(service, tenant);
	expect(answer.status).toBe(201);
	const lease = (await answer.json()) as { id: string };
	expect(lease).toEqual({
		id: expect.stringMatching(uuid),
		...{ type: "31", count: 3, status: "active" },
		ranges: [{ from: encfOf(1), to: encfOf(3), sequenceExpiresAt: "2030-12-31" }],
		expiresAt: expect.stringMatching(instant),
		createdAt: expect.stringMatching(instant),
		_links: { self: `/v1/sequences/leases/${lease.id}` },
	} as never);
	expect(answer.headers.get("location")).toBe(`/v1/sequences/leases/${lease.id}`);
	const given = await postInvoice(service, tenant, buildInvoice(tenant, { encf: "auto" }));
	expect(await given.json()).toMatchObject({ encf: encfOf(4) });
	expect((await postInvoice(service, tenant, buildInvoice(tenant, { encf: encfOf(2) }))).status).toBe(202);
});

test("a repeat of the key is the same lease", async () => {
	const headers = { ...tenant.headers, "idempotency-key": crypto.randomUUID() };
	const body = { type: "31", count: 2, ttl: 60 };
	const first = await post(service, "/v1/sequences/leases", headers, body);
	const again = await post(service, "/v1/sequences/leases", headers, body);
	expect([first.status, again.status]).toEqual([201, 200]);
	expect(await again.text()).toBe(await first.text());
});

test("the first lease of a type opens the test environment's range", async () => {
	const newcomer = await createNumbered(service);
	const answer = await postLease(service, newcomer, { type: "44" });
	expect(answer.status).toBe(201);
	expect(await answer.json()).toMatchObject({ ranges: [{ from: "E440000000001", to: "E440000000003" }] });
});
