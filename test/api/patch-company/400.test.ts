/** Changes that are refused as a whole: nothing of the company is another afterwards. */
import { beforeAll, describe, expect, test } from "bun:test";
import { LOGO } from "../../ecf/printing/support/logo";
import {
	buildInvoice,
	createTenant,
	get,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../../support/service";
import { until } from "../../support/until";
import { makePkcs12 } from "../support/companies";
import { readCompany, sendPatch } from "../support/patches";
import { expectProblem } from "../support/problem";
import { postVoid } from "../support/sequences";

let service: TestService;
let tenant: Tenant;
let before: string;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service, { webhook: true, company: { metadata: { shop: "7" } } });
	before = await stored();
});

/** Everything that the database has of the company, secrets included. */
async function stored(): Promise<string> {
	const { tenantId } = tenant;
	const rows = await service.sql`
		select c::text, (select json_agg(w::text order by id) from webhook_endpoints w where w.tenant_id = ${tenantId}) as webhooks,
			(select json_agg(s::text order by id) from signing_certificates s where s.tenant_id = ${tenantId}) as certificates
		from companies c where tenant_id = ${tenantId}`;
	return JSON.stringify(rows);
}

const expectRefused = async (body: unknown, faults?: string[]) => {
	const problem = await expectProblem(sendPatch(service, tenant, body), 400, "validation-error", faults);
	expect(await stored()).toBe(before);
	return problem;
};

test.each([
	...["rnc", "tenantId", "environment", "status", "plan", "registry", "credentials", "warnings", "version"],
	...["createdAt", "updatedAt", "_links"],
])("%s is immutable, whatever it is to be", async (name) => {
	const present = Reflect.get(await readCompany(service, tenant), name) ?? "x";
	for (const value of [present, null, "other"]) await expectRefused({ [name]: value }, [`/${name} immutable`]);
});

test.each(["webhookSecret", "clientSecret", "ownerId", "owner_id", "constructor", "prototype", "toString", "colour"])(
	"%s is no member, with a value and without",
	async (name) => {
		for (const value of ["x", null, {}]) await expectRefused({ [name]: value }, [`/${name} unknown-field`]);
	},
);

test.each([
	'{"__proto__":{"status":"closed"}}',
	'{"__proto__":null}',
	'{"constructor":{"prototype":{"plan":"enterprise"}}}',
	'{"settings":{"__proto__":{"strictValidation":true}}}',
	'{"settings":{"plan":"enterprise"}}',
	'{"address":{"__proto__":{"street":"x"}}}',
	'{"webhooks":[{"url":"https://example.com","secret":"whsec_x"}]}',
	'{"webhooks":[{"url":"https://example.com","id":"x"}]}',
	'{"webhooks":[{"url":"https://example.com","__proto__":{"secret":"x"}}]}',
	'{"certificate":{"pkcs12":"AA==","password":"x","sealedKey":"x"}}',
	'{"pdfLogo":{"present":true}}',
	'{"metadata":{"__proto__":{"a":"b"}}}',
])("%s changes nothing", async (body) => {
	await expectRefused(body);
	expect(Reflect.get({}, "status") ?? Reflect.get({}, "strictValidation")).toBeUndefined();
});

test("members that cannot be cleared are reported with all other violations", async () => {
	const body = { name: null, certificate: null, authorityEnvironment: null, email: "x", colour: 1, rnc: null };
	await expectRefused(body, [
		...["/name not-clearable", "/certificate not-clearable", "/authorityEnvironment not-clearable"],
		...["/email invalid-email", "/colour unknown-field", "/rnc immutable"],
	]);
});

test.each<[string, unknown, string]>([
	["no object", [], " wrong-type"],
	["a name of nothing", { name: "" }, "/name too-short"],
	["a telephone in another form", { phone: "5550101" }, "/phone invalid-phone"],
	["an unknown setting, cleared", { settings: { colour: null } }, "/settings/colour unknown-field"],
	["a setting that is not on its list", { settings: { printFormat: "a5" } }, "/settings/printFormat not-in-list"],
	[
		"a date that no document can have",
		{ settings: { sequenceExpiresOn: "2100-12-31" } },
		"/settings/sequenceExpiresOn invalid-date",
	],
	["a day that is none", { settings: { sequenceExpiresOn: "2027-02-30" } }, "/settings/sequenceExpiresOn invalid-date"],
	["a sequence that is over", { settings: { sequenceExpiresOn: "2026-01-31" } }, "/settings/sequenceExpiresOn expired"],
	["a code of a place in letters", { address: { provinceCode: "x" } }, "/address/provinceCode invalid-format"],
	["metadata that is a number", { metadata: { a: 1 } }, "/metadata/a wrong-type"],
	["an unknown event", { webhooks: [{ url: "https://e.example", events: ["x"] }] }, "/webhooks/0/events/0 not-in-list"],
])("%s", async (_, body, fault) => {
	await expectRefused(body, [fault]);
});

