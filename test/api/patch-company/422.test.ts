/** The two refusals of a change that are no fault of its body. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type TestService } from "../../support/service";
import { patchCompany, readCompany, sendPatch } from "../support/patches";
import { expectProblem } from "../support/problem";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("the authority's production without a passed test set", async () => {
	const tenant = await createTenant(service);
	const change = sendPatch(service, tenant, { authorityEnvironment: "production", name: "OTRO" });
	expect((await expectProblem(change, 422, "tenant-config-missing")).missing).toEqual(["certification"]);
	expect(await readCompany(service, tenant)).toMatchObject({ name: tenant.name, authorityEnvironment: "test" });
	const { authorityEnvironment } = await patchCompany(service, tenant, { authorityEnvironment: "certification" });
	expect(authorityEnvironment).toBe("certification");
});

test("another body under a used idempotency key", async () => {
	const tenant = await createTenant(service);
	const headers = { "idempotency-key": crypto.randomUUID() };
	await patchCompany(service, tenant, { metadata: { a: "1" } }, headers);
	await expectProblem(sendPatch(service, tenant, { metadata: { a: "2" } }, headers), 422, "idempotency-key-reused");
});
