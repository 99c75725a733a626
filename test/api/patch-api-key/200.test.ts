/** What may change of a key. */
import { beforeAll, expect, test } from "bun:test";
import { sharedService, type Tenant, type TestService } from "../../support/service";
import { auditOf, getKey, makeKey, patchKey, tryKey, withKey } from "../support/api-keys";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

test("label, addresses and contacts change; what is absent stays, null clears", async () => {
	const { key, ...before } = await makeKey(service, tenant, { contactEmails: ["a@cliente.do"] });
	const changes = { label: "North", contactEmails: null, ipAllowList: ["192.0.2.0/24"] };
	const answer = await patchKey(service, tenant, before.id, changes);
	expect(answer.status).toBe(200);
	expect(await answer.json()).toEqual({ ...before, ...changes, contactEmails: [] });
	// From the next request on, in this process: the caller's address is not on the list.
	expect(await tryKey(service, key)).toBe(401);
	expect(await (await patchKey(service, tenant, before.id, { ipAllowList: null })).json()).toMatchObject({
		...{ label: "North", ipAllowList: [] },
	});
	expect(await tryKey(service, key)).toBe(200);
	expect((await auditOf(service, before.id)).map(({ action, details }) => [action, details])).toMatchObject([
		["key.create", {}],
		["key.change", { members: "label contactEmails ipAllowList" }],
		["key.change", { members: "ipAllowList" }],
	]);
});

test("the end is moved, and null takes it away", async () => {
	const made = await makeKey(service, tenant, { expiresAt: "2099-01-01T00:00:00Z" });
	const soon = new Date(Date.now() + 3_600_000).toISOString();
	for (const expiresAt of [soon, "2098-01-01T00:00:00.000Z", null, null, soon]) {
		const answer = await patchKey(service, tenant, made.id, { expiresAt });
		expect([answer.status, await answer.json()]).toMatchObject([200, { expiresAt }]);
		expect(await (await getKey(service, tenant, made.id)).json()).toMatchObject({ expiresAt });
	}
	expect(await tryKey(service, made.key)).toBe(200);
	for (const [expiresAt, code] of [
		["2020-01-01T00:00:00Z", "not-to-come"],
		["mañana", "invalid-instant"],
		[5, "wrong-type"],
	])
		await expectProblem(patchKey(service, tenant, made.id, { expiresAt }), 400, "validation-error", [
			`/expiresAt ${code}`,
		]);
});

test("a key that ends gives no other one more time than it has, itself least of all", async () => {
	const end = new Date(Date.now() + 3_600_000).toISOString();
	const lent = await makeKey(service, tenant, { expiresAt: end });
	const sooner = new Date(Date.now() + 1_800_000).toISOString();
	const other = await makeKey(service, tenant, { expiresAt: sooner });
	const keeper = withKey(tenant, lent.key);
	for (const id of [lent.id, other.id])
		for (const expiresAt of [null, "2099-01-01T00:00:00Z"])
			await expectProblem(patchKey(service, keeper, id, { expiresAt }), 400, "validation-error", [
				"/expiresAt beyond-own-end",
			]);
	expect((await patchKey(service, keeper, other.id, { expiresAt: end })).status).toBe(200);
});

test("a key that has expired stays so", async () => {
	const { id } = await makeKey(service, tenant, { expiresAt: "2099-01-01T00:00:00Z" });
	await service.sql`update api_keys set expires_at = now() - interval '1 minute' where id = ${id}`;
	for (const expiresAt of [null, "2099-01-01T00:00:00Z"])
		await expectProblem(patchKey(service, tenant, id, { expiresAt }), 400, "validation-error", [
			"/expiresAt key-expired",
		]);
});

test("scopes, plan and whose it is never change", async () => {
	const { id } = await makeKey(service, tenant);
	const faults = ["scopes", "plan", "ownerId", "environment", "revokedAt"].map((name) => `/${name} unknown-field`);
	const changes = { scopes: ["admin"], plan: "enterprise", ownerId: id, environment: "production", revokedAt: null };
	await expectProblem(patchKey(service, tenant, id, changes), 400, "validation-error", faults);
});

test("a key that is bound to addresses frees neither itself nor another", async () => {
	const bound = await makeKey(service, tenant, { ipAllowList: ["127.0.0.0/8"] });
	const keeper = withKey(tenant, bound.key);
	const faults = ["/ipAllowList beyond-own-list"];
	await expectProblem(patchKey(service, keeper, bound.id, { ipAllowList: [] }), 400, "validation-error", faults);
	expect((await patchKey(service, keeper, bound.id, { ipAllowList: ["127.0.0.1"] })).status).toBe(200);
	const free = await makeKey(service, tenant, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
	await expectProblem(patchKey(service, keeper, free.id, { expiresAt: null }), 400, "validation-error", faults);
});

test("a replay changes nothing; another body under the key is refused", async () => {
	const { id } = await makeKey(service, tenant);
	const headers = { "idempotency-key": crypto.randomUUID() };
	const first = await patchKey(service, tenant, id, { label: "North" }, headers);
	await patchKey(service, tenant, id, { label: "South" });
	const repeat = await patchKey(service, tenant, id, { label: "North" }, headers);
	expect([repeat.status, repeat.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
	expect(await repeat.text()).toBe(await first.text());
	expect(await (await getKey(service, tenant, id)).json()).toMatchObject({ label: "South" });
	const other = patchKey(service, tenant, id, { label: "West" }, headers);
	await expectProblem(other, 422, "idempotency-key-reused");
	const malformed = patchKey(service, tenant, id, { label: "West" }, { "idempotency-key": "1" });
	await expectProblem(malformed, 400, "validation-error", ["#/headers/idempotency-key invalid-format"]);
});
