import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { NEEDS_BEARER, NEEDS_KEY, type Principal } from "../../../src/platform/operation";
import {
	type Answered,
	type Company,
	openTestAccess,
	problemOf,
	requestWith,
	type SendOptions,
	type TestAccess,
	tokensOf,
} from "./support/access";

let t: TestAccess;
let company: Company;
beforeAll(async () => {
	t = await openTestAccess();
	company = await t.makeCompany();
});
afterAll(() => t.close());

const token = (body: unknown, options: SendOptions = {}) => t.send("postToken", body, options);
const credentials = () => ({
	grant_type: "client_credentials",
	client_id: company.clientId,
	client_secret: company.clientSecret,
});
const refresh = (refresh_token: string, more: Record<string, unknown> = {}) =>
	token({ grant_type: "refresh_token", refresh_token, ...more });
const basic = (id: string, secret: string) => ({
	authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`,
});
const form = (members: Record<string, string>) => new URLSearchParams(members).toString();

async function authenticates(bearer: string): Promise<boolean> {
	try {
		return (await t.access.authenticate(requestWith({ bearer }), NEEDS_BEARER, "")) !== undefined;
	} catch {
		return false;
	}
}

function expectProblem(answer: Answered, status: number, slug: string, error: string): void {
	expect(answer.body).toMatchObject({ status, error });
	expect(String(answer.body.type)).toEndWith(`/errors/${slug}`);
	expect(answer.status).toBe(status);
	expect(answer.headers.get("cache-control")).toBe("no-store");
	expect(String(answer.body.error_description)).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
}

describe("client credentials", () => {
	test("give an access token and a refresh token with all scopes of the client", async () => {
		const answer = await token(credentials());
		expect(answer.status).toBe(200);
		expect(answer.headers.get("cache-control")).toBe("no-store");
		expect(answer.body).toEqual({
			access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
			token_type: "Bearer",
			expires_in: 3_600,
			refresh_token: expect.stringMatching(/^rt_test_[0-9A-Za-z]{43}$/),
			refresh_expires_in: 2_592_000,
			scope: company.key.scopes.join(" "),
			tenant_id: company.tenantId,
			environment: "sandbox",
		});
	});

	test("are read from a JSON body, a form body and HTTP Basic alike", async () => {
		const grant = form({ grant_type: "client_credentials" });
		const ways: [unknown, SendOptions][] = [
			[credentials(), {}],
			[form(credentials()), { form: true }],
			[{ grant_type: "client_credentials" }, { headers: basic(company.clientId, company.clientSecret) }],
			[grant, { form: true, headers: basic(company.clientId, company.clientSecret) }],
			[
				`${grant}&client_id=${company.clientId}`,
				{ form: true, headers: basic(company.clientId, company.clientSecret) },
			],
			[
				grant,
				{
					headers: {
						"content-type": "application/x-www-form-urlencoded; charset=UTF-8",
						...basic(company.clientId, company.clientSecret),
					},
				},
			],
		];
		for (const [body, options] of ways)
			expect((await token(body, options)).body).toMatchObject({ tenant_id: company.tenantId });
	});

	test("are narrowed to the scopes that are asked for, in their order", async () => {
		const answer = await token({ ...credentials(), scope: "invoices:read invoices:write invoices:read" });
		expect(answer.body.scope).toBe("invoices:read invoices:write");
		const principal = await t.access.authenticate(
			requestWith({ bearer: String(answer.body.access_token) }),
			NEEDS_BEARER,
			"",
		);
		expect(principal?.scopes).toEqual(new Set(["invoices:read", "invoices:write"]));
		for (const scope of ["", "  "]) {
			expectProblem(await token({ ...credentials(), scope }), 400, "invalid-scope", "invalid_scope");
		}
	});

	test("give no scope that is unknown or that the client lacks", async () => {
		for (const scope of ["admin", "registry:purge", "invoices:read everything", "invoices"]) {
			expectProblem(await token({ ...credentials(), scope }), 400, "invalid-scope", "invalid_scope");
		}
	});

	test("give a shorter life when asked, and never a longer one", async () => {
		const short = await token({ ...credentials(), expires_in: 900 });
		expect(short.body.expires_in).toBe(900);
		const inForm = await token(form({ ...credentials(), expires_in: "60" }), { form: true });
		expect(inForm.body.expires_in).toBe(60);
		for (const expires_in of [3_601, 0, -1, 1.5, "900", null]) {
			expectProblem(await token({ ...credentials(), expires_in }), 400, "validation-error", "invalid_request");
		}
		for (const expires_in of ["3601", "0x10", "1e2", "-5", "900 "]) {
			const answer = await token(form({ ...credentials(), expires_in }), { form: true });
			expectProblem(answer, 400, "validation-error", "invalid_request");
		}
	});

	test("that are wrong all get the same answer", async () => {
		const wrong = await token({ ...credentials(), client_secret: `${company.clientSecret}x` });
		const unknown = await token({ ...credentials(), client_id: `cli_${"0".repeat(32)}` });
		const other = await token({ ...credentials(), client_secret: (await t.makeCompany()).clientSecret });
		for (const answer of [wrong, unknown, other]) {
			expectProblem(answer, 401, "unauthorised", "invalid_client");
			expect(answer.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
			expect(answer.body).toEqual(wrong.body);
		}
	});

	test("that are wrong in HTTP Basic are answered with its challenge", async () => {
		const headers: Record<string, string>[] = [
			basic(company.clientId, "wrong"),
			{ authorization: "Basic" },
			{ authorization: "Basic !!!" },
			{ authorization: `Basic ${Buffer.from("no separator").toString("base64")}` },
			{ authorization: `Basic ${Buffer.from("bad%zz:escape").toString("base64")}` },
			{ authorization: `${basic(company.clientId, company.clientSecret).authorization}, Basic AAAA` },
		];
		for (const h of headers) {
			const answer = await token({ grant_type: "client_credentials" }, { headers: h });
			expectProblem(answer, 401, "unauthorised", "invalid_client");
			expect(answer.headers.get("www-authenticate")).toStartWith("Basic ");
		}
	});

	test("sent in two ways are refused", async () => {
		const headers = basic(company.clientId, company.clientSecret);
		expectProblem(await token(credentials(), { headers }), 400, "validation-error", "invalid_request");
		const other = { grant_type: "client_credentials", client_id: "demo" };
		expectProblem(await token(other, { headers }), 400, "validation-error", "invalid_request");
	});

	test("that are missing are named, all at once", async () => {
		const answer = await token({ grant_type: "client_credentials" });
		expectProblem(answer, 400, "validation-error", "invalid_request");
		expect((answer.body.errors as { pointer: string }[]).map((e) => e.pointer)).toEqual([
			"/client_id",
			"/client_secret",
		]);
		const half = await token({ grant_type: "client_credentials", client_secret: "x" });
		expect((half.body.errors as { pointer: string }[]).map((e) => e.pointer)).toEqual(["/client_id"]);
	});

	test("end with their client", async () => {
		const ended = await t.makeCompany();
		const body = { grant_type: "client_credentials", client_id: ended.clientId, client_secret: ended.clientSecret };
		const { refresh: refreshToken, access } = await tokensOf(t.access, ended);
		const endsAt = new Date(t.clock.now().getTime() + 10_000);
		await t.sql.begin((tx) => t.access.retireClients(tx, ended.tenantId, endsAt));
		expect((await token(body)).status).toBe(200);
		t.clock.advance(10);
		expectProblem(await token(body), 401, "unauthorised", "invalid_client");
		expectProblem(await refresh(refreshToken), 401, "unauthorised", "invalid_grant");
		expect(await authenticates(access)).toBe(false);
	});

	test("of another environment do not count, even on the same database", async () => {
		const { access } = await t.openAnother("production");
		const operation = access.operations.find((o) => o.id === "postToken");
		if (!operation) throw new Error("no operation");
		const request = new Request("http://localhost/v1/auth/token", {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify(credentials()),
		});
		const url = new URL(request.url);
		const handled = async () =>
			operation.handle({ request, url, requestId: "test", remoteAddress: "", params: {}, operation });
		expect((await problemOf(handled())).slug).toBe("unauthorised");
	});
});

describe("a request to the token endpoint", () => {
	test("of another grant gets its own error", async () => {
		for (const grant_type of ["password", "authorization_code", "", "CLIENT_CREDENTIALS"]) {
			expectProblem(await token({ grant_type }), 400, "unsupported-grant-type", "unsupported_grant_type");
		}
	});

	test("that is malformed is answered with the members of OAuth", async () => {
		const json: [unknown, string][] = [
			["{", "malformed-json"],
			["", "malformed-json"],
			['{"grant_type":"client_credentials","grant_type":"refresh_token"}', "malformed-json"],
			["[]", "validation-error"],
			["{}", "validation-error"],
			[{ grant_type: 1 }, "validation-error"],
			[{ ...credentials(), client_secret: { $ne: "" } }, "validation-error"],
			[{ ...credentials(), client_id: "a\u0000b" }, "validation-error"],
			[{ ...credentials(), scope: ["invoices:read"] }, "validation-error"],
		];
		for (const [body, slug] of json) expectProblem(await token(body), 400, slug, "invalid_request");
		const text = await token("x", { headers: { "content-type": "text/plain" } });
		expectProblem(text, 415, "unsupported-media-type", "invalid_request");
		const long = await token({ ...credentials(), padding: "x".repeat(300_000) });
		expectProblem(long, 413, "payload-too-large", "invalid_request");
	});

	test("ignores members that it does not know, and empty members of a form", async () => {
		expect((await token({ ...credentials(), audience: "x" })).status).toBe(200);
		const body = form({ ...credentials(), scope: "", expires_in: "", resource: "x", __proto__: "x", constructor: "x" });
		expect((await token(body, { form: true })).status).toBe(200);
	});

	test("with a member twice in its form is refused", async () => {
		const answer = await token(`${form(credentials())}&client_id=demo`, { form: true });
		expectProblem(answer, 400, "validation-error", "invalid_request");
		expect(answer.body.errors).toMatchObject([{ pointer: "/client_id", code: "repeated" }]);
	});

	test("takes a key of the client's owner along and refuses another's", async () => {
		const principalOf = async (key: string) =>
			(await t.access.authenticate(requestWith({ key }), NEEDS_KEY, "")) as Principal;
		const own = await principalOf(company.key.key);
		const other = await principalOf((await t.makeCompany()).key.key);
		expect((await token(credentials(), { principal: own })).status).toBe(200);
		const refused = await token(credentials(), { principal: other });
		expectProblem(refused, 401, "unauthorised", "invalid_client");
		expect(refused.body.detail).toContain("Mismatch");
		const { refresh: refresh_token } = await tokensOf(t.access, company);
		const body = { grant_type: "refresh_token", refresh_token };
		expectProblem(await token(body, { principal: other }), 401, "unauthorised", "invalid_client");
		expect((await token(body, { principal: own })).status).toBe(200);
	});
});

describe("a refresh token", () => {
	test("gives new tokens of the same scope, and itself ends", async () => {
		const first = await tokensOf(t.access, company, { scope: "invoices:read invoices:write" });
		const second = await refresh(first.refresh);
		expect(second.status).toBe(200);
		expect(second.headers.get("cache-control")).toBe("no-store");
		expect(second.body).toMatchObject({
			scope: "invoices:read invoices:write",
			tenant_id: company.tenantId,
			expires_in: 3_600,
		});
		expect(second.body.refresh_token).not.toBe(first.refresh);
		expect(await authenticates(first.access)).toBe(true);
		expect(await authenticates(String(second.body.access_token))).toBe(true);
	});

	test("used twice ends its whole family", async () => {
		const first = await tokensOf(t.access, company);
		const second = await refresh(first.refresh);
		const third = await refresh(String(second.body.refresh_token));
		expect(third.status).toBe(200);
		const reuse = await refresh(first.refresh);
		expectProblem(reuse, 401, "unauthorised", "invalid_grant");
		expect(reuse.body.detail).toContain("used before");
		expectProblem(await refresh(String(third.body.refresh_token)), 401, "unauthorised", "invalid_grant");
		for (const bearer of [first.access, second.body.access_token, third.body.access_token]) {
			expect(await authenticates(String(bearer))).toBe(false);
		}
	});

	test("of one family does not end with another", async () => {
		const [one, two] = [await tokensOf(t.access, company), await tokensOf(t.access, company)];
		await refresh(one.refresh);
		await refresh(one.refresh);
		expect((await refresh(two.refresh)).status).toBe(200);
		expect(await authenticates(two.access)).toBe(true);
	});

	test("used by twenty at once serves exactly one of them", async () => {
		for (let round = 0; round < 3; round++) {
			const { refresh: text } = await tokensOf(t.access, company);
			const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(text)));
			const given = answers.filter((answer) => answer.status === 200);
			expect(given.length).toBe(1);
			for (const answer of answers)
				if (answer.status !== 200) expectProblem(answer, 401, "unauthorised", "invalid_grant");
			// The others were second uses, so this family has ended.
			expect((await refresh(String(given[0]?.body.refresh_token))).status).toBe(401);
			expect(await authenticates(String(given[0]?.body.access_token))).toBe(false);
		}
	});

	test("leaves no valid descendant when it is reused during its refresh", async () => {
		for (let round = 0; round < 15; round++) {
			const first = await tokensOf(t.access, company);
			const second = await refresh(first.refresh);
			const [, third] = await Promise.all([refresh(first.refresh), refresh(String(second.body.refresh_token))]);
			if (third.status === 200) expect(await authenticates(String(third.body.access_token))).toBe(false);
		}
		const living = await t.sql`
			select 1 from refresh_tokens a
			where used_at is null and revoked_at is null
				and exists (select 1 from refresh_tokens b where b.family = a.family and b.revoked_at is not null)`;
		expect(living.length).toBe(0);
	});

	test("can be narrowed for one access token without losing scope for the next", async () => {
		const first = await tokensOf(t.access, company, { scope: "invoices:read invoices:write" });
		const narrow = await refresh(first.refresh, { scope: "invoices:read", expires_in: 300 });
		expect(narrow.body).toMatchObject({ scope: "invoices:read", expires_in: 300 });
		const wide = await refresh(String(narrow.body.refresh_token));
		expect(wide.body.scope).toBe("invoices:read invoices:write");
	});

	test("asked for more than it was given refuses and stays good", async () => {
		const { refresh: text } = await tokensOf(t.access, company, { scope: "invoices:read" });
		expectProblem(await refresh(text, { scope: "invoices:write" }), 400, "invalid-scope", "invalid_scope");
		expect((await refresh(text)).status).toBe(200);
	});

	test("is good for thirty days and no longer", async () => {
		const own = await openTestAccess();
		try {
			const owner = await own.makeCompany();
			const [one, two] = [await tokensOf(own.access, owner), await tokensOf(own.access, owner)];
			const use = (refresh_token: string) => own.send("postToken", { grant_type: "refresh_token", refresh_token });
			own.clock.advance(30 * 24 * 3600 - 1);
			expect((await use(one.refresh)).status).toBe(200);
			own.clock.advance(1);
			expectProblem(await use(two.refresh), 401, "unauthorised", "invalid_grant");
		} finally {
			await own.close();
		}
	});

	test("issued by a fast clock is valid for at most thirty days", async () => {
		const own = await openTestAccess();
		try {
			const owner = await own.makeCompany();
			own.clock.advance(365 * 24 * 3600);
			const { refresh: refresh_token } = await tokensOf(own.access, owner);
			own.clock.advance(-365 * 24 * 3600);
			const answer = await own.send("postToken", { grant_type: "refresh_token", refresh_token });
			expectProblem(answer, 401, "unauthorised", "invalid_grant");
		} finally {
			await own.close();
		}
	});

	test("is bound to its client when one proves itself", async () => {
		const { refresh: text } = await tokensOf(t.access, company);
		const other = await t.makeCompany();
		const body = { grant_type: "refresh_token", refresh_token: text };
		const foreign = await token(body, { headers: basic(other.clientId, other.clientSecret) });
		expectProblem(foreign, 401, "unauthorised", "invalid_grant");
		const wrong = await token({ ...body, client_id: company.clientId, client_secret: "wrong" });
		expectProblem(wrong, 401, "unauthorised", "invalid_client");
		expect((await token(body, { headers: basic(company.clientId, company.clientSecret) })).status).toBe(200);
	});

	test("that never existed is refused like one that ended", async () => {
		for (const text of [`rt_test_${"A".repeat(43)}`, "rt_live_x", "nonsense"]) {
			expectProblem(await refresh(text), 401, "unauthorised", "invalid_grant");
		}
		const answer = await token({ grant_type: "refresh_token" });
		expect(answer.body.errors).toMatchObject([{ pointer: "/refresh_token", code: "required" }]);
	});
});

describe("revocation", () => {
	const revoke = (body: unknown, options: SendOptions = {}) => t.send("postRevoke", body, options);

	test("of an access token ends it alone", async () => {
		const tokens = await tokensOf(t.access, company);
		const answer = await revoke(form({ token: tokens.access, token_type_hint: "access_token" }), { form: true });
		expect(answer.status).toBe(200);
		expect(await authenticates(tokens.access)).toBe(false);
		expect((await refresh(tokens.refresh)).status).toBe(200);
	});

	test("of a refresh token ends its family and the access tokens of it", async () => {
		const first = await tokensOf(t.access, company);
		const second = await refresh(first.refresh);
		expect(await authenticates(first.access)).toBe(true);
		const answer = await revoke({ token: second.body.refresh_token, token_type_hint: "access_token" });
		expect(answer.status).toBe(200);
		expect(await authenticates(first.access)).toBe(false);
		expect(await authenticates(String(second.body.access_token))).toBe(false);
		expect((await refresh(String(second.body.refresh_token))).status).toBe(401);
	});

	test.each([
		["ahead", 2 * 3600],
		["behind", -2 * 3600],
	])("counts although the clock was %s when it was asked for", async (_, seconds) => {
		const own = await openTestAccess();
		try {
			const owner = await own.makeCompany();
			const [one, two] = [await tokensOf(own.access, owner), await tokensOf(own.access, owner)];
			own.clock.advance(seconds);
			for (const token of [one.access, two.refresh]) await own.send("postRevoke", { token });
			own.clock.advance(-seconds);
			for (const { access: bearer } of [one, two]) {
				const asked = own.access.authenticate(requestWith({ bearer }), NEEDS_BEARER, "");
				expect((await problemOf(asked)).slug).toBe("unauthorised");
			}
		} finally {
			await own.close();
		}
	});

	test("of an access token that is over writes nothing", async () => {
		const tokens = await tokensOf(t.access, company);
		const [, payload = ""] = tokens.access.split(".");
		const { jti } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { jti: string };
		await t.sql`update refresh_tokens set access_expires_at = now() - interval '6 minutes' where access_jti = ${jti}`;
		await revoke({ token: tokens.refresh });
		expect(await t.sql`select 1 from revoked_tokens where jti = ${jti}`).toHaveLength(0);
	});

	test("of anything that is no token of ours is answered in the same way", async () => {
		const tokens = await tokensOf(t.access, company);
		await revoke({ token: tokens.access });
		for (const text of [tokens.access, "nonsense", `rt_test_${"A".repeat(43)}`, `${tokens.access}x`, "a.b.c"]) {
			const answer = await revoke({ token: text });
			expect(answer.status).toBe(200);
			expect(answer.body).toEqual({});
		}
	});

	test("fails for an unauthenticated client, does nothing for another client", async () => {
		const tokens = await tokensOf(t.access, company);
		const wrong = await revoke({ token: tokens.refresh }, { headers: basic(company.clientId, "wrong") });
		expectProblem(wrong, 401, "unauthorised", "invalid_client");
		const other = await t.makeCompany();
		for (const text of [tokens.access, tokens.refresh]) {
			const answer = await revoke({ token: text }, { headers: basic(other.clientId, other.clientSecret) });
			expect(answer.status).toBe(200);
		}
		expect(await authenticates(tokens.access)).toBe(true);
		const own = await revoke({ token: tokens.access }, { headers: basic(company.clientId, company.clientSecret) });
		expect(own.status).toBe(200);
		expect(await authenticates(tokens.access)).toBe(false);
	});

	test("without a token is a fault", async () => {
		expectProblem(await revoke({}), 400, "validation-error", "invalid_request");
	});
});

describe("the audit", () => {
	const entriesOf = (tenantId: string) =>
		t.sql<{ action: string; subject: string; ownerId: string; details: object }[]>`
			select action, subject, owner_id as "ownerId", details from audit
			where tenant_id = ${tenantId} and action like 'token.%' order by id`;

	test("records one entry for an ended token and for a reused refresh token", async () => {
		const own = await t.makeCompany();
		const by = { ownerId: own.key.ownerId ?? "", details: { clientId: own.clientId } };
		const first = await tokensOf(t.access, own);
		for (let i = 0; i < 2; i++) await t.send("postRevoke", { token: first.access });
		for (let i = 0; i < 2; i++) await t.send("postRevoke", { token: first.refresh });
		const second = await tokensOf(t.access, own);
		for (let i = 0; i < 4; i++) await refresh(second.refresh);
		const entries = await entriesOf(own.tenantId);
		expect(entries.map(({ action }) => action)).toEqual(["token.revoke", "token.revoke", "token.reuse"]);
		for (const entry of entries) expect(entry).toMatchObject(by);
		expect(JSON.stringify(entries)).not.toContain(first.refresh);
	});

	test("holds nothing of tokens that are none", async () => {
		const before = await t.sql`select 1 from audit where action = 'token.revoke'`;
		for (const text of ["x", `rt_test_${"0".repeat(43)}`]) await t.send("postRevoke", { token: text });
		const after = await t.sql`select 1 from audit where action = 'token.revoke'`;
		expect(after.length).toBe(before.length);
	});
});
