/** A person of a team manages the owner's API keys, within the role's rights. */
import { beforeAll, describe, expect, test } from "bun:test";
import { scopesOf } from "../../../../src/identity/users";
import { auditOf, type KeyRecord, listKeys, type MadeKey, makeKey, tryKey } from "../../../api/support/api-keys";
import { createTenant, getToken, sharedService, type Tenant, type TestService } from "../../../support/service";
import { until } from "../../../support/until";
import { type Browser, makePerson, openBrowser, ownerOf, signIn } from "../../sessions/support/browser";

const PATH = "/v1/api-keys";
let service: TestService;
let tenant: Tenant;
let sister: Tenant;
let ownerId: string;
let developer: Browser;
let developerId: string;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
	sister = await createTenant(service, { apiKey: tenant.apiKey });
	ownerId = await ownerOf(service, tenant);
	const person = await makePerson(service, { ownerId, role: "developer" });
	developerId = person.userId;
	developer = await signIn(service, person);
}, 60_000);

async function make(browser: Browser, body: Record<string, unknown> = {}): Promise<MadeKey> {
	const answer = await browser.send("POST", PATH, { company: tenant.tenantId, body: { label: "Till", ...body } });
	if (answer.status !== 201) throw new Error(`key: ${answer.status} ${await answer.text()}`);
	return (await answer.json()) as MadeKey;
}
const refusal = (browser: Browser, method: string, path: string, body?: unknown) =>
	browser.refusal(method, `${PATH}${path}`, { company: tenant.tenantId, ...(body === undefined ? {} : { body }) });
const fullKey = async (): Promise<KeyRecord> => {
	const found = (await listKeys(service, tenant)).items.find(({ prefix }) => tenant.apiKey.startsWith(prefix));
	if (!found) throw new Error("the owner's first key is not listed");
	return found;
};

describe("a person of all companies", () => {
	test("makes a key with the role's scopes, which the audit log has by its maker", async () => {
		const key = await make(developer);
		const may = scopesOf("developer", "sandbox");
		expect(key.scopes.toSorted()).toEqual([...may].toSorted());
		expect(key).toMatchObject({ createdBy: null, tenantIds: [], expiresAt: null, ipAllowList: [] });
		expect(key.plan).toBe((await fullKey()).plan);
		expect(await tryKey(service, key.key)).toBe(200);
		expect(await auditOf(service, key.id)).toMatchObject([{ action: "key.create", ownerId, keyId: null }]);
		const [entry] = await service.sql`select user_id as "userId" from audit where subject = ${key.id}`;
		expect(entry).toEqual({ userId: developerId });
	});

	test("gives no scope beyond the role", async () => {
		const wanted = { label: "Till", scopes: ["keys:read", "company:write", "admin"] };
		const answer = await developer.send("POST", PATH, { company: tenant.tenantId, body: wanted });
		expect(answer.status).toBe(403);
		expect(await answer.json()).toMatchObject({ requiredScopes: ["company:write", "admin"] });
	});

	test("relabels a key with more scopes, and neither narrows, rotates nor ends it", async () => {
		const { id } = await makeKey(service, tenant);
		expect(await refusal(developer, "PATCH", `/${id}`, { label: "Office" })).toBe("200");
		for (const [method, path, body] of [
			["PATCH", `/${id}`, { ipAllowList: ["192.0.2.0/24"] }],
			["PATCH", `/${id}`, { tenantIds: [tenant.tenantId] }],
			["POST", `/${id}/rotate`, {}],
			["DELETE", `/${id}`],
		] as const)
			expect([path, await refusal(developer, method, path, body)]).toEqual([path, "403 insufficient-scope"]);
	});

	test("changes, rotates and ends a key, which is refused within a second", async () => {
		const browser = await signIn(service, await makePerson(service, { ownerId, role: "owner" }));
		const { id, key } = await make(browser, { scopes: ["registry:read"] });
		expect(await refusal(browser, "PATCH", `/${id}`, { label: "North", expiresAt: "2099-01-01T00:00:00Z" })).toBe(
			"200",
		);
		const rotated = await browser.send("POST", `${PATH}/${id}/rotate`, {
			...{ company: tenant.tenantId, body: { graceSeconds: 3_600 } },
		});
		const next = (await rotated.json()) as MadeKey;
		expect(next).toMatchObject({ label: "North", createdBy: null, expiresAt: "2099-01-01T00:00:00.000Z" });
		expect([await tryKey(service, key), await tryKey(service, next.key)]).toEqual([200, 200]);
		expect(await refusal(browser, "DELETE", `/${id}`)).toBe("204");
		await until(async () => (await tryKey(service, key)) === 401, 1_000);
		expect(await refusal(browser, "GET", `/${id}`)).toBe("404 not-found");
		expect((await auditOf(service, id)).map(({ action }) => action)).toEqual([
			"key.create",
			"key.change",
			"key.revoke",
		]);
	});

	test("does not end the last full key", async () => {
		const other = await createTenant(service);
		const person = await makePerson(service, { ownerId: await ownerOf(service, other), role: "owner" });
		const browser = await signIn(service, person);
		const [only] = (await listKeys(service, other)).items;
		const company = other.tenantId;
		expect(await browser.refusal("DELETE", `${PATH}/${only?.id}`, { company })).toBe("409 last-key");
		expect(await browser.refusal("GET", `${PATH}/${(await fullKey()).id}`, { company })).toBe("404 not-found");
	});

	test("shows a factor again before keys change, and reads them without", async () => {
		const person = await makePerson(service, { ownerId, role: "owner" });
		const browser = await signIn(service, person);
		const { id } = await make(browser);
		await service.sql`
			update user_sessions set confirmed_at = now() - interval '11 minutes' where user_id = ${person.userId}`;
		await until(async () => (await refusal(browser, "POST", "", { label: "Till" })) === "403 confirmation-required");
		for (const [method, path, body] of [
			["PATCH", `/${id}`, { label: "North" }],
			["POST", `/${id}/rotate`, {}],
			["DELETE", `/${id}`],
		] as const)
			expect(await refusal(browser, method, path, body)).toBe("403 confirmation-required");
		expect(await refusal(browser, "GET", `/${id}`)).toBe("200");
	});
});

