/** Signing in at an identity provider over real HTTP: whom it lets in, what it confirms, and how it refuses. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEnvelope } from "../../../src/platform/secrets";
import { type IdentityProvider, startIdentityProvider } from "../../support/identity-provider";
import { createTenant, openServiceIn, type Tenant } from "../../support/service";
import { until } from "../../support/until";
import { type Browser, makePerson, openBrowser, ownerOf, signIn } from "../sessions/support/browser";

type Service = Awaited<ReturnType<typeof openServiceIn>>;
let provider: IdentityProvider;
let service: Service;
let tenant: Tenant;
let ownerId: string;
beforeAll(async () => {
	provider = await startIdentityProvider();
	service = await open();
	provider.sendBackTo(callbackOf(service));
	tenant = await createTenant(service);
	ownerId = await ownerOf(service, tenant);
}, 60_000);
afterAll(async () => {
	await service.stop();
	provider.stop();
});

function open(further: Readonly<Record<string, string>> = {}): Promise<Service> {
	const secretFile = join(mkdtempSync(join(tmpdir(), "sello-sso-")), "secret");
	writeFileSync(secretFile, `${provider.clientSecret}\n`);
	return openServiceIn("sandbox", {
		...{ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: provider.clientId, OIDC_CLIENT_SECRET_FILE: secretFile },
		...{ OIDC_LABEL: "Cliente SRL", ...further },
	});
}

const callbackOf = ({ url }: Service) => `${url.replace("127.0.0.1", "localhost")}/v1/session/sso/callback`;

type Cookie = { readonly value: string; readonly isStrict: boolean };

/** A browser that keeps cookies by site, and sends Strict ones to their own site's requests alone. */
function openVisitor(of = service) {
	const jars = new Map<string, Map<string, Cookie>>();
	const browser = openBrowser(of);
	const jarOf = (url: string) => {
		const { origin } = new URL(url);
		const jar = jars.get(origin) ?? new Map<string, Cookie>();
		jars.set(origin, jar);
		return jar;
	};
	/** Opens one address. The console's name leads to the service's address. */
	const open = async (
		url: string,
		isCrossSite: boolean,
	): Promise<{ status: number; location: string; text: string }> => {
		const jar = jarOf(url);
		const sent = [...jar].filter(([, { isStrict }]) => !isStrict || !isCrossSite);
		const answer = await fetch(url.replace("//localhost:", "//127.0.0.1:"), {
			redirect: "manual",
			headers: {
				...{ cookie: sent.map(([name, { value }]) => `${name}=${value}`).join("; "), host: new URL(url).host },
				...{ "sec-fetch-site": isCrossSite ? "cross-site" : "same-origin", "x-forwarded-for": browser.address },
			},
		});
		for (const text of answer.headers.getSetCookie()) {
			const [pair = ""] = text.split(";");
			const [name = "", value = ""] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
			if (value === "") jar.delete(name);
			else jar.set(name, { value, isStrict: /samesite=strict/i.test(text) });
		}
		const location = answer.headers.get("location");
		return {
			...{ status: answer.status, text: await answer.text() },
			location: location === null ? "" : new URL(location, url).href,
		};
	};
	const consoleUrl = of.url.replace("127.0.0.1", "localhost");
	const visitor = {
		cookies: () => jarOf(consoleUrl),
		/** Begins a sign-in; where the service leads. */
		begin: async (query = ""): Promise<string> => (await open(`${consoleUrl}/v1/session/sso${query}`, false)).location,
		/** Follows an address of the provider to its page or back to the service, and makes a choice on the page. */
		choose: async (address: string, choice: "enter" | "cancel" = "enter"): Promise<string> => {
			let url = address;
			while (!url.startsWith(consoleUrl)) {
				const { location, text } = await open(url, false);
				url =
					location === ""
						? new URL(/href="([^"]+)"/.exec(text)?.[1]?.replace("enter", choice) ?? "", url).href
						: location;
			}
			return url;
		},
		/** Comes back from the provider; the page of the console. */
		comeBack: async (url: string): Promise<string> => {
			const { status, location } = await open(url, true);
			expect(status).toBe(303);
			return location.replace(consoleUrl, "");
		},
		/** The whole way. */
		signIn: async (query = "", choice: "enter" | "cancel" = "enter"): Promise<string> =>
			visitor.comeBack(await visitor.choose(await visitor.begin(query), choice)),
		/** Calls an operation with the session's cookie. */
		send: (method: string, path: string, sent: Parameters<Browser["send"]>[2] = {}) => {
			const [name, cookie] = [...visitor.cookies()].find(([one]) => !one.endsWith("-sso")) ?? [];
			browser.cookie = cookie ? `${name}=${cookie.value}` : "";
			return browser.send(method, path, sent);
		},
		/** Takes over the session of a browser. */
		takeSession: ({ cookie }: Browser) => {
			const at = cookie.indexOf("=");
			visitor.cookies().set(cookie.slice(0, at), { value: cookie.slice(at + 1), isStrict: true });
		},
	};
	return visitor;
}

