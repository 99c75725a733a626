/** Pollers without valid credentials. */
import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { documentOf } from "../support/documents";
import { expectUnauthorised } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_KEY } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
let path: string;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
	path = `/v1/invoices/${(await documentOf("accepted")).docId}/status`;
});

test("without a token, with the key alone, with a token that is none", async () => {
	await expectUnauthorised(get(service, path));
	await expectUnauthorised(get(service, path, { "x-api-key": tenant.apiKey }));
	await expectUnauthorised(get(service, path, { authorization: "Bearer x.y.z" }));
});

test("an optional key is checked when it is sent", async () => {
	const authorization = `Bearer ${tenant.token}`;
	await expectUnauthorised(get(service, path, { authorization, "x-api-key": UNKNOWN_KEY }));
	await expectUnauthorised(get(service, path, { authorization, "x-api-key": (await tenantB()).apiKey }));
});

test("a stranger learns nothing about which documents exist", async () => {
	const unknown = await expectUnauthorised(get(service, "/v1/invoices/nothing/status"));
	const known = await expectUnauthorised(get(service, path));
	const strip = ({ instance, requestId, ...rest }: typeof known) => rest;
	expect(strip(known)).toEqual(strip(unknown));
});
