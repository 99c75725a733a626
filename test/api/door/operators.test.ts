/** What operators reach, from where, and what a company sees of it. */
import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	type Browser,
	makePerson,
	openBrowser,
	signIn,
	type TestPerson,
} from "../../identity/sessions/support/browser";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { killLetters } from "../support/deliveries";
import { documentOf } from "../support/documents";
import { untilArchived } from "../support/evidence";

let service: TestService;
let tenant: Tenant;
let operator: Browser;
let reader: Browser;
let readerPerson: TestPerson;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
	operator = await signIn(service, await makePerson(service, { ownerId: null, role: "operator" }));
	readerPerson = await makePerson(service, { ownerId: null, role: "operator-readonly" });
	reader = await signIn(service, readerPerson);
}, 60_000);

const readJson = async (answer: Promise<Response>) => (await (await answer).json()) as Record<string, unknown>;

describe("operations for operators", () => {
	test("are not found outside the operator's networks, whatever is sent", async () => {
		const admin = await service.createKey({ scopes: ["admin"] });
		const from = (address: string, headers: Record<string, string> = {}) =>
			fetch(`${service.url}/v1/operator/outbox`, { headers: { "x-forwarded-for": address, ...headers } });
		const sent: Record<string, string>[] = [
			{},
			{ "x-api-key": admin },
			{ cookie: operator.cookie, "sec-fetch-site": "same-origin" },
		];
		for (const headers of sent) expect((await from("203.0.113.9", headers)).status).toBe(404);
		expect((await from("198.19.0.1", { "x-api-key": admin })).status).toBe(200);
		expect((await from("198.19.0.1")).status).toBe(401);
		// A proxy that names only itself hides who calls.
		expect((await from("unknown", { "x-api-key": admin })).status).toBe(404);
		expect((await fetch(`${service.url}/v1/operator/outbox`, { headers: { "x-api-key": admin } })).status).toBe(200);
	});

	test("a key needs the scope, which the default scopes do not have", async () => {
		const answer = await get(service, "/v1/operator/tenants", { "x-api-key": tenant.apiKey });
		expect(answer.status).toBe(403);
	});

	test("a company is suspended and put on another plan, and its log names the operator", async () => {
		const path = `/v1/operator/tenants/${tenant.tenantId}`;
		const found = await readJson(reader.send("GET", `/v1/operator/tenants?q=${tenant.rnc}`));
		expect(found.items).toMatchObject([{ tenantId: tenant.tenantId, status: "active", plan: "unlimited" }]);
		expect(await reader.refusal("PATCH", path, { body: { status: "suspended" } })).toBe("403 insufficient-scope");
		const body = { status: "suspended", plan: "starter" };
		expect(await readJson(operator.send("PATCH", path, { body }))).toMatchObject(body);
		const [client] = await service.sql`select plan from oauth_clients where tenant_id = ${tenant.tenantId}`;
		expect(client).toEqual({ plan: "starter" });
		await operator.send("PATCH", path, { body: { status: "active", plan: "unlimited" } });
		const { items } = await readJson(get(service, "/v1/audit?actor=operator&action=company.*", tenant.headers));
		expect(items).toMatchObject([
			...[{ action: "company.plan" }, { action: "company.resume" }, { action: "company.plan" }],
			{ action: "company.suspend", actor: { kind: "operator", address: null } },
		]);
		for (const bad of [{}, { status: "gone" }, { plan: "gold" }, { name: "X" }])
			expect(await operator.refusal("PATCH", path, { body: bad })).toBe("400 validation-error");
		expect(await operator.refusal("PATCH", `${path.slice(0, -4)}0000`, { body })).toBe("404 not-found");
	});

	test("a change needs a factor that was shown lately", async () => {
		const person = await makePerson(service, { ownerId: null, role: "operator" });
		const browser = await signIn(service, person);
		await service.sql`
			update user_sessions set confirmed_at = now() - interval '11 minutes' where user_id = ${person.userId}`;
		const path = `/v1/operator/tenants/${tenant.tenantId}`;
		await until(async () => (await browser.refusal("PATCH", path, { body: {} })) === "403 confirmation-required");
		expect(await browser.refusal("GET", "/v1/operator/tenants")).toBe("200");
	});

	test("dead letters of all companies are sent again, and their owners see that", async () => {
		const webhook = await killLetters(service, tenant, 2);
		const list = () => readJson(reader.send("GET", `/v1/operator/dead-letters?tenantId=${tenant.tenantId}`));
		const { items } = (await list()) as { items: { deliveryId: string; webhookId: string; encf: string }[] };
		expect(items.map(({ webhookId }) => webhookId)).toEqual([webhook.id, webhook.id]);
		const issued = await readJson(get(service, "/v1/invoices", tenant.headers));
		const numbers = (issued.items as { encf: string }[]).map(({ encf }) => encf);
		expect(items.map(({ encf }) => encf).toSorted()).toEqual(numbers.toSorted());
		const send = (by: Browser, body: unknown) => by.send("POST", "/v1/operator/dead-letters:redispatch", { body });
		const deliveryIds = [items[0]?.deliveryId ?? "", crypto.randomUUID()];
		expect((await send(reader, { deliveryIds })).status).toBe(403);
		expect(await readJson(send(operator, { deliveryIds }))).toEqual({ redispatched: 1 });
		expect((await list()).count).toBe(1);
		await send(operator, {});
		expect((await list()).count).toBe(0);
		const log = await readJson(get(service, "/v1/audit?action=delivery.redispatch", tenant.headers));
		expect(log.items).toMatchObject([{ actor: { kind: "operator" } }, { actor: { kind: "operator" } }]);
		expect((await send(operator, { deliveryIds: [] })).status).toBe(400);
	});

	test("the registry's runs show which is served, and lead back to a kept one only", async () => {
		const list = () => readJson(reader.send("GET", "/v1/operator/registry/runs"));
		const { items } = (await list()) as { items: { runId: string; current: boolean; restorable: boolean }[] };
		const [served] = items;
		expect(served).toMatchObject({ result: "ok", current: true, restorable: false, reason: null });
		const back = (by: Browser, id: string) => by.refusal("POST", `/v1/operator/registry/runs/${id}:rollback`);
		expect(await back(reader, served?.runId ?? "")).toBe("403 insufficient-scope");
		expect(await back(operator, crypto.randomUUID())).toBe("404 not-found");
		expect(await back(operator, served?.runId ?? "")).toBe("204");
		const refused = crypto.randomUUID();
		await service.sql`
			insert into registry_runs (id, attempted_at, result, reason, source, record_count, refused, suppressed, duration_ms,
				finished_at, confirmed_at, attempt, attempt_result)
			select ${refused}, attempted_at, 'refused', 'too small', source, 0, 0, 0, 1, finished_at, confirmed_at, 0, 'refused'
			from registry_runs where id = ${served?.runId ?? ""}`;
		expect(await back(operator, refused)).toBe("400 validation-error");
		await service.owner`delete from registry_runs where id = ${refused}`;
		const [entry] = await service.sql`
			select user_id is not null as "isPerson" from audit where action = 'registry.rollback' order by id desc limit 1`;
		expect(entry).toEqual({ isPerson: true });
	});

	test("limits that callers met are listed with the company, by day", async () => {
		const { tenantId } = tenant;
		await service.sql`
			insert into usage_days (day, key_id, tenant_id, operation, succeeded, unmodified, refused, limited, failed, items)
			values ('2026-01-02', ${crypto.randomUUID()}, ${tenantId}, 'postInvoice', 5, 0, 0, 3, 0, 0),
				('2026-01-02', ${crypto.randomUUID()}, ${tenantId}, 'getInvoice', 5, 0, 0, 0, 0, 0)`;
		const { items } = await readJson(reader.send("GET", "/v1/operator/limits?day=2026-01-02"));
		expect(items).toMatchObject([{ tenantId, name: tenant.name, operation: "postInvoice", limited: 3, requests: 8 }]);
		expect(await reader.refusal("GET", "/v1/operator/limits?day=2026-02-30")).toBe("400 validation-error");
		expect(await reader.refusal("GET", "/v1/operator/limits")).toBe("200");
	});

	test("the authority's state is that of its public page", async () => {
		const seen = await readJson(reader.send("GET", "/v1/operator/authority"));
		const headers = { accept: "application/json" };
		const { services } = (await (await fetch(`${service.url}/status`, { headers })).json()) as { services: unknown[] };
		expect(seen).toMatchObject({ environment: "sandbox", breaker: "closed" });
		expect(seen.services).toHaveLength(services.length);
	});

	test("the newest checkpoints are checked, and one whose copy was damaged says so", async () => {
		await (await untilArchived(`/v1/invoices/${(await documentOf("accepted")).docId}/proof`)).body?.cancel();
		const defectsOfFirst = async () => {
			const { items } = await readJson(reader.send("GET", "/v1/operator/archive/verifications"));
			return (items as { number: number; defects: string[] }[]).find(({ number }) => number === 1)?.defects;
		};
		expect(await defectsOfFirst()).toEqual([]);
		const copy = join(service.dataDir, "archive/proof/checkpoints/000000000001.txt");
		const note = readFileSync(copy);
		try {
			rmSync(copy);
			expect(await defectsOfFirst()).toEqual(["has no copy in the store"]);
			writeFileSync(copy, `${note}forged`);
			expect(await defectsOfFirst()).toEqual(["has another copy in the store"]);
		} finally {
			writeFileSync(copy, note);
		}
		expect(await defectsOfFirst()).toEqual([]);
	}, 60_000);

	test("the outbox shows every kind with what waits", async () => {
		const { items } = await readJson(reader.send("GET", "/v1/operator/outbox"));
		const member = expect.any(Number);
		expect(items).toContainEqual({
			...{ kind: "webhook.deliver", waiting: member, due: member, oldestSeconds: member, dead: member },
		});
	});
});

