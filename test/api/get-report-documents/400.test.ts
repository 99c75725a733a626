import { test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

test.each([
	["?from=2026-02-30&to=tomorrow", ["#/query/from invalid-date", "#/query/to invalid-date"]],
	["?from=2024-01-01&to=2026-01-01", ["#/query/from too-long"]],
	["?authority_environment=PRODUCTION", ["#/query/authority_environment invalid-format"]],
	["?group_by=day", ["#/query/group_by unknown-parameter"]],
])("%s is refused: %j", async (query, faults) => {
	const { headers } = await tenantA();
	const answer = get(await sharedService(), `/v1/reports/documents.csv${query}`, { ...headers });
	await expectProblem(answer, 400, "validation-error", faults);
});
