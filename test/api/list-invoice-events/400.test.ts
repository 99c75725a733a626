/** Cursors and limits that are none. */
import { beforeAll, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { documentOf } from "../support/documents";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test.each<[string, string]>([
	["after=x", "#/query/after invalid-cursor"],
	["after=0", "#/query/after invalid-cursor"],
	["after=-1", "#/query/after invalid-cursor"],
	["after=9999999999", "#/query/after invalid-cursor"],
	["limit=0", "#/query/limit invalid-format"],
	["limit=101", "#/query/limit invalid-format"],
	["page=2", "#/query/page unknown-parameter"],
])("%s", async (query, fault) => {
	const tenant = await tenantA();
	const { docId } = await documentOf("accepted");
	const answer = get(service, `/v1/invoices/${docId}/events?${query}`, tenant.headers);
	await expectProblem(answer, 400, "validation-error", [fault]);
});
