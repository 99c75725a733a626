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
import { head, sendRaw, toResponse } from "../support/raw";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

/** What every process has heard of is refused by all of them; a body is asked about that took longer than that. */
const LONGER_MS = 1_100;

/** Sends a request whose last byte comes when `between` is over, and a second after the first one at the least. */
async function sendAround(tenant: Tenant, path: string, body: unknown, between: () => Promise<unknown>) {
	const text = Buffer.from(JSON.stringify(body));
	expect(await isRefused(tenant)).toBe(false);
	const headers = { ...tenant.headers, "idempotency-key": crypto.randomUUID(), "content-type": "application/json" };
	const lines = Object.entries({ ...headers, "content-length": text.length }).map(
		([name, value]) => `${name}: ${value}`,
	);
	async function* chunks() {
		yield head(service.url, `POST ${path}`, lines);
		yield text.subarray(0, -1);
		const since = performance.now();
		// What came later has been let in: so has this.
		expect(await isRefused(tenant)).toBe(false);
		await between();
		await until(() => performance.now() - since > LONGER_MS);
		yield text.subarray(-1);
	}
	return toResponse(await sendRaw(service.url, chunks(), 30_000));
}

const isRefused = async (tenant: Tenant) => (await get(service, "/v1/invoices?limit=1", tenant.headers)).status === 401;
const countOf = async (tenant: Tenant) =>
	(await service.sql`select 1 from invoices where tenant_id = ${tenant.tenantId}`).length;

test("a body that is whole when its token has been revoked issues nothing", async () => {
	const tenant = await createTenant(service);
	const answer = sendAround(tenant, "/v1/invoices", buildInvoice(tenant), async () => {
		await post(service, "/v1/auth/revoke", {}, { token: tenant.token });
		await until(() => isRefused(tenant));
	});
	await expectUnauthorised(answer);
	expect(await countOf(tenant)).toBe(0);
});

test("a body that is slow and comes from somebody whose credentials are good is taken", async () => {
	const tenant = await createTenant(service);
	const answer = await sendAround(tenant, "/v1/invoices", buildInvoice(tenant), async () => undefined);
	expect(answer.status).toBe(202);
	expect(await countOf(tenant)).toBe(1);
});
