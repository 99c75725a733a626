/** Keys that are replaced. */
import { beforeAll, expect, test } from "bun:test";
import { sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { auditOf, getKey, type MadeKey, makeKey, postRotation, tryKey, withKey } from "../support/api-keys";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

type Rotated = MadeKey & { readonly previousExpiresAt: string };
const DAY_MS = 86_400_000;

async function rotate(id: string, body: unknown = {}, caller = tenant): Promise<Rotated> {
	const answer = await postRotation(service, caller, id, body);
	expect(answer.status).toBe(201);
	return (await answer.json()) as Rotated;
}

test("the new key is like the old one, and both count for a day", async () => {
	const over = { scopes: ["registry:read", "invoices:read"], ipAllowList: ["127.0.0.0/8"], contactEmails: ["a@b.do"] };
	const old = await makeKey(service, tenant, { ...over, expiresAt: "2099-01-01T00:00:00.000Z" });
	const next = await rotate(old.id);
	expect(next).toMatchObject({ ...over, label: old.label, plan: old.plan, expiresAt: old.expiresAt });
	expect([next.id === old.id, next.key === old.key]).toEqual([false, false]);
	const graceMs = Date.parse(next.previousExpiresAt) - Date.parse(String(next.createdAt));
	expect(graceMs).toBe(DAY_MS);
	expect(await (await getKey(service, tenant, old.id)).json()).toMatchObject({ expiresAt: next.previousExpiresAt });
	expect([await tryKey(service, old.key), await tryKey(service, next.key)]).toEqual([200, 200]);
	expect(await auditOf(service, next.id)).toMatchObject([{ action: "key.rotate", details: { follows: old.id } }]);
});

test("without a grace the old key ends at once, and can be rotated no more", async () => {
	const old = await makeKey(service, tenant);
	const next = await rotate(old.id, { graceSeconds: 0 });
	expect([await tryKey(service, old.key), await tryKey(service, next.key)]).toEqual([401, 200]);
	await expectProblem(postRotation(service, tenant, old.id), 400, "validation-error", [" key-expired"]);
});

test("a grace never extends a key, and a key in its grace passes on its expiry", async () => {
	const endsAt = new Date(Date.now() + 3_600_000).toISOString();
	const short = await makeKey(service, tenant, { expiresAt: endsAt });
	expect((await rotate(short.id, { graceSeconds: 604_800 })).previousExpiresAt).toBe(endsAt);

	const old = await makeKey(service, tenant);
	const next = await rotate(old.id, { graceSeconds: 3_600 });
	expect((await rotate(old.id)).expiresAt).toBe(next.previousExpiresAt);
	expect((await rotate(next.id)).expiresAt).toBeNull();
});

test("a key rotates itself, whatever the token beside it may", async () => {
	const old = await makeKey(service, tenant, { scopes: ["keys:write", "registry:read"] });
	const next = await rotate(old.id, { graceSeconds: 0 }, withKey(tenant, old.key));
	expect(next.scopes).toEqual(old.scopes);
	await until(async () => (await tryKey(service, old.key)) === 401);
});

test("a replay returns the same key without its text", async () => {
	const { id } = await makeKey(service, tenant);
	const header = { "idempotency-key": crypto.randomUUID() };
	const first = (await (await postRotation(service, tenant, id, {}, header)).json()) as Rotated;
	const again = await postRotation(service, tenant, id, {}, header);
	expect(again.status).toBe(200);
	expect(await again.json()).toEqual({ ...first, key: null });
});
