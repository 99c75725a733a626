import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import postgres from "postgres";
import { DEMO_CLIENT_ID, DEMO_KEY, DEMO_KEY_ID, DEMO_TENANT_ID, openAccess } from "../../../src/identity/auth";
import { makeApiKey } from "../../../src/identity/auth/api-key";
import { connect } from "../../../src/platform/database";
import {
	type Credentials,
	MAY_SEND_KEY,
	NEEDS_BEARER,
	NEEDS_BOTH,
	NEEDS_KEY,
	NEEDS_KEY_ONLY,
	PUBLIC,
} from "../../../src/platform/operation";
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
	until,
} from "./support/access";

let t: TestAccess;
let company: Company;
let stranger: Company;
beforeAll(async () => {
	t = await openTestAccess();
	company = await t.makeCompany();
	stranger = await t.makeCompany();
});
afterAll(() => t.close());

const ask = (credentials: { key?: string; bearer?: string }, need: Credentials = NEEDS_KEY, address = "192.0.2.1") =>
	t.access.authenticate(requestWith(credentials), need, address);
const isRefused = async (work: Promise<unknown>) =>
	work.then(
		() => false,
		(error: { slug?: string }) => error.slug === "unauthorised",
	);

async function revokedKey(): Promise<string> {
	const key = await t.access.createKey({ plan: "free", label: "revoked", environment: "sandbox" });
	expect(await t.access.revokeKey(key.id)).toBe(true);
	return key.key;
}

async function expiredKey(): Promise<string> {
	const expiresAt = new Date(t.clock.now().getTime() - 1);
	return (await t.access.createKey({ plan: "free", label: "expired", environment: "sandbox", expiresAt })).key;
}

async function revokedToken(): Promise<string> {
	const { access } = await tokensOf(t.access, company);
	expect((await t.send("postRevoke", { token: access })).status).toBe(200);
	return access;
}