describe("a person of some companies", () => {
	test("makes keys for the company of the request alone", async () => {
		const person = await makePerson(service, { ownerId, role: "owner", tenantIds: [tenant.tenantId] });
		const browser = await signIn(service, person);
		const key = await make(browser);
		expect(key.tenantIds).toEqual([tenant.tenantId]);
		for (const tenantIds of [[], [sister.tenantId], [tenant.tenantId, sister.tenantId]])
			expect(await refusal(browser, "POST", "", { label: "Till", tenantIds })).toBe("400 validation-error");
		expect(await refusal(browser, "PATCH", `/${key.id}`, { tenantIds: null })).toBe("400 validation-error");
		expect(await refusal(browser, "DELETE", `/${(await fullKey()).id}`)).toBe("403 forbidden");
	});

	test("sees the keys that open it, and none that opens others only", async () => {
		const person = await makePerson(service, { ownerId, role: "developer", tenantIds: [tenant.tenantId] });
		const browser = await signIn(service, person);
		const foreign = await makeKey(service, tenant, { tenantIds: [sister.tenantId] });
		const answer = await browser.send("GET", `${PATH}?limit=100`, { company: tenant.tenantId });
		const ids = ((await answer.json()) as { items: KeyRecord[] }).items.map(({ id }) => id);
		expect(ids).toContain((await fullKey()).id);
		expect(ids).not.toContain(foreign.id);
		for (const method of ["GET", "DELETE"])
			expect(await refusal(browser, method, `/${foreign.id}`)).toBe("404 not-found");
		expect(await refusal(developer, "GET", `/${foreign.id}`)).toBe("200");
	});
});

test("a person of the demo key's companies has no keys", async () => {
	await getToken(service, "demo", "demo");
	const link = await service.makeConsoleLink();
	const browser = openBrowser(service);
	const body = { method: "link", token: link.slice(link.indexOf("#") + 1) };
	const { me } = (await (await browser.send("POST", "/v1/session", { body })).json()) as {
		me: { memberships: { tenantId: string; ownerId: string | null }[] };
	};
	const company = me.memberships.find((one) => one.ownerId === null)?.tenantId ?? "";
	const answer = await browser.send("GET", PATH, { company });
	expect(await answer.json()).toMatchObject({ items: [], next: null });
	expect(await browser.refusal("POST", PATH, { company, body: { label: "Till" } })).toBe("403 forbidden");
});
