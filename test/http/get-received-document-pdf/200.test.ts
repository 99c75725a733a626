import { expect, test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { receivedBy } from "../support/received";
import { tenantA } from "../support/tenants";

test("a received document is printed from its own bytes, on each paper, and 304 to whoever has the paper", async () => {
	const [service, tenant] = [await sharedService(), await tenantA()];
	const { record } = await receivedBy(tenant);
	const read = (query: string, headers = {}) =>
		get(service, `/v1/received-documents/${record.id}/pdf${query}`, { ...tenant.headers, ...headers });
	for (const query of ["", "?format=thermal_80"]) {
		const answer = await read(query);
		expect(answer.headers.get("content-type")).toBe("application/pdf");
		expect((await answer.text()).slice(0, 5)).toBe("%PDF-");
	}
	const printed = await read("?format=escpos");
	expect(printed.headers.get("content-type")).toBe("application/octet-stream");
	expect(await printed.text()).toContain(record.encf);
	const tag = printed.headers.get("etag") ?? "";
	const again = await read("?format=escpos", { "if-none-match": tag });
	// The authority may have answered in between, and then the paper is another one.
	expect([200, 304]).toContain(again.status);
	expect((await read("?format=letter")).status).toBe(400);
});
