import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { CompactEncrypt, exportJWK, importJWK, jwtVerify } from "jose";
import { openSigningKeys, type SigningKeys } from "../../../src/identity/auth/signing-keys";
import { type AccessTokenClaims, createTokens } from "../../../src/identity/auth/token";
import { NEEDS_BEARER } from "../../../src/platform/operation";
import { newId } from "../../../src/platform/values";
import {
	BASE_URL,
	type Company,
	envelope,
	log,
	openTestAccess,
	problemOf,
	requestWith,
	type TestAccess,
	tokensOf,
} from "./support/access";

let t: TestAccess;
let company: Company;
let keys: SigningKeys;
let genuine: string;
let claims: AccessTokenClaims;
let kid: string;

beforeAll(async () => {
	t = await openTestAccess();
	company = await t.makeCompany();
	keys = await openSigningKeys({ sql: t.sql, envelope, clock: t.clock, log, onChanged: () => undefined });
	genuine = (await tokensOf(t.access, company)).access;
	claims = JSON.parse(Buffer.from(partsOf(genuine)[1], "base64url").toString());
	kid = keys.signer().kid;
});
afterAll(() => t.close());

const encode = (text: string | Uint8Array) => Buffer.from(text).toString("base64url");

function partsOf(token: string): [string, string, string] {
	const [header = "", payload = "", signature = ""] = token.split(".");
	return [header, payload, signature];
}

/** A token of any header and payload text, signed with any key; ours by default. */
function forge(header: string, payload: string, key: KeyObject = keys.signer().privateKey): string {
	const input = `${encode(header)}.${encode(payload)}`;
	return `${input}.${encode(sign(null, Buffer.from(input), key))}`;
}

const goodHeader = () => JSON.stringify({ alg: "EdDSA", kid, typ: "at+jwt" });
const headerWith = (more: Record<string, unknown>) =>
	forge(JSON.stringify({ alg: "EdDSA", kid, typ: "at+jwt", ...more }), JSON.stringify(claims));
/** A genuine signature over changed claims; undefined leaves a claim out. */
const claimsWith = (more: Record<string, unknown>) =>
	forge(goodHeader(), JSON.stringify({ ...claims, jti: newId(), ...more }));
const unsigned = (alg: string) => `${encode(JSON.stringify({ alg, kid, typ: "at+jwt" }))}.${partsOf(genuine)[1]}.`;

function hmac(secret: string | Uint8Array): string {
	const input = `${encode(JSON.stringify({ alg: "HS256", kid, typ: "at+jwt" }))}.${partsOf(genuine)[1]}`;
	return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
}

async function publicPem(): Promise<string> {
	const key = await keys.find(kid);
	if (!key) throw new Error("no public key");
	const der = Buffer.from(await crypto.subtle.exportKey("spki", key));
	return `-----BEGIN PUBLIC KEY-----\n${der.toString("base64")}\n-----END PUBLIC KEY-----\n`;
}

const publicDer = async () => Buffer.from((await publicPem()).split("\n")[1] ?? "", "base64");
const attacker = generateKeyPairSync("ed25519");

/** The 15 characters that decode to the same last byte as the genuine last character of a signature of 64 bytes. */
function respelled(): string[] {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	const last = alphabet.indexOf(genuine.slice(-1));
	const same = Array.from({ length: 16 }, (_, i) => (last & 0b110000) | i).filter((i) => i !== last);
	return same.map((i) => genuine.slice(0, -1) + alphabet.charAt(i));
}

const now = () => Math.floor(t.clock.now().getTime() / 1000);

