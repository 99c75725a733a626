/** New client credentials for a company that has lost its own; the owner's key alone is needed. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, get, getToken, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { auditOf } from "../support/api-keys";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

type Renewed = { clientId: string; clientSecret: string; previousExpiresAt: string };

const ask = (body: unknown, headers: Record<string, string> = {}, apiKey = tenant.apiKey) =>
	post(service, `/v1/company/${tenant.tenantId}/credentials`, { "x-api-key": apiKey, ...headers }, body);
const renew = async (body: unknown): Promise<Renewed> => {
	const answer = await ask(body);
	expect([answer.status, answer.headers.get("cache-control")]).toEqual([201, "no-store"]);
	return (await answer.json()) as Renewed;
};
const use = async (token: string) => {
	const headers = { "x-api-key": tenant.apiKey, authorization: `Bearer ${token}` };
	return (await get(service, "/v1/invoices?limit=1", headers)).status;
};

test("both credentials work during the grace; without one the old end at once", async () => {
	const next = await renew({ graceSeconds: 3_600 });
	const [old, fresh] = [
		await getToken(service, tenant.clientId, tenant.clientSecret),
		await getToken(service, next.clientId, next.clientSecret),
	];
	expect([await use(old), await use(fresh)]).toEqual([200, 200]);

	const last = await renew({ graceSeconds: 0 });
	for (const token of [tenant.token, old, fresh]) await until(async () => (await use(token)) === 401);
	for (const [client_id, client_secret] of [
		[tenant.clientId, tenant.clientSecret],
		[next.clientId, next.clientSecret],
	]) {
		const body = { grant_type: "client_credentials", client_id, client_secret };
		await expectProblem(post(service, "/v1/auth/token", {}, body), 401, "unauthorised");
	}
	expect(await use(await getToken(service, last.clientId, last.clientSecret))).toBe(200);
	expect(
		(await auditOf(service, tenant.tenantId)).filter(({ action }) => action === "company.renew-credentials"),
	).toMatchObject([
		{ tenantId: tenant.tenantId, details: { clientId: next.clientId } },
		{ tenantId: tenant.tenantId, details: { clientId: last.clientId } },
	]);
});

test("a replay returns the same credentials without the secret", async () => {
	const header = { "idempotency-key": crypto.randomUUID() };
	const first = (await (await ask({}, header)).json()) as Renewed;
	const again = await ask({}, header);
	expect([again.status, await again.json()]).toEqual([200, { ...first, clientSecret: null } as unknown as Renewed]);
	await expectProblem(ask({ graceSeconds: 1 }, header), 422, "idempotency-key-reused");
});
