import { expect, test } from "bun:test";
import { sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { createNumbered, postLease, postSequence, withdrawSequence } from "../support/sequences";

test("a sequence of which a lease has numbers stays until the lease is returned", async () => {
	const service = await sharedService();
	const tenant = await createNumbered(service);
	const { id } = (await (await postSequence(service, tenant, [1, 10])).json()) as { id: string };
	const { _links } = (await (await postLease(service, tenant)).json()) as { _links: { self: string } };
	const problem = await expectProblem(withdrawSequence(service, tenant, id), 409, "sequence-conflict");
	expect(problem.sequenceId).toBe(id);
	await fetch(`${service.url}${_links.self}`, { method: "DELETE", headers: tenant.headers });
	expect((await withdrawSequence(service, tenant, id)).status).toBe(204);
});
