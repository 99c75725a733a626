/** The inbox as the public sandbox gives it out, and as it works in a browser: against the whole service, with its own limits. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { TEXTS } from "../../../src/api/pages/invoicing";
import { STREAMS_MAX } from "../../../src/events/feed";
import { enqueueEvents } from "../../../src/events/webhooks";
import { DEMO_KEY, DEMO_TENANT_ID } from "../../../src/identity/auth";
import { newId } from "../../../src/platform/values";
import { findBrowser, openBrowser } from "../../support/browser";
import {
	buildInvoice,
	createTenant,
	get,
	getToken,
	openServiceIn,
	postInvoice,
	type Tenant,
} from "../../support/service";
import { until } from "../../support/until";

const LIMIT_MS = 120_000;
const root = join(import.meta.dir, "../../..");
const built = readFileSync(join(root, "data/inbox/inbox.html"), "utf8");
const browserPath = findBrowser();

let service: Awaited<ReturnType<typeof openServiceIn>>;
beforeAll(async () => {
	service = await openServiceIn("public-sandbox", { TRUSTED_PROXIES: "127.0.0.1" });
}, 180_000);
afterAll(() => service.stop());

test("the page is public, and its policy allows requests to this service only", async () => {
	const answer = await get(service, "/inbox");
	expect(answer.status).toBe(200);
	expect(Object.fromEntries(answer.headers)).toMatchObject({
		"content-type": "text/html; charset=utf-8",
		"cache-control": "no-cache",
		"referrer-policy": "no-referrer",
		"x-content-type-options": "nosniff",
	});
	const policy = answer.headers.get("content-security-policy") ?? "";
	expect(policy).toMatch(
		/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'/,
	);
	expect(policy).toEndWith("require-trusted-types-for 'script'; frame-ancestors 'none'");
	expect(policy).not.toMatch(/unsafe|https?:|data:|blob:|\*/);
	expect((await answer.text()) === built).toBe(true);
	const known = await get(service, "/inbox", { "if-none-match": answer.headers.get("etag") ?? "" });
	expect([known.status, await known.text()]).toEqual([304, ""]);
});

test("the documentation leads to it", async () => {
	expect(await (await get(service, "/docs/en")).text()).toContain('<a href="/inbox">');
	expect(await (await get(service, "/openapi.json")).json()).toHaveProperty(["paths", "/inbox", "get", "responses"]);
});

test("the page in the repository is built from its sources", async () => {
	const check = Bun.spawn([process.execPath, "scripts/build-inbox.ts", "--check"], { cwd: root, stdout: "pipe" });
	expect(await new Response(check.stdout).text()).toContain("as it was");
	expect(await check.exited).toBe(0);
});

test("without its script the page is Spanish and has the demo key", () => {
	const standing = [...built.matchAll(/data-text="(\w+)"[^>]*>([^<]*)</g)];
	expect(standing.length).toBeGreaterThan(15);
	for (const [, name = "", text] of standing) {
		expect({ name, text }).toEqual({ name, text: TEXTS[name as keyof typeof TEXTS].es });
	}
	expect(built).toContain(`value="${DEMO_KEY}"`);
});

