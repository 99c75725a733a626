import { beforeAll, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { documentOf } from "../support/documents";
import { expectProblem } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_ID } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const read = (docId: string, headers: Record<string, string> = {}, who = tenant) =>
	get(service, `/v1/invoices/${docId}/xml`, { ...who.headers, ...headers });

test("404 for another tenant's document, whatever tag it guesses", async () => {
	const { docId } = await documentOf("accepted");
	const etag = (await read(docId)).headers.get("etag") ?? "";
	const other = await tenantB();
	for (const id of [docId, UNKNOWN_ID, "x"]) {
		await expectProblem(read(id, {}, other), 404, "not-found");
		await expectProblem(read(id, { "if-none-match": etag }, other), 404, "not-found");
	}
});