describe("the credential matrix", () => {
	const needs = { PUBLIC, NEEDS_BOTH, NEEDS_KEY, NEEDS_KEY_ONLY, NEEDS_BEARER, MAY_SEND_KEY };
	const keyStates: Record<string, () => string | undefined | Promise<string>> = {
		absent: () => undefined,
		good: () => company.key.key,
		malformed: () => "ak_test_nonsense",
		unknown: () => makeApiKey("sandbox"),
		revoked: revokedKey,
		expired: expiredKey,
		"of production": () => makeApiKey("production"),
		twice: () => `${company.key.key}, ${company.key.key}`,
		empty: () => "",
		long: () => company.key.key + "A".repeat(8_192),
	};
	const bearerStates: Record<string, () => string | undefined | Promise<string>> = {
		absent: () => undefined,
		good: async () => (await tokensOf(t.access, company)).access,
		foreign: async () => (await tokensOf(t.access, stranger)).access,
		malformed: () => "nonsense",
		revoked: revokedToken,
	};

	for (const [name, need] of Object.entries(needs)) {
		for (const [keyState, makeKey] of Object.entries(keyStates)) {
			for (const [bearerState, makeBearer] of Object.entries(bearerStates)) {
				const counts = (kind: "key" | "bearer", state: string) =>
					need[kind] === "ignored" || (state === "absent" && need[kind] === "optional") ? undefined : state;
				const key = counts("key", keyState);
				const bearer = counts("bearer", bearerState);
				const isAllowed =
					(key === undefined || key === "good") &&
					(bearer === undefined || bearer === "good" || (bearer === "foreign" && key === undefined));
				test(`${name}, key ${keyState}, bearer ${bearerState}: ${isAllowed ? "ok" : "refused"}`, async () => {
					const credentials = { key: await makeKey(), bearer: await makeBearer() };
					const answer = t.access.authenticate(requestWith(credentials), need, "192.0.2.1");
					if (!isAllowed) {
						const problem = await problemOf(answer);
						expect(problem.slug).toBe("unauthorised");
						expect(problem.headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
						if (key === "good" && bearer === "foreign") expect(String(problem.detail)).toContain("Mismatch");
						return;
					}
					const principal = await answer;
					const tenantId = bearer === "foreign" ? stranger.tenantId : bearer && company.tenantId;
					expect(principal?.tenantId).toBe(tenantId);
					expect(principal?.keyId).toBe(key && company.key.id);
					expect(principal === undefined).toBe(key === undefined && bearer === undefined);
				});
			}
		}
	}
});

describe("the caller", () => {
	test("of a key alone has the key's owner, plan and scopes and no tenant", async () => {
		const key = await t.access.createKey({
			plan: "starter",
			label: "narrow",
			environment: "sandbox",
			scopes: ["registry:read"],
		});
		expect(await ask({ key: key.key })).toEqual({
			environment: "sandbox",
			plan: "starter",
			ownerId: key.ownerId,
			keyId: key.id,
			scopes: new Set(["registry:read"]),
		});
	});

	test("of a token alone has the company's tenant, owner and plan", async () => {
		const { access: bearer } = await tokensOf(t.access, company, { scope: "invoices:read" });
		expect(await ask({ bearer }, NEEDS_BEARER)).toEqual({
			environment: "sandbox",
			plan: "free",
			ownerId: company.key.ownerId,
			tenantId: company.tenantId,
			clientId: company.clientId,
			scopes: new Set(["invoices:read"]),
		});
	});

	test("of both may do what both may", async () => {
		const ownerId = company.key.ownerId ?? "";
		const narrow = await t.access.createKey({
			plan: "free",
			label: "narrow",
			environment: "sandbox",
			ownerId,
			scopes: ["invoices:read", "reports:read"],
		});
		const { access: bearer } = await tokensOf(t.access, company, { scope: "invoices:write invoices:read" });
		const principal = await ask({ key: narrow.key, bearer }, NEEDS_BOTH);
		expect(principal?.scopes).toEqual(new Set(["invoices:read"]));
		expect(principal?.keyId).toBe(narrow.id);
		const wide = await ask({ key: company.key.key, bearer }, NEEDS_BOTH);
		expect(wide?.scopes).toEqual(new Set(["invoices:write", "invoices:read"]));
	});

	test("of an older token may not do what its client has lost since", async () => {
		const owner = await t.makeCompany();
		const { access: bearer } = await tokensOf(t.access, owner);
		expect((await ask({ bearer }, NEEDS_BEARER))?.scopes.has("invoices:write")).toBe(true);
		await t.sql`update oauth_clients set scopes = '{invoices:read}' where client_id = ${owner.clientId}`;
		await until(async () => !(await ask({ bearer }, NEEDS_BEARER))?.scopes.has("invoices:write"));
		expect((await ask({ bearer }, NEEDS_BEARER))?.scopes).toEqual(new Set(["invoices:read"]));
	});
});

test("a key with an allow-list counts from its addresses only", async () => {
	const ipAllowList = ["10.0.0.0/8", "2001:db8::1"];
	const { key } = await t.access.createKey({ plan: "free", label: "home", environment: "sandbox", ipAllowList });
	for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "2001:db8::1"]) {
		expect(await ask({ key }, NEEDS_KEY, address)).toBeDefined();
	}
	for (const address of ["192.0.2.1", "", "2001:db8::2"])
		expect(await isRefused(ask({ key }, NEEDS_KEY, address))).toBe(true);
});

test("a key stops counting when it expires, although it is remembered", async () => {
	const expiresAt = new Date(t.clock.now().getTime() + 10_000);
	const { key } = await t.access.createKey({ plan: "free", label: "short", environment: "sandbox", expiresAt });
	expect(await ask({ key })).toBeDefined();
	t.clock.advance(10);
	expect(await isRefused(ask({ key }))).toBe(true);
});

