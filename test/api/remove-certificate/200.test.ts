/** A key is destroyed: it signs nothing more, in no thread. */
import { beforeAll, expect, test } from "bun:test";
import { buildInvoice, createTenant, postInvoice, sharedService, type TestService } from "../../support/service";
import { addCertificate, type CertificateAnswer, changeCertificate, listStatuses } from "../support/certificates";
import { expectProblem } from "../support/problem";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("without an active certificate new invoices are refused until another is added", async () => {
	const tenant = await createTenant(service);
	const own = await addCertificate(service, tenant);
	expect((await postInvoice(service, tenant, buildInvoice(tenant))).status).toBe(202);
	const answer = await changeCertificate(service, tenant, own.id, "remove");
	expect(answer.status).toBe(200);
	expect((await answer.json()) as CertificateAnswer).toMatchObject({ id: own.id, status: "removed" });
	const [row] = await service.sql`select sealed_key from signing_certificates where id = ${own.id}`;
	expect(row?.sealed_key).toBeNull();
	const refused = postInvoice(service, tenant, buildInvoice(tenant));
	expect(await expectProblem(refused, 422, "tenant-config-missing")).toMatchObject({ missing: ["certificate"] });
	await addCertificate(service, tenant);
	expect((await postInvoice(service, tenant, buildInvoice(tenant))).status).toBe(202);
});

test("removing twice has no further effect, and it stays listed", async () => {
	const tenant = await createTenant(service);
	const own = await addCertificate(service, tenant);
	for (let i = 0; i < 2; i++) expect((await changeCertificate(service, tenant, own.id, "remove")).status).toBe(200);
	expect(await listStatuses(service, tenant)).toMatchObject({ [own.id]: "removed" });
});
