/** The documentation as its readers meet it: addresses, languages, forms, budgets, links, and a few pages in a browser. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { BrowserContext, Page } from "playwright-core";
import { findBrowser, openBrowser } from "../../../support/browser";
import { countClicks, findBrokenLinks, listPages } from "../../../support/crawl";
import { inspectPages } from "../../../support/inspect-page";
import { type Served, serveDeclared } from "../../support/declared-operations";

const LIMIT_MS = 120_000;
const HTML = "text/html,application/xhtml+xml,*/*;q=0.8";
const KB = 1_000;

let served: Served;
beforeAll(() => {
	served = serveDeclared();
});
afterAll(() => served.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
	fetch(served.url + path, { headers: { accept: HTML, ...headers }, redirect: "manual" });
const languageOf = (html: string) => /<html lang="(\w+)">/.exec(html)?.[1];

test.each([
	["es", "es"],
	["es-DO;q=.9", "es"],
	["en-US,en;q=0.9,es;q=0.8", "en"],
	["fr", "es"],
	["*", "es"],
	[undefined, "es"],
])("%p gets the documentation in %s", async (accepted, language) => {
	for (const path of ["/docs", "/docs/authority-codes"]) {
		const answer = await get(path, accepted === undefined ? {} : { "accept-language": accepted });
		expect([answer.status, answer.headers.get("content-language")]).toEqual([200, language]);
		expect(answer.headers.get("vary")).toContain("Accept-Language");
		expect(languageOf(await answer.text())).toBe(language);
	}
});

test("the language of an address wins over the reader's", async () => {
	expect(languageOf(await (await get("/docs/en/webhooks", { "accept-language": "es" })).text())).toBe("en");
	expect(languageOf(await (await get("/docs/es/webhooks", { "accept-language": "en" })).text())).toBe("es");
});

test("a page that does not exist is a page with search for readers, else a problem", async () => {
	for (const path of ["/docs/es/nope", "/docs/fr", "/docs/es/nope.md", "/docs/xx/webhooks"]) {
		const page = await get(path);
		expect([path, page.status, page.headers.get("content-type")]).toEqual([path, 404, "text/html; charset=utf-8"]);
		expect(await page.text()).toContain('action="/docs/es/search"');
		const problem = await get(path, { accept: "application/json" });
		expect([problem.status, ((await problem.json()) as { type: string }).type]).toEqual([
			404,
			`${served.url}/errors/not-found`,
		]);
	}
});

test("each page has a Markdown twin with the demo's values", async () => {
	const answer = await get("/docs/es/first-invoice.md");
	expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
	const text = await answer.text();
	expect(text).toContain(`curl -s ${served.url}/v1/invoices`);
	expect(text).toContain("ak_demo_public0000000000000000");
	expect(text).not.toContain("{{");
	expect(await (await get("/docs/en.md")).text()).toContain("](/docs/en/webhooks.md): ");
});

test("search answers readers with a page and programs with JSON", async () => {
	const page = await (await get("/docs/es/search?q=nota+de+cr%C3%A9dito")).text();
	expect(page).toContain('<a href="/docs/es/notes');
	expect(page).toContain("<mark>nota</mark>");
	const list = await (await get("/docs/en/search?q=credit%20note", { accept: "application/json" })).json();
	const { items, ...rest } = list as { items: { url: string }[] };
	expect(items[0]?.url).toContain("/docs/en/notes");
	expect(rest).toEqual({ count: items.length, partial: false, next: null } as never);
	const hostile = await (await get("/docs/en/search?q=%3Cscript%3Ealert(1)%3C/script%3E")).text();
	expect(hostile).not.toContain("<script>alert");
	for (const query of ["", "?q=a", `?q=${"a".repeat(81)}`, "?q=ab&q=cd"]) {
		const refused = await get(`/docs/es/search${query}`, { accept: "application/json" });
		expect([query, refused.status]).toEqual([query, 400]);
		expect(await (await get(`/docs/es/search${query}`)).text()).toContain('name="q"');
	}
});

test("the index for programs lists every guide, and all guides are one text", async () => {
	const index = await (await get("/llms.txt")).text();
	expect(index.length).toBeLessThan(12 * KB);
	for (const [, path = ""] of index.matchAll(/\]\((\/docs\/en\/[\w-]+\.md)\)/g))
		expect([path, (await get(path)).status]).toEqual([path, 200]);
	for (const [query, title] of [
		["", "# Your first invoice"],
		["?lang=en", "# Your first invoice"],
		["?lang=es", "# Su primer comprobante"],
	] as const) {
		const full = await (await get(`/llms-full.txt${query}`)).text();
		expect(full).toContain(title);
		expect(full.length).toBeLessThan(600 * KB);
	}
	expect((await get("/llms-full.txt?lang=fr")).status).toBe(400);
});

test("pages, style and script are within their budgets", async () => {
	const sizes = await Promise.all(
		["/docs/es", "/docs/es/settings", "/docs/assets/docs.css", "/docs/assets/docs.js"].map(
			async (path) => Bun.gzipSync(await (await get(path, { "accept-encoding": "identity" })).text()).length,
		),
	);
	console.log(`home, longest page, style, script in bytes of gzip: ${sizes.join(", ")}`);
	for (const [n, most] of [15, 15, 6, 8].entries()) expect(sizes[n]).toBeLessThan(most * KB);
});

test("the answer to a known page comes from memory", async () => {
	await get("/docs/es/webhooks");
	const start = performance.now();
	for (let n = 0; n < 50; n++) await (await get("/docs/es/webhooks")).bytes();
	const ms = (performance.now() - start) / 50;
	console.log(`a page again: ${ms.toFixed(2)} ms with its request`);
	expect(ms).toBeLessThan(100);
});

