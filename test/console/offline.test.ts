/** Pages without a connection: what was shown stays and says its age, nothing is sent, and all comes back by itself. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { findBrowser } from "../support/browser";
import { buildInvoice, postInvoice } from "../support/service";
import { until } from "../support/until";
import { findViolations, inspect, LANGUAGES, type OpenConsole, openConsole, shoot } from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("without a connection", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
		await issue();
	}, 60_000);
	afterAll(async () => {
		await opened.context.setOffline(false);
		await opened.close();
	});

	const issue = async () => {
		const answer = await postInvoice(opened.service, opened.tenant, buildInvoice(opened.tenant));
		return ((await answer.json()) as { encf: string }).encf;
	};
	/** The browser itself reports calls that did not arrive. */
	const end = async (page: Page) => {
		await opened.context.setOffline(false);
		await page.close();
		opened.takeFaults();
	};

	test("an open page keeps its data, says their time, and renews them afterwards", async () => {
		const page = await opened.openPage("/invoices");
		await page.getByRole("table").waitFor();
		await opened.context.setOffline(true);
		await page.getByText(/^Sin conexión\. Últimos datos: .*\d:\d\d/).waitFor();
		expect(await page.getByRole("table").count()).toBe(1);
		await shoot(page, "offline-invoices");
		expect(await findViolations(page)).toEqual([]);
		const encf = await issue();
		await opened.context.setOffline(false);
		await page.getByRole("link", { name: encf }).waitFor();
		await page.getByText("Sin conexión").waitFor({ state: "detached" });
		await end(page);
	});

	test("nothing is sent, neither then nor later by itself", async () => {
		const page = await opened.openPage("/watchlists");
		await page.getByRole("button", { name: "Nueva lista" }).first().click();
		const dialog = page.getByRole("dialog");
		await dialog.getByRole("textbox").first().fill("Proveedores");
		const sent: string[] = [];
		page.on("request", (request) => {
			if (request.method() !== "GET") sent.push(request.url());
		});
		await opened.context.setOffline(true);
		const save = dialog.locator("button[type=submit]");
		await until(async () => (await save.getAttribute("aria-disabled")) === "true");
		expect(await save.getAttribute("title")).toBe("Sin conexión");
		await dialog.getByRole("textbox").first().press("Enter");
		await save.click({ force: true });
		await opened.context.setOffline(false);
		await until(async () => (await save.getAttribute("aria-disabled")) === null);
		expect(sent).toEqual([]);
		await save.click();
		await page
			.getByRole("heading", { name: "Proveedores" })
			.or(page.getByRole("link", { name: "Proveedores" }))
			.waitFor();
		expect(sent).toHaveLength(1);
		await end(page);
	});

	test("a page not opened before can be tried again, and appears by itself", async () => {
		const page = await opened.openPage("/audit");
		await opened.context.setOffline(true);
		const link = page.getByRole("link", { name: "Informes", exact: true });
		await link.click();
		const alert = page.getByRole("alert");
		await alert.getByText("Sin conexión").waitFor();
		await shoot(page, "offline-page");
		await alert.getByRole("button", { name: "Intentar de nuevo" }).click();
		await alert.getByText("Sin conexión").waitFor();
		await opened.context.setOffline(false);
		await page.getByRole("heading", { level: 1, name: "Informes" }).waitFor();
		await page.getByRole("alert").waitFor({ state: "detached" });
		await end(page);
	});

	test("an answer that was not asked for before fails with a retry, and comes by itself", async () => {
		const page = await opened.openPage("/reports");
		await page.getByRole("link", { name: "Auditoría", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "Auditoría" }).waitFor();
		await page.getByRole("table").waitFor();
		await opened.context.setOffline(true);
		await page.getByLabel("Área").selectOption({ index: 1 });
		const again = page.getByRole("alert").getByRole("button", { name: "Intentar de nuevo" });
		await again.waitFor();
		await opened.context.setOffline(false);
		await again.waitFor({ state: "detached" });
		await end(page);
	});

	test("a draft is not issued, and is checked again by itself", async () => {
		const page = await opened.openPage("/issue");
		await page.getByLabel("Tipo", { exact: true }).selectOption("32");
		await page.getByLabel("Descripción, línea 1").fill("Clavos");
		await opened.context.setOffline(true);
		await page.getByLabel("Precio, línea 1").fill("10");
		await page.getByText("No se pudo comprobar").first().waitFor();
		const send = page.getByRole("button", { name: "Emitir", exact: true });
		expect(await send.getAttribute("aria-disabled")).toBe("true");
		await opened.context.setOffline(false);
		await page.getByText("No se pudo comprobar").first().waitFor({ state: "detached" });
		expect(await page.getByLabel("Descripción, línea 1").inputValue()).toBe("Clavos");
		await page.getByRole("button", { name: "Descartar borrador" }).click();
		await end(page);
	});

	for (const language of LANGUAGES)
		test(`a page has no fault in ${language}`, async () => {
			const page = await opened.openPage("/sequences", { language });
			await page.getByRole("button").first().waitFor();
			await until(async () => (await page.locator(".skeleton").count()) === 0);
			await opened.context.setOffline(true);
			await page
				.getByText(language === "es" ? "Sin conexión" : "No connection")
				.first()
				.waitFor();
			expect(await inspect(page, "offline", language)).toEqual([]);
			await end(page);
		});
});
