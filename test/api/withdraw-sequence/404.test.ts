import { expect, test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { postSequence, withdrawSequence } from "../support/sequences";
import { UNKNOWN_ID } from "../support/tenants";

test("foreign, unknown and withdrawn sequences are not found", async () => {
	const service = await sharedService();
	const [tenant, stranger] = await Promise.all([createTenant(service), createTenant(service)]);
	const { id } = (await (await postSequence(service, tenant, [1, 10])).json()) as { id: string };
	for (const one of [id, UNKNOWN_ID, "x"]) {
		await expectProblem(withdrawSequence(service, stranger, one), 404, "not-found");
	}
	expect(await (await get(service, "/v1/sequences", tenant.headers)).json()).toMatchObject({ count: 1 });
	expect((await withdrawSequence(service, tenant, id)).status).toBe(204);
	await expectProblem(withdrawSequence(service, tenant, id), 404, "not-found");
});
