/** Addresses and methods: what exists, what does not, and what must not be taken for something else. */
import { beforeAll, describe, expect, test } from "bun:test";
import { head, sendRaw, toResponse } from "../../support/raw-request";
import { get, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { documentOf } from "../support/documents";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

/** The path as it is written: `fetch` would tidy it up first. */
const raw = async (method: string, path: string, headers: Readonly<Record<string, string>> = tenant.headers) => {
	const lines = [...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "Connection: close"];
	return toResponse(await sendRaw(service.url, [head(service.url, `${method} ${path}`, lines)]));
};

test.each([
	...["/nothing", "/v1", "/v1/", "/v2/invoices", "/V1/invoices", "/v1/Invoices", "/v1//invoices", "//v1/invoices"],
	...["/v1/invoices/", "/v1/company/x/", "/v1/invoices/x/y", "/livez/", "/health/x", "/v1/authority", "/favicon.ico"],
	...[
		"/.env",
		"/.git/config",
		"/admin",
		"/metrics",
		"/_simulator/faults",
		"/v1/invoices;x=1",
		"/v1/invoices%2Fx%2Fstatus%2Fy",
	],
	...["/v1/%zz", "/v1/invoices/%E0%A4%A/status", "/%", "/v1/invoices/%ff"],
])("GET %s is nothing", async (path) => {
	await expectProblem(await raw("GET", path), 404, "not-found");
});

describe("dot segments", () => {
	test.each([
		"/v1/company/../../etc/passwd",
		"/../../etc/passwd",
		"/v1/x/%2e%2e/%2e%2e/etc/passwd",
		"/docs/assets/../../package.json",
		"/docs/assets/..%2f..%2fpackage.json",
		"/docs/assets/%2e%2e%2fpackage.json",
	])("GET %s reaches no file", async (path) => {
		const answer = await raw("GET", path);
		expect(answer.status).toBe(404);
		expect(await answer.text()).not.toMatch(/root:|"dependencies"/);
	});

	test("do not get around the guard", async () => {
		for (const path of [
			"/livez/../v1/invoices",
			"/docs/../v1/invoices",
			"/v1/authority/codes/../../invoices",
			"/livez/%2e%2e/v1/invoices",
		]) {
			expect([401, 404]).toContain((await raw("GET", path, {})).status);
		}
	});
});

describe("a wrong method", () => {
	test.each([
		["DELETE", "/v1/invoices", ["POST", "GET"]],
		["PUT", "/v1/invoices", ["POST", "GET"]],
		["POST", "/v1/invoices/x", ["GET"]],
		["POST", "/v1/invoices/x/status", ["GET"]],
		["GET", "/v1/invoices/x/retry", ["POST"]],
		["GET", "/v1/auth/token", ["POST"]],
		["GET", "/v1/webhooks/x/recover", ["POST"]],
		["POST", "/livez", ["GET"]],
		["POST", "/v1/authority/registry/status", ["GET"]],
		["POST", "/v1/authority/document/101000011", ["GET"]],
		["TRACE", "/v1/invoices", ["POST", "GET"]],
		["OPTIONS", "/v1/invoices", ["POST", "GET"]],
	])("%s %s gets the allowed methods", async (method, path, allowed) => {
		const answer = await raw(method, path);
		// What can be read can also be asked for its head.
		const found = answer.headers
			.get("allow")
			?.split(", ")
			.filter((one) => one !== "HEAD");
		expect(new Set(found)).toEqual(new Set(allowed));
		await expectProblem(answer, 405, "method-not-allowed");
	});

	test("is refused before credentials", async () => {
		await expectProblem(await raw("DELETE", "/v1/invoices", {}), 405, "method-not-allowed");
	});

	test("does not depend on what exists", async () => {
		const { docId } = await documentOf("accepted");
		for (const id of [docId, "x"]) {
			await expectProblem(await raw("DELETE", `/v1/invoices/${id}`), 405, "method-not-allowed");
		}
	});
});

describe("the colon", () => {
	test("only `:search` searches", async () => {
		const query = "?q=ferreteria&field=name";
		for (const name of [
			"documentXYZ",
			"documentsearch",
			"document:",
			"document:searc",
			"document:searchx",
			"document:Search",
			"xdocument:search",
			"document%3asearchx",
		]) {
			await expectProblem(await raw("GET", `/v1/authority/${name}${query}`), 404, "not-found");
		}
	});

	test("%3A is a colon", async () => {
		const query = "?q=ferreteria&field=name&limit=3";
		const plain = await (await get(service, `/v1/authority/document:search${query}`, tenant.headers)).text();
		for (const name of ["document%3Asearch", "document%3asearch", "%64ocument:search"]) {
			const answer = await raw("GET", `/v1/authority/${name}${query}`);
			expect([answer.status, await answer.text()]).toEqual([200, plain]);
		}
	});

	test("a look-up of `:search` or of `x:purge` is a number of a wrong form", async () => {
		for (const number of [":search", "131880681:purge", "131880681:search"]) {
			await expectProblem(
				get(service, `/v1/authority/document/${number}`, tenant.headers),
				400,
				"invalid-document-format",
			);
		}
	});
});

test("an address of more than 8 KiB", async () => {
	const long = `/v1/invoices?client_request_id=${"x".repeat(9_000)}`;
	const problem = await expectProblem(get(service, long, tenant.headers), 413, "payload-too-large");
	expect(problem.limitBytes).toBe(8_192);
	await expectProblem(get(service, `/${"x".repeat(9_000)}`), 413, "payload-too-large");
});

test("slashes in an id are refused and quotes are harmless", async () => {
	for (const id of [
		"a%2Fb",
		"'%3B--",
		"%22%3E%3Cscript%3E",
		"%00",
		"%0d%0aX-Evil:1",
		"a%20b",
		"🙂",
		"constructor",
		"__proto__",
	]) {
		const answer = await raw("GET", `/v1/invoices/${id}/status`);
		expect(answer.headers.get("x-evil")).toBeNull();
		await expectProblem(answer, 404, "not-found");
	}
});

describe("Accept", () => {
	test("an unacceptable media type is refused after the guard", async () => {
		for (const accept of ["text/html", "image/*", "application/xml", "application/json;q=0"]) {
			await expectProblem(get(service, "/v1/invoices?limit=1", { ...tenant.headers, accept }), 406, "not-acceptable");
			const anonymous = await get(service, "/v1/invoices?limit=1", { accept });
			// A browser without a credential is shown a page.
			if (accept === "text/html") expect(anonymous.status).toBe(401);
			else await expectProblem(anonymous, 401, "unauthorised");
		}
	});

	test("acceptable media types are answered", async () => {
		for (const accept of [
			"*/*",
			"application/json",
			"application/*",
			"text/html, */*;q=0.1",
			"application/problem+json",
			"",
		]) {
			expect((await get(service, "/v1/invoices?limit=1", { ...tenant.headers, accept })).status).toBe(200);
		}
	});
});

test("no answer reveals its software, and other origins get no permission", async () => {
	for (const answer of [
		await get(service, "/livez", { origin: "https://evil.example" }),
		await post(service, "/nothing", {}, {}),
	]) {
		for (const name of ["server", "x-powered-by", "access-control-allow-origin", "set-cookie"]) {
			expect(answer.headers.get(name)).toBeNull();
		}
	}
});

test("a request id that is not of the form is replaced, never repeated", async () => {
	for (const sent of ["short", "x".repeat(65), "with space in it", "<script>alert(1)</script>"]) {
		const id = (await get(service, "/livez", { "x-request-id": sent })).headers.get("x-request-id") ?? "";
		expect(id).toMatch(/^[0-9a-f-]{36}$/);
	}
});