test("a result with too much metadata, or too many webhooks", async () => {
	const twenty = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, "x"]));
	await expectRefused({ metadata: twenty }, ["/metadata too-many"]);
	const urls = Array.from({ length: 30 }, (_, i) => `https://e.example/${i}`);
	await expectRefused({ webhooks: urls, webhookUrls: urls.map((url) => `${url}/more`) }, [
		"/webhooks too-many-webhooks",
	]);
});

test.each([
	["in one list", { webhooks: ["https://e.example/a", { url: "https://e.example/a" }] }, "/webhooks/1/url repeated"],
	[
		"in two members",
		{ webhooks: [{ url: "https://e.example" }], webhookUrl: "https://e.example/" },
		"/webhookUrl repeated",
	],
	[
		"in the aliases",
		{ webhookUrl: "https://e.example/a", webhookUrls: ["https://e.example/a"] },
		"/webhookUrls/0 repeated",
	],
])("a URL that comes twice %s", async (_, body, fault) => {
	await expectRefused(body, [fault]);
});

describe("what a registration refuses with 422 is a violation with that problem's slug", () => {
	test("URLs, a logo and a certificate are reported together with reasons", async () => {
		const { pkcs12 } = await makePkcs12("right");
		const problem = await expectRefused(
			{
				...{ webhooks: ["https://10.0.0.1/x", { url: "https://u:p@e.example/" }], webhookUrl: "ftp://e.example" },
				...{ pdfLogo: Buffer.from("<svg/>").toString("base64"), certificate: { pkcs12, password: "wrong" } },
			},
			[
				...["/webhooks/0", "/webhooks/1/url", "/webhookUrl"].map((at) => `${at} webhook-url-not-allowed`),
				...["/pdfLogo logo-invalid", "/certificate/password certificate-invalid"],
			],
		);
		const reasons = problem.errors?.map(({ reason }) => reason);
		expect(reasons).toEqual([
			...["private-address", "userinfo-not-allowed", "scheme-not-allowed", undefined, "wrong-password"],
		]);
		expect(JSON.stringify(problem)).not.toContain('wrong"');
	});

	test.each([
		["one byte too many", Buffer.alloc(256 * 1024 + 1, 1).toString("base64")],
		["300 KiB", Buffer.alloc(300 * 1024, 1).toString("base64")],
		["no base64", "###"],
		["damaged pixels", Buffer.from(LOGO).fill(7, 60, 80).toString("base64")],
	])("a logo of %s", async (_, pdfLogo) => {
		await expectRefused({ pdfLogo }, ["/pdfLogo logo-invalid"]);
	});
});

test("another environment is refused while a document is in progress", async () => {
	const busy = await createTenant(service);
	const silent = { customer: { rnc: "000000004", name: "CLIENTE SRL" } };
	expect((await postInvoice(service, busy, buildInvoice(busy, silent))).status).toBe(202);
	await expectProblem(sendPatch(service, busy, { authorityEnvironment: "certification" }), 400, "validation-error", [
		"/authorityEnvironment documents-pending",
	]);
});

test("another environment is refused while a void is undecided", async () => {
	const busy = await createTenant(service);
	const endCertificate = (end: string) => service.sql`
		update signing_certificates set not_after = now() + ${end}::interval where tenant_id = ${busy.tenantId}`;
	const move = { authorityEnvironment: "certification" };
	await endCertificate("-1 second");
	const { id } = (await (await postVoid(service, busy, [1, 4])).json()) as { id: string };
	await expectProblem(sendPatch(service, busy, move), 400, "validation-error", ["/authorityEnvironment voids-pending"]);
	await endCertificate("1 year");
	await service.sql`update outbox set available_at = now() where subject = ${id} and state = 'ready'`;
	const isDecided = async () => {
		const found = await get(service, `/v1/sequences/voids/${id}`, busy.headers);
		return ((await found.json()) as { status: string }).status === "voided";
	};
	await until(isDecided, 30_000);
	expect((await sendPatch(service, busy, move)).status).toBe(200);
}, 60_000);

test("invalid JSON, an invalid idempotency key, an unknown query parameter", async () => {
	for (const body of ["", "{", "null x"]) await expectProblem(sendPatch(service, tenant, body), 400, "malformed-json");
	const odd = sendPatch(service, tenant, {}, { "idempotency-key": "x" });
	expect((await expectProblem(odd, 400, "validation-error")).errors?.[0]?.pointer).toBe("#/headers/idempotency-key");
	await expectProblem(sendPatch(service, tenant, {}, {}, `${tenant.tenantId}?dry_run=true`), 400, "validation-error");
});

test("messages state what a member and a metadata name may be", async () => {
	const first = async (body: unknown, fault: string) => (await expectRefused(body, [fault])).errors?.[0];
	expect(await first({ settings: { timezone: "Europe/Berlin" } }, "/settings/timezone not-in-list")).toMatchObject({
		allowed: ["America/Santo_Domingo"],
	});
	expect(await first({ metadata: { shop: 7 } }, "/metadata/shop wrong-type")).toMatchObject({
		detail: "Expected a string.",
	});
	const name = "x".repeat(41);
	expect(await first({ metadata: { [name]: "y" } }, `/metadata/${name} unknown-field`)).toMatchObject({
		detail: "A name has 1 to 40 characters and no control characters.",
	});
});
