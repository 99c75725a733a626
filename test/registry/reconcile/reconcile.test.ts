/** Links for reconciliation and what they open, over HTTP. */
import { beforeAll, describe, expect, test } from "bun:test";
import { DEMO_KEY } from "../../../src/identity/auth";
import { expectProblem } from "../../api/support/problem";
import { sharedService, type TestService } from "../../support/service";

type Link = { readonly id: string; readonly url: string; readonly key_id: string; readonly expires_at: string };

let service: TestService;
let key: string;
let link: Link;
beforeAll(async () => {
	service = await sharedService();
	key = await service.createKey({ scopes: ["registry:read"] });
	link = await makeLink(key);
});

const PATH = "/v1/authority/reconcile-links";

const askFor = (apiKey: string, body?: string) =>
	fetch(`${service.url}${PATH}`, {
		method: "POST",
		headers: { "x-api-key": apiKey, ...(body === undefined ? {} : { "content-type": "application/json" }) },
		...(body === undefined ? {} : { body }),
	});
async function makeLink(apiKey: string, body?: string): Promise<Link> {
	const answer = await askFor(apiKey, body);
	expect(answer.status).toBe(201);
	return (await answer.json()) as Link;
}
const asKey = (method: string, path: string) =>
	fetch(`${service.url}${path}`, { method, headers: { "x-api-key": key } });
const postForm = (url: string, form: Record<string, string>) =>
	fetch(url, { method: "POST", body: new URLSearchParams(form) });
const reconcile = (url: string, queries: unknown) => postForm(url, { queries: JSON.stringify(queries) });
const numbers = (count: number) =>
	Object.fromEntries(Array.from({ length: count }, (_, i) => [`q${i}`, { query: "131880681" }]));
const get = async (path: string) => (await fetch(`${link.url}${path}`)).json();

describe("a link", () => {
	test("is shown once, and its digest alone is stored", async () => {
		expect(link.url).toMatch(new RegExp(`^${service.url}/v1/reconcile/[\\w-]{44}$`));
		const { items } = (await (await asKey("GET", PATH)).json()) as { items: Link[] };
		expect(items.map(({ id, key_id, expires_at }) => ({ id, key_id, expires_at }))).toContainEqual({
			...{ id: link.id, key_id: link.key_id, expires_at: link.expires_at },
		});
		const rows = await service.sql`select row_to_json(l)::text as row from registry_reconcile_links l`;
		expect(JSON.stringify([items, rows])).not.toContain(link.url.slice(-44));
	});

	test("lasts for 30 days or as asked for, at most a year", async () => {
		const days = (made: Link) => Math.round((Date.parse(made.expires_at) - Date.now()) / 86_400_000);
		expect(days(link)).toBe(30);
		expect(days(await makeLink(key, '{"expires_in_days":1}'))).toBe(1);
		for (const body of ['{"expires_in_days":0}', '{"expires_in_days":366}', '{"days":3}'])
			await expectProblem(askFor(key, body), 400, "validation-error");
	});

	test("answers 410 once it was revoked, and other owners cannot revoke it", async () => {
		const made = await makeLink(key);
		expect((await fetch(made.url)).status).toBe(200);
		const other = await service.createKey({ scopes: ["registry:read"] });
		const path = `${service.url}${PATH}/${made.id}`;
		await expectProblem(fetch(path, { method: "DELETE", headers: { "x-api-key": other } }), 404, "not-found");
		expect((await asKey("DELETE", `${PATH}/${made.id}`)).status).toBe(204);
		const refused = await fetch(made.url);
		expect(refused.headers.get("access-control-allow-origin")).toBe("*");
		await expectProblem(Promise.resolve(refused), 410, "link-expired");
		await expectProblem(asKey("DELETE", `${PATH}/${made.id}`), 404, "not-found");
	});

	test("answers 410 when it has expired, and when its key was revoked or lost its scope", async () => {
		const made = await makeLink(key);
		await service.sql`update registry_reconcile_links set expires_at = now() where id = ${made.id}`;
		await expectProblem(fetch(made.url), 410, "link-expired");
		const revoked = await service.createKey({ scopes: ["registry:read"] });
		const ofRevoked = await makeLink(revoked);
		await service.revokeKey(revoked);
		await expectProblem(reconcile(ofRevoked.url, numbers(1)), 410, "link-expired");
		const ofPoor = await makeLink(await service.createKey({ scopes: ["registry:read"] }));
		await service.sql`update api_keys set scopes = '{usage:read}' where id = ${ofPoor.key_id}`;
		await expectProblem(fetch(`${ofPoor.url}/preview?id=131880681`), 410, "link-expired");
	});

	test("answers 404 for a guess, and from an address that its key does not allow", async () => {
		const last = link.url.at(-1) === "A" ? "B" : "A";
		for (const guess of ["x", "A".repeat(44), `${link.url.slice(-44, -1)}${last}`])
			await expectProblem(fetch(`${service.url}/v1/reconcile/${guess}`), 404, "not-found");
		const bound = await makeLink(await service.createKey({ scopes: ["registry:read"] }));
		await service.sql`update api_keys set ip_allow_list = '{203.0.113.0/24}' where id = ${bound.key_id}`;
		await expectProblem(fetch(bound.url), 404, "not-found");
	});
});

