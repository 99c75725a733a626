import { test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

test.each([
	["?from=yesterday", "#/query/from invalid-date"],
	["?to=2026-02-30", "#/query/to invalid-date"],
	["?from=2026-02-02&to=2026-02-01", "#/query/from after-end"],
	["?from=2024-01-01&to=2026-01-01", "#/query/from too-long"],
	["?key=mine", "#/query/key invalid-id"],
	["?after=nowhere", "#/query/after invalid-cursor"],
	["?tenant=all", "#/query/tenant unknown-parameter"],
])("%s is refused: %s", async (query, fault) => {
	const { apiKey } = await tenantA();
	await expectProblem(
		get(await sharedService(), `/v1/usage${query}`, { "x-api-key": apiKey }),
		400,
		"validation-error",
		[fault],
	);
});