const me = async (visitor: ReturnType<typeof openVisitor>) => {
	const answer = await visitor.send("GET", "/v1/session");
	return answer.ok
		? ((await answer.json()) as { session: { method: string; confirmedUntil: string }; me: Me })
		: undefined;
};
type Me = {
	readonly user: { readonly email: string; readonly name: string };
	readonly memberships: readonly { readonly tenantId: string }[];
};

async function invite(email: string, owner = ownerId): Promise<void> {
	await service.sql`
		insert into user_invitations (id, digest, email, owner_id, role, created_at, expires_at)
		values (gen_random_uuid(), sha256(${Buffer.from(email + owner)}), ${email}, ${owner}, 'viewer', now(), now() + interval '1 day')`;
}

describe("signing in elsewhere", () => {
	test("opens a session for a verified address with an account, on the asked page", async () => {
		const person = await makePerson(service, { ownerId, role: "viewer" });
		provider.person = { email: person.email.toUpperCase(), isVerified: true };
		const visitor = openVisitor();
		const page = `/console/c/${tenant.tenantId}/invoices?status=rejected`;
		expect(await visitor.signIn(`?page=${encodeURIComponent(page)}`)).toBe(page);
		const known = await me(visitor);
		expect(known).toMatchObject({
			session: { method: "sso" },
			me: { user: { email: person.email }, factors: { sso: "Cliente SRL" } },
		});
		expect(known?.me.memberships.map(({ tenantId }) => tenantId)).toContain(tenant.tenantId);
		expect([...visitor.cookies().keys()].filter((name) => name.endsWith("-sso"))).toEqual([]);
	});

	test("makes an account by the invitations that are open for the address", async () => {
		const email = "nueva@cliente.example";
		const other = await createTenant(service);
		await invite(email);
		await invite(email, await ownerOf(service, other));
		provider.person = { email, isVerified: true, name: " Nueva Persona " };
		const visitor = openVisitor();
		expect(await visitor.signIn()).toBe("/console");
		const known = await me(visitor);
		expect(known?.me.user.name).toBe("Nueva Persona");
		expect(known?.me.memberships.map(({ tenantId }) => tenantId).sort()).toEqual(
			[tenant.tenantId, other.tenantId].sort(),
		);
		const actions = await service.sql`
			select action from audit where user_id = (select id from users where email = ${email}) order by id`;
		expect(actions.map(({ action }) => action)).toEqual(["team.accept", "team.accept", "session.create"]);
	});

	test("refuses an address that is not verified, unknown, or of a closed account", async () => {
		const person = await makePerson(service, { ownerId, role: "viewer" });
		provider.person = { email: person.email, isVerified: false };
		const visitor = openVisitor();
		expect(await visitor.signIn()).toBe("/console#sso=email-not-verified");
		provider.person = { email: "stranger@cliente.example", isVerified: true };
		expect(await openVisitor().signIn()).toBe("/console#sso=email-not-invited");
		expect(await service.sql`select 1 from users where email = 'stranger@cliente.example'`).toHaveLength(0);
		await service.sql`update users set disabled_at = now() where id = ${person.userId}`;
		provider.person = { email: person.email, isVerified: true };
		expect(await openVisitor().signIn()).toBe("/console#sso=email-not-invited");
		expect(await me(visitor)).toBeUndefined();
	});

	test("says so when the person cancels", async () => {
		expect(await openVisitor().signIn("?page=/console/account", "cancel")).toBe("/console/account#sso=sso-cancelled");
	});

	test("leads to pages of the console alone", async () => {
		provider.person = await makePerson(service).then(({ email }) => ({ email, isVerified: true }));
		for (const page of ["https://attacker.example", "//attacker.example", "/consolex", "/console\\@attacker.example"])
			expect(await openVisitor().signIn(`?page=${encodeURIComponent(page)}`)).toBe("/console");
	});
});

