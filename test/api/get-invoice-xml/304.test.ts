import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { declaredOperations } from "../support/declared-operations";
import { documentOf } from "../support/documents";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const read = (docId: string, headers: Record<string, string> = {}, who = tenant) =>
	get(service, `/v1/invoices/${docId}/xml`, { ...who.headers, ...headers });

test("304 to a caller who has the bytes", async () => {
	const { docId } = await documentOf("accepted");
	const etag = (await read(docId)).headers.get("etag") ?? "";
	const answer = await read(docId, { "if-none-match": etag });
	expect(answer.status).toBe(304);
	expect(await answer.text()).toBe("");
	expect(answer.headers.get("etag")).toBe(etag);
	for (const name of ["repr-digest", "content-disposition", "content-type"])
		expect(answer.headers.get(name)).toBeNull();
	expect((await read(docId, { "if-none-match": '"other"' })).status).toBe(200);
});

test.each([
	["in a list", (etag: string) => `"other", ${etag}`],
	["marked as weak", (etag: string) => `W/${etag}`],
	["as an asterisk", () => "*"],
])("304 when the tag comes %s", async (_, write) => {
	const { docId } = await documentOf("accepted");
	const etag = (await read(docId)).headers.get("etag") ?? "";
	expect((await read(docId, { "if-none-match": write(etag) })).status).toBe(304);
});

test("the document declares 304 and If-None-Match", () => {
	const operation = declaredOperations().find(({ id }) => id === "getInvoiceXml");
	expect(Object.keys(operation?.answers ?? {})).toContain("304");
	expect(operation?.parameters?.map(({ name }) => name)).toContain("If-None-Match");
});
