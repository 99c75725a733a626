/** Documents that callers number themselves use their sequences up, and days go by without anybody who asks. */
import { beforeAll, expect, test } from "bun:test";
import { settleNumbers } from "../../../src/invoicing/sequences";
import { systemClock, toLocalIsoDate } from "../../../src/platform/values";
import {
	buildInvoice,
	createTenant,
	get,
	getToken,
	post,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../../support/service";
import { createNumbered, encfOf, postSequence } from "../support/sequences";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

const housekeep = () => settleNumbers(service.sql, systemClock);

async function listed(tenant: Tenant): Promise<unknown> {
	return ((await (await get(service, "/v1/sequences", tenant.headers)).json()) as { items: unknown }).items;
}

async function lowEvents(tenant: Tenant): Promise<unknown[]> {
	const rows = await service.sql<{ body: string }[]>`
		select body from events where tenant_id = ${tenant.tenantId} and event = 'sequence.low' order by sequence`;
	return rows.map(({ body }) => (JSON.parse(body) as { low: unknown }).low);
}

async function issue(tenant: Tenant, encf: string): Promise<number> {
	return (await postInvoice(service, tenant, buildInvoice(tenant, { encf }))).status;
}

test("caller-numbered documents count as used, in the forecast and in warnings", async () => {
	const tenant = await createTenant(service);
	expect((await postSequence(service, tenant, [1, 10])).status).toBe(201);
	for (let number = 1; number <= 9; number++) expect(await issue(tenant, encfOf(number))).toBe(202);
	const left = [{ next: encfOf(10), available: 1, status: "active", forecast: { perDay: 9 } }];
	expect(await listed(tenant)).toMatchObject(left);
	expect(await lowEvents(tenant)).toEqual([]);
	await housekeep();
	expect(await listed(tenant)).toMatchObject(left);
	expect(await lowEvents(tenant)).toEqual([{ type: "31", available: 1, percent: 20 }]);
	expect(await issue(tenant, encfOf(10))).toBe(202);
	expect(await listed(tenant)).toMatchObject([
		{ next: null, available: 0, status: "exhausted", forecast: { perDay: 10 } },
	]);
	await housekeep();
	await housekeep();
	expect(await lowEvents(tenant)).toEqual([
		{ type: "31", available: 1, percent: 20 },
		{ type: "31", available: 0, percent: 0 },
	]);
});

async function expire(make: typeof createTenant): Promise<Tenant> {
	const tenant = await make(service);
	const expiresAt = toLocalIsoDate(systemClock.now());
	expect((await postSequence(service, tenant, [1, 10], { expiresAt })).status).toBe(201);
	await housekeep();
	expect(await lowEvents(tenant)).toEqual([]);
	await post(service, "/v1/sandbox/clock", tenant.headers, { advance: "72h" });
	const token = await getToken(service, tenant.clientId, tenant.clientSecret);
	return { ...tenant, token, headers: { ...tenant.headers, authorization: `Bearer ${token}` } };
}

const NOTHING_LEFT = [{ type: "31", available: 0, percent: 0 }];

test("an expired sequence is reported once by the document without a number", async () => {
	const tenant = await expire(createNumbered);
	expect(await issue(tenant, "auto")).toBe(422);
	expect(await lowEvents(tenant)).toEqual(NOTHING_LEFT);
	expect(await issue(tenant, "auto")).toBe(422);
	await housekeep();
	expect(await lowEvents(tenant)).toEqual(NOTHING_LEFT);
});

test("an expired sequence is reported once without any document", async () => {
	const tenant = await expire(createTenant);
	await housekeep();
	await housekeep();
	expect(await lowEvents(tenant)).toEqual(NOTHING_LEFT);
});
