/** Requests for tokens that are not valid; each problem also speaks OAuth. */
import { beforeAll, expect, test } from "bun:test";
import type { ProblemSlug } from "../../../src/platform/problem";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { makeKey } from "../support/api-keys";
import { expectProblem } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_ID } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

async function refused(body: unknown, slug: ProblemSlug, error: string, headers: Record<string, string> = {}) {
	const problem = await expectProblem(post(service, "/v1/auth/token", headers, body), 400, slug);
	expect(problem.error).toBe(error);
	expect(problem.error_description).toMatch(/^[\x20-\x7e]+$/);
	return problem.errors?.map((fault) => `${fault.pointer} ${fault.code}`);
}
const client = () => ({
	grant_type: "client_credentials",
	client_id: tenant.clientId,
	client_secret: tenant.clientSecret,
});

test("a missing member is named", async () => {
	expect(await refused({}, "validation-error", "invalid_request")).toEqual(["/grant_type required"]);
	const grant_type = "client_credentials";
	expect(await refused({ grant_type }, "validation-error", "invalid_request")).toEqual([
		"/client_id required",
		"/client_secret required",
	]);
	expect(await refused({ grant_type: "refresh_token" }, "validation-error", "invalid_request")).toEqual([
		"/refresh_token required",
	]);
});

test("another grant, by name", async () => {
	for (const grant_type of ["password", "authorization_code", "", "constructor"]) {
		await refused({ ...client(), grant_type }, "unsupported-grant-type", "unsupported_grant_type");
	}
});

test("an unknown scope, and one that this client does not have", async () => {
	for (const scope of ["everything", "admin", "registry:purge", "invoices:read admin"]) {
		await refused({ ...client(), scope }, "invalid-scope", "invalid_scope");
	}
});

test("a life longer than an hour, none, or in words", async () => {
	for (const expires_in of [3_601, 0, -1, 1.5, "900", null]) {
		expect(await refused({ ...client(), expires_in }, "validation-error", "invalid_request")).toHaveLength(1);
	}
});

test("a client that is sent twice", async () => {
	const secret = Buffer.from(`${tenant.clientId}:${tenant.clientSecret}`).toString("base64");
	await refused(client(), "validation-error", "invalid_request", { authorization: `Basic ${secret}` });
	const form = `${new URLSearchParams(client())}&client_id=x`;
	await refused(form, "validation-error", "invalid_request", { "content-type": "application/x-www-form-urlencoded" });
});

test("what is no JSON", async () => {
	await refused("{", "malformed-json", "invalid_request");
	await refused("", "malformed-json", "invalid_request");
});

const FORM = { "content-type": "application/x-www-form-urlencoded" };

test("a form is read up to its thirty-second member, and unknown ones are ignored", async () => {
	const members = (count: number) => Array.from({ length: count }, (_, i): [string, string] => [`m${i}`, ""]);
	const form = (count: number) => `${new URLSearchParams([...members(count), ...Object.entries(client())])}`;
	expect((await post(service, "/v1/auth/token", FORM, form(29))).status).toBe(200);
	expect(await refused(form(32), "validation-error", "invalid_request", FORM)).toEqual(["/grant_type required"]);
	expect(await refused("grant_type=x&".repeat(40), "validation-error", "invalid_request", FORM)).toContain(
		"/grant_type repeated",
	);
});

test.each(["/v1/auth/token", "/v1/auth/revoke"])("%s takes 8 KiB", async (path) => {
	const names = Array.from({ length: 30_000 }, (_, i) => `m${i}=`).join("&");
	for (const [headers, body] of [
		[FORM, names],
		[{}, JSON.stringify({ x: "x".repeat(8_192) })],
	] as const) {
		const problem = await expectProblem(post(service, path, headers, body), 413, "payload-too-large");
		expect([problem.limitBytes, problem.error]).toEqual([8_192, "invalid_request"]);
	}
});

test("an exchange for a company that the key does not open", async () => {
	const grant_type = "urn:ietf:params:oauth:grant-type:token-exchange";
	const sister = await createTenant(service, { apiKey: tenant.apiKey });
	const { key: till } = await makeKey(service, sister, { tenantIds: [sister.tenantId] });
	const closed = await createTenant(service, { apiKey: tenant.apiKey });
	await service.sql`update oauth_clients set expires_at = now() where tenant_id = ${closed.tenantId}`;
	const demo = { "x-api-key": "ak_demo_public0000000000000000" };
	const demoTenant = "00000000-0000-7000-8000-00000000de02";
	for (const [audience, headers] of [
		...[(await tenantB()).tenantId, UNKNOWN_ID, "x", demoTenant, closed.tenantId].map((id) => [id, {}] as const),
		...([
			[tenant.tenantId, { "x-api-key": till }],
			[demoTenant, demo],
		] as const),
	]) {
		const sent = { "x-api-key": tenant.apiKey, ...headers };
		const faults = await refused({ grant_type, audience }, "validation-error", "invalid_target", sent);
		expect(faults).toEqual(["/audience unknown-company"]);
	}
	const key = { "x-api-key": tenant.apiKey };
	expect(await refused({ grant_type }, "validation-error", "invalid_request", key)).toEqual(["/audience required"]);
	const body = { grant_type, audience: sister.tenantId };
	await refused({ ...body, scope: "admin" }, "invalid-scope", "invalid_scope", key);
	await refused({ ...client(), scope: "" }, "invalid-scope", "invalid_scope");
	const { key: reader } = await makeKey(service, tenant, { scopes: ["invoices:read"] });
	const poor = post(service, "/v1/auth/token", { "x-api-key": reader }, body);
	expect(await expectProblem(poor, 403, "insufficient-scope")).toMatchObject({ error: "unauthorized_client" });
	await expectProblem(post(service, "/v1/auth/token", {}, body), 401, "unauthorised");
});
