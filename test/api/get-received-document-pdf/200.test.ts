import { expect, test } from "bun:test";
import { signedEcf } from "../../support/peer";
import { get, sharedService } from "../../support/service";
import { postReceived, receivedBy } from "../support/received";
import { tenantA } from "../support/tenants";

test("a received document is printed from its bytes in each format, with 304", async () => {
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
	expect((await read("?format=poster")).status).toBe(400);
});

test("security code and QR come from the signed bytes, however values are written", async () => {
	const [service, tenant] = [await sharedService(), await tenantA()];
	const xml = signedEcf({
		buyerRnc: tenant.rnc,
		edit: (text) => text.replace(">1180.00</MontoTotal>", ">1180</MontoTotal>"),
	});
	const [, code = ""] = /<SignatureValue>(.{6})/.exec(xml) ?? [];
	const imported = await postReceived(tenant, xml.replace("<SignatureValue>", "<SignatureValue>\n  "));
	expect(imported.status).toBe(201);
	const { id } = (await imported.json()) as { id: string };
	const path = `/v1/received-documents/${id}/pdf?format=escpos`;
	const paper = await (await get(service, path, tenant.headers)).text();
	expect(paper).toContain(`digo de Seguridad: ${code}`);
	expect(paper).toContain("&MontoTotal=1180&");
	expect(paper).toContain(`&CodigoSeguridad=${encodeURIComponent(code)}`);
});
