/** Companies as their own tenants and owners read them, one and all. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const read = (id: string, headers: Readonly<Record<string, string>> = tenant.headers) =>
	get(service, `/v1/company/${id}`, headers);

test("a company reads itself, with its version as ETag and without secrets", async () => {
	const answer = await read(tenant.tenantId);
	expect(answer.status).toBe(200);
	const company = (await answer.json()) as Record<string, unknown>;
	expect(company).toMatchObject({ tenantId: tenant.tenantId, rnc: tenant.rnc, plan: "unlimited", status: "active" });
	expect(company).not.toHaveProperty("credentials");
	expect(answer.headers.get("etag")).toBe(`"${company.version}"`);
});

test("its webhooks show no secrets", async () => {
	const sister = await createTenant(service, { apiKey: tenant.apiKey, webhook: true });
	const answer = await read(sister.tenantId, sister.headers);
	expect(answer.status).toBe(200);
	const { webhooks } = (await answer.json()) as { webhooks: Record<string, unknown>[] };
	expect(webhooks).toHaveLength(1);
	expect(webhooks[0]).not.toHaveProperty("secret");
	expect(webhooks[0]?.secretHint).toBe(`${sister.webhookSecret.slice(0, 10)}…`);
});

test("an expired certificate is shown as expired and not as active", async () => {
	const own = await createTenant(service);
	const certificate = async () => {
		const company = (await (await read(own.tenantId, own.headers)).json()) as { certificate: { status: string } };
		return company.certificate;
	};
	expect(await certificate()).toMatchObject({ status: "active" });
	await service.sql`update signing_certificates set not_after = now() - interval '1 day' where tenant_id = ${own.tenantId}`;
	expect(await certificate()).toMatchObject({ status: "expired" });
});
