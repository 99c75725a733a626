/** Companies as they are registered: what is shown once, what defaults are, what comes from the registry. */
import { beforeAll, describe, expect, test } from "bun:test";
import { LOGO } from "../../ecf/printing/support/logo";
import { buildInvoice, get, getToken, post, postInvoice, sharedService, type TestService } from "../../support/service";
import { findInactiveCompany, makePkcs12, takeActiveCompany } from "../support/companies";
import { instant, uuid } from "../support/tenants";

let service: TestService;
let apiKey: string;
beforeAll(async () => {
	service = await sharedService();
	apiKey = await service.createKey({ plan: "free" });
});

type Company = {
	readonly tenantId: string;
	readonly credentials: { clientId: string; clientSecret: string };
	readonly webhooks: { id: string; url: string; secret: string; secretHint: string; events: string[] }[];
	readonly [member: string]: unknown;
};
const register = async (body: Record<string, unknown>, headers: Record<string, string> = {}) => {
	const answer = await post(service, "/v1/company", { "x-api-key": apiKey, ...headers }, body);
	const text = await answer.text();
	expect({ status: answer.status, text }).toEqual({ status: 201, text });
	return { headers: answer.headers, company: JSON.parse(text) as Company };
};

test("an RNC alone registers a company that can issue at once", async () => {
	const { rnc, name } = await takeActiveCompany();
	const { company, headers } = await register({ rnc });
	const { tenantId, tradeName, economicActivity } = company;
	// The registry gives some companies neither.
	for (const text of [tradeName, economicActivity]) expect(text === null || typeof text === "string").toBe(true);
	expect(company).toEqual({
		...{ tenantId: expect.stringMatching(uuid), rnc, name, tradeName, email: null, phone: null },
		...{ address: null, economicActivity, status: "active", plan: "free", environment: "sandbox" },
		authorityEnvironment: "test",
		registry: {
			status: "ACTIVO",
			payment_regime: expect.any(String),
			checkedAt: expect.stringMatching(instant),
			runId: expect.stringMatching(uuid),
		},
		webhooks: [],
		pdfLogo: { present: false },
		certificate: {
			id: expect.stringMatching(uuid),
			status: "active",
			subject: expect.stringContaining("FIRMANTE DE PRUEBA"),
			issuer: expect.any(String),
			serialNumber: expect.any(String),
			thumbprint: expect.any(String),
			notBefore: expect.stringMatching(instant),
			notAfter: expect.stringMatching(instant),
			daysLeft: expect.any(Number),
			activateAt: expect.stringMatching(instant),
			ephemeral: true,
		},
		settings: {
			...{ locale: "es-DO", timezone: "America/Santo_Domingo", printFormat: "a4", strictValidation: false },
			...{ knownRejections: "send", outagePolicy: "queue", sequenceMode: "client" },
			...{ signatureProfile: "xades-bes", sequenceExpiresOn: null, deferredSending: null },
		},
		credentials: {
			clientId: expect.stringMatching(/^cli_[0-9a-f]{32}$/),
			clientSecret: expect.stringMatching(/^cs_test_[0-9A-Za-z]{32}$/),
		},
		contactEmails: [],
		metadata: {},
		warnings: [{ code: "address-missing", detail: expect.any(String) }],
		version: 1,
		createdAt: expect.stringMatching(instant),
		updatedAt: expect.stringMatching(instant),
		_links: { self: `/v1/company/${tenantId}` },
	});
	expect(headers.get("location")).toBe(`/v1/company/${tenantId}`);
	expect(headers.get("etag")).toBe('"1"');
	expect(headers.get("x-request-id")).toMatch(uuid);

	const { clientId, clientSecret } = company.credentials;
	const token = await getToken(service, clientId, clientSecret);
	const tenant = {
		...{ tenantId, rnc, name, apiKey, token, clientId, clientSecret, webhookSecret: "" },
		headers: { "x-api-key": apiKey, authorization: `Bearer ${token}` },
	};
	expect((await postInvoice(service, tenant, buildInvoice(tenant))).status).toBe(202);
});

