import { beforeAll, expect, test } from "bun:test";
import { enqueueDueNotices } from "../../../src/companies";
import { createTenant, get, sharedService, type TestService } from "../../support/service";
import { patchCompany } from "../support/patches";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("a known version gets 304, another one gets 200", async () => {
	const tenant = await createTenant(service);
	const read = (tag: string) =>
		get(service, `/v1/company/${tenant.tenantId}`, { ...tenant.headers, "if-none-match": tag });
	for (const tag of ['"1"', 'W/"1"', '"7", "1"', "*"]) {
		const answer = await read(tag);
		expect([answer.status, answer.headers.get("etag"), await answer.text()]).toEqual([304, '"1"', ""]);
	}
	await patchCompany(service, tenant, { metadata: { a: "b" } });
	for (const tag of ['"1"', "2", "'2'", '"2', '"1", *', '"1,2"']) {
		const answer = await read(tag);
		expect([tag, answer.status, answer.headers.get("etag")]).toEqual([tag, 200, '"2"']);
	}
});

test("the version before a certificate's expiry differs from the one after it", async () => {
	const tenant = await createTenant(service);
	const read = () => get(service, `/v1/company/${tenant.tenantId}`, { ...tenant.headers, "if-none-match": '"1"' });
	await service.sql`
		update signing_certificates set not_after = now() - interval '1 second' where tenant_id = ${tenant.tenantId}`;
	expect((await read()).status).toBe(304);
	await enqueueDueNotices(service.sql, new Date());
	const answer = await read();
	expect([answer.status, answer.headers.get("etag")]).toEqual([200, '"2"']);
	expect(await answer.json()).toMatchObject({ certificate: { status: "expired" }, version: 2 });
});
