import { afterAll, beforeAll, expect, test } from "bun:test";
import { checkSchema, NEEDS_BOTH } from "../../../src/platform/operation";
import { newId } from "../../../src/platform/values";
import { BASE_URL, envelope, openTestAccess, requestWith, type TestAccess, tokensOf } from "./support/access";

let t: TestAccess;
beforeAll(async () => {
	t = await openTestAccess();
});
afterAll(() => t.close());

const TABLES = [
	"owners",
	"api_keys",
	"oauth_clients",
	"refresh_tokens",
	"revoked_tokens",
	"token_signing_keys",
	"audit",
];

test("no table holds a key, a secret, a token or a private key that could be read", async () => {
	const company = await t.makeCompany();
	const first = await tokensOf(t.access, company);
	const second = await t.send("postToken", { grant_type: "refresh_token", refresh_token: first.refresh });
	await t.access.authenticate(requestWith({ key: company.key.key, bearer: first.access }), NEEDS_BOTH, "");
	await t.send("postRevoke", { token: first.access });
	const [row] = await t.sql<{ kid: string; sealed: Buffer }[]>`
		select kid, sealed_private_key as sealed from token_signing_keys limit 1`;
	if (!row) throw new Error("no signing key");
	const privateKey = envelope.open(row.sealed, `token-key|${row.kid}`);
	const secrets: Buffer[] = [
		company.key.key,
		company.clientSecret,
		first.refresh,
		String(second.body.refresh_token),
		first.access,
		String(second.body.access_token),
	].map((text) => Buffer.from(text));
	// The last 32 bytes of the key's DER form are the key itself.
	secrets.push(privateKey, privateKey.subarray(-32));

	let dump = "";
	for (const table of TABLES) {
		for (const { text } of await t.sql.unsafe<{ text: string }[]>(`select x::text as text from ${table} x`))
			dump += text;
	}
	expect(dump).toContain(company.clientId);
	expect(dump).toContain(company.key.prefix);
	for (const secret of secrets) {
		for (const form of ["latin1", "hex", "base64", "base64url"] as const)
			expect(dump).not.toContain(secret.toString(form));
	}
});

test("a key is shown once, with a new owner unless one is named", async () => {
	const first = await t.access.createKey({ plan: "business", label: "POS backend", environment: "sandbox" });
	expect(first).toMatchObject({ label: "POS backend", plan: "business", environment: "sandbox", expiresAt: null });
	expect(first.key).toStartWith(first.prefix);
	const second = await t.access.createKey({
		plan: "business",
		label: "second",
		environment: "sandbox",
		ownerId: first.ownerId ?? "",
		contactEmails: ["dev@cliente.do"],
	});
	expect(second.ownerId).toBe(first.ownerId);
	const { key: _text, ...shown } = second;
	expect(await t.access.listKeys(first.ownerId ?? "")).toEqual([shown, { ...shown, ...omitKey(first) }]);
	expect((await t.access.listKeys()).length).toBeGreaterThanOrEqual(3);
	expect(await t.access.listKeys(newId())).toEqual([]);
});

function omitKey<T extends { key: string }>({ key: _key, ...rest }: T): Omit<T, "key"> {
	return rest;
}

test("a key of an owner who does not exist is not made", async () => {
	const request = { plan: "free", label: "x", environment: "sandbox", ownerId: newId() } as const;
	await expect(t.access.createKey(request)).rejects.toThrow(`no owner has the id ${request.ownerId}`);
});

test("an allow-list that holds no addresses is refused with what is wrong", async () => {
	const request = { plan: "free", label: "x", environment: "sandbox", ipAllowList: ["10.0.0.0/8", "home"] } as const;
	await expect(t.access.createKey(request)).rejects.toThrow("home");
});

test("a client that its transaction takes back never was", async () => {
	const tenantId = newId();
	const undone = t.sql.begin(async (tx) => {
		await t.access.createClient(tx, { tenantId, ownerId: null, plan: "free", scopes: [], environment: "sandbox" });
		throw new Error("the company could not be made");
	});
	await expect(undone).rejects.toThrow("the company could not be made");
	expect((await t.sql`select 1 from oauth_clients where tenant_id = ${tenantId}`).length).toBe(0);
});

test("client credentials have the promised form", async () => {
	const company = await t.makeCompany();
	expect(company.clientId).toMatch(/^cli_[0-9a-f]{32}$/);
	expect(company.clientSecret).toMatch(/^cs_test_[0-9A-Za-z]{32}$/);
});

test("sweeping removes what has been of no use for a day and nothing else", async () => {
	const own = await openTestAccess();
	try {
		const company = await own.makeCompany();
		const { access: old } = await tokensOf(own.access, company);
		await own.send("postRevoke", { token: old });
		expect(await own.access.sweep()).toBe(0);
		own.clock.advance(2 * 24 * 3600);
		expect(await own.access.sweep()).toBe(1);
		const { refresh } = await tokensOf(own.access, company);
		own.clock.advance(29.5 * 24 * 3600);
		expect(await own.access.sweep()).toBe(1);
		expect((await own.send("postToken", { grant_type: "refresh_token", refresh_token: refresh })).status).toBe(200);
	} finally {
		await own.close();
	}
});

test("the metadata names the endpoints and the scopes", async () => {
	const { body, headers } = await t.send("getOauthMetadata", undefined);
	expect(body).toMatchObject({
		issuer: BASE_URL,
		token_endpoint: `${BASE_URL}/v1/auth/token`,
		revocation_endpoint: `${BASE_URL}/v1/auth/revoke`,
		jwks_uri: `${BASE_URL}/.well-known/jwks.json`,
		grant_types_supported: [
			...["client_credentials", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange"],
		],
	});
	expect(headers.get("cache-control")).toContain("max-age=300");
});

test("every operation's examples and answers fit its own schemas", async () => {
	const company = await t.makeCompany();
	const tokens = await tokensOf(t.access, company);
	const answers: Record<string, unknown> = {
		postToken: tokens.body,
		postRevoke: {},
		getJwks: (await t.send("getJwks", undefined)).body,
		getOauthMetadata: (await t.send("getOauthMetadata", undefined)).body,
	};
	expect(t.access.operations.map((o) => o.id)).toEqual(Object.keys(answers));
	for (const operation of t.access.operations) {
		if (operation.body) expect(checkSchema(operation.body.schema, operation.body.example)).toEqual([]);
		const answer = operation.answers[200];
		if (!answer?.schema) throw new Error(`${operation.id} has no schema for its answer`);
		expect(checkSchema(answer.schema, answer.example)).toEqual([]);
		expect(checkSchema(answer.schema, answers[operation.id])).toEqual([]);
	}
});
