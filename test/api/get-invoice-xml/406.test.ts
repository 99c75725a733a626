import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { documentOf } from "../support/documents";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const read = (docId: string, headers: Record<string, string> = {}, who = tenant) =>
	get(service, `/v1/invoices/${docId}/xml`, { ...who.headers, ...headers });

test("a reader that accepts only JSON gets the offered types", async () => {
	const { docId } = await documentOf("accepted");
	expect((await read(docId, { accept: "application/xml" })).status).toBe(200);
	await expectProblem(read(docId, { accept: "text/csv" }), 406, "not-acceptable");
});
