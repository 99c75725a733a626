import { expect, test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { readyZip } from "../support/archive";
import { expectProblem } from "../support/problem";
import { tenantB, UNKNOWN_ID } from "../support/tenants";

test("another tenant's export reads like one that never was", async () => {
	const service = await sharedService();
	const { exportId } = await readyZip();
	const stranger = await tenantB();
	const found = new Set<string>();
	for (const id of [exportId, UNKNOWN_ID, "x"]) {
		const problem = await expectProblem(
			get(service, `/v1/archive/exports/${id}`, { ...stranger.headers }),
			404,
			"not-found",
		);
		found.add(JSON.stringify({ ...problem, instance: "", requestId: "" }));
	}
	expect(found.size).toBe(1);
});
