/** Registrations that are well-formed and cannot be. */
import { beforeAll, describe, expect, test } from "bun:test";
import { LOGO } from "../../ecf/printing/support/logo";
import { post, sharedService, type TestService } from "../../support/service";
import { findInactiveCompany, makePkcs12, takeActiveCompany } from "../support/companies";
import { expectProblem } from "../support/problem";

let service: TestService;
let apiKey: string;
beforeAll(async () => {
	service = await sharedService();
	apiKey = await service.createKey();
});

const send = async (over: Record<string, unknown>, headers: Record<string, string> = {}) => {
	const { rnc } = await takeActiveCompany();
	return post(service, "/v1/company", { "x-api-key": apiKey, ...headers }, { rnc, ...over });
};

test("an RNC that is not in the registry", async () => {
	const problem = await expectProblem(send({ rnc: "999-99999-9" }), 422, "rnc-not-registered");
	expect(problem.detail).toBe("RNC 999999999 is not in the taxpayer registry.");
});

test("an inactive company, for the authority's production", async () => {
	const { rnc, status } = await findInactiveCompany();
	const problem = await expectProblem(send({ rnc, authorityEnvironment: "production" }), 422, "rnc-inactive");
	expect(problem.registryStatus).toBe(status);
});

test("the authority's production without a passed test set", async () => {
	const problem = await expectProblem(send({ authorityEnvironment: "production" }), 422, "tenant-config-missing");
	expect(problem.missing).toEqual(["certification"]);
});

describe("webhook-url-not-allowed", () => {
	test.each([
		["http://127.0.0.1:8000/x", "private-address"],
		["https://10.0.0.1/x", "private-address"],
		["https://169.254.169.254/latest/meta-data", "private-address"],
		["https://[::1]/x", "private-address"],
		["https://0x7f.1/x", "private-address"],
		["https://2130706433/x", "private-address"],
		["https://localhost./x", "private-name"],
		["https://db.internal/x", "private-name"],
		["https://user:pass@example.com/x", "userinfo-not-allowed"],
		["ftp://example.com/x", "scheme-not-allowed"],
		["file:///etc/passwd", "scheme-not-allowed"],
		["javascript:alert(1)", "scheme-not-allowed"],
		["https://example.com:22/x", "port-not-allowed"],
		["/hooks", "malformed-url"],
		["https://exa mple.com", "malformed-url"],
	])("%s is %s", async (url, code) => {
		await expectProblem(send({ webhookUrl: url }), 422, "webhook-url-not-allowed", [`/webhookUrl ${code}`]);
	});

	test("all of them are named, whatever the member", async () => {
		const at = (path: string) => `https://10.0.0.1/${path}`;
		const good = "https://hooks.example.com/x";
		const webhooks = [good, at("a"), { url: at("b") }];
		const body = { webhooks, webhookUrl: at("c"), webhookUrls: [`${good}/y`, at("d")] };
		await expectProblem(send(body), 422, "webhook-url-not-allowed", [
			...["/webhooks/1", "/webhooks/2/url", "/webhookUrl", "/webhookUrls/1"].map((at) => `${at} private-address`),
		]);
	});
});

test.each([
	["text", Buffer.from("hello").toString("base64")],
	["SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString("base64")],
	["GIF", Buffer.from("GIF89a........................").toString("base64")],
	["no base64", "###"],
	["damaged in its pixels", Buffer.from(LOGO).fill(7, 60, 80).toString("base64")],
	["more than 256 KiB", Buffer.alloc(256 * 1024 + 1, 1).toString("base64")],
	["half a mebibyte", Buffer.alloc(512 * 1024, 1).toString("base64")],
])("a logo that is %s", async (_, pdfLogo) => {
	await expectProblem(send({ pdfLogo }), 422, "logo-invalid", ["/pdfLogo logo-invalid"]);
});

describe("certificate-invalid", () => {
	test("a wrong password, an invalid container, invalid base64", async () => {
		const { pkcs12 } = await makePkcs12("right");
		const bodies = [
			{ pkcs12, password: "wrong" },
			{ pkcs12: Buffer.alloc(100, 7).toString("base64"), password: "x" },
			{ pkcs12: "###", password: "x" },
			{ pkcs12: pkcs12.slice(0, pkcs12.length / 2), password: "right" },
		];
		for (const certificate of bodies) await expectProblem(send({ certificate }), 422, "certificate-invalid");
	});

	test("an expired certificate", async () => {
		const { privateKey: _, ...certificate } = await makePkcs12("right", "2026-02-01T00:00:00Z");
		await expectProblem(send({ certificate }), 422, "certificate-invalid");
	});
});

test("another body under a used idempotency key", async () => {
	const headers = { "idempotency-key": crypto.randomUUID() };
	expect((await send({}, headers)).status).toBe(201);
	await expectProblem(send({}, headers), 422, "idempotency-key-reused");
});

test("nothing of a refused company is stored", async () => {
	const { rnc } = await takeActiveCompany();
	await expectProblem(send({ rnc, webhookUrl: "https://10.0.0.1" }), 422, "webhook-url-not-allowed");
	expect(await service.sql`select 1 from companies where rnc = ${rnc}`).toHaveLength(0);
	expect((await send({ rnc })).status).toBe(201);
});
