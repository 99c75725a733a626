/** Another tenant's document cannot be mailed. */
import { expect, test } from "bun:test";
import { sharedService } from "../../support/service";
import { documentOf } from "../support/documents";
import { postEmail } from "../support/emails";
import { expectProblem } from "../support/problem";
import { tenantB, UNKNOWN_ID } from "../support/tenants";

test("a foreign document answers like one that never existed, whatever is sent", async () => {
	const [service, other, { docId }] = [await sharedService(), await tenantB(), await documentOf("accepted")];
	for (const id of [docId, UNKNOWN_ID, "x"]) {
		for (const body of [{ to: ["a@c.example"] }, { to: 1 }])
			await expectProblem(postEmail(service, other, id, body), 404, "not-found");
	}
	const rows = await service.sql`select 1 from emails where tenant_id = ${other.tenantId}`;
	expect(rows).toHaveLength(0);
});