describe("the way back", () => {
	test("counts only in the browser that began, once, and within ten minutes", async () => {
		provider.person = await makePerson(service).then(({ email }) => ({ email, isVerified: true }));
		const visitor = openVisitor();
		const back = await visitor.choose(await visitor.begin());
		expect(await openVisitor().comeBack(back)).toBe("/console#sso=sso-expired");
		expect(await visitor.comeBack(back)).toBe("/console");
		expect(await visitor.comeBack(back)).toBe("/console#sso=sso-expired");
		const late = openVisitor();
		const lateBack = await late.choose(await late.begin());
		const [name = "", { value } = { value: "" }] = [...late.cookies()].find(([one]) => one.endsWith("-sso")) ?? [];
		const envelope = createEnvelope({ file: join(service.dataDir, "kek") });
		const flow = JSON.parse(envelope.open(Buffer.from(value, "base64url"), "sso-flow").toString());
		const aged = JSON.stringify({ ...flow, startedAt: flow.startedAt - 600_000 });
		const sealed = Buffer.from(envelope.seal(Buffer.from(aged), "sso-flow")).toString("base64url");
		late.cookies().set(name, { value: sealed, isStrict: false });
		expect(await late.comeBack(lateBack)).toBe("/console#sso=sso-expired");
	});

	test("is refused with another state, another code and another sign-in's answer", async () => {
		provider.person = await makePerson(service).then(({ email }) => ({ email, isVerified: true }));
		for (const forge of [
			(back: string) => back.replace(/state=[^&]+/, "state=forged"),
			(back: string) => back.replace(/code=[^&]+/, "code=forged"),
			(back: string) => back.replace(/iss=[^&]+/, "iss=https%3A%2F%2Fattacker.example"),
			(back: string) => back.slice(0, back.indexOf("?")),
		]) {
			const visitor = openVisitor();
			const back = await visitor.choose(await visitor.begin());
			expect(await visitor.comeBack(forge(back))).toBe("/console#sso=sso-failed");
			expect(await me(visitor)).toBeUndefined();
		}
		const [victim, attacker] = [openVisitor(), openVisitor()];
		const ofAttacker = await attacker.choose(await attacker.begin());
		await victim.begin();
		expect(await victim.comeBack(ofAttacker)).toBe("/console#sso=sso-failed");
	});

	test("and a sealed cookie of another make opens nothing", async () => {
		const visitor = openVisitor();
		const back = await visitor.choose(await visitor.begin());
		const [name = "", cookie] = [...visitor.cookies()][0] ?? [];
		visitor.cookies().set(name, { value: cookie?.value.split("").reverse().join("") ?? "", isStrict: false });
		expect(await visitor.comeBack(back)).toBe("/console#sso=sso-expired");
	});
});

