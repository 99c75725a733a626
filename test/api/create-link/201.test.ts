/** A link gives one file, to anyone who has it, while its caller may read the file. */
import { expect, test } from "bun:test";
import { DEMO_TENANT_ID } from "../../../src/identity/auth";
import { createTenant, get, post, sharedService, type Tenant } from "../../support/service";
import { until } from "../../support/until";
import { documentOf } from "../support/documents";
import { DAY, reportedTenant } from "../support/reports";
import { instant, tenantA, UNKNOWN_ID } from "../support/tenants";

type Link = { readonly url: string; readonly expiresAt: string; readonly _links: { readonly self: string } };

async function makeLink(tenant: Tenant, body: Record<string, unknown>): Promise<Link> {
	const answer = await post(await sharedService(), "/v1/links", tenant.headers, body);
	expect(answer.status).toBe(201);
	return (await answer.json()) as Link;
}

test("a PDF is shown without credentials, and nothing in it runs", async () => {
	const tenant = await tenantA();
	const { docId } = await documentOf("accepted");
	const link = await makeLink(tenant, { operation: "getInvoicePdf", params: { docId }, expiresIn: 60 });
	expect(link).toMatchObject({ expiresAt: expect.stringMatching(instant) });
	expect(link.url.endsWith(link._links.self)).toBe(true);
	const answer = await fetch(link.url);
	expect(answer.status).toBe(200);
	expect(
		Buffer.from(await answer.arrayBuffer())
			.subarray(0, 5)
			.toString(),
	).toBe("%PDF-");
	expect(Object.fromEntries(answer.headers)).toMatchObject({
		"content-type": "application/pdf",
		"content-disposition": expect.stringMatching(/^inline/),
		"cache-control": "private, no-store",
		"x-content-type-options": "nosniff",
		"referrer-policy": "no-referrer",
		"content-security-policy": expect.stringContaining("default-src 'none'"),
	});
});

test("XML, tables and evidence are saved, as the linked operation answers them", async () => {
	const tenant = await tenantA();
	const { docId } = await documentOf("accepted");
	const service = await sharedService();
	const xml = await makeLink(tenant, { operation: "getInvoiceXml", params: { docId } });
	const [linked, direct] = [await fetch(xml.url), await get(service, `/v1/invoices/${docId}/xml`, tenant.headers)];
	expect(linked.headers.get("content-disposition")).toMatch(/^attachment/);
	expect(await linked.text()).toBe(await direct.text());
	const { tenant: reported } = await reportedTenant();
	const table = await makeLink(reported, { operation: "getReportDocuments", params: { from: DAY, to: DAY } });
	expect((await (await fetch(table.url)).text()).trim().split("\n")).toHaveLength(5);
});

test("what the linked operation refuses, its link refuses", async () => {
	const tenant = await tenantA();
	const link = await makeLink(tenant, { operation: "getInvoicePdf", params: { docId: UNKNOWN_ID } });
	expect((await fetch(link.url)).status).toBe(404);
});

test("a changed token is no link", async () => {
	const tenant = await tenantA();
	const { docId } = await documentOf("accepted");
	const { url } = await makeLink(tenant, { operation: "getInvoicePdf", params: { docId } });
	const [body = "", mac = ""] = url.split("/").at(-1)?.split(".") ?? [];
	const content = JSON.parse(Buffer.from(body, "base64url").toString());
	const forged = Buffer.from(JSON.stringify({ ...content, tenantId: UNKNOWN_ID })).toString("base64url");
	const base = url.slice(0, url.lastIndexOf("/"));
	for (const token of [`${forged}.${mac}`, `${body}.`, `${body}`, `${body}.${mac.slice(1)}`, ".", "x.y", "%00"])
		expect([token, (await fetch(`${base}/${token}`)).status]).toEqual([token, 404]);
});

test("a link ends with its time and with its key", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const params = { from: DAY, to: DAY };
	const short = await makeLink(tenant, { operation: "getReportDocuments", params, expiresIn: 1 });
	const long = await makeLink(tenant, { operation: "getReportDocuments", params, expiresIn: 3_600 });
	await until(async () => (await fetch(short.url)).status === 410);
	expect((await fetch(long.url)).status).toBe(200);
	await service.revokeKey(tenant.apiKey);
	const ended = await fetch(long.url);
	expect([ended.status, ((await ended.json()) as { type: string }).type]).toEqual([
		410,
		`${service.url}/errors/link-expired`,
	]);
});

test("a link of a session ends with the session", async () => {
	const service = await sharedService();
	const headers = { "sec-fetch-site": "same-origin", "content-type": "application/json", "x-company": DEMO_TENANT_ID };
	const [, token = ""] = (await service.makeConsoleLink()).split("#");
	const send = (method: string, path: string, cookie: string, body?: unknown) =>
		fetch(`${service.url}${path}`, {
			method,
			headers: { ...headers, ...(cookie ? { cookie } : {}) },
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
	const signedIn = await send("POST", "/v1/session", "", { method: "link", token });
	const [cookie = ""] = signedIn.headers.get("set-cookie")?.split(";") ?? [];
	const made = await send("POST", "/v1/links", cookie, { operation: "getReportDocuments" });
	expect(made.status).toBe(201);
	const { url } = (await made.json()) as Link;
	expect((await fetch(url)).status).toBe(200);
	expect((await send("DELETE", "/v1/session", cookie)).status).toBeLessThan(300);
	expect((await fetch(url)).status).toBe(410);
});