/** Token texts that must not count, each with the reason. */
const forgeries: [string, () => string | Promise<string>][] = [
	["alg none", () => unsigned("none")],
	["alg None", () => unsigned("None")],
	["alg NONE", () => unsigned("NONE")],
	["HS256 with the public key as PEM", async () => hmac(await publicPem())],
	["HS256 with the public key as PEM without its last newline", async () => hmac((await publicPem()).trim())],
	["HS256 with the public key as DER", async () => hmac(await publicDer())],
	["HS256 with the 32 bytes of the public key", async () => hmac((await publicDer()).subarray(-32))],
	["a missing signature", () => partsOf(genuine).slice(0, 2).join(".")],
	["an empty signature", () => `${partsOf(genuine).slice(0, 2).join(".")}.`],
	["a truncated signature", () => genuine.slice(0, -4)],
	[
		"a truncated payload",
		() =>
			partsOf(genuine)
				.map((p, i) => (i === 1 ? p.slice(0, -4) : p))
				.join("."),
	],
	["padding", () => `${genuine}==`],
	["a fourth part", () => `${genuine}.AAAA`],
	["the signature of another token", () => `${partsOf(claimsWith({})).slice(0, 2).join(".")}.${partsOf(genuine)[2]}`],
	["kid with a path", () => headerWith({ kid: "../../dev/null" })],
	["kid with an SQL quote", () => headerWith({ kid: `${kid}' or '1'='1` })],
	["kid of 10 kB", () => headerWith({ kid: "k".repeat(10_000) })],
	["kid that is a URL", () => headerWith({ kid: "https://attacker.example/jwks.json" })],
	["no kid", () => headerWith({ kid: undefined })],
	["kid that does not exist", () => headerWith({ kid: "2026-01-AAAAAAAA" })],
	["kid that is a number", () => headerWith({ kid: 1 })],
	["the key of a stranger under our kid", () => forge(goodHeader(), JSON.stringify(claims), attacker.privateKey)],
	["jku", () => headerWith({ jku: "https://attacker.example/jwks.json" })],
	["x5u", () => headerWith({ x5u: "https://attacker.example/chain.pem" })],
	[
		"a jwk of its own",
		() =>
			forge(
				JSON.stringify({ alg: "EdDSA", kid, typ: "at+jwt", jwk: attacker.publicKey.export({ format: "jwk" }) }),
				JSON.stringify(claims),
				attacker.privateKey,
			),
	],
	["an unknown crit", () => headerWith({ crit: ["exp"] })],
	["an unencoded payload", () => headerWith({ b64: false, crit: ["b64"] })],
	["another typ", () => headerWith({ typ: "JWT" })],
	["no typ", () => headerWith({ typ: undefined })],
	["alg Ed25519 in place of EdDSA", () => headerWith({ alg: "Ed25519" })],
	["white space in its header", () => forge(`{ "alg":"EdDSA","kid":"${kid}","typ":"at+jwt"}`, JSON.stringify(claims))],
	[
		"a duplicate member in its header",
		() => forge(`{"alg":"none","alg":"EdDSA","kid":"${kid}","typ":"at+jwt"}`, JSON.stringify(claims)),
	],
	["an expiry a second ago", () => claimsWith({ iat: now() - 3_601, nbf: now() - 3_601, exp: now() - 1 })],
	[
		"an expiry a year ago",
		() => claimsWith({ iat: now() - 31_540_000, nbf: now() - 31_540_000, exp: now() - 31_536_400 }),
	],
	["nbf in the future", () => claimsWith({ nbf: now() + 120 })],
	["iat in the future", () => claimsWith({ iat: now() + 120, exp: now() + 600 })],
	["no exp", () => claimsWith({ exp: undefined })],
	["exp as text", () => claimsWith({ exp: String(now() + 600) })],
	["a broken exp", () => claimsWith({ exp: now() + 600.5 })],
	["a huge exp", () => claimsWith({ exp: 1e300 })],
	["a negative exp", () => claimsWith({ exp: -1 })],
	["a life longer than we give", () => claimsWith({ exp: now() + 7_200 })],
	["another aud", () => claimsWith({ aud: "other-api" })],
	["aud as a list", () => claimsWith({ aud: ["ecf-api", "other-api"] })],
	["another iss", () => claimsWith({ iss: "https://attacker.example" })],
	["no iss", () => claimsWith({ iss: undefined })],
	["no sub", () => claimsWith({ sub: undefined })],
	["the sub of no client", () => claimsWith({ sub: `cli_${"0".repeat(32)}` })],
	["no iat", () => claimsWith({ iat: undefined })],
	["no nbf", () => claimsWith({ nbf: undefined })],
	["no aud", () => claimsWith({ aud: undefined })],
	["no plan", () => claimsWith({ plan: undefined })],
	["an unknown plan", () => claimsWith({ plan: "gold" })],
	["a null tenant_id", () => claimsWith({ tenant_id: null })],
	["exp before iat", () => claimsWith({ exp: now() - 1, iat: now() })],
	["exp as null", () => claimsWith({ exp: null })],
	["no jti", () => claimsWith({ jti: undefined })],
	["no scope", () => claimsWith({ scope: undefined })],
	["an unknown claim", () => claimsWith({ admin: true })],
	["no tenant_id", () => claimsWith({ tenant_id: undefined })],
	["tenant_id as a list", () => claimsWith({ tenant_id: [company.tenantId] })],
	["tenant_id as an object", () => claimsWith({ tenant_id: { eq: company.tenantId } })],
	["tenant_id as a number", () => claimsWith({ tenant_id: 1 })],
	["an empty tenant_id", () => claimsWith({ tenant_id: "" })],
	["tenant_id in upper case", () => claimsWith({ tenant_id: company.tenantId.toUpperCase() })],
	["the claim Tenant_Id in its place", () => claimsWith({ tenant_id: undefined, Tenant_Id: company.tenantId })],
	["the tenant_id of another company", () => claimsWith({ tenant_id: newId() })],
	["no environment", () => claimsWith({ environment: undefined })],
	["an unknown environment", () => claimsWith({ environment: "test" })],
	["another environment", () => claimsWith({ environment: "production" })],
	["a duplicate claim", () => forge(goodHeader(), JSON.stringify(claims).replace("{", `{"tenant_id":"${newId()}",`))],
	["a payload that is no JSON", () => forge(goodHeader(), "not json")],
	["a payload that is a list", () => forge(goodHeader(), "[]")],
	[
		"a payload of broken UTF-8",
		() => `${encode(goodHeader())}.${encode(new Uint8Array([0x7b, 0xff, 0x7d]))}.${partsOf(genuine)[2]}`,
	],
	[
		"an encrypted token",
		() =>
			new CompactEncrypt(Buffer.from(genuine))
				.setProtectedHeader({ alg: "dir", enc: "A256GCM" })
				.encrypt(Buffer.alloc(32)),
	],
	["a nested token", () => forge(JSON.stringify({ alg: "EdDSA", kid, typ: "at+jwt", cty: "JWT" }), genuine)],
	["a receipt", () => forge(JSON.stringify({ alg: "EdDSA", kid, typ: "receipt+jws" }), JSON.stringify(claims))],
	["nothing at all", () => ""],
	["three dots", () => "..."],
];