test(
	"no link of the documentation leads nowhere, and every anchor is there",
	async () => {
		const pages = await listPages(served.url, ["/docs/es", "/docs/en"]);
		expect(pages.length).toBeGreaterThan(150);
		expect(await findBrokenLinks(served.url, pages)).toEqual([]);
	},
	LIMIT_MS,
);

test("every Spanish page and every problem is within two clicks of the first page", async () => {
	const all = await countClicks(served.url, ["/docs/es"]);
	const far = [...all].filter(([path, clicks]) => clicks > 2 && /^\/(?:docs\/es|errors)(?:\/|$)/.test(path));
	const ofOtherLanguage = /\?lang=/;
	expect(far.filter(([path]) => !ofOtherLanguage.test(path))).toEqual([]);
});

/** What readers come for, and the page that answers them. */
const TOPICS: readonly (readonly [topic: string, page: string, text: string])[] = [
	...["31", "32", "33", "34", "41", "44"].map(
		(type) => [`example of type ${type}`, "/docs/es/api/postInvoice", `${type}-minimal`] as const,
	),
	["credit note", "/docs/es/notes", "nota de crédito"],
	["waiting for the verdict", "/docs/es/status", "prefer: wait"],
	["idempotency", "/docs/es/idempotency", "idempotency-key"],
	["webhook check in PHP", "/docs/es/sdk-php", "Webhook::verify"],
	["retries of deliveries", "/docs/es/webhooks", "reintent"],
	["PDF", "/docs/es/printing", "/pdf"],
	["QR", "/docs/es/printing", "QR"],
	["sequence", "/docs/es/sequences", "/sequences"],
	["certificate", "/docs/es/certificates", "certificado"],
	["scenarios of the sandbox", "/docs/es/sandbox", "scenario"],
	["test clock", "/docs/es/sandbox", "/v1/sandbox/clock"],
	["status 429", "/docs/es/limits", "429"],
	["code 614", "/docs/es/codes", "614"],
	["look-up", "/docs/es/look-up", "/v1/authority/document/"],
	["batch", "/docs/es/batch", "batch"],
	["changes of the registry", "/docs/es/changes", "changes"],
	["format 606", "/docs/es/purchases-606", "606"],
	["commercial approval", "/docs/es/approvals", "aprobación comercial"],
	["evidence", "/docs/es/evidence", "evidencia"],
	["backup", "/docs/es/backup", "admin backup"],
	["upgrade", "/docs/es/upgrade", "versión"],
	["setting PORT", "/docs/es/settings", "<code>PORT</code>"],
	["MCP", "/docs/es/mcp", "/mcp"],
];

test("what readers come for stands on a page within two clicks of the first", async () => {
	const near = await countClicks(served.url, ["/docs/es"], 2);
	const missing: string[] = [];
	for (const [topic, path, text] of TOPICS)
		if (!near.has(path) || !(await (await get(path)).text()).toLowerCase().includes(text.toLowerCase()))
			missing.push(topic);
	expect(missing).toEqual([]);
});

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("in a browser", () => {
	let context: BrowserContext;
	let close: () => Promise<void>;
	beforeAll(async () => {
		({ context, close } = await openBrowser(browserPath ?? ""));
	}, LIMIT_MS);
	afterAll(() => close());
	const open = async (path: string): Promise<Page> => {
		const page = await context.newPage();
		await page.goto(served.url + path);
		return page;
	};

	test(
		"a sample of pages has no barriers, overflow, foreign requests or errors",
		async () => {
			const paths = [
				"/",
				"/docs/es",
				"/docs/es/first-invoice",
				"/docs/en/search?q=webhook",
				"/errors/validation-error",
			];
			expect(await inspectPages(context, served.url, paths)).toEqual([]);
		},
		LIMIT_MS,
	);

	test(
		"the keyboard alone searches, opens a hit, and changes the theme",
		async () => {
			const page = await open("/docs/es");
			await page.keyboard.press("Tab");
			expect(await page.evaluate("document.activeElement.className")).toBe("skip");
			await page.keyboard.press("/");
			await page.keyboard.type("nota de crédito");
			await page.locator(".found a").first().waitFor();
			await page.keyboard.press("ArrowDown");
			await page.keyboard.press("Enter");
			await page.waitForURL("**/docs/es/notes**");
			const theme = page.getByRole("button", { name: "Tema" });
			await theme.press("Enter");
			await theme.press("Enter");
			expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
			await page.reload();
			expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
			await page.close();
		},
		LIMIT_MS,
	);

	test(
		"a reader's own credentials appear in the examples of this tab alone",
		async () => {
			const page = await open("/docs/en/first-invoice");
			await page.getByRole("button", { name: "Use my credentials" }).click();
			await page.getByLabel("API key").fill("ak_live_<b>mine");
			await page.getByRole("button", { name: "Save" }).click();
			// The page may fill the examples after a moment.
			const showsKey = (text: string) => page.locator("var[data-name=api_key]", { hasText: text }).first().waitFor();
			await showsKey("ak_live_<b>mine");
			await page.goto(`${served.url}/docs/en/webhooks`);
			await showsKey("ak_live_<b>mine");
			const other = await open("/docs/en/webhooks");
			expect(await other.locator("var[data-name=api_key]").first().textContent()).toBe(
				"ak_demo_public0000000000000000",
			);
			await page.getByRole("button", { name: "Use my credentials" }).click();
			await page.getByRole("button", { name: "Forget" }).click();
			await showsKey("ak_demo_public0000000000000000");
			await Promise.all([page.close(), other.close()]);
		},
		LIMIT_MS,
	);
});