describe.skipIf(browserPath === undefined)("in a browser", () => {
	let context: BrowserContext;
	let close: () => Promise<void>;
	let tenant: Tenant;
	let opened = 0;
	beforeAll(async () => {
		({ context, close } = await openBrowser(browserPath ?? ""));
		tenant = await createTenant(service, { apiKey: DEMO_KEY });
	}, LIMIT_MS);
	afterAll(() => close(), LIMIT_MS);

	/** The page in English, with what it has asked for and what it complained of. Its clock can be set forward. */
	const openInbox = async () => {
		const page = await context.newPage();
		const asked: string[] = [];
		const complaints: string[] = [];
		page.on("request", (request) => asked.push(request.url().replace(service.url, "")));
		page.on("console", (message) => complaints.push(message.text()));
		page.on("pageerror", (error) => complaints.push(error.message));
		// An address gets ten tokens a minute, so each page has its own.
		const address = `192.0.2.${++opened}`;
		await page.route("**/v1/auth/token", (route) =>
			route.continue({ headers: { ...route.request().headers(), "x-forwarded-for": address } }),
		);
		await page.clock.install();
		await page.goto(`${service.url}/inbox`);
		await page.click("#to-en");
		return { page, asked, complaints };
	};
	const openAs = async (page: Page, { clientId, clientSecret }: Pick<Tenant, "clientId" | "clientSecret">) => {
		await page.getByLabel("Client id").fill(clientId);
		await page.getByLabel("Client secret").fill(clientSecret);
		await page.getByRole("button", { name: "Open" }).click();
	};
	const untilIt = (page: Page, is: string) => page.locator(`#standing[data-is="${is}"]`).waitFor({ timeout: LIMIT_MS });
	const eventOf = (page: Page, text: string) => page.locator("#events > li", { hasText: text });
	/** Issues an invoice; its event is there. Nothing is polled, since that is counted. */
	const issue = async (one: Tenant, over: Record<string, unknown> = {}): Promise<string> => {
		const answer = await postInvoice(service, one, buildInvoice(one, over), { "x-sandbox-scenario": "accept" });
		const { docId } = (await answer.json()) as { docId: string };
		const found = () => service.owner`select 1 from events where body::json->>'docId' = ${docId}`;
		await until(async () => (await found()).length > 0, LIMIT_MS);
		return docId;
	};
	/** What a public sandbox counts by address is that of all tests here. */
	const forgetPolls = () => service.owner`delete from call_counts`;

	test(
		"events appear live, newest first, and untrusted text stays text",
		async () => {
			const earlier = await issue(tenant);
			const { page, asked, complaints } = await openInbox();
			await openAs(page, tenant);
			await eventOf(page, earlier).waitFor({ state: "attached", timeout: LIMIT_MS });
			const hostile = "<img src=x onerror=alert(1)>\u202e";
			const docId = await issue(tenant, { client_request_id: hostile });
			const event = eventOf(page, docId);
			await event.waitFor({ state: "attached", timeout: LIMIT_MS });
			expect(await page.locator("#events > li").first().textContent()).toContain(docId);
			await event.locator("summary").click();
			const [headers, shown] = await event.locator("pre").allTextContents();
			expect(headers).toBe(
				"Content-Type: application/json\nUser-Agent: ecf-webhooks/1\nX-Service-Event: invoice.accepted\nX-Service-Attempt: 1",
			);
			expect(shown).toContain('"client_request_id": "<img src=x onerror=alert(1)>\\u202e"');
			const feed = await get(service, "/v1/events", tenant.headers);
			const { events } = (await feed.json()) as { events: { id: string; docId: string }[] };
			const { id: _, ...found } = events.find((one) => one.docId === docId) ?? { id: "" };
			expect(JSON.parse(shown ?? "")).toEqual(found);
			expect(await page.locator("#events img").count()).toBe(0);
			expect(complaints).toEqual([]);
			expect(asked.filter((url) => !/^\/(?:inbox|docs\/assets\/|v1\/auth\/token|v1\/events)/.test(url))).toEqual([]);
			await page.getByRole("searchbox").fill(earlier);
			expect(await page.locator("#events > li:visible").count()).toBe(1);
			await page.close();
		},
		LIMIT_MS,
	);

	test(
		"it begins with the hundred events before, or with what is still kept of them",
		async () => {
			const one = await createTenant(service, { apiKey: DEMO_KEY });
			const { tenantId } = one;
			const events = Array.from({ length: 130 }, () => {
				const ids = { tenantId, docId: newId(), trackId: newId() };
				return { ...ids, event: "webhook.test", occurredAt: new Date() } as const;
			});
			await service.sql.begin((tx) => enqueueEvents(tx, events));
			const { page } = await openInbox();
			const sequences = async () => {
				await eventOf(page, '"sequence": 130').waitFor({ state: "attached", timeout: LIMIT_MS });
				const shown = await page.locator("#events > li dd:nth-of-type(2)").allTextContents();
				return [shown.length, shown.at(0), shown.at(-1)];
			};
			await openAs(page, one);
			expect(await sequences()).toEqual([100, "130", "31"]);
			await service.sql`update heads set swept_sequence = 120 where tenant_id = ${tenantId}`;
			await openAs(page, one);
			expect(await sequences()).toEqual([10, "130", "121"]);
			await page.close();
		},
		LIMIT_MS,
	);

	test(
		"with the demo client it shows the demo company's events and no other's",
		async () => {
			const { page } = await openInbox();
			await page.getByRole("button", { name: "Open" }).click();
			await untilIt(page, "following");
			const token = await getToken(service, "demo", "demo");
			const headers = { "x-api-key": DEMO_KEY, authorization: `Bearer ${token}` };
			const company = await get(service, `/v1/company/${DEMO_TENANT_ID}`, headers);
			const { rnc, name } = (await company.json()) as Pick<Tenant, "rnc" | "name">;
			const docId = await issue({ ...tenant, tenantId: DEMO_TENANT_ID, rnc, name, headers });
			await eventOf(page, docId).waitFor({ state: "attached", timeout: LIMIT_MS });
			const shown = (await page.locator("#events > li").allTextContents()).join();
			expect(shown).not.toContain(tenant.tenantId);
			await page.close();
		},
		LIMIT_MS,
	);

	test(
		"invalid credentials show the service's message and are not retried",
		async () => {
			const { page, asked } = await openInbox();
			await openAs(page, { clientId: tenant.clientId, clientSecret: "guessed" });
			await untilIt(page, "refused");
			expect(await page.getByRole("status").textContent()).toContain("(401)");
			await page.clock.fastForward(3_600_000);
			expect(asked.filter((url) => url.startsWith("/v1/"))).toEqual(["/v1/auth/token"]);
			await page.close();
		},
		LIMIT_MS,
	);

	test(
		"a hidden tab disconnects and continues without gaps or duplicates",
		async () => {
			const { page } = await openInbox();
			const show = (state: "hidden" | "visible") =>
				page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
					document.dispatchEvent(new Event("visibilitychange"))`);
			await openAs(page, tenant);
			await untilIt(page, "following");
			await show("hidden");
			await page.clock.fastForward(59_000);
			expect(await page.getAttribute("#standing", "data-is")).toBe("following");
			await page.clock.fastForward(2_000);
			await untilIt(page, "paused");
			const meanwhile = await issue(tenant);
			await show("visible");
			await eventOf(page, meanwhile).waitFor({ state: "attached", timeout: LIMIT_MS });
			const feed = await get(service, "/v1/events", tenant.headers);
			const { count } = (await feed.json()) as { count: number };
			expect(await page.locator("#events > li").count()).toBe(count);
			await page.close();
		},
		LIMIT_MS,
	);

	test(
		"it polls while all connections are in use and follows once one is free",
		async () => {
			await forgetPolls();
			const gone = new AbortController();
			const headers = { ...tenant.headers, accept: "text/event-stream" };
			const streams: Response[] = [];
			// The stream of a page that was just closed may be counted for another moment.
			await until(async () => {
				const answer = await fetch(`${service.url}/v1/events?after=latest`, { headers, signal: gone.signal });
				if (answer.ok) streams.push(answer);
				return streams.length === STREAMS_MAX;
			});
			const { page } = await openInbox();
			await openAs(page, tenant);
			await untilIt(page, "waiting");
			const why = `${STREAMS_MAX} waiting requests and streams`;
			expect(await page.textContent("#standing")).toContain(why);
			const docId = await issue(tenant);
			await page.clock.fastForward(6_000);
			await eventOf(page, docId).waitFor({ state: "attached", timeout: LIMIT_MS });
			expect(await page.textContent("#standing")).toContain(why);
			gone.abort();
			await page.clock.fastForward(121_000);
			await untilIt(page, "following");
			await page.close();
		},
		LIMIT_MS,
	);

	test(
		"beyond the poll limit it shows the limit and waits for Retry-After",
		async () => {
			const spent = async () => (await get(service, "/v1/events?limit=1", tenant.headers)).status;
			while ((await spent()) === 200);
			const { page, asked } = await openInbox();
			await openAs(page, tenant);
			await untilIt(page, "waiting");
			expect(await page.getByRole("status").textContent()).toContain("Demo key: 120 questions for a status");
			const before = asked.length;
			await page.clock.fastForward(600_000);
			expect(await page.getAttribute("#standing", "data-is")).toBe("waiting");
			expect(asked.length).toBe(before);
			await forgetPolls();
			// A refusal is remembered for some seconds.
			await until(async () => (await spent()) === 200, LIMIT_MS);
			await page.clock.fastForward(3_600_000);
			await untilIt(page, "following");
			await page.close();
		},
		LIMIT_MS,
	);

	test("it fits a phone's screen and has accessible names in both languages", async () => {
		const { page } = await openInbox();
		await page.setViewportSize({ width: 360, height: 640 });
		expect(await page.evaluate<number[]>("[document.documentElement.scrollWidth, innerWidth]")).toEqual([360, 360]);
		for (const role of ["banner", "main", "contentinfo", "status", "form"] as const) {
			expect([role, await page.getByRole(role).count()]).toEqual([role, 1]);
		}
		await page.click("#to-es");
		expect(await page.getAttribute("html", "lang")).toBe("es");
		expect(await page.getByLabel("Clave de API").count()).toBe(1);
		expect(await page.getByRole("status").textContent()).toContain("No está abierto.");
		await page.close();
	});
});
