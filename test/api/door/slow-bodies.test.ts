/** Requests whose bodies are longer on their way than their senders' credentials live. */
import { beforeAll, expect, test } from "bun:test";
import {
	buildInvoice,
	createTenant,
	get,
	post,
	sharedService,
	type Tenant,
	type TestService,
} from "../../support/service";
import { until } from "../../support/until";
import { expectUnauthorised } from "../support/problem";
import { sendAround } from "../support/slow-body";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

const isRefused = async (tenant: Tenant) => (await get(service, "/v1/invoices?limit=1", tenant.headers)).status === 401;
const issueAround = (tenant: Tenant, between: () => Promise<unknown>) =>
	sendAround(service, "POST /v1/invoices", { headers: tenant.headers, body: buildInvoice(tenant) }, between);
const countOf = async (tenant: Tenant) =>
	(await service.sql`select 1 from documents where tenant_id = ${tenant.tenantId}`).length;

test("a body that completes after its token was revoked issues nothing", async () => {
	const tenant = await createTenant(service);
	const answer = issueAround(tenant, async () => {
		await post(service, "/v1/auth/revoke", {}, { token: tenant.token });
		await until(() => isRefused(tenant));
	});
	await expectUnauthorised(answer);
	expect(await countOf(tenant)).toBe(0);
});

test("a slow body with valid credentials is accepted", async () => {
	const tenant = await createTenant(service);
	const answer = await issueAround(tenant, async () => undefined);
	expect(answer.status).toBe(202);
	expect(await countOf(tenant)).toBe(1);
});