describe("the service", () => {
	test("describes itself to pages of any site", async () => {
		const answer = await fetch(`${link.url}?callback=ignored`, { headers: { origin: "http://127.0.0.1:3333" } });
		expect(answer.headers.get("access-control-allow-origin")).toBe("*");
		const service_url = link.url;
		expect(await answer.json()).toMatchObject({
			...{ versions: ["0.2"], batchSize: 50, defaultTypes: [{ id: "taxpayer" }, { id: "rnc" }, { id: "cedula" }] },
			identifierSpace: `${service.url}/v1/authority/document/`,
			view: { url: `${service.url}/consulta/{{id}}` },
			preview: { url: `${link.url}/preview?id={{id}}` },
			suggest: { entity: { service_url, service_path: "/suggest/entity" } },
			extend: { propose_properties: { service_url, service_path: "/properties" } },
		});
	});

	test("reconciles names and numbers by POST and by GET", async () => {
		const queries = {
			q0: { query: "Fereteria El Progreso, S.R.L.", type_strict: "should", limit: 3 },
			q1: { query: "1-31-88068-1" },
			q2: { query: "zzzzzz qqqq" },
		};
		const answer = await reconcile(link.url, queries);
		expect(answer.headers.get("cache-control")).toBe("no-store");
		const found = (await answer.json()) as Record<string, { result: { id: string; match: boolean }[] }>;
		for (const name of ["q0", "q1"]) expect(found[name]?.result[0]).toMatchObject({ id: "131880681", match: true });
		expect(found.q2).toEqual({ result: [] });
		expect(await get(`?queries=${encodeURIComponent(JSON.stringify(queries))}`)).toEqual(found);
	});

	test("adds columns, with an empty list for what the registry does not have", async () => {
		const properties = [{ id: "status" }, { id: "trade_name" }];
		const asked = { ids: ["131880681", "999999999", "x"], properties };
		expect(await (await postForm(link.url, { extend: JSON.stringify(asked) })).json()).toEqual({
			meta: [
				{ id: "status", name: "Estado" },
				{ id: "trade_name", name: "Nombre comercial" },
			],
			rows: {
				"131880681": { status: [{ str: "ACTIVO" }], trade_name: [{ str: "EL PROGRESO" }] },
				"999999999": { status: [], trade_name: [] },
				x: { status: [], trade_name: [] },
			},
		});
		const other = JSON.stringify({ ids: [], properties: [{ id: "owner" }] });
		await expectProblem(postForm(link.url, { extend: other }), 400, "validation-error", [
			"/extend/properties/0/id unknown-property",
		]);
	});

	test("suggests taxpayers and columns, and shows a page that runs nothing", async () => {
		expect(await get("/suggest/entity?prefix=ferr+prog&type=x")).toMatchObject({
			result: [{ id: "131880681", description: "EL PROGRESO, ACTIVO" }],
		});
		expect(await get("/suggest/entity")).toEqual({ result: [] });
		expect(await get("/suggest/property?prefix=Régimen")).toEqual({
			result: [{ id: "payment_regime", name: "Régimen de pagos" }],
		});
		expect(((await get("/properties?type=rnc")) as { properties: unknown[] }).properties).toHaveLength(6);
		const page = await fetch(`${link.url}/preview?id=131880681`, { headers: { "accept-language": "en-US" } });
		expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none';.* sandbox$/);
		expect(await page.text()).toContain("<dt>Commercial name</dt><dd>EL PROGRESO</dd>");
		expect((await fetch(`${link.url}/preview?id=<script>`)).status).toBe(404);
	});

	test("refuses what it cannot read, before it works", async () => {
		await expectProblem(reconcile(link.url, numbers(51)), 400, "validation-error", ["/queries too-many"]);
		await expectProblem(postForm(link.url, { other: "1" }), 400, "validation-error");
		await expectProblem(postForm(link.url, { queries: "{}", extend: "{}" }), 400, "validation-error");
		await expectProblem(postForm(link.url, { queries: "{" }), 400, "malformed-json");
		const json = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
		await expectProblem(fetch(link.url, json), 415, "unsupported-media-type");
		await expectProblem(postForm(link.url, { queries: "x".repeat(300_000) }), 413, "payload-too-large");
	});
});

test("the plan limits the names of a day; a plan without any makes no links", async () => {
	const demo = askFor(await service.createKey({ plan: "demo", scopes: ["registry:read"] }));
	const none = await expectProblem(demo, 429, "rate-limit-exceeded");
	expect(none).toMatchObject({ limit: 0, policy: "demo-reconcile-day" });
	// That of a local sandbox has no limits.
	expect((await fetch((await makeLink(DEMO_KEY)).url)).status).toBe(200);
	const free = await makeLink(await service.createKey({ plan: "free", scopes: ["registry:read"] }));
	const first = await reconcile(free.url, numbers(30));
	expect(first.headers.get("ratelimit")).toMatch(/"lookup";r=49;.* "reconcile-day";r=970;/);
	await service.sql`
		update call_counts set counts[(slot % array_length(counts, 1)) + 1] = 980
		where policy = 'reconcile-day' and subject_id = (select owner_id from api_keys where id = ${free.key_id})`;
	const refused = await reconcile(free.url, numbers(30));
	expect(refused.headers.get("ratelimit")).toStartWith('"reconcile-day";r=20;');
	expect(await expectProblem(Promise.resolve(refused), 429, "rate-limit-exceeded")).toMatchObject({ limit: 1_000 });
	expect((await reconcile(free.url, numbers(20))).headers.get("ratelimit")).toContain('"reconcile-day";r=0;');
	// New columns, and everything else, do not count.
	const extend = JSON.stringify({ ids: ["131880681"], properties: [{ id: "name" }] });
	expect((await postForm(free.url, { extend })).status).toBe(200);
});
