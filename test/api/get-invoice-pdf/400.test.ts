/** An unknown format. */
import { expect, test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { documentOf } from "../support/documents";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

test.each([
	["A4", "/format"],
	["a5", "/format"],
	["", "/format"],
])("the format %j is refused", async (format, member) => {
	const [service, tenant, { docId }] = [await sharedService(), await tenantA(), await documentOf("accepted")];
	const problem = await expectProblem(
		get(service, `/v1/invoices/${docId}/pdf?format=${format}`, tenant.headers),
		400,
		"validation-error",
	);
	expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`#/query${member}`]);
});

test("a format that is sent twice, and another parameter, are refused", async () => {
	const [service, tenant, { docId }] = [await sharedService(), await tenantA(), await documentOf("accepted")];
	const read = (query: string) => get(service, `/v1/invoices/${docId}/pdf${query}`, tenant.headers);
	await expectProblem(read("?format=a4&format=a4"), 400, "validation-error", ["#/query/format repeated"]);
	await expectProblem(read("?paper=a4"), 400, "validation-error", ["#/query/paper unknown-parameter"]);
});
