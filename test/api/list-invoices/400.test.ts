/** Queries that are refused, with every fault. */
import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { expectProblem, readProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test.each<[string, string]>([
	["limit=0", "#/query/limit invalid-format"],
	["limit=101", "#/query/limit invalid-format"],
	["limit=-1", "#/query/limit invalid-format"],
	["limit=1e2", "#/query/limit invalid-format"],
	["limit=0x10", "#/query/limit invalid-format"],
	["limit=5.0", "#/query/limit invalid-format"],
	["limit=%205", "#/query/limit invalid-format"],
	["limit=05", "#/query/limit invalid-format"],
	["limit=", "#/query/limit invalid-format"],
	["limit=5&limit=9", "#/query/limit repeated"],
	["limit[]=5", "#/query/limit[] unknown-parameter"],
	["after=x", "#/query/after invalid-cursor"],
	["from=2026-02-30", "#/query/from invalid-date"],
	["to=20-11-2026", "#/query/to invalid-date"],
	["encf=31", "#/query/encf invalid-format"],
	["modifies=31", "#/query/modifies invalid-format"],
	["type=45", "#/query/type invalid-format"],
	["status=done", "#/query/status invalid-format"],
	["customer_rnc=12", "#/query/customer_rnc invalid-rnc"],
	["client_request_id=%00", "#/query/client_request_id illegal-character"],
	["code=%20", "#/query/code invalid-format"],
	["date=paid", "#/query/date invalid-format"],
	["amount_from=-1", "#/query/amount_from invalid-format"],
	["amount_to=1.005", "#/query/amount_to invalid-format"],
	["amount_from=2&amount_to=1.99", "#/query/amount_from after-end"],
	["q=ab", "#/query/q invalid-format"],
	["q=%20ab%20", "#/query/q invalid-format"],
	["offset=5", "#/query/offset unknown-parameter"],
	["__proto__=5", "#/query/__proto__ unknown-parameter"],
])("%s", async (query, fault) => {
	const { headers } = await tenantA();
	await expectProblem(get(service, `/v1/invoices?${query}`, headers), 400, "validation-error", [fault]);
});

test("several at once", async () => {
	const { headers } = await tenantA();
	const answer = get(service, "/v1/invoices?limit=0&type=x&nonsense=1&status=a&status=b", headers);
	await expectProblem(answer, 400, "validation-error", [
		...["#/query/limit invalid-format", "#/query/type invalid-format"],
		...["#/query/nonsense unknown-parameter", "#/query/status repeated"],
	]);
});

test("an impossible date and a malformed one have different messages", async () => {
	const { headers } = await tenantA();
	const { errors } = await readProblem(await get(service, "/v1/invoices?from=2026-02-30&to=20-11-2026", headers));
	expect(errors?.map(({ detail }) => detail)).toEqual([
		"Is not a day of the calendar from 1900 to 2199.",
		"Send YYYY-MM-DD.",
	]);
});
