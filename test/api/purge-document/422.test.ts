import { expect, test } from "bun:test";
import { sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { createOfficer, orderPurge, PURGE_REQUEST } from "../support/purges";

test("another body with a used key", async () => {
	const service = await sharedService();
	const officer = await createOfficer(service);
	const headers = { ...officer.headers, "idempotency-key": crypto.randomUUID() };
	expect((await orderPurge(service, officer, "888888886", PURGE_REQUEST, headers)).status).toBe(200);
	const other = { ...PURGE_REQUEST, request_reference: "ARCO-2026-00018" };
	const refusal = await expectProblem(
		orderPurge(service, officer, "888888886", other, headers),
		422,
		"idempotency-key-reused",
	);
	expect(JSON.stringify(refusal.errors ?? [])).not.toContain("888888886");
});
