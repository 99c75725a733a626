import { beforeAll, test } from "bun:test";
import { createTenant, sharedService, type TestService } from "../../support/service";
import { addCertificate, changeCertificate } from "../support/certificates";
import { expectProblem } from "../support/problem";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("422 for an expired certificate, or one whose key was destroyed", async () => {
	const tenant = await createTenant(service);
	const [first, second] = [await addCertificate(service, tenant), await addCertificate(service, tenant)];
	await service.sql`update signing_certificates set not_after = now() - interval '1 day' where id = ${first.id}`;
	const expired = ["#/path/cid expired"];
	await expectProblem(changeCertificate(service, tenant, first.id, "activate"), 422, "certificate-invalid", expired);
	await changeCertificate(service, tenant, second.id, "remove");
	const removed = ["#/path/cid removed"];
	await expectProblem(changeCertificate(service, tenant, second.id, "activate"), 422, "certificate-invalid", removed);
});

test("422 for the active certificate too once it has expired", async () => {
	const tenant = await createTenant(service);
	const own = await addCertificate(service, tenant);
	await service.sql`update signing_certificates set not_after = now() - interval '1 day' where id = ${own.id}`;
	const expired = ["#/path/cid expired"];
	await expectProblem(changeCertificate(service, tenant, own.id, "activate"), 422, "certificate-invalid", expired);
});