/** Authorization headers that must not count although the token in them is good. */
const headers: [string, () => Headers][] = [
	[
		"two Authorization headers",
		() => {
			const both = new Headers();
			for (let i = 0; i < 2; i++) both.append("authorization", `Bearer ${genuine}`);
			return both;
		},
	],
	["a tab after the scheme", () => new Headers({ authorization: `Bearer\t${genuine}` })],
	["a space within the token", () => new Headers({ authorization: `Bearer ${genuine.replace(".", ". ")}` })],
	["another scheme", () => new Headers({ authorization: `Basic ${genuine}` })],
	["no scheme", () => new Headers({ authorization: genuine })],
	["the scheme alone", () => new Headers({ authorization: "Bearer" })],
	["an empty header", () => new Headers({ authorization: "" })],
	["a header over 8 KiB", () => new Headers({ authorization: `Bearer ${genuine}${"A".repeat(8_192)}` })],
	["another header", () => new Headers({ "x-authorization": `Bearer ${genuine}` })],
];

const authenticate = (request: Request) => t.access.authenticate(request, NEEDS_BEARER, "127.0.0.1");

async function expectRefused(request: Request): Promise<void> {
	const problem = await problemOf(authenticate(request));
	expect(problem.slug).toBe("unauthorised");
	expect(problem.status).toBe(401);
	expect(problem.headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
}

describe("a token does not count", () => {
	for (const [reason, make] of forgeries) {
		test(`with ${reason}`, async () => {
			await expectRefused(requestWith({ bearer: await make() }));
			// What is good stays good beside it, remembered or not.
			expect((await authenticate(requestWith({ bearer: genuine })))?.tenantId).toBe(company.tenantId);
		});
	}
	for (const [reason, make] of headers) {
		test(`in ${reason}`, async () => expectRefused(new Request("http://localhost/v1/anything", { headers: make() })));
	}
	test("in any of the 15 other spellings of its last character", async () => {
		expect(respelled().length).toBe(15);
		for (const bearer of respelled()) await expectRefused(requestWith({ bearer }));
	});
	test("in the query", () => expectRefused(new Request(`http://localhost/v1/anything?access_token=${genuine}`)));
	test("in a deployment of another environment, even on the same database", async () => {
		for (const environment of ["production", "staging", "public-sandbox"] as const) {
			const { access } = await t.openAnother(environment);
			const refusal = problemOf(access.authenticate(requestWith({ bearer: genuine }), NEEDS_BEARER, ""));
			expect((await refusal).slug).toBe("unauthorised");
		}
	});
});

describe("a token counts", () => {
	test("as it was issued, with the scheme in any case, and several spaces behind it", async () => {
		for (const scheme of ["Bearer", "bearer", "BEARER", "Bearer "]) {
			const request = new Request("http://localhost/", { headers: { authorization: `${scheme} ${genuine}` } });
			expect((await authenticate(request))?.tenantId).toBe(company.tenantId);
		}
	});
	test("when rebuilt with our key: the forgeries fail for one reason each", async () => {
		expect((await authenticate(requestWith({ bearer: claimsWith({}) })))?.clientId).toBe(company.clientId);
		expect(headerWith({})).toBe(genuine);
	});
	test("up to a minute before its time, for a clock that is behind", async () => {
		const early = claimsWith({ iat: now() + 50, nbf: now() + 50, exp: now() + 600 });
		expect((await authenticate(requestWith({ bearer: early })))?.tenantId).toBe(company.tenantId);
	});
	test("not before its time, although it is remembered from a clock that was ahead", async () => {
		const fresh = await openTestAccess();
		try {
			const owner = await fresh.makeCompany();
			fresh.clock.advance(3 * 86_400);
			const { access: bearer } = await tokensOf(fresh.access, owner);
			const ask = () => fresh.access.authenticate(requestWith({ bearer }), NEEDS_BEARER, "");
			expect((await ask())?.tenantId).toBe(owner.tenantId);
			fresh.clock.advance(-60);
			expect((await ask())?.tenantId).toBe(owner.tenantId);
			fresh.clock.advance(-3 * 86_400);
			expect((await problemOf(ask())).slug).toBe("unauthorised");
		} finally {
			await fresh.close();
		}
	});
	test("until it expires, although it is remembered", async () => {
		const fresh = await openTestAccess();
		try {
			const owner = await fresh.makeCompany();
			const { access: bearer } = await tokensOf(fresh.access, owner);
			const ask = () => fresh.access.authenticate(requestWith({ bearer }), NEEDS_BEARER, "");
			expect((await ask())?.tenantId).toBe(owner.tenantId);
			fresh.clock.advance(3_599);
			expect((await ask())?.tenantId).toBe(owner.tenantId);
			fresh.clock.advance(1);
			expect((await problemOf(ask())).slug).toBe("unauthorised");
		} finally {
			await fresh.close();
		}
	});
});

test("an access token has exactly the promised claims and verifies with the JWKS", async () => {
	const [published] = keys.publicKeys();
	if (!published) throw new Error("no key is published");
	const { payload, protectedHeader } = await jwtVerify(genuine, await importJWK(published, "EdDSA"), {
		issuer: BASE_URL,
		audience: "ecf-api",
		currentDate: t.clock.now(),
	});
	expect(protectedHeader).toEqual({ alg: "EdDSA", kid, typ: "at+jwt" });
	expect(payload).toEqual({
		iss: BASE_URL,
		aud: "ecf-api",
		sub: company.clientId,
		jti: expect.any(String),
		iat: now(),
		nbf: now(),
		exp: now() + 3_600,
		tenant_id: company.tenantId,
		environment: "sandbox",
		scope: company.key.scopes.join(" "),
		plan: "free",
	});
});

test("a token whose key was withdrawn is not served from memory", async () => {
	const fixed = { ...keys, find: async (id: string) => (withdrawn ? undefined : keys.find(id)) };
	let withdrawn = false;
	const tokens = createTokens({ keys: fixed, clock: t.clock, environment: "sandbox", baseUrl: BASE_URL, log });
	expect((await tokens.read(genuine))?.jti).toBe(claims.jti);
	withdrawn = true;
	tokens.forgetVerified();
	expect(await tokens.read(genuine)).toBeUndefined();
});

test("the published key reveals nothing of the private one", async () => {
	const jwk = await exportJWK((await keys.find(kid)) ?? attacker.publicKey);
	expect(jwk).not.toHaveProperty("d");
	for (const key of keys.publicKeys())
		expect(Object.keys(key).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x"]);
});

test("tokens of another base address are logged once, forged ones are not", async () => {
	const reported: unknown[] = [];
	const elsewhere = "https://elsewhere.example";
	const tokens = createTokens({
		...{ keys, clock: t.clock, environment: "sandbox", baseUrl: elsewhere },
		log: { warn: (about: unknown) => void reported.push(about) },
	});
	const forged = forge(
		goodHeader(),
		JSON.stringify({ ...claims, iss: "https://attacker.example" }),
		attacker.privateKey,
	);
	expect(await tokens.read(forged)).toBeUndefined();
	expect(reported).toEqual([]);
	for (let n = 0; n < 3; n++) expect(await tokens.read(genuine)).toBeUndefined();
	expect(reported).toEqual([{ event: "token.issuer_mismatch", issuer: BASE_URL, expected: elsewhere }]);
});
