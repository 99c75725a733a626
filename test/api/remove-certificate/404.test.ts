import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type TestService } from "../../support/service";
import { addCertificate, changeCertificate, listStatuses } from "../support/certificates";
import { expectProblem } from "../support/problem";
import { tenantB, UNKNOWN_ID } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("404 for a foreign company and an unknown id, and nothing is removed", async () => {
	const tenant = await createTenant(service);
	const own = await addCertificate(service, tenant);
	const stranger = await tenantB();
	await expectProblem(changeCertificate(service, tenant, own.id, "remove", stranger.headers), 404, "not-found");
	await expectProblem(changeCertificate(service, tenant, UNKNOWN_ID, "remove"), 404, "not-found");
	expect(await listStatuses(service, tenant)).toMatchObject({ [own.id]: "active" });
});
