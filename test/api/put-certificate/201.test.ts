/** A company's new certificate: it signs at once, or from its day on. */
import { beforeAll, expect, test } from "bun:test";
import { buildInvoice, createTenant, get, postInvoice, sharedService, type TestService } from "../../support/service";
import {
	addCertificate,
	type CertificateAnswer,
	listStatuses,
	putCertificate,
	signerOf,
} from "../support/certificates";
import { makePkcs12 } from "../support/companies";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

type Tenant = Awaited<ReturnType<typeof createTenant>>;

async function signerOfNextInvoice(tenant: Tenant): Promise<string> {
	const { docId } = (await (await postInvoice(service, tenant, buildInvoice(tenant))).json()) as { docId: string };
	const answer = await get(service, `/v1/invoices/${docId}/xml`, { ...tenant.headers, accept: "application/xml" });
	return signerOf(await answer.text());
}

const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

test("it signs at once, the previous one is retired, and no key is shown", async () => {
	const tenant = await createTenant(service);
	const [before = ""] = Object.keys(await listStatuses(service, tenant));
	const { pkcs12, password, privateKey } = await makePkcs12("contra-4711");
	const answer = await putCertificate(service, tenant, { pkcs12, password });
	expect(answer.status).toBe(201);
	expect(answer.headers.get("cache-control")).toBe("private, no-store");
	const text = await answer.text();
	expect(text).not.toContain(password);
	expect(text).not.toContain(privateKey.split("\n")[3] ?? "");
	const added = JSON.parse(text) as CertificateAnswer;
	expect(added).toMatchObject({
		status: "active",
		ephemeral: false,
		subject: "CN=JUANA PEREZ, SERIALNUMBER=IDCDO-00100000009",
		probe: { signed: true, verified: true },
		warnings: [],
	});
	expect(await listStatuses(service, tenant)).toEqual({ [added.id]: "active", [before]: "retired" });
	expect(await signerOfNextInvoice(tenant)).toBe(added.thumbprint);
});

test("a scheduled certificate signs from its date on", async () => {
	const tenant = await createTenant(service);
	const present = await addCertificate(service, tenant);
	const next = await addCertificate(service, tenant, { activateAt: daysFromNow(3) });
	expect(next.status).toBe("scheduled");
	expect(await signerOfNextInvoice(tenant)).toBe(present.thumbprint);
	await service.sql`update signing_certificates set activate_at = now() - interval '1 second' where id = ${next.id}`;
	// No row has changed, and yet its date has come.
	expect(await signerOfNextInvoice(tenant)).toBe(next.thumbprint);
	expect(await listStatuses(service, tenant)).toMatchObject({ [next.id]: "active", [present.id]: "retired" });
	const company = (await (await get(service, `/v1/company/${tenant.tenantId}`, tenant.headers)).json()) as {
		certificate: CertificateAnswer;
	};
	expect(company.certificate).toMatchObject({ id: next.id, status: "active" });
});

test("a second scheduled certificate replaces the first; a past day means at once", async () => {
	const tenant = await createTenant(service);
	const first = await addCertificate(service, tenant, { activateAt: daysFromNow(3) });
	const second = await addCertificate(service, tenant, { activateAt: daysFromNow(2) });
	const third = await addCertificate(service, tenant, { activateAt: "2026-01-02T00:00:00-04:00" });
	expect(await listStatuses(service, tenant)).toMatchObject({
		[first.id]: "retired",
		[second.id]: "scheduled",
		[third.id]: "active",
	});
});

test("the same container again is the same certificate", async () => {
	const tenant = await createTenant(service);
	const { pkcs12, password } = await makePkcs12("secret");
	const put = async () =>
		(await (await putCertificate(service, tenant, { pkcs12, password })).json()) as CertificateAnswer;
	const first = await put();
	expect((await put()).id).toBe(first.id);
	await addCertificate(service, tenant);
	expect(await put()).toMatchObject({ id: first.id, status: "active" });
});

test("it can be sent as a form with a file", async () => {
	const tenant = await createTenant(service);
	const { pkcs12, password } = await makePkcs12("secret");
	const form = new FormData();
	form.set("file", new File([Buffer.from(pkcs12, "base64")], "firma.p12"));
	form.set("password", password);
	form.set("activateAt", daysFromNow(1));
	const answer = await putCertificate(service, tenant, form);
	expect([answer.status, ((await answer.json()) as CertificateAnswer).status]).toEqual([201, "scheduled"]);
});

test("a container with obsolete encryption is accepted with a warning", async () => {
	const tenant = await createTenant(service);
	const { pkcs12, password } = await makePkcs12("secret", undefined, "3des");
	const answer = await putCertificate(service, tenant, { pkcs12, password });
	expect(answer.status).toBe(201);
	expect(await answer.json()).toMatchObject({
		warnings: [{ pointer: "/pkcs12", code: "obsolete-encryption", detail: expect.stringContaining("triple DES") }],
	});
});

test("of two concurrent uploads one signs", async () => {
	const tenant = await createTenant(service);
	const added = await Promise.all([1, 2, 3].map(() => addCertificate(service, tenant)));
	const statuses = await listStatuses(service, tenant);
	expect(added.filter(({ id }) => statuses[id] === "active")).toHaveLength(1);
	expect(Object.values(statuses).filter((status) => status === "active")).toHaveLength(1);
});

test("a form takes the container as a file or in base64", async () => {
	const tenant = await createTenant(service);
	const asFile = new FormData();
	const file = await makePkcs12("contra-4711");
	asFile.set("file", new File([Buffer.from(file.pkcs12, "base64")], "firma.p12"));
	asFile.set("password", file.password);
	expect((await putCertificate(service, tenant, asFile)).status).toBe(201);
	const asText = new FormData();
	const text = await makePkcs12("contra-4712");
	asText.set("pkcs12", text.pkcs12);
	asText.set("password", text.password);
	expect((await putCertificate(service, tenant, asText)).status).toBe(201);
});
