/** A reader who has the paper is not sent it again, and nothing is printed for it. */
import { expect, test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { documentOf } from "../support/documents";
import { tenantA } from "../support/tenants";

test("304 to a caller who has the bytes, of this format alone", async () => {
	const [service, tenant, { docId }] = [await sharedService(), await tenantA(), await documentOf("accepted")];
	const read = (query: string, headers = {}) =>
		get(service, `/v1/invoices/${docId}/pdf${query}`, { ...tenant.headers, ...headers });
	const etag = (await read("")).headers.get("etag") ?? "";
	const known = { "if-none-match": `"other", W/${etag}` };
	const answer = await read("?format=a4", known);
	expect(answer.status).toBe(304);
	expect(await answer.text()).toBe("");
	expect(answer.headers.get("etag")).toBe(etag);
	expect((await read("?format=escpos", known)).status).toBe(200);
});
