import { expect, test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { postLease, postSequence } from "../support/sequences";
import { UNKNOWN_ID } from "../support/tenants";

test("another tenant's lease is as absent as one that never existed", async () => {
	const service = await sharedService();
	const [tenant, stranger] = await Promise.all([createTenant(service), createTenant(service)]);
	await postSequence(service, tenant, [1, 10]);
	const { id } = (await (await postLease(service, tenant)).json()) as { id: string };
	for (const one of [id, UNKNOWN_ID, "x"]) {
		const path = `/v1/sequences/leases/${one}`;
		await expectProblem(get(service, path, stranger.headers), 404, "not-found");
		const answer = fetch(`${service.url}${path}`, { method: "DELETE", headers: stranger.headers });
		await expectProblem(answer, 404, "not-found");
	}
	expect(await (await get(service, `/v1/sequences/leases/${id}`, tenant.headers)).json()).toMatchObject({
		status: "active",
	});
});
