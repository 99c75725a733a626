import { expect, test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { readProblem } from "../support/problem";
import { receivedBy } from "../support/received";
import { tenantA, tenantB, UNKNOWN_ID } from "../support/tenants";

test("another company's document, file and print are not found", async () => {
	const service = await sharedService();
	const { record } = await receivedBy(await tenantA());
	const { headers } = await tenantB();
	for (const id of [record.id, UNKNOWN_ID, "x"]) {
		for (const member of ["", "/xml", "/pdf"]) {
			const problem = await readProblem(await get(service, `/v1/received-documents/${id}${member}`, headers));
			expect([id, member, problem.status, problem.errors]).toEqual([id, member, 404, undefined]);
		}
	}
});
