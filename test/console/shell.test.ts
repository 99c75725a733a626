/** The shell around all pages, as a person sees it in a browser. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { findBrowser } from "../support/browser";
import { buildInvoice, postInvoice, untilDecided } from "../support/service";
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

	test("several tabs share one event stream, and the next tab takes it over", async () => {
		const { service, tenant } = opened;
		const first = await postInvoice(service, tenant, buildInvoice(tenant));
		await untilDecided(service, tenant, ((await first.json()) as { docId: string }).docId);
		const streams: Page[] = [];
		opened.context.on("request", (request) => {
			if (new URL(request.url()).pathname === "/v1/events") streams.push(request.frame().page());
		});
		const tabs = [await opened.openPage(""), await opened.openPage(""), await opened.openPage("")];
		await until(() => streams.length > 0);
		const issued = () => Promise.all(tabs.map((tab) => tab.locator(".figure-value").first().textContent()));
		const before = Number((await issued())[0] ?? 0);
		await postInvoice(service, tenant, buildInvoice(tenant));
		await until(async () => (await issued()).every((count) => Number(count) > before));
		expect(streams).toHaveLength(1);
		await tabs[0]?.close();
		await until(() => streams.length === 2);
		expect(tabs.slice(1)).toContain(streams[1] as Page);
	});

	test("an address without a page says so, and a foreign company is not there", async () => {
		const page = await opened.openPage("");
		await page.goto(page.url().replace(/\/?$/, "/nada"));
		await page.getByText("Página no encontrada").waitFor();
		await page.goto(page.url().replace(opened.tenant.tenantId, "0192f0a1-b2c3-7d4e-8f00-112233445566"));
		await page.getByText("Página no encontrada").waitFor();
	});
});