describe("an operator's access to a company", () => {
	const path = () => `/v1/operator/tenants/${tenant.tenantId}/access`;

	test("opens it to be read, and the company sees who, why and how long", async () => {
		const company = tenant.tenantId;
		expect(await reader.refusal("GET", "/v1/invoices", { company })).toBe("404 not-found");
		const body = { reason: "Ticket 4711", minutes: 30, userId: readerPerson.userId };
		const opened = await readJson(operator.send("POST", path(), { body }));
		expect(opened).toMatchObject({ userId: readerPerson.userId, reason: "Ticket 4711" });
		await until(async () => (await reader.refusal("GET", "/v1/invoices", { company })) === "200");
		expect(await reader.refusal("POST", "/v1/invoices", { company, body: {} })).toBe("403 insufficient-scope");
		expect(await reader.refusal("GET", "/v1/audit", { company })).toBe("403 insufficient-scope");
		const me = await readJson(reader.send("GET", "/v1/me"));
		expect(me.memberships).toMatchObject([{ tenantId: company, role: "operator-readonly" }]);
		// The other operator has no part in it.
		expect(await operator.refusal("GET", "/v1/invoices", { company })).toBe("404 not-found");
		const seen = await readJson(get(service, `/v1/company/${company}/accesses`, tenant.headers));
		expect(seen.items).toEqual([opened]);
		const { items } = await readJson(get(service, "/v1/audit?action=operator.access", tenant.headers));
		expect(items).toMatchObject([{ target: company, details: { reason: "Ticket 4711", minutes: 30 } }]);
	});

	test("ends by itself, and with the role", async () => {
		const company = tenant.tenantId;
		const person = await makePerson(service, { ownerId: null, role: "operator" });
		const browser = await signIn(service, person);
		await browser.send("POST", path(), { body: { reason: "Ticket 4712", minutes: 1 } });
		await until(async () => (await browser.refusal("GET", "/v1/invoices", { company })) === "200");
		await service.sql`
			update operator_accesses set created_at = now() - interval '2 minutes', expires_at = now() - interval '1 minute'
			where user_id = ${person.userId}`;
		await until(async () => (await browser.refusal("GET", "/v1/invoices", { company })) === "404 not-found");
		await browser.send("POST", path(), { body: { reason: "Ticket 4713", minutes: 60 } });
		await until(async () => (await browser.refusal("GET", "/v1/invoices", { company })) === "200");
		await service.sql`delete from user_memberships where user_id = ${person.userId}`;
		await until(async () => (await browser.refusal("GET", "/v1/invoices", { company })) === "404 not-found");
	});

	test("names an operator, a reason and at most an hour", async () => {
		const admin = { "x-api-key": await service.createKey({ scopes: ["admin"] }) };
		const customer = await makePerson(service, { ownerId: null, role: "owner" });
		const send = (sent: unknown) =>
			fetch(`${service.url}${path()}`, {
				...{ method: "POST", body: JSON.stringify(sent) },
				headers: { ...admin, "content-type": "application/json" },
			});
		const reason = "Ticket";
		const bad = [{ reason, minutes: 61, userId: readerPerson.userId }, { minutes: 5 }, { reason, minutes: 5 }];
		for (const one of [...bad, { reason, minutes: 5, userId: customer.userId }])
			expect((await send(one)).status).toBe(400);
		expect((await send({ reason, minutes: 5, userId: readerPerson.userId })).status).toBe(201);
		expect(await openBrowser(service).refusal("POST", path(), { body: {} })).toBe("401 unauthorised");
	});
});
