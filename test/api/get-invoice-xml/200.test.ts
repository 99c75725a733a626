/** The signed document as bytes, with all that a cache and a checker need. */
import { beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
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

test("the bytes, their digest twice, and a name for the file", async () => {
	const { docId, request } = await documentOf("accepted");
	const answer = await read(docId);
	expect(answer.status).toBe(200);
	const bytes = Buffer.from(await answer.arrayBuffer());
	const sha256 = createHash("sha256").update(bytes).digest();
	expect(Object.fromEntries(answer.headers)).toMatchObject({
		"content-type": "application/xml; charset=utf-8",
		"content-disposition": `attachment; filename="${tenant.rnc}${request.encf}.xml"`,
		"cache-control": "private, max-age=86400, immutable",
		etag: `"${sha256.toString("hex")}"`,
		"repr-digest": `sha-256=:${sha256.toString("base64")}:`,
		"content-length": String(bytes.length),
	});
	expect(bytes.toString("utf8")).toContain(`<eNCF>${request.encf}</eNCF>`);
	expect(bytes.toString("utf8")).toMatch(/<ECF[\s>].*<\/Signature><\/ECF>$/s);
});

test("they are the bytes that the authority has received", async () => {
	const { docId, request } = await documentOf("accepted");
	const bytes = Buffer.from(await (await read(docId)).arrayBuffer());
	const receptions = (await (await fetch(`${service.simulatorUrl}/_simulator/receptions`)).json()) as {
		encf: string;
		rnc?: string;
		sha256: string;
	}[];
	const own = receptions.filter((one) => one.encf === request.encf && JSON.stringify(one).includes(tenant.rnc));
	expect(own.map((one) => one.sha256)).toEqual([createHash("sha256").update(bytes).digest("hex")]);
});

test("a small consumer invoice shows the full document, not the summary that was sent", async () => {
	const { docId } = await documentOf("accepted", { type: "32" });
	const text = await (await read(docId)).text();
	expect(text).toContain("<DetallesItems>");
});
