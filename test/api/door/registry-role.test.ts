/** The identity-validation API alone: what belongs to invoices is not there, and nothing of it runs. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SAMPLE } from "../../registry/build";
import { type RegistryService, startRegistryService } from "../../support/registry-service";
import { declaredOperations } from "../support/declared-operations";

let service: RegistryService;
let officer: Readonly<Record<string, string>>;
beforeAll(async () => {
	service = await startRegistryService(SAMPLE);
	officer = await service.createOfficer();
}, 120_000);
afterAll(() => service?.stop(), 60_000);

/** Of what every process serves, whatever its role. */
const SHARED_TAGS = ["Authentication", "Usage", "Health", "Documentation", "Changelog", "Agents"];
/** The page of the authority's answers to invoices is the invoices', and so are the schemas of their requests and the verifier of their evidence. */
const isAboutInvoices = (path: string) =>
	path === "/docs/{lang}/codes" ||
	path.includes("authority-codes") ||
	["/docs/webhooks", "/docs/verify"].includes(path) ||
	path.startsWith("/v1/schemas/");
const isServed = ({ tag, path }: { tag: string; path: string }) =>
	tag === "Registry" ||
	path.startsWith("/v1/watchlist") ||
	path.startsWith("/v1/operator/registry/") ||
	path === "/v1/operator/limits" ||
	(SHARED_TAGS.includes(tag) && !isAboutInvoices(path));
const all = declaredOperations();
const foreign = all.filter((operation) => !isServed(operation));

const ask = (method: string, path: string) =>
	fetch(`${service.url}${path}`, {
		method,
		headers: { ...officer, "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
		...(method === "POST" ? { body: "{}" } : {}),
		redirect: "manual",
	});

test("the role serves some operations and omits others", () => {
	expect(foreign.map(({ id }) => id)).toContain("postInvoice");
	expect(foreign.length).toBeGreaterThan(10);
	expect(all.filter(({ tag }) => tag === "Registry").length).toBeGreaterThan(9);
});

describe("404 for", () => {
	test.each(foreign.map(({ method, path }) => [method, path]))("%s %s", async (method, path) => {
		const answer = await ask(method, path.replace(/\{\w+\}/g, "01920000-0000-7000-8000-000000000000"));
		expect(answer.status).toBe(404);
		expect(await answer.json()).toMatchObject({ type: `${service.url}/errors/not-found` });
	});
});

test("the documents show its own operations and no others", async () => {
	const { paths } = (await (await ask("GET", "/openapi.json")).json()) as { paths: Record<string, object> };
	const found = Object.entries(paths).flatMap(([path, methods]) =>
		Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
	);
	expect(found.sort()).toEqual(
		all
			.filter(isServed)
			.map(({ method, path }) => `${method} ${path}`)
			.sort(),
	);
	const page = await (await ask("GET", "/docs/explorer")).text();
	expect(page).toContain("/v1/authority/document:search");
	expect(page).not.toContain("/v1/invoices");
	expect(page).not.toContain("/v1/company");
});

test("look-up, search, status, tokens and erasures work", async () => {
	expect((await ask("GET", "/v1/authority/document/990000001")).status).toBe(200);
	expect((await ask("GET", "/v1/authority/document:search?field=document&q=99000")).status).toBe(200);
	expect((await ask("GET", "/v1/authority/registry/status")).status).toBe(200);
	const body = {
		...{ legal_basis: "data-error", request_reference: "X-1", requested_by: "dpo@example.do", reason: "Test" },
	};
	const purged = await fetch(`${service.url}/v1/authority/document/990000001:purge`, {
		method: "POST",
		headers: { ...officer, "content-type": "application/json" },
		body: JSON.stringify(body),
	});
	expect(purged.status).toBe(200);
	expect((await ask("GET", "/v1/authority/document/990000001")).status).toBe(404);
});

test("it is ready without signer, outbox, archive and authority", async () => {
	const ready = (await (await ask("GET", "/readyz")).json()) as { checks: Record<string, string> };
	expect(Object.keys(ready.checks).sort()).toEqual(["database", "migrations", "registry", "settings"]);
	const health = (await (await ask("GET", "/health")).json()) as { checks: Record<string, string> };
	expect(Object.keys(health.checks)).not.toContain("queue");
	expect(existsSync(join(service.dataDir, "archive"))).toBe(false);
	const names =
		await service.sql`select distinct application_name as name from pg_stat_activity where datname = current_database()`;
	expect(names.map(({ name }) => name).filter((name) => /dispatch|worker/.test(name))).toEqual([]);
	expect((await service.sql`select 1 from companies`).length).toBe(0);
});