describe("revocation", () => {
	test("of a key counts at once in the process that revokes, and only once", async () => {
		const key = await t.access.createKey({ plan: "free", label: "x", environment: "sandbox" });
		expect(await ask({ key: key.key })).toBeDefined();
		expect(await t.access.revokeKey(key.id)).toBe(true);
		expect(await isRefused(ask({ key: key.key }))).toBe(true);
		expect(await t.access.revokeKey(key.id)).toBe(false);
		expect(await t.access.revokeKey(newId())).toBe(false);
		expect(await t.access.revokeKey("no id")).toBe(false);
	});

	test("of a token counts at once in the process that revokes", async () => {
		const { access: bearer } = await tokensOf(t.access, company);
		expect(await ask({ bearer }, NEEDS_BEARER)).toBeDefined();
		await t.send("postRevoke", { token: bearer });
		expect(await isRefused(ask({ bearer }, NEEDS_BEARER))).toBe(true);
	});

	test("of keys, tokens and clients is seen by another process", async () => {
		const { access: other } = await t.openAnother();
		const request = (credentials: { key?: string; bearer?: string }, need: Credentials) => () =>
			isRefused(other.authenticate(requestWith(credentials), need, ""));
		for (let round = 0; round < 3; round++) {
			const owner = await t.makeCompany();
			const first = await tokensOf(t.access, owner);
			const second = await tokensOf(t.access, owner);
			const cases: [() => Promise<boolean>, () => Promise<unknown>][] = [
				[request({ key: owner.key.key }, NEEDS_KEY), () => t.access.revokeKey(owner.key.id)],
				[request({ bearer: first.access }, NEEDS_BEARER), () => t.send("postRevoke", { token: first.access })],
				[
					request({ bearer: second.access }, NEEDS_BEARER),
					() => t.sql.begin((tx) => t.access.retireClients(tx, owner.tenantId, t.clock.now())),
				],
			];
			for (const [isOver, revoke] of cases) {
				expect(await isOver()).toBe(false);
				await revoke();
				await until(isOver);
			}
		}
	});

	test("by hand in the database is seen as well", async () => {
		const key = await t.access.createKey({ plan: "free", label: "x", environment: "sandbox" });
		expect(await ask({ key: key.key })).toBeDefined();
		await t.sql`update api_keys set revoked_at = now() where id = ${key.id}`;
		await until(() => isRefused(ask({ key: key.key })));
	});

	test("is seen by a process whose connections have just been cut", async () => {
		const { access: other, sql } = await t.openAnother();
		const name = String(sql.options.connection.application_name);
		for (let round = 0; round < 3; round++) {
			const key = await t.access.createKey({ plan: "free", label: "x", environment: "sandbox" });
			const isOver = () => isRefused(other.authenticate(requestWith({ key: key.key }), NEEDS_KEY, ""));
			expect(await isOver()).toBe(false);
			const cut = await t.sql`
				select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${name}`;
			expect(cut.length).toBeGreaterThan(0);
			await t.access.revokeKey(key.id);
			await until(isOver);
		}
	});
});

