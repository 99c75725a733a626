import { beforeAll, test } from "bun:test";
import { createTenant, sharedService, type TestService } from "../../support/service";
import { addCertificate, changeCertificate } from "../support/certificates";
import { expectProblem } from "../support/problem";
import { tenantB, UNKNOWN_ID } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("404 for a foreign company, another company's certificate and an unknown id", async () => {
	const tenant = await createTenant(service);
	const own = await addCertificate(service, tenant);
	const stranger = await tenantB();
	await expectProblem(changeCertificate(service, tenant, own.id, "activate", stranger.headers), 404, "not-found");
	for (const id of [UNKNOWN_ID, "x"]) {
		await expectProblem(changeCertificate(service, tenant, id, "activate"), 404, "not-found");
	}
	const sister = await createTenant(service, { apiKey: tenant.apiKey });
	await expectProblem(changeCertificate(service, sister, own.id, "activate"), 404, "not-found");
});
