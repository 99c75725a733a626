/** What the service asks of an identity provider, and what it does not believe. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIssuer, isShownSince, SsoError } from "../../../src/identity/sso/issuer";

const secretFile = join(mkdtempSync(join(tmpdir(), "sello-issuer-")), "secret");
writeFileSync(secretFile, "secret-of-tests");
const CALLBACK = "http://localhost:3000/v1/session/sso/callback";

const asked: string[] = [];
let answer: (path: string) => Response | Promise<Response> = () => new Response(null, { status: 404 });
const server = Bun.serve({
	...{ port: 0, hostname: "127.0.0.1" },
	fetch: ({ method, url }) => {
		const { pathname } = new URL(url);
		asked.push(`${method} ${pathname}`);
		return answer(pathname);
	},
});
const own = `http://127.0.0.1:${server.port}`;
afterAll(() => server.stop(true));

const issuerAt = (timeoutMs?: number) =>
	createIssuer({
		settings: { issuer: own, clientId: "sello", secretFile, label: "Cliente SRL", isRequired: false },
		environment: "sandbox",
		callbackUrl: CALLBACK,
		...(timeoutMs === undefined ? {} : { timeoutMs }),
	});
const document = (members: Record<string, unknown> = {}) => ({
	...{ issuer: own, authorization_endpoint: `${own}/auth`, token_endpoint: `${own}/token`, jwks_uri: `${own}/jwks` },
	...{ response_types_supported: ["code"], subject_types_supported: ["public"] },
	...{ id_token_signing_alg_values_supported: ["RS256"], ...members },
});
const reasonOf = async (work: Promise<unknown>): Promise<string> => {
	const error = await work.then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	return error instanceof SsoError ? error.reason : `${error}`;
};

test("nothing is asked before the first sign-in, and the provider's document once", async () => {
	answer = () => Response.json(document());
	asked.splice(0);
	const issuer = issuerAt();
	expect(asked).toEqual([]);
	const [first, second] = await Promise.all([issuer.begin(false), issuer.begin(true)]);
	expect(asked).toEqual(["GET /.well-known/openid-configuration"]);
	expect(first.sent).not.toEqual(second.sent);
	const query = Object.fromEntries(first.address.searchParams);
	expect(query).toMatchObject({ response_type: "code", client_id: "sello", redirect_uri: CALLBACK });
	expect(query).toMatchObject({ code_challenge_method: "S256", state: first.sent.state, nonce: first.sent.nonce });
	expect(first.address.href).not.toContain(first.sent.verifier);
	expect(Object.fromEntries(second.address.searchParams)).toMatchObject({ prompt: "login", max_age: "0" });
});

test("a redirect, a page, another's document and an endless answer are not believed", async () => {
	const wrong: readonly (() => Response)[] = [
		() => Response.redirect(`${own}/elsewhere`),
		() => new Response("<h1>Log in</h1>", { headers: { "content-type": "text/html" } }),
		() => Response.json(document({ issuer: "https://attacker.example" })),
		() => Response.json(document({ padding: "x".repeat(300_000) })),
		() => new Response(null, { status: 500 }),
	];
	const issuer = issuerAt();
	for (const one of wrong) {
		answer = one;
		asked.splice(0);
		expect(await reasonOf(issuer.begin(false))).toBe("sso-away");
		expect(asked).toEqual(["GET /.well-known/openid-configuration"]);
	}
	answer = () => Response.json(document());
	expect(await reasonOf(issuer.begin(false))).toBe("undefined");
});

test("a provider that does not answer in time, or not to the end, fails one sign-in", async () => {
	const never: readonly (() => Response | Promise<Response>)[] = [
		() => new Promise<Response>(() => undefined),
		() => new Response(new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode("{")) })),
	];
	const issuer = issuerAt(100);
	for (const one of never) {
		answer = one;
		expect(await reasonOf(issuer.begin(false))).toBe("sso-away");
	}
	answer = () => Response.json(document());
	const { sent } = await issuer.begin(false);
	for (const one of never) {
		answer = one;
		// More than may be exchanged at the same time: none keeps its place.
		const finished = Array.from({ length: 10 }, () => reasonOf(issuer.finish(`?code=c&state=${sent.state}`, sent)));
		expect(new Set(await Promise.all(finished))).toEqual(new Set(["sso-away"]));
	}
});

test("what the document names is reached on the provider's own host or the internet", async () => {
	const inside = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: () => Response.json({ reached: asked.push("inside") }),
	});
	try {
		answer = () => Response.json(document({ token_endpoint: `http://127.0.0.1:${inside.port}/token` }));
		asked.splice(0);
		const issuer = issuerAt();
		const { sent } = await issuer.begin(false);
		expect(await reasonOf(issuer.finish(`?code=c&state=${sent.state}`, sent))).toBe("sso-away");
		expect(asked).not.toContain("inside");
	} finally {
		inside.stop(true);
	}
});

test("a token that another key has signed, and a broken one, are refused", async () => {
	const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
	const issuer = issuerAt();
	answer = () => Response.json(document());
	const { sent } = await issuer.begin(false);
	const now = Math.floor(Date.now() / 1_000);
	const claims = { iss: own, aud: "sello", sub: "ana", nonce: sent.nonce, iat: now, exp: now + 60 };
	const address = { email: "ana@cliente.example", email_verified: true };
	for (const token of [
		`${part({ alg: "RS256" })}.${part({ ...claims, ...address })}.${Buffer.alloc(256).toString("base64url")}`,
		`${part({ alg: "none" })}.${part({ ...claims, ...address })}.`,
		"no token",
	]) {
		answer = (path) =>
			Response.json(path === "/token" ? { access_token: "a", token_type: "Bearer", id_token: token } : { keys: [] });
		expect(await reasonOf(issuer.finish(`?code=c&state=${sent.state}`, sent))).toBe("sso-failed");
	}
});

test("a factor counts from when it was shown, a minute of clock difference allowed", () => {
	const since = new Date("2026-11-27T12:00:00Z");
	const shownAt = (time: string) => ({
		...{ email: "a@b.do", name: undefined },
		authenticatedAt: new Date(`2026-11-27T${time}Z`),
	});
	expect(isShownSince(shownAt("11:59:01"), since)).toBe(true);
	expect(isShownSince(shownAt("11:58:59"), since)).toBe(false);
	expect(isShownSince({ ...shownAt("12:00:00"), authenticatedAt: undefined }, since)).toBe(false);
});
