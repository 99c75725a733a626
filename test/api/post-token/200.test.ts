/** Tokens as they are given: by JSON, form and HTTP Basic, for a client and for a refresh token. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, get, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { makeKey } from "../support/api-keys";
import { tenantA, uuid } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

type Answer = { access_token: string; refresh_token: string; scope: string; expires_in: number };
const ask = async (body: Record<string, unknown> | string, headers: Record<string, string> = {}) => {
	const answer = await post(service, "/v1/auth/token", headers, body);
	expect(answer.status).toBe(200);
	return (await answer.json()) as Answer;
};
const client = () => ({
	grant_type: "client_credentials",
	client_id: tenant.clientId,
	client_secret: tenant.clientSecret,
});
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
const basic = (id: string, secret: string) => ({
	authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
});

test("client credentials: the answer, the claims, and nothing for caches", async () => {
	const answer = await post(service, "/v1/auth/token", {}, client());
	expect(answer.headers.get("cache-control")).toBe("no-store");
	const body = (await answer.json()) as Answer;
	expect(body).toEqual({
		access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{86}$/),
		...{ token_type: "Bearer", expires_in: 3600, refresh_expires_in: 2_592_000 },
		refresh_token: expect.stringMatching(/^rt_test_[0-9A-Za-z]{43}$/),
		scope: expect.stringContaining("invoices:write"),
		...{ tenant_id: tenant.tenantId, environment: "sandbox" },
	} as never);
	expect(body.scope.split(" ")).not.toContain("admin");
	expect(claimsOf(body.access_token)).toEqual({
		...{ iss: service.url, aud: "ecf-api", sub: tenant.clientId, jti: expect.stringMatching(uuid) },
		...{ iat: expect.any(Number), nbf: expect.any(Number), exp: expect.any(Number) },
		...{ tenant_id: tenant.tenantId, environment: "sandbox", scope: body.scope, plan: "unlimited" },
	});
});

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

test("an owner's key gets a token for another of its companies", async () => {
	const sister = await createTenant(service, { apiKey: tenant.apiKey });
	const key = { "x-api-key": tenant.apiKey };
	const body = { grant_type: EXCHANGE, audience: sister.tenantId, scope: "company:read invoices:read" };
	const answer = await ask(body, key);
	expect(answer).toMatchObject({
		...{ tenant_id: sister.tenantId, scope: body.scope, token_type: "Bearer" },
		issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
	});
	const headers = { ...key, authorization: `Bearer ${answer.access_token}` };
	expect((await get(service, `/v1/company/${sister.tenantId}`, headers)).status).toBe(200);
	expect((await get(service, `/v1/company/${tenant.tenantId}`, headers)).status).toBe(404);
	// The key's scopes limit the token, too.
	const { key: poor } = await makeKey(service, tenant, { scopes: ["company:write", "reports:read"] });
	const form = new URLSearchParams({ grant_type: EXCHANGE, audience: sister.tenantId }).toString();
	const type = { "content-type": "application/x-www-form-urlencoded" };
	expect((await ask(form, { ...type, "x-api-key": poor })).scope).toBe("company:write reports:read");
});

test("the token alone, for a caller that accepts plain text", async () => {
	const answer = await post(service, "/v1/auth/token", { accept: "text/plain" }, client());
	expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain"]);
	expect(claimsOf(await answer.text()).tenant_id).toBe(tenant.tenantId);
	expect((await ask(client(), { accept: "application/json, text/plain, */*" })).expires_in).toBe(3600);
});

test("as a form, and by HTTP Basic", async () => {
	const form = new URLSearchParams(client()).toString();
	const type = { "content-type": "application/x-www-form-urlencoded" };
	expect(claimsOf((await ask(form, type)).access_token).sub).toBe(tenant.clientId);
	const body = "grant_type=client_credentials";
	const { authorization } = basic(tenant.clientId, tenant.clientSecret);
	for (const sent of [authorization, authorization.replace(" ", "   ")]) {
		const headers = { ...type, authorization: sent };
		expect(claimsOf((await ask(body, headers)).access_token).sub).toBe(tenant.clientId);
	}
});

test("fewer scopes and a shorter life than the client has", async () => {
	const { scope, expires_in, access_token } = await ask({ ...client(), scope: "invoices:read", expires_in: 900 });
	expect([scope, expires_in]).toEqual(["invoices:read", 900]);
	const { exp, iat } = claimsOf(access_token);
	expect(exp - iat).toBe(900);
});

test("a refresh token is good once; a second use ends all that descend from it", async () => {
	const first = await ask(client());
	const refresh = (refresh_token: string) =>
		post(service, "/v1/auth/token", {}, { grant_type: "refresh_token", refresh_token });
	const answer = await refresh(first.refresh_token);
	expect(answer.status).toBe(200);
	const second = (await answer.json()) as Answer;
	const statusOf = async (token: string) =>
		(await get(service, "/v1/invoices?limit=1", { "x-api-key": tenant.apiKey, authorization: `Bearer ${token}` }))
			.status;
	expect(await statusOf(second.access_token)).toBe(200);
	expect((await refresh(first.refresh_token)).status).toBe(401);
	expect((await refresh(second.refresh_token)).status).toBe(401);
	expect([await statusOf(first.access_token), await statusOf(second.access_token)]).toEqual([401, 401]);
});

test("the key of the owner may come along", async () => {
	await ask(client(), { "x-api-key": tenant.apiKey });
});

test("the demo client logs in by its name", async () => {
	const body = { grant_type: "client_credentials", client_id: "demo", client_secret: "demo" };
	expect(claimsOf((await ask(body)).access_token).plan).toBe("free");
});

test("its keys are public, and so is what a client needs to know", async () => {
	const { access_token } = await ask(client());
	const jwks = (await (await get(service, "/.well-known/jwks.json")).json()) as { keys: Record<string, string>[] };
	const { kid } = JSON.parse(Buffer.from(access_token.split(".")[0] ?? "", "base64url").toString());
	const key = jwks.keys.find((one) => one.kid === kid);
	expect(key).toEqual({ kty: "OKP", crv: "Ed25519", x: expect.any(String), kid, alg: "EdDSA", use: "sig" } as never);
	const metadata = await (await get(service, "/.well-known/oauth-authorization-server")).json();
	expect(metadata).toMatchObject({
		issuer: service.url,
		token_endpoint: `${service.url}/v1/auth/token`,
		jwks_uri: `${service.url}/.well-known/jwks.json`,
		grant_types_supported: ["client_credentials", "refresh_token", EXCHANGE],
	});
});
