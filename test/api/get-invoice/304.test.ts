import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { documentOf } from "../support/documents";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const read = (path: string, headers: Record<string, string> = {}) =>
	get(service, path, { ...tenant.headers, ...headers });

test("304 to a caller who has the record, at each of its addresses", async () => {
	const { docId } = await documentOf("accepted");
	const own = `/v1/invoices/${docId}`;
	await until(async () => ((await (await read(own)).json()) as { archive: unknown }).archive !== null);
	for (const path of [own, `${own}/idCompany/${tenant.tenantId}`, `/v1/fiscal-invoices/${docId}`]) {
		const etag = (await read(path)).headers.get("etag") ?? "";
		const answer = await read(path, { "if-none-match": etag });
		expect([path, answer.status, await answer.text()]).toEqual([path, 304, ""]);
		expect(answer.headers.get("etag")).toBe(etag);
		expect((await read(path, { "if-none-match": '"other"' })).status).toBe(200);
	}
});

test("the ETag changes when the document is archived, its version does not", async () => {
	const { docId } = await documentOf("rejected");
	const own = `/v1/invoices/${docId}`;
	await until(async () => ((await (await read(own)).json()) as { archive: unknown }).archive !== null);
	const answer = await read(own);
	const { version } = (await answer.json()) as { version: number };
	// What it was while the archive had nothing of this version.
	expect(answer.headers.get("etag")).not.toBe(`"v${version}"`);
	expect((await read(own, { "if-none-match": `"v${version}"` })).status).toBe(200);
});
