/** The shell around all pages, as a person sees it in a browser. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Page, Response } from "playwright-core";
import { findBrowser } from "../support/browser";
import { buildInvoice, createTenant, postInvoice, type Tenant, untilDecided } from "../support/service";
import { until } from "../support/until";
import { findViolations, LOOKS, type OpenConsole, openConsole, overflowOf, shoot } from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("the shell", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
	}, 60_000);
	// A page that a failed test left open would keep the browser's one event stream.
	afterEach(async () => {
		for (const page of opened.context.pages().slice(1)) await page.close();
	});
	afterAll(() => opened.close());

	for (const look of LOOKS)
		test(`it has no fault with ${Object.values(look).join(", ")}, its menus open`, async () => {
			const page = await opened.openPage("", look);
			const [language, theme] = look.language === "es" ? ["Idioma", "Apariencia"] : ["Language", "Appearance"];
			await page.getByRole("button", { name: language, exact: true }).click();
			await page.getByRole("menuitemradio", { name: "English" }).waitFor();
			expect(await findViolations(page)).toEqual([]);
			await page.keyboard.press("Escape");
			await page.getByRole("button", { name: theme, exact: true }).click();
			await page.getByRole("menu").waitFor();
			await shoot(page, `shell-${Object.values(look).join("-")}`);
			expect(await findViolations(page)).toEqual([]);
			expect(await overflowOf(page)).toBe(0);
			expect(opened.takeFaults()).toEqual([]);
		});

	test("language and theme change at once and stay", async () => {
		const page = await opened.openPage("");
		await page.getByRole("button", { name: "Idioma", exact: true }).focus();
		await page.keyboard.press("Enter");
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { name: "Overview" }).waitFor();
		expect(await page.locator("html").getAttribute("lang")).toBe("en");
		await page.getByRole("button", { name: "Appearance", exact: true }).click();
		await page.getByRole("menuitemradio", { name: "Dark" }).click();
		await until(async () => (await page.locator("html").getAttribute("data-theme")) === "dark");
	});

	test("by Ctrl+K and typing, pages, actions and invoices are found, without a mouse", async () => {
		const { service, tenant } = opened;
		const invoice = buildInvoice(tenant, { customer: { rnc: "131880681", name: "<img src=x onerror=alert(1)>" } });
		await postInvoice(service, tenant, invoice);
		const page = await opened.openPage("");
		await page.keyboard.press("Control+k");
		await until(async () => (await page.evaluate("document.activeElement.role")) === "combobox");
		await page.keyboard.type(String(invoice.encf));
		const found = page.getByRole("option", { name: String(invoice.encf) });
		await found.waitFor();
		expect(await found.textContent()).toContain("<img src=x onerror=alert(1)>");
		expect(await findViolations(page)).toEqual([]);
		await shoot(page, "palette");
		await page.keyboard.press("Control+a");
		await page.keyboard.type("engl");
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { name: "Overview" }).waitFor();
		expect(await page.getByRole("dialog").count()).toBe(0);
		expect(opened.takeFaults()).toEqual([]);
	});

	test("ten tabs share one event stream, and the next tab takes it over", async () => {
		const { service, tenant } = opened;
		const first = await postInvoice(service, tenant, buildInvoice(tenant));
		await untilDecided(service, tenant, ((await first.json()) as { docId: string }).docId);
		const streams: Page[] = [];
		opened.context.on("request", (request) => {
			if (new URL(request.url()).pathname === "/v1/events") streams.push(request.frame().page());
		});
		const tabs = await Promise.all(Array.from({ length: 10 }, () => opened.openPage("")));
		await until(() => streams.length > 0);
		const issued = () => Promise.all(tabs.map((tab) => tab.locator(".figure-value").first().textContent()));
		const before = Number((await issued())[0] ?? 0);
		await postInvoice(service, tenant, buildInvoice(tenant));
		await until(async () => (await issued()).every((count) => Number(count) > before));
		expect(streams).toHaveLength(1);
		await streams[0]?.close();
		await until(() => streams.length === 2);
		expect(tabs.filter((tab) => tab !== streams[0])).toContain(streams[1] as Page);
	});

	test("two tabs with two companies never mix them, in two hundred calls", async () => {
		const { service, tenant, context } = opened;
		const sister = await createTenant(service, { apiKey: tenant.apiKey });
		await postInvoice(service, sister, buildInvoice(sister));
		const companies = [tenant, sister];
		const answers: { readonly company: string; readonly sent: string; readonly text: string }[] = [];
		const note = async (response: Response) => {
			const sent = response.request().headers()["x-company"];
			// A stream has no end.
			if (sent === undefined || !response.ok() || response.url().includes("?after=latest")) return;
			const company = companies.find(({ tenantId }) => response.frame().url().includes(tenantId))?.tenantId ?? "none";
			const text = await response.text().catch(() => "");
			answers.push({ company, sent, text });
		};
		context.on("response", note);
		// What the pages ask for themselves is cached, so each tab asks for more.
		const ask = (company: string) => `(async () => {
			const paths = ["invoices", "company/${company}", "sequences", "webhooks", "audit", "events"];
			for (let n = 0; n < 100; ) {
				const answer = await fetch("/v1/" + paths[n % paths.length], { headers: { "x-company": "${company}" } });
				await answer.text();
				if (answer.status === 429) await new Promise((done) => setTimeout(done, 250));
				else n++;
			}
		})()`;
		const walk = async ({ tenantId }: Tenant) => {
			const page = await opened.openPage("");
			await page.goto(page.url().replace(tenant.tenantId, tenantId));
			const links = page.locator(".side nav a");
			await links.first().waitFor();
			const asked = page.evaluate(ask(tenantId));
			for (let n = (await links.count()) - 1; n >= 0; n--) {
				await links.nth(n).click();
				await page.locator("main h1").first().waitFor();
			}
			await asked;
		};
		await Promise.all(companies.map(walk));
		await until(() => answers.length >= 200);
		context.off("response", note);
		expect(answers.filter(({ company, sent }) => company !== sent)).toEqual([]);
		for (const { tenantId, rnc } of companies) {
			const foreign = answers.filter(({ sent }) => sent !== tenantId).map(({ text }) => text);
			expect(foreign.length).toBeGreaterThanOrEqual(100);
			expect(foreign.filter((text) => text.includes(tenantId) || text.includes(rnc))).toEqual([]);
		}
		// The browser reports calls that came too fast.
		expect(opened.takeFaults().filter((fault) => !fault.includes("429"))).toEqual([]);
	});

	test("an address without a page says so, and a foreign company is not there", async () => {
		const page = await opened.openPage("");
		await page.goto(page.url().replace(/\/?$/, "/nada"));
		await page.getByText("Página no encontrada").waitFor();
		await page.goto(page.url().replace(opened.tenant.tenantId, "0192f0a1-b2c3-7d4e-8f00-112233445566"));
		await page.getByText("Página no encontrada").waitFor();
	});
});
