/** The way back to an earlier certificate, and the way forward to a scheduled one. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type TestService } from "../../support/service";
import { addCertificate, type CertificateAnswer, changeCertificate, listStatuses } from "../support/certificates";
import { expectProblem } from "../support/problem";
import { tenantB, UNKNOWN_ID } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("a retired one signs again, and the one that signed is retired", async () => {
	const tenant = await createTenant(service);
	const [first, second] = [await addCertificate(service, tenant), await addCertificate(service, tenant)];
	const answer = await changeCertificate(service, tenant, first.id, "activate");
	expect(answer.status).toBe(200);
	expect((await answer.json()) as CertificateAnswer).toMatchObject({ id: first.id, status: "active" });
	expect(await listStatuses(service, tenant)).toMatchObject({ [first.id]: "active", [second.id]: "retired" });
	expect((await changeCertificate(service, tenant, first.id, "activate")).status).toBe(200);
});

test("a scheduled one signs before its day", async () => {
	const tenant = await createTenant(service);
	const activateAt = new Date(Date.now() + 86_400_000).toISOString();
	const next = await addCertificate(service, tenant, { activateAt });
	expect((await changeCertificate(service, tenant, next.id, "activate")).status).toBe(200);
	expect(await listStatuses(service, tenant)).toMatchObject({ [next.id]: "active" });
});

test("422 for one that has ended, or whose key was destroyed", async () => {
	const tenant = await createTenant(service);
	const [first, second] = [await addCertificate(service, tenant), await addCertificate(service, tenant)];
	await service.sql`update signing_certificates set not_after = now() - interval '1 day' where id = ${first.id}`;
	const expired = ["#/path/cid expired"];
	await expectProblem(changeCertificate(service, tenant, first.id, "activate"), 422, "certificate-invalid", expired);
	await changeCertificate(service, tenant, second.id, "remove");
	const removed = ["#/path/cid removed"];
	await expectProblem(changeCertificate(service, tenant, second.id, "activate"), 422, "certificate-invalid", removed);
});

test("404 for a stranger, for another company's certificate, and for none", async () => {
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
