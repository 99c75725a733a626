/** Sessions over real HTTP: what opens one, what it opens, and what ends it. */
import { beforeAll, describe, expect, spyOn, test } from "bun:test";
import { createTenant, openServiceIn, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { makeLink, makePerson, openBrowser, ownerOf, signIn, type TestPerson } from "./support/browser";

const WRONG = "a wrong password";
let service: TestService;
let tenant: Tenant;
let ownerId: string;
let viewer: TestPerson;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
	ownerId = await ownerOf(service, tenant);
	viewer = await makePerson(service, { ownerId, role: "viewer" });
}, 60_000);

type SignedIn = {
	readonly session: { readonly id: string; readonly operator: boolean };
	readonly me: { readonly memberships: readonly { readonly tenantId: string; readonly role: string }[] };
};
const password = ({ email, password }: TestPerson) => ({ method: "password", email, password });
const actionsOf = async ({ userId }: TestPerson) =>
	(await service.sql`select action from audit where user_id = ${userId} order by id`).map(({ action }) => action);

describe("signing in", () => {
	test("by a printed link works once, as owner and operator of a local sandbox", async () => {
		const link = await service.makeConsoleLink();
		expect(link).toMatch(/^http:\/\/localhost:\d+\/console\/enter#[\w-]{43}$/);
		const body = { method: "link", token: link.slice(link.indexOf("#") + 1) };
		const browser = openBrowser(service);
		const answer = await browser.send("POST", "/v1/session", { body });
		expect(answer.status).toBe(201);
		expect(answer.headers.get("set-cookie")).toMatch(
			/^__Host-sello-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
		);
		const { session, me } = (await answer.json()) as SignedIn;
		expect(session.operator).toBe(true);
		expect(me.memberships.every(({ role }) => role === "owner")).toBe(true);
		expect(new Set(me.memberships.map(({ tenantId }) => tenantId)).size).toBe(me.memberships.length);
		expect(await openBrowser(service).refusal("POST", "/v1/session", { body })).toBe("410 link-expired");
	});

	test("from this machine needs no link, and gives no rights of an operator", async () => {
		const body = { method: "local" };
		const answer = await openBrowser(service).send("POST", "/v1/session", {
			body,
			headers: { "x-forwarded-for": null },
		});
		expect(((await answer.json()) as SignedIn).session.operator).toBe(false);
		// Through a proxy, or under a name that leads here (DNS rebinding).
		expect(await openBrowser(service).refusal("POST", "/v1/session", { body })).toBe("403 forbidden");
		const headers = { "x-forwarded-for": null, host: "attacker.example" };
		expect(await openBrowser(service).refusal("POST", "/v1/session", { body, headers })).toBe("403 forbidden");
	});

	test("replaces a session whose cookie was planted before", async () => {
		const attacker = await signIn(service, await makePerson(service));
		const victim = openBrowser(service);
		victim.cookie = attacker.cookie;
		expect((await victim.send("POST", "/v1/session", { body: password(viewer) })).status).toBe(201);
		expect(victim.cookie).not.toBe(attacker.cookie);
		expect(await attacker.refusal("GET", "/v1/me")).toBe("401 session-expired");
	});

	test("waits after five wrong passwords in a row, for unknown addresses too", async () => {
		const person = await makePerson(service);
		for (const email of [person.email, `unknown-${person.email}`]) {
			const body = { method: "password", email: email.toUpperCase(), password: WRONG };
			const answers = await Promise.all(
				[1, 2, 3, 4, 5, 6].map(() => openBrowser(service).refusal("POST", "/v1/session", { body })),
			);
			expect(answers.sort()).toEqual([...new Array(5).fill("401 sign-in-failed"), "429 sign-in-throttled"]);
			const answer = await openBrowser(service).send("POST", "/v1/session", {
				body: { ...body, password: person.password },
			});
			expect(answer.status).toBe(429);
			expect(Number(answer.headers.get("retry-after"))).toBeWithin(25, 31);
		}
		await service.sql`update user_sign_in_failures set failed_at = now() - interval '31 seconds' where failures = 5`;
		await signIn(service, person);
		expect(await service.sql`select 1 from user_sign_in_failures where failures > 5`).toHaveLength(0);
	});

	test("does the same work for an unknown address as for a wrong password", async () => {
		const person = await makePerson(service);
		const verify = spyOn(Bun.password, "verify");
		const attempt = async (email: string) => {
			verify.mockClear();
			const body = { method: "password", email, password: WRONG };
			const answer = await openBrowser(service).send("POST", "/v1/session", { body });
			const { requestId, ...problem } = (await answer.json()) as Record<string, unknown>;
			expect(requestId).toBeString();
			// Algorithm and costs, without salt and digest.
			const costs = verify.mock.calls.map(([, hash]) => String(hash).split("$").slice(0, 4));
			return { status: answer.status, headers: [...answer.headers.keys()], problem, costs };
		};
		try {
			const known = await attempt(person.email);
			expect(known).toMatchObject({ status: 401, costs: [["", "argon2id", "v=19", "m=19456,t=2,p=1"]] });
			expect(await attempt(`unknown-${person.email}`)).toEqual(known);
		} finally {
			verify.mockRestore();
		}
	});

	test("of one address is limited, whatever the accounts", async () => {
		const browser = openBrowser(service);
		const answers: string[] = [];
		for (let n = 0; n < 21; n++)
			answers.push(await browser.refusal("POST", "/v1/session", { body: { method: "password" } }));
		expect(answers.slice(0, 20)).toEqual(new Array(20).fill("400 validation-error"));
		expect(answers[20]).toBe("429 rate-limit-exceeded");
	});

	test("leaves a person the twenty newest sessions", async () => {
		const person = await makePerson(service);
		const first = await signIn(service, person);
		const token = () => makeLink(service, person, "sign-in");
		for (let n = 0; n < 20; n++)
			await openBrowser(service).send("POST", "/v1/session", { body: { method: "link", token: await token() } });
		await until(async () => (await first.send("GET", "/v1/me")).status === 401);
		const last = await signIn(service, person);
		const { items } = (await (await last.send("GET", "/v1/me/sessions")).json()) as { items: unknown[] };
		expect(items).toHaveLength(20);
	});
});

describe("a session", () => {
	test("stands for key and token in its person's companies, within the role", async () => {
		const browser = await signIn(service, viewer);
		const company = tenant.tenantId;
		const answer = await browser.send("GET", "/v1/invoices", { company });
		expect(answer.status).toBe(200);
		expect(answer.headers.get("ratelimit-policy")).toBe('"console";q=80;w=4');
		expect((await browser.send("GET", `/v1/company/${company}`, { company })).status).toBe(200);
		expect(await browser.refusal("POST", "/v1/invoices", { company, body: {} })).toBe("403 insufficient-scope");
		for (const path of ["/v1/authority/webhooks", "/v1/authority/events"])
			expect(await browser.refusal("GET", path, { company })).toBe("401 unauthorised");
		expect(await browser.refusal("GET", "/v1/invoices")).toBe("400 company-required");
		const used =
			await service.sql`select 1 from usage_days where tenant_id = ${company} and operation = 'listInvoices'`;
		expect(used).toHaveLength(0);
	});

	test("opens no company of others, and no other company by its path", async () => {
		const other = await createTenant(service);
		const sister = await createTenant(service, { apiKey: tenant.apiKey });
		const bound = await makePerson(service, { ownerId, role: "owner", tenantIds: [tenant.tenantId] });
		const [browser, boundBrowser] = [await signIn(service, viewer), await signIn(service, bound)];
		for (const company of [other.tenantId, "x", "01a21f17-3534-703c-8402-0bf35b88b431"])
			expect(await browser.refusal("GET", "/v1/invoices", { company })).toBe("404 not-found");
		const path = `/v1/company/${sister.tenantId}`;
		expect(await browser.refusal("GET", path, { company: tenant.tenantId })).toBe("404 not-found");
		expect((await browser.send("GET", path, { company: sister.tenantId })).status).toBe(200);
		expect(await boundBrowser.refusal("GET", path, { company: sister.tenantId })).toBe("404 not-found");
		const operator = await signIn(service, await makePerson(service, { ownerId: null, role: "operator" }));
		expect(await operator.refusal("GET", "/v1/invoices", { company: tenant.tenantId })).toBe("404 not-found");
	});

	test("counts for the console's own pages alone", async () => {
		const browser = await signIn(service, viewer);
		const company = tenant.tenantId;
		const own = service.url.replace("127.0.0.1", "localhost");
		const from = (headers: Record<string, string | null>) =>
			browser.refusal("GET", "/v1/invoices", { company, headers });
		for (const site of ["same-site", "cross-site", "none"])
			expect(await from({ "sec-fetch-site": site })).toBe("403 cross-site-request");
		expect(await from({ "sec-fetch-site": null })).toBe("403 cross-site-request");
		expect(await from({ "sec-fetch-site": null, origin: "http://localhost:1" })).toBe("403 cross-site-request");
		expect(await from({ "sec-fetch-site": null, origin: own })).toBe("200");
		const foreign = { headers: { "sec-fetch-site": "cross-site" } };
		for (const [method, path] of [
			["DELETE", "/v1/session"],
			["POST", "/v1/session"],
			["GET", "/v1/me"],
		] as const)
			expect(await browser.refusal(method, path, foreign)).toBe("403 cross-site-request");
		// Without a cookie too: a foreign page would sign its reader in as another person, or clear what the console keeps.
		const stranger = openBrowser(service);
		const body = { token: "A".repeat(43) };
		const accept = { ...foreign, body };
		expect(await stranger.refusal("POST", "/v1/team/invitations:accept", accept)).toBe("403 cross-site-request");
		expect(await stranger.refusal("DELETE", "/v1/session", foreign)).toBe("403 cross-site-request");
		// A key is a credential of its own, from wherever it is sent.
		expect(await from({ "sec-fetch-site": "cross-site", ...tenant.headers })).toBe("200");
		expect((await browser.send("GET", "/v1/me")).status).toBe(200);
	});

	test("ends with its sign-out, for a copied cookie too", async () => {
		const browser = await signIn(service, viewer);
		const copy = openBrowser(service);
		copy.cookie = browser.cookie;
		expect((await copy.send("GET", "/v1/session")).status).toBe(200);
		const answer = await browser.send("DELETE", "/v1/session");
		expect([answer.status, answer.headers.get("clear-site-data"), browser.cookie]).toEqual([204, '"storage"', ""]);
		expect(await copy.refusal("GET", "/v1/session")).toBe("401 session-expired");
		expect(await browser.refusal("GET", "/v1/me")).toBe("401 session-expired");
		expect((await browser.send("DELETE", "/v1/session")).status).toBe(204);
		expect(await actionsOf(viewer)).toContain("session.end");
	});

	test("ends after its idle and its absolute time", async () => {
		for (const change of ["last_seen_at = now() - interval '13 hours'", "expires_at = now()"]) {
			const person = await makePerson(service);
			const browser = await signIn(service, person);
			await service.sql.unsafe(`update user_sessions set ${change} where user_id = '${person.userId}'`);
			await until(async () => (await browser.send("GET", "/v1/me")).status === 401);
		}
	});

	test("is not kept by a page that is left open with a stream", async () => {
		const person = await makePerson(service, { ownerId, role: "viewer" });
		const browser = await signIn(service, person);
		const headers = { accept: "text/event-stream" };
		const stream = await browser.send("GET", "/v1/events", { company: tenant.tenantId, headers });
		const reader = stream.body?.getReader();
		await service.sql`
			update user_sessions set last_seen_at = now() - interval '13 hours', expires_at = expires_at
			where user_id = ${person.userId}`;
		let isOver = false;
		while (!isOver) isOver = (await reader?.read())?.done ?? true;
		expect(await browser.refusal("GET", "/v1/me")).toBe("401 session-expired");
	});

	test("ends within a second of its person's removal or of a closed account", async () => {
		const person = await makePerson(service, { ownerId, role: "viewer" });
		const browser = await signIn(service, person);
		const company = tenant.tenantId;
		expect((await browser.send("GET", "/v1/invoices", { company })).status).toBe(200);
		const headers = { accept: "text/event-stream" };
		const stream = await browser.send("GET", "/v1/events", { company, headers });
		await service.sql`delete from user_memberships where user_id = ${person.userId}`;
		await until(async () => (await browser.send("GET", "/v1/invoices", { company })).status === 404, 1_000);
		// It ends by itself, and does not break.
		expect(await stream.text()).toContain("id: ");
		await service.sql`update users set disabled_at = now() where id = ${person.userId}`;
		await until(async () => (await browser.send("GET", "/v1/me")).status === 401, 1_000);
	});

	test("gets a new token once a day; the one before works for a moment", async () => {
		const person = await makePerson(service);
		const browser = await signIn(service, person);
		const { cookie } = browser;
		await service.sql`
			update user_sessions set token_at = token_at - interval '25 hours', expires_at = expires_at where user_id = ${person.userId}`;
		await until(async () => {
			await browser.send("GET", "/v1/session");
			return browser.cookie !== cookie;
		});
		const tab = openBrowser(service);
		tab.cookie = cookie;
		expect((await tab.send("GET", "/v1/me")).status).toBe(200);
		await service.sql`
			update user_sessions set former_until = now(), confirmed_at = confirmed_at where user_id = ${person.userId}`;
		await until(async () => (await tab.send("GET", "/v1/me")).status === 401);
		expect((await browser.send("GET", "/v1/me")).status).toBe(200);
	});

	test("keeps all tabs signed in that ask for its daily token at once", async () => {
		const person = await makePerson(service);
		const { cookie } = await signIn(service, person);
		await service.sql`
			update user_sessions set token_at = token_at - interval '25 hours', expires_at = expires_at where user_id = ${person.userId}`;
		const tabs = Array.from({ length: 6 }, () => {
			const tab = openBrowser(service);
			tab.cookie = cookie;
			return tab;
		});
		await until(async () => {
			const answers = await Promise.all(tabs.map((tab) => tab.send("GET", "/v1/session")));
			expect(answers.map(({ status }) => status)).toEqual(new Array(6).fill(200));
			return tabs.some((tab) => tab.cookie !== cookie);
		});
		const renewed = tabs.map((tab) => tab.cookie).filter((one) => one !== cookie);
		expect(renewed).toHaveLength(1);
		await service.sql`
			update user_sessions set former_until = now(), confirmed_at = confirmed_at where user_id = ${person.userId}`;
		const browser = openBrowser(service);
		browser.cookie = renewed[0] ?? "";
		expect((await browser.send("GET", "/v1/session")).status).toBe(200);
	});

	test("needs a shown factor again for what changes secrets", async () => {
		const person = await makePerson(service, { ownerId, role: "owner" });
		const browser = await signIn(service, person);
		const company = tenant.tenantId;
		const renew = () => browser.refusal("POST", `/v1/company/${company}/credentials`, { company, body: {} });
		await service.sql`
			update user_sessions set confirmed_at = now() - interval '11 minutes' where user_id = ${person.userId}`;
		await until(async () => (await renew()) === "403 confirmation-required");
		expect(await browser.refusal("POST", "/v1/webhooks", { company, body: {} })).toBe("403 confirmation-required");
		const [url, elsewhere] = ["https://erp.example.com/hook", "https://erp.example.com/other"];
		const made = await fetch(`${service.url}/v1/webhooks`, {
			method: "POST",
			headers: { ...tenant.headers, "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
			body: JSON.stringify({ url, events: ["invoice.*"] }),
		});
		const { id } = (await made.json()) as { readonly id: string };
		const change = (body: unknown) => browser.refusal("PATCH", `/v1/webhooks/${id}`, { company, body });
		expect(await change({ url: elsewhere })).toBe("403 confirmation-required");
		expect(await change({ url, description: "ERP" })).toBe("200");
		const replace = { company, body: { webhooks: [{ url: elsewhere }] } };
		expect(await browser.refusal("PATCH", `/v1/company/${company}`, replace)).toBe("403 confirmation-required");
		const body = { method: "password", password: WRONG };
		expect(await browser.refusal("POST", "/v1/session/confirm", { body })).toBe("401 sign-in-failed");
		const { cookie } = browser;
		const shown = await browser.send("POST", "/v1/session/confirm", { body: { ...body, password: person.password } });
		expect([shown.status, browser.cookie === cookie]).toEqual([200, false]);
		expect(await renew()).toBe("201");
		expect(await change({ url: elsewhere })).toBe("200");
		expect(await actionsOf(person)).toEqual([
			...["session.create", "webhook.patch", "session.confirm"],
			...[expect.stringMatching(/credentials/), "webhook.patch"],
		]);
	});
});

describe("a recovery", () => {
	test("needs a mailed link and a recovery code, and ends all other sessions", async () => {
		const person = await makePerson(service);
		const before = await signIn(service, person);
		const digest = new Bun.CryptoHasher("sha256").update("recovery|0123456789ABCDEF").digest();
		await service.sql`insert into user_recovery_codes (user_id, digest) values (${person.userId}, ${Buffer.from(digest)})`;
		const token = await makeLink(service, person, "recovery");
		const recover = (recoveryCode?: string) =>
			openBrowser(service).refusal("POST", "/v1/session", { body: { method: "recovery", token, recoveryCode } });
		expect(await recover()).toBe("401 sign-in-failed");
		expect(await recover("FEDC-BA98-7654-3210")).toBe("401 sign-in-failed");
		expect(await recover("0123 4567 89ab-cdef")).toBe("201");
		expect(await recover("0123 4567 89ab-cdef")).toBe("410 link-expired");
		await until(async () => (await before.send("GET", "/v1/me")).status === 401, 1_000);
	});

	test("is answered alike for known and unknown addresses", async () => {
		const person = await makePerson(service);
		for (const email of [person.email, "unknown@example.do"])
			expect((await openBrowser(service).send("POST", "/v1/session/recovery", { body: { email } })).status).toBe(202);
		const linksOf = () => service.sql`select kind from user_links where user_id = ${person.userId}`;
		await until(async () => (await linksOf()).length === 1);
		expect((await linksOf()).map(({ kind }) => kind)).toEqual(["recovery"]);
	});

	test("is mailed five times in a row, however many addresses ask for it", async () => {
		const { email, userId } = await makePerson(service);
		const ask = () => openBrowser(service).refusal("POST", "/v1/session/recovery", { body: { email } });
		const linksOf = () => service.sql`select used_at as "usedAt" from user_links where user_id = ${userId}`;
		for (let n = 1; n <= 5; n++) {
			expect(await ask()).toBe("202");
			await until(async () => (await linksOf()).length === n);
		}
		// Refused attempts begin nothing that could still make a link.
		expect([await ask(), await ask()]).toEqual(["202", "202"]);
		expect((await linksOf()).filter(({ usedAt }) => usedAt === null)).toHaveLength(1);
		expect(await linksOf()).toHaveLength(5);
	});
});

describe("a person", () => {
	test("changes profile and settings, which the console reads again", async () => {
		const browser = await signIn(service, await makePerson(service));
		const body = { name: "Ana María", language: "en", settings: { theme: "dark" } };
		await browser.send("PATCH", "/v1/me", { body });
		expect(await (await browser.send("GET", "/v1/me")).json()).toMatchObject({ user: body, memberships: [] });
		const long = { settings: { text: "x".repeat(3_000), more: ["y".repeat(3_000), "z".repeat(3_000)] } };
		expect(await browser.refusal("PATCH", "/v1/me", { body: long })).toBe("400 validation-error");
		expect(await browser.refusal("PATCH", "/v1/me", { body: { name: "two\nlines" } })).toBe("400 validation-error");
	});

	test("saves, changes and removes views, fifty at most and no one else's", async () => {
		const [browser, other] = [await signIn(service, await makePerson(service)), await signIn(service, viewer)];
		const view = { page: "invoices", name: "Rechazadas", query: "status=rejected" };
		const made = (await (await browser.send("POST", "/v1/me/views", { body: view })).json()) as { id: string };
		const path = `/v1/me/views/${made.id}`;
		expect(await other.refusal("PATCH", path, { body: { name: "mine" } })).toBe("404 not-found");
		expect(await other.refusal("DELETE", path)).toBe("404 not-found");
		const changed = await browser.send("PATCH", path, { body: { name: "Otras" } });
		expect(await changed.json()).toMatchObject({ ...view, name: "Otras", id: made.id });
		for (let n = 0; n < 49; n++) await browser.send("POST", "/v1/me/views", { body: view });
		expect(await browser.refusal("POST", "/v1/me/views", { body: view })).toBe("400 validation-error");
		expect((await browser.send("DELETE", path)).status).toBe(204);
		const { items } = (await (await browser.send("GET", "/v1/me/views")).json()) as { items: unknown[] };
		expect(items).toHaveLength(49);
	});

	test("ends another session of its own, and no one else's", async () => {
		const person = await makePerson(service);
		const [here, there, foreign] = [
			await signIn(service, person),
			await signIn(service, person),
			await signIn(service, viewer),
		];
		const { session } = (await (await there.send("GET", "/v1/session")).json()) as SignedIn;
		expect(await foreign.refusal("DELETE", `/v1/me/sessions/${session.id}`)).toBe("404 not-found");
		expect((await here.send("DELETE", `/v1/me/sessions/${session.id}`)).status).toBe(204);
		expect(await there.refusal("GET", "/v1/me")).toBe("401 session-expired");
	});
});

test("two tabs of one session show two companies at the same time", async () => {
	const sister = await createTenant(service, { apiKey: tenant.apiKey });
	const browser = await signIn(service, viewer);
	const tabs = [tenant.tenantId, sister.tenantId];
	const shown = await Promise.all(
		Array.from({ length: 70 }, async (_, n) => {
			const company = tabs[n % 2] ?? "";
			const answer = await browser.send("GET", `/v1/company/${company}`, { company });
			return ((await answer.json()) as { tenantId: string }).tenantId === company;
		}),
	);
	expect(shown).toEqual(new Array(70).fill(true));
});

test("a service without the console has none of its operations, and no session", async () => {
	const plain = await openServiceIn("sandbox", { CONSOLE: "off" });
	try {
		const browser = openBrowser(plain);
		for (const path of ["/v1/session", "/v1/me", "/console"])
			expect(await browser.refusal("GET", path)).toBe("404 not-found");
		expect(await browser.refusal("POST", "/v1/session", { body: { method: "local" } })).toBe("404 not-found");
		browser.cookie = `__Host-sello-${new URL(plain.url).port}=${"A".repeat(43)}`;
		expect(await browser.refusal("GET", "/v1/invoices", { company: tenant.tenantId })).toBe("401 unauthorised");
	} finally {
		await plain.stop();
	}
});
