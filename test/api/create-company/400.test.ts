/** Registrations that are no valid requests. */
import { beforeAll, expect, test } from "bun:test";
import { post, sharedService, type TestService } from "../../support/service";
import { takeActiveCompany } from "../support/companies";
import { expectProblem } from "../support/problem";

let service: TestService;
let apiKey: string;
beforeAll(async () => {
	service = await sharedService();
	apiKey = await service.createKey();
});

const send = (body: unknown, headers: Record<string, string> = {}) =>
	post(service, "/v1/company", { "x-api-key": apiKey, ...headers }, body);
const valid = { rnc: "990000001" };

test.each<[string, Record<string, unknown>, string]>([
	["no RNC", { rnc: undefined }, "/rnc required"],
	["an RNC of 8 digits", { rnc: "12345678" }, "/rnc invalid-rnc"],
	["an RNC of 10 digits", { rnc: "1234567890" }, "/rnc invalid-rnc"],
	["an RNC of letters", { rnc: "99000000A" }, "/rnc invalid-rnc"],
	["an RNC in other digits", { rnc: "\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19" }, "/rnc invalid-rnc"],
	["an RNC that is a number", { rnc: 990000001 }, "/rnc wrong-type"],
	["another environment", { environment: "production" }, "/environment other-environment"],
	["an unknown member", { colour: "grey" }, "/colour unknown-field"],
	["the tenant's id", { tenantId: "x" }, "/tenantId unknown-field"],
	["its plan", { plan: "enterprise" }, "/plan unknown-field"],
	["its status", { status: "active" }, "/status unknown-field"],
	["its owner", { ownerId: "x" }, "/ownerId unknown-field"],
	[
		"a webhook's secret",
		{ webhooks: [{ url: "https://example.com", secret: "x" }] },
		"/webhooks/0/secret unknown-field",
	],
	["an address that is none", { email: "none" }, "/email invalid-email"],
	["a telephone in another form", { phone: "5550101" }, "/phone invalid-phone"],
	["an unknown setting", { settings: { colour: 1 } }, "/settings/colour unknown-field"],
	["a setting of another type", { settings: { strictValidation: "yes" } }, "/settings/strictValidation wrong-type"],
	[
		"a date that no document can have",
		{ settings: { sequenceExpiresOn: "2100-12-31" } },
		"/settings/sequenceExpiresOn invalid-date",
	],
	["a day that is none", { settings: { sequenceExpiresOn: "2027-02-30" } }, "/settings/sequenceExpiresOn invalid-date"],
	["a sequence that is over", { settings: { sequenceExpiresOn: "2026-01-31" } }, "/settings/sequenceExpiresOn expired"],
	[
		"a permission of a day to come",
		{ settings: { deferredSending: { authorisedOn: "2099-01-01", reference: "GLD 1" } } },
		"/settings/deferredSending/authorisedOn future-date",
	],
	["a time zone of its own", { settings: { timezone: "UTC" } }, "/settings/timezone not-in-list"],
	["a certificate without password", { certificate: { pkcs12: "AA==" } }, "/certificate/password required"],
	["a control character", { name: "A\u0001" }, "/name illegal-character"],
	["a line break in a name", { tradeName: "A\r\nB" }, "/tradeName illegal-character"],
	["a control character of Latin-1", { economicActivity: "A\u0085" }, "/economicActivity illegal-character"],
	["a line break in the name of metadata", { metadata: { "a\nb": "x" } }, "/metadata/a\nb unknown-field"],
])("%s", async (_, over, fault) => {
	await expectProblem(send({ ...valid, ...over }), 400, "validation-error", [fault]);
});

test("more than fifty webhooks in all three members", async () => {
	const urls = Array.from({ length: 26 }, (_, i) => `https://e.example/${i}`);
	const { rnc } = await takeActiveCompany();
	const body = { rnc, webhooks: urls, webhookUrls: urls.map((url) => `${url}/more`) };
	await expectProblem(send(body), 400, "validation-error", ["/webhooks too-many-webhooks"]);
});

test("a duplicate URL in the three members, beside other violations", async () => {
	const [a, b] = ["https://e.example/a", "https://e.example/b"];
	const webhooks = [a, { url: b }, { url: "HTTPS://E.example:443/a" }, a];
	const body = { ...valid, email: "none", webhooks, webhookUrl: b, webhookUrls: ["https://e.example/A", a] };
	const { errors = [] } = await expectProblem(send(body), 400, "validation-error", [
		...["/email invalid-email", "/webhooks/2/url repeated", "/webhooks/3 repeated"],
		...["/webhookUrl repeated", "/webhookUrls/1 repeated"],
	]);
	expect(errors.map(({ detail }) => detail)).toContain("The URL already appears at /webhooks/1/url.");
});

test("an unknown query parameter", async () => {
	const answer = post(service, "/v1/company?dry_run=true", { "x-api-key": apiKey }, valid);
	await expectProblem(answer, 400, "validation-error", ["#/query/dry_run unknown-parameter"]);
});

test("an unknown environment", async () => {
	const { errors = [] } = await expectProblem(send({ ...valid, environment: "moon" }), 400, "validation-error");
	expect(new Set(errors.map((fault) => fault.pointer))).toEqual(new Set(["/environment"]));
});

test("all violations are reported together", async () => {
	const body = { name: "", email: "x", colour: 1 };
	await expectProblem(send(body), 400, "validation-error", [
		...["/rnc required", "/name too-short", "/email invalid-email", "/colour unknown-field"],
	]);
});

test("an idempotency key that is not a UUID, before the body is read", async () => {
	const problem = await expectProblem(send("{", { "idempotency-key": "x" }), 400, "validation-error");
	expect(problem.errors?.[0]?.pointer).toBe("#/headers/idempotency-key");
});

test("invalid JSON", async () => {
	for (const body of ["", "{", "null x"]) await expectProblem(send(body), 400, "malformed-json");
	await expectProblem(send("[]"), 400, "validation-error");
});
