import { expect, test } from "bun:test";
import { createTenant, post, sharedService } from "../../support/service";
import { tenantA, UNKNOWN_ID } from "../support/tenants";

test("only operations that answer a file have links, with parameters that fit", async () => {
	const [service, tenant] = [await sharedService(), await tenantA()];
	const refused = async (body: Record<string, unknown>) => {
		const answer = await post(service, "/v1/links", tenant.headers, body);
		const { errors } = (await answer.json()) as { errors?: { pointer: string; code: string }[] };
		return [answer.status, errors?.map(({ pointer, code }) => `${pointer} ${code}`)];
	};
	const params = { docId: UNKNOWN_ID };
	for (const operation of ["getInvoice", "postInvoice", "openLink", "getConsole", "constructor", ""])
		expect(await refused({ operation, params })).toEqual([400, ["/operation not-in-list"]]);
	expect(await refused({ operation: "getInvoicePdf" })).toEqual([400, ["/params/docId required"]]);
	expect(await refused({ operation: "getInvoicePdf", params: { ...params, size: "1" } })).toEqual([
		400,
		["/params/size unknown-parameter"],
	]);
	expect(await refused({ operation: "getReportDocuments", params: { from: "x" } })).toEqual([
		400,
		["/params/from invalid-date"],
	]);
	for (const expiresIn of [0, 3_601, "9"])
		expect((await refused({ operation: "getInvoicePdf", params, expiresIn }))[0]).toBe(400);
});

test("a link needs the scope of what it gives", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service, { scopes: ["company:write", "invoices:read"] });
	const body = { operation: "getReportDocuments" };
	const answer = await post(service, "/v1/links", tenant.headers, body);
	expect([answer.status, await answer.json()]).toMatchObject([403, { requiredScopes: ["reports:read"] }]);
});
