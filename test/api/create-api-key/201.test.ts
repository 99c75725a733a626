/** Keys that an owner makes for itself. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, get, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { auditOf, getKey, listKeys, type MadeKey, makeKey, postKey, tryKey, withKey } from "../support/api-keys";
import { expectProblem } from "../support/problem";
import { instant, tenantB, uuid } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service, { plan: "business" });
});

test("a key is shown once, works at once, and has its creator's plan", async () => {
	const over = {
		label: "Almacén 2",
		scopes: ["registry:read", "keys:read"],
		ipAllowList: ["127.0.0.0/8", "::1"],
		contactEmails: ["dev@cliente.do"],
	};
	const answer = await postKey(service, tenant, { ...over, expiresAt: "2099-12-31T20:00:00-04:00" });
	const made = (await answer.json()) as MadeKey;
	expect(answer.status).toBe(201);
	expect(answer.headers.get("cache-control")).toContain("no-store");
	expect(answer.headers.get("location")).toBe(`/v1/api-keys/${made.id}`);
	const { key, ...record } = made;
	const first = (await listKeys(service, tenant)).items.at(-1);
	expect(first).toMatchObject({ label: "test", createdBy: null });
	expect(record).toEqual({
		...over,
		...{ id: expect.stringMatching(uuid), prefix: key.slice(0, 12), plan: "business", environment: "sandbox" },
		...{ createdBy: first?.id, tenantIds: [] },
		...{ createdAt: expect.stringMatching(instant), lastUsedAt: null, expiresAt: "2100-01-01T00:00:00.000Z" },
		_links: { self: `/v1/api-keys/${made.id}` },
	});
	expect(key).toMatch(/^ak_test_[0-9A-Za-z]{22}_[0-9A-Za-z]{6}$/);
	expect(await tryKey(service, key)).toBe(200);
	expect(await (await getKey(service, withKey(tenant, key), made.id)).json()).toEqual(record);
	expect(await auditOf(service, made.id)).toMatchObject([
		{
			action: "key.create",
			tenantId: tenant.tenantId,
			details: { prefix: made.prefix, scopes: "registry:read keys:read" },
		},
	]);
});

test("only the label is needed: the rest is what both credentials have, without an end", async () => {
	const made = await makeKey(service, tenant);
	expect(made).toMatchObject({ expiresAt: null, ipAllowList: [], contactEmails: [] });
	expect(made.scopes).toContain("keys:write");
	expect(made.scopes).not.toContain("admin");
});

test("a replay returns the same key without its text", async () => {
	const header = { "idempotency-key": crypto.randomUUID() };
	const first = (await (await postKey(service, tenant, {}, header)).json()) as MadeKey;
	const again = await postKey(service, tenant, {}, header);
	expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
	expect(await again.json()).toEqual({ ...first, key: null });
	const kept = await service.sql`select answer from request_keys where operation = 'POST /v1/api-keys'`;
	expect(JSON.stringify(kept)).not.toContain(first.key);
});

test("a key inherits expiry and addresses of its creator, unless it is narrower", async () => {
	const bound = { expiresAt: "2099-01-01T00:00:00.000Z", ipAllowList: ["127.0.0.0/8"] };
	const lender = withKey(tenant, (await makeKey(service, tenant, bound)).key);
	expect(await makeKey(service, lender)).toMatchObject(bound);
	const less = { expiresAt: "2098-01-01T00:00:00.000Z", ipAllowList: ["127.0.0.1", "127.4.0.0/16"] };
	expect(await makeKey(service, lender, less)).toMatchObject(less);
});

test("a till's key opens its company alone, and gives no key that opens more", async () => {
	const till = withKey(tenant, (await makeKey(service, tenant, { tenantIds: [tenant.tenantId] })).key);
	const sister = await createTenant(service, { apiKey: tenant.apiKey });
	const list = async (path: string) => (await (await get(service, path, till.headers)).json()) as { items: unknown[] };
	expect((await list("/v1/company")).items).toMatchObject([{ tenantId: tenant.tenantId }]);
	const audited = (await list(`/v1/audit?target=${sister.tenantId}`)).items;
	expect(audited).toEqual([]);
	expect(await makeKey(service, till)).toMatchObject({ tenantIds: [tenant.tenantId] });
	for (const tenantIds of [[], [tenant.tenantId, sister.tenantId]]) {
		const pointer = tenantIds.length === 0 ? "/tenantIds" : "/tenantIds/1";
		const faults = [`${pointer} beyond-own-companies`];
		await expectProblem(postKey(service, till, { tenantIds }), 400, "validation-error", faults);
	}
	await expectProblem(
		post(service, "/v1/company", { "x-api-key": till.apiKey }, { rnc: "101010101" }),
		403,
		"forbidden",
	);
	const credentials = post(service, `/v1/company/${sister.tenantId}/credentials`, { "x-api-key": till.apiKey }, {});
	await expectProblem(credentials, 404, "not-found");
	const foreign = { tenantIds: [(await tenantB()).tenantId, "x"] };
	await expectProblem(postKey(service, tenant, foreign), 400, "validation-error", ["/tenantIds/1 invalid-id"]);
	const unknown = { tenantIds: [(await tenantB()).tenantId] };
	await expectProblem(postKey(service, tenant, unknown), 400, "validation-error", ["/tenantIds/0 unknown-company"]);
});