describe("a factor", () => {
	const grow = (userId: string) =>
		service.sql`update user_sessions set confirmed_at = now() - interval '11 minutes' where user_id = ${userId}`;
	const needsFactor = (visitor: ReturnType<typeof openVisitor>) => visitor.send("POST", "/v1/me/recovery-codes");

	test("that was shown at the provider long ago does not confirm", async () => {
		const person = await makePerson(service);
		await service.sql`update users set password_hash = null where id = ${person.userId}`;
		provider.person = { email: person.email, isVerified: true };
		const visitor = openVisitor();
		await visitor.signIn();
		expect((await needsFactor(visitor)).status).toBe(201);
		const late = openVisitor();
		provider.person = { ...provider.person, shownSecondsAgo: 700 };
		await late.signIn();
		expect((await needsFactor(late)).status).toBe(403);
		expect(await late.signIn("?purpose=confirm")).toBe("/console/confirmed#sso=sso-not-fresh");
		expect((await needsFactor(late)).status).toBe(403);
	});

	test("is shown there again, and the session gets a new token", async () => {
		const person = await makePerson(service);
		provider.person = { email: person.email, isVerified: true };
		const visitor = openVisitor();
		visitor.takeSession(await signIn(service, person));
		await grow(person.userId);
		await until(async () => (await needsFactor(visitor)).status === 403);
		const [before, logins] = [[...visitor.cookies().values()][0]?.value, provider.logins()];
		expect(await visitor.signIn("?purpose=confirm")).toBe("/console/confirmed");
		expect(provider.logins()).toBe(logins + 1);
		expect([...visitor.cookies().values()].map(({ value }) => value)).not.toContain(before);
		expect((await needsFactor(visitor)).status).toBe(201);
	});

	test("of another person does not confirm, and without a session none is asked for", async () => {
		const person = await makePerson(service);
		const visitor = openVisitor();
		visitor.takeSession(await signIn(service, person));
		await grow(person.userId);
		provider.person = { email: "another@cliente.example", isVerified: true };
		expect(await visitor.signIn("?purpose=confirm")).toBe("/console/confirmed#sso=sso-other-person");
		await until(async () => (await needsFactor(visitor)).status === 403);
		expect(await openVisitor().begin("?purpose=confirm")).toContain("/console#sso=session-expired");
	});
});

test("a provider that is away is named, and the next sign-in asks it again", async () => {
	const fresh = await open();
	try {
		provider.sendBackTo(callbackOf(fresh));
		const visitor = openVisitor(fresh);
		provider.goAway(true);
		expect(await visitor.begin()).toContain("/console#sso=sso-away");
		provider.goAway(false);
		const back = await visitor.choose(await visitor.begin());
		provider.goAway(true);
		expect(await visitor.comeBack(back)).toBe("/console#sso=sso-away");
	} finally {
		provider.goAway(false);
		provider.sendBackTo(callbackOf(service));
		await fresh.stop();
	}
});

test("with OIDC_REQUIRED nothing else signs in but the printed link of a sandbox", async () => {
	const strict = await open({ OIDC_REQUIRED: "on" });
	try {
		const browser = openBrowser(strict);
		const options = await browser.send("POST", "/v1/session/options", { body: { purpose: "sign-in" } });
		expect(await options.json()).toMatchObject({ methods: ["sso"], sso: "Cliente SRL", passkey: null });
		for (const body of [
			{ method: "password", email: "ana@cliente.example", password: "a long password" },
			{ method: "local" },
			{ method: "recovery", token: "x" },
		])
			expect(await browser.refusal("POST", "/v1/session", { body })).toBe("403 forbidden");
		const email = "ana@cliente.example";
		expect(await browser.refusal("POST", "/v1/session/recovery", { body: { email } })).toBe("403 forbidden");
		const token = "t".repeat(43);
		await strict.sql`
			insert into user_invitations (id, digest, email, role, created_at, expires_at)
			values (gen_random_uuid(), sha256(${Buffer.from(token)}), ${email}, 'operator', now(), now() + interval '1 day')`;
		const accept = await browser.refusal("POST", "/v1/team/invitations:accept", { body: { token } });
		expect(accept).toBe("401 session-expired");
		expect(await strict.sql`select 1 from user_invitations where accepted_at is null`).toHaveLength(1);
		const link = await strict.makeConsoleLink();
		const body = { method: "link", token: link.slice(link.indexOf("#") + 1) };
		expect((await browser.send("POST", "/v1/session", { body })).status).toBe(201);
	} finally {
		await strict.stop();
	}
});

test("without OIDC_ISSUER there is no such way in", async () => {
	const plain = await openServiceIn("sandbox");
	try {
		const browser = openBrowser(plain);
		expect(await browser.refusal("GET", "/v1/session/sso")).toBe("404 not-found");
		expect(await browser.refusal("GET", "/v1/session/sso/callback")).toBe("404 not-found");
	} finally {
		await plain.stop();
	}
});
