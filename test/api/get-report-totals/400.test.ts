import { test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

test.each([
	["?from=yesterday", ["#/query/from invalid-date"]],
	["?from=2026-02-02&to=2026-02-01", ["#/query/from after-end"]],
	["?from=2025-01-01&to=2026-01-02", ["#/query/from too-long"]],
	["?group_by=day,week", ["#/query/group_by unknown-dimension"]],
	["?limit=0x10", ["#/query/limit invalid-format"]],
	["?limit=5001", ["#/query/limit invalid-format"]],
	["?after=WyJ4Il0", ["#/query/after invalid-cursor"]],
	["?group_by=month&after=WyJ4Il0", ["#/query/after invalid-cursor"]],
	["?group_by=branch&format=csv&after=WyJ4Il0&limit=5", ["#/query/after not-with-csv", "#/query/limit not-with-csv"]],
	["?authority_environment=live", ["#/query/authority_environment invalid-format"]],
	["?authority_environment=", ["#/query/authority_environment invalid-format"]],
	["?authority_environment=test&authority_environment=production", ["#/query/authority_environment repeated"]],
	// A group of the test environment's.
	["?group_by=type&authority_environment=production&after=WyJ0ZXN0IiwiMzEiXQ", ["#/query/after invalid-cursor"]],
	["?status=pending", ["#/query/status invalid-format"]],
	[
		"?from=2026-13-01&to=2026-02-30&group_by=type,type&format=xml",
		[
			...["#/query/from invalid-date", "#/query/to invalid-date"],
			...["#/query/group_by unknown-dimension", "#/query/format unknown-format"],
		],
	],
])("%s is refused: %j", async (query, faults) => {
	const { headers } = await tenantA();
	const answer = get(await sharedService(), `/v1/reports/totals${query}`, { ...headers });
	await expectProblem(answer, 400, "validation-error", faults);
});

test("a table by pages is refused where Accept asks for the table too", async () => {
	const { headers } = await tenantA();
	const answer = get(await sharedService(), "/v1/reports/totals?limit=5", { ...headers, accept: "text/csv" });
	await expectProblem(answer, 400, "validation-error", ["#/query/limit not-with-csv"]);
});