test("values are stored, and secrets are shown once", async () => {
	const { rnc } = await takeActiveCompany();
	const url = `http://${service.receiver.host}/${rnc}`;
	const found = {
		...{ name: "NOMBRE PROPIO SRL", tradeName: "Propio", email: "facturas@propio.example", phone: "809-555-0101" },
		address: { street: "Av. Duarte 100", municipalityCode: "010100", provinceCode: "010000" },
		...{ economicActivity: "Ferretería", contactEmails: ["it@propio.example"], metadata: { erpCompany: "001" } },
		...{ environment: "sandbox", authorityEnvironment: "certification" },
	};
	const settings = {
		locale: "en-US",
		printFormat: "thermal_80",
		strictValidation: true,
		sequenceExpiresOn: "2027-12-31",
		deferredSending: { authorisedOn: "2026-01-15", reference: "GLD 123-26" },
	};
	// A plan that has as many webhooks.
	const wider = { "x-api-key": await service.createKey({ plan: "starter" }) };
	const asked = {
		...{ rnc: `${rnc.slice(0, 3)}-${rnc.slice(3, 8)}-${rnc.slice(8)}`, ...found, settings },
		webhooks: [{ url, events: ["invoice.rejected"], description: "ERP" }, `${url}/plain`],
		webhookUrl: `${url}/one`,
		webhookUrls: [`${url}/two`],
	};
	const { company } = await register(asked, wider);
	expect(company).toMatchObject({ rnc, ...found, settings, warnings: [] });
	expect(company.webhooks.map((one) => one.url)).toEqual([url, `${url}/plain`, `${url}/one`, `${url}/two`]);
	expect(company.webhooks[0]?.events).toEqual(["invoice.rejected"]);
	expect(company.webhooks[1]?.events).toEqual(["invoice.accepted", "invoice.rejected", "invoice.failed"]);
	for (const { secret, secretHint } of company.webhooks) {
		expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
		expect(secret.startsWith(secretHint.slice(0, -1))).toBe(true);
	}
	const { clientId, clientSecret } = company.credentials;
	const authorization = `Bearer ${await getToken(service, clientId, clientSecret)}`;
	const read = await (await get(service, `/v1/company/${company.tenantId}`, { ...wider, authorization })).text();
	expect(read).not.toContain(clientSecret);
	for (const { secret } of company.webhooks) expect(read).not.toContain(secret);
	expect(read).not.toContain('"credentials"');
});

test("an inactive company may be registered in the sandbox, with a warning", async () => {
	const { rnc, status } = await findInactiveCompany();
	const { company } = await register({ rnc, address: { street: "x" } });
	expect(company).toMatchObject({ registry: { status }, warnings: [{ code: "rnc-inactive" }] });
});

test("a company's own certificate can sign; its key and password are never shown", async () => {
	const { rnc } = await takeActiveCompany();
	const certificate = await makePkcs12("contra-4711");
	const { privateKey, ...upload } = certificate;
	const { company } = await register({ rnc, certificate: upload });
	expect(company.certificate).toMatchObject({ ephemeral: false, status: "active" });
	expect(JSON.stringify(company)).not.toContain("contra-4711");
	expect(JSON.stringify(company)).not.toContain(privateKey.split("\n")[3] ?? "");
});

test("a logo is recognised by its bytes, and a data prefix is accepted", async () => {
	const png = Buffer.concat([LOGO, Buffer.alloc(256 * 1024)]).subarray(0, 256 * 1024);
	for (const pdfLogo of [png.toString("base64"), `data:image/png;base64,${png.toString("base64")}`]) {
		const { rnc } = await takeActiveCompany();
		const { company } = await register({ rnc, pdfLogo });
		expect(company.pdfLogo).toEqual({
			present: true,
			contentType: "image/png",
			bytes: 256 * 1024,
			sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
		});
	}
});

test("a bearer token in the request is ignored", async () => {
	const { rnc } = await takeActiveCompany();
	await register({ rnc }, { authorization: "Bearer nonsense" });
});

describe("a repeat of the key", () => {
	test("answers with the same company, its secrets null", async () => {
		const { rnc } = await takeActiveCompany();
		const body = { rnc, webhookUrl: `http://${service.receiver.host}/${rnc}` };
		const headers = { "idempotency-key": crypto.randomUUID() };
		const { company } = await register(body, headers);
		const again = await post(service, "/v1/company", { "x-api-key": apiKey, ...headers }, body);
		expect(again.status).toBe(200);
		expect(again.headers.get("idempotency-replayed")).toBe("true");
		expect(again.headers.get("location")).toBe(`/v1/company/${company.tenantId}`);
		expect(await again.json()).toEqual({
			...company,
			credentials: { clientId: company.credentials.clientId, clientSecret: null },
			webhooks: company.webhooks.map((one) => ({ ...one, secret: null })),
		});
	});

	test("sent five times at once creates one company: one 201, four 200", async () => {
		const { rnc } = await takeActiveCompany();
		const headers = { "x-api-key": apiKey, "idempotency-key": crypto.randomUUID() };
		const answers = await Promise.all(Array.from({ length: 5 }, () => post(service, "/v1/company", headers, { rnc })));
		expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 200, 200, 201]);
		expect(await service.sql`select 1 from companies where rnc = ${rnc}`).toHaveLength(1);
	});
});
