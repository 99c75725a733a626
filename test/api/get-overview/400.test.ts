import { expect, test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { tenantA } from "../support/tenants";

test("a period that is no period is refused", async () => {
	const [service, tenant] = [await sharedService(), await tenantA()];
	for (const [query, code] of [
		["from=2026-11-20&to=2026-11-19", "after-end"],
		["from=2025-01-01&to=2026-11-19", "too-long"],
		["to=19-11-2026", "invalid-date"],
		["day=2026-11-19", "unknown-parameter"],
	]) {
		const answer = await get(service, `/v1/overview?${query}`, tenant.headers);
		expect([answer.status, await answer.json()]).toMatchObject([400, { errors: [{ code }] }]);
	}
});