describe("the database", () => {
	test("is not asked for a known key or token", async () => {
		const queries: string[] = [];
		const sql = postgres(t.database.url, { max: 3, debug: (_connection, query) => queries.push(query) });
		const access = await openAccess({ sql, envelope, environment: "sandbox", baseUrl: BASE_URL, clock: t.clock, log });
		try {
			const { access: bearer } = await tokensOf(t.access, company);
			const both = () => access.authenticate(requestWith({ key: company.key.key, bearer }), NEEDS_BOTH, "");
			const asked = () => queries.filter((query) => /from (api_keys|oauth_clients|revoked_tokens)/.test(query)).length;
			// Twenty strangers at once cost one query for each row.
			await Promise.all(Array.from({ length: 20 }, both));
			expect(asked()).toBe(3);
			const polls = () => queries.filter((query) => query.includes("from changes")).length;
			const before = polls();
			// Longer than anything is remembered without changes that are read.
			await until(async () => {
				await both();
				return polls() > before + 6;
			});
			// Thousands of requests later; a machine that stood still for a second may have made us read once more.
			expect(asked()).toBeLessThanOrEqual(6);
		} finally {
			await access.close();
			await sql.end({ timeout: 1 });
		}
	});

	test("is not asked for text that is no key", async () => {
		const queries: string[] = [];
		const sql = postgres(t.database.url, { max: 2, debug: (_connection, query) => queries.push(query) });
		const access = await openAccess({ sql, envelope, environment: "sandbox", baseUrl: BASE_URL, clock: t.clock, log });
		try {
			const mistyped = company.key.key.slice(0, -1) + (company.key.key.endsWith("a") ? "b" : "a");
			for (const key of [mistyped, makeApiKey("production"), "ak_test_", "x".repeat(8_000)]) {
				expect(await isRefused(access.authenticate(requestWith({ key }), NEEDS_KEY, ""))).toBe(true);
			}
			expect(queries.filter((query) => query.includes("from api_keys"))).toEqual([]);
			const unknown = requestWith({ key: makeApiKey("sandbox") });
			for (let i = 0; i < 5; i++) expect(await isRefused(access.authenticate(unknown, NEEDS_KEY, ""))).toBe(true);
			expect(queries.filter((query) => query.includes("from api_keys")).length).toBe(1);
		} finally {
			await access.close();
			await sql.end({ timeout: 1 });
		}
	});

	test("out of reach is answered as unavailable, never as a wrong credential", async () => {
		const sql = connect({ url: t.database.url, name: "out of reach", connectionsMax: 2 });
		const access = await openAccess({ sql, envelope, environment: "sandbox", baseUrl: BASE_URL, clock: t.clock, log });
		const { access: bearer } = await tokensOf(t.access, company);
		await sql.end({ timeout: 1 });
		for (const [credentials, need] of [
			[{ key: company.key.key }, NEEDS_KEY],
			[{ bearer }, NEEDS_BEARER],
		] as const) {
			const problem = await problemOf(access.authenticate(requestWith(credentials), need, ""));
			expect(problem.slug).toBe("service-unavailable");
			expect(Number(problem.headers["retry-after"])).toBeGreaterThan(0);
		}
		await access.close();
	});

	test("with busy connections still distinguishes known from revoked callers", async () => {
		const busy = connect({ url: t.database.url, name: "busy", connectionsMax: 2 });
		const directorySql = connect({ url: t.database.url, name: "callers", connectionsMax: 2 });
		const deps = { envelope, environment: "sandbox", baseUrl: BASE_URL, clock: t.clock, log } as const;
		const access = await openAccess({ sql: busy, directorySql, ...deps });
		const lock = 4_711;
		try {
			const waiting: Promise<unknown>[] = [];
			await t.sql.begin(async (tx) => {
				await tx`select pg_advisory_xact_lock(${lock})`;
				for (let i = 0; i < 3; i++) waiting.push(busy`select pg_advisory_lock_shared(${lock})`.execute());
				await until(async () => {
					const rows =
						await t.sql`select 1 from pg_stat_activity where application_name = 'busy' and wait_event = 'advisory'`;
					return rows.length === 2;
				});
				const key = await t.access.createKey({ plan: "free", label: "x", environment: "sandbox" });
				const ask = () => access.authenticate(requestWith({ key: key.key }), NEEDS_KEY, "");
				expect(await ask()).toBeDefined();
				await t.access.revokeKey(key.id);
				await until(() => isRefused(ask()));
			});
			await Promise.all(waiting);
		} finally {
			await access.close();
			await busy.end({ timeout: 1 });
			await directorySql.end({ timeout: 1 });
		}
	});

	test("that has dropped its connections is asked again without the caller noticing", async () => {
		const { access, sql } = await t.openAnother();
		const name = String(sql.options.connection.application_name);
		await Promise.all(Array.from({ length: 3 }, () => sql`select pg_sleep(0.01)`));
		await t.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${name}`;
		expect(await access.authenticate(requestWith({ key: company.key.key }), NEEDS_KEY, "")).toBeDefined();
	});
});

describe("the last use of a key", () => {
	test("is written in the background, to the minute, once for all processes", async () => {
		const key = await t.access.createKey({ plan: "free", label: "used", environment: "sandbox" });
		const lastUse = async () => (await t.access.listKeys(key.ownerId ?? ""))[0]?.lastUsedAt?.getTime();
		for (const advance of [0, 59, 1]) {
			t.clock.advance(advance);
			const { access, sql } = await t.openAnother();
			for (let i = 0; i < 3; i++) await access.authenticate(requestWith({ key: key.key }), NEEDS_KEY, "");
			// A process that ends writes what it has noted.
			await access.close();
			await sql.end({ timeout: 1 });
			const age = t.clock.now().getTime() - ((await lastUse()) ?? 0);
			expect(age).toBe(advance === 59 ? 59_000 : 0);
		}
	});

	test("does not count as a change of the key", async () => {
		const key = await t.access.createKey({ plan: "free", label: "used", environment: "sandbox" });
		const countChanges = async () => (await t.sql`select 1 from changes where kind = 'key'`).length;
		const before = await countChanges();
		await t.sql`update api_keys set last_used_at = now() where id = ${key.id}`;
		await t.sql`update api_keys set revoked_at = now() where id = ${key.id}`;
		expect(await countChanges()).toBe(before + 1);
	});
});

describe("the demo key", () => {
	const demo = { clientId: DEMO_CLIENT_ID, clientSecret: "demo", tenantId: DEMO_TENANT_ID };

	for (const [environment, plan] of [
		["sandbox", "free"],
		["public-sandbox", "demo"],
	] as const) {
		test(`is known in ${environment} with the plan ${plan}, without an owner`, async () => {
			const own = await openTestAccess(environment);
			try {
				const principal = await own.access.authenticate(requestWith({ key: DEMO_KEY }), NEEDS_KEY, "");
				expect(principal).toMatchObject({ environment, plan, ownerId: null, keyId: DEMO_KEY_ID });
				expect(principal?.scopes.has("registry:read")).toBe(true);
				expect(principal?.scopes.has("registry:purge")).toBe(false);
				expect(principal?.scopes.has("admin")).toBe(false);
				const token = await own.send("postToken", {
					grant_type: "client_credentials",
					client_id: "demo",
					client_secret: "demo",
				});
				expect(token.body).toMatchObject({ tenant_id: DEMO_TENANT_ID, environment });
				const bearer = String(token.body.access_token);
				const both = await own.access.authenticate(requestWith({ key: DEMO_KEY, bearer }), NEEDS_BOTH, "");
				expect(both).toMatchObject({ tenantId: DEMO_TENANT_ID, ownerId: null, plan });
			} finally {
				await own.close();
			}
		});
	}

	for (const environment of ["production", "staging"] as const) {
		test(`is unknown in ${environment}, even on a database that a sandbox has used`, async () => {
			const { access } = await t.openAnother(environment);
			expect(await isRefused(access.authenticate(requestWith({ key: DEMO_KEY }), NEEDS_KEY, ""))).toBe(true);
			const own = await openTestAccess(environment);
			try {
				expect(await isRefused(own.access.authenticate(requestWith({ key: DEMO_KEY }), NEEDS_KEY, ""))).toBe(true);
				const body = { grant_type: "client_credentials", client_id: "demo", client_secret: "demo" };
				expect((await own.send("postToken", body)).status).toBe(401);
				expect((await own.sql`select 1 from api_keys`).length).toBe(0);
			} finally {
				await own.close();
			}
		});
	}

	test("goes with the demo client and its own companies, and with no others", async () => {
		const tenantId = newId();
		const client = await t.sql.begin((tx) =>
			t.access.createClient(tx, {
				tenantId,
				ownerId: null,
				plan: "free",
				scopes: ["invoices:read"],
				environment: "sandbox",
			}),
		);
		const own = await tokensOf(t.access, { ...client, tenantId, key: company.key });
		expect((await ask({ key: DEMO_KEY, bearer: own.access }, NEEDS_BOTH))?.tenantId).toBe(tenantId);
		const theirs = await tokensOf(t.access, company);
		expect(await isRefused(ask({ key: DEMO_KEY, bearer: theirs.access }, NEEDS_BOTH))).toBe(true);
		const ofDemo = await tokensOf(t.access, { ...demo, key: company.key });
		expect(await isRefused(ask({ key: company.key.key, bearer: ofDemo.access }, NEEDS_BOTH))).toBe(true);
	});

	test("can be revoked by the operator, stays revoked and is no longer shown", async () => {
		const own = await openTestAccess();
		try {
			expect(await own.access.findDemoKey()).toBe(DEMO_KEY);
			await own.access.revokeKey(DEMO_KEY_ID);
			const { access } = await own.openAnother();
			expect(await isRefused(access.authenticate(requestWith({ key: DEMO_KEY }), NEEDS_KEY, ""))).toBe(true);
			expect(await access.findDemoKey()).toBeUndefined();
		} finally {
			await own.close();
		}
	});

	test("is the only key that may be without an owner", async () => {
		const insert = t.sql`
			insert into api_keys (id, prefix, digest, label, plan, scopes, environment, created_at)
			values (${newId()}, 'ak_test_0000', ${Buffer.alloc(32, 1)}, 'x', 'free', '{}', 'sandbox', now())`;
		await expect(insert).rejects.toThrow("api_keys_only_demo_without_owner");
	});
});
