/** The way back to an earlier certificate, and the way forward to a scheduled one. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type TestService } from "../../support/service";
import { addCertificate, type CertificateAnswer, changeCertificate, listStatuses } from "../support/certificates";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("a retired certificate signs again, and the previous one is retired", async () => {
	const tenant = await createTenant(service);
	const [first, second] = [await addCertificate(service, tenant), await addCertificate(service, tenant)];
	const answer = await changeCertificate(service, tenant, first.id, "activate");
	expect(answer.status).toBe(200);
	expect((await answer.json()) as CertificateAnswer).toMatchObject({ id: first.id, status: "active" });
	expect(await listStatuses(service, tenant)).toMatchObject({ [first.id]: "active", [second.id]: "retired" });
	expect((await changeCertificate(service, tenant, first.id, "activate")).status).toBe(200);
});

test("a replay returns the first answer and does not change the active certificate", async () => {
	const tenant = await createTenant(service);
	const [first, second] = [await addCertificate(service, tenant), await addCertificate(service, tenant)];
	const headers = { ...tenant.headers, "idempotency-key": crypto.randomUUID() };
	const answer = await changeCertificate(service, tenant, first.id, "activate", headers);
	await changeCertificate(service, tenant, second.id, "activate");
	const repeat = await changeCertificate(service, tenant, first.id, "activate", headers);
	expect([repeat.status, repeat.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
	expect(await repeat.text()).toBe(await answer.text());
	expect(await listStatuses(service, tenant)).toMatchObject({ [first.id]: "retired", [second.id]: "active" });
});

test("a scheduled certificate can be activated before its day", async () => {
	const tenant = await createTenant(service);
	const activateAt = new Date(Date.now() + 86_400_000).toISOString();
	const next = await addCertificate(service, tenant, { activateAt });
	expect((await changeCertificate(service, tenant, next.id, "activate")).status).toBe(200);
	expect(await listStatuses(service, tenant)).toMatchObject({ [next.id]: "active" });
});
