/** The list of invoices: found, filtered, chosen, and renewed by itself. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { unzipSync } from "fflate";
import { findBrowser } from "../support/browser";
import { buildInvoice, postInvoice, untilDecided } from "../support/service";
import { until } from "../support/until";
import { findViolations, inspect, LANGUAGES, type OpenConsole, openConsole, shoot } from "./support/open-console";

const browserPath = findBrowser();
const HOSTILE = `=<img src=x onerror=alert(1)> "SRL"`;

describe.skipIf(browserPath === undefined)("the list of invoices", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
	}, 60_000);
	afterAll(() => opened.close());

	const issue = async (over: Record<string, unknown> = {}, scenario?: string) => {
		const { service, tenant } = opened;
		const headers: Record<string, string> = scenario === undefined ? {} : { "x-sandbox-scenario": scenario };
		const answer = await postInvoice(service, tenant, buildInvoice(tenant, over), headers);
		const { docId, encf } = (await answer.json()) as { docId: string; encf: string };
		await untilDecided(service, tenant, docId);
		return { docId, encf };
	};

	test("an empty list shows the first invoice by itself", async () => {
		const page = await opened.openPage("/invoices", { language: "en" });
		await page.getByText("No invoices yet").waitFor();
		await shoot(page, "invoices-empty");
		expect(await findViolations(page)).toEqual([]);
		const { encf } = await issue();
		await page.getByRole("link", { name: encf }).waitFor();
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("search and filters stay in the address, and a click takes each away", async () => {
		await issue({ customer: { rnc: "101000015", name: HOSTILE } });
		const { encf } = await issue({}, "reject");
		const page = await opened.openPage("/invoices?status=rejected&from=2020-01-01");
		await page.getByRole("link", { name: encf }).waitFor();
		const rows = page.locator("tbody tr");
		expect(await rows.count()).toBe(1);
		await page.getByRole("button", { name: "Quitar el filtro Desde: 1 ene 2020" }).click();
		await page.getByLabel("Estado").selectOption("");
		await until(async () => (await rows.count()) === 3);
		await page.getByLabel("Buscar").fill("=<img");
		await until(async () => (await rows.count()) === 1);
		expect(page.url()).toEndWith("/invoices?q=%3D%3Cimg");
		expect(await rows.textContent()).toContain(HOSTILE);
		await page.reload();
		await page.getByText(HOSTILE).waitFor();
		expect(await page.getByLabel("Buscar").inputValue()).toBe("=<img");
		await page.getByLabel("Buscar").fill("nadie como este");
		await page.getByText("Ningún comprobante coincide").waitFor();
		await page.getByRole("button", { name: "Quitar los filtros" }).click();
		await until(async () => (await rows.count()) === 3);
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("filters get a name, come back by it, and lose it again", async () => {
		const page = await opened.openPage("/invoices?status=rejected");
		await page.getByRole("button", { name: "Vistas" }).click();
		await page.getByRole("menuitem", { name: "Guardar esta vista" }).click();
		await page.getByLabel("Nombre").fill("Por <corregir>");
		await page.getByRole("button", { name: "Guardar", exact: true }).click();
		await page.getByText("Vista guardada").waitFor();
		await page.getByLabel("Estado").selectOption("");
		await page.getByRole("button", { name: "Vistas" }).click();
		expect(await findViolations(page)).toEqual([]);
		await page.getByRole("menuitem", { name: "Por <corregir>" }).click();
		await until(() => page.url().endsWith("/invoices?status=rejected"));
		await page.getByRole("button", { name: "Vistas" }).click();
		await page.getByRole("menuitem", { name: "Borrar la vista Por <corregir>" }).click();
		await page.getByLabel("Estado").selectOption("");
		await page.getByRole("button", { name: "Vistas" }).waitFor({ state: "detached" });
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	for (const language of LANGUAGES)
		test(`it has no fault in ${language}`, async () => {
			const page = await opened.openPage("/invoices", { language });
			await page.locator("tbody input").first().check();
			expect(await inspect(page, "invoices", language)).toEqual([]);
			await page.getByRole("button", { name: language === "es" ? "Más filtros" : "More filters" }).click();
			await page.getByRole("dialog").waitFor();
			expect(await inspect(page, "invoices-filters", language)).toEqual([]);
			expect(opened.takeFaults()).toEqual([]);
			await page.close();
		});

	test("the CSV has all invoices, and no cell is a formula", async () => {
		const page = await opened.openPage("/invoices", { language: "en" });
		await page.locator("tbody tr").first().waitFor();
		const [download] = await Promise.all([
			page.waitForEvent("download"),
			page
				.getByRole("button", { name: "Export" })
				.click()
				.then(() => page.getByRole("menuitem", { name: "CSV table" }).click()),
		]);
		const lines = (await readFile((await download.path()) ?? "", "utf8")).trimEnd().split("\r\n");
		expect(lines[0]).toStartWith("\ufeffInvoice,Type,Status,");
		expect(lines).toHaveLength(4);
		expect(lines.some((line) => line.includes(`,"'=<img src=x onerror=alert(1)> ""SRL""",`))).toBe(true);
		await page.close();
	});

	test("rows are chosen up to another with the shift key, and exported as signed XML", async () => {
		const page = await opened.openPage("/invoices");
		const boxes = page.locator("tbody input");
		await boxes.nth(0).click();
		await boxes.nth(2).click({ modifiers: ["Shift"] });
		await page.getByText("Selección: 3").waitFor();
		await boxes.nth(1).click();
		await page.getByText("Selección: 2").waitFor();
		const bar = page.getByRole("region", { name: "Selección: 2" });
		await bar.getByRole("button", { name: "Exportar" }).click();
		await shoot(page, "invoices-export");
		expect(await findViolations(page)).toEqual([]);
		const [download] = await Promise.all([
			page.waitForEvent("download"),
			page.getByRole("menuitem", { name: "XML firmados (ZIP)" }).click(),
		]);
		const names = Object.keys(unzipSync(await readFile((await download.path()) ?? "")));
		expect(names.filter((name) => name.endsWith(".xml"))).toHaveLength(2);
		expect(download.suggestedFilename()).toMatch(/^invoices-.*[.]xml[.]zip$/);
		await page.getByText("Comprobantes exportados: 2").waitFor();
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("a whole chosen page says that there are more, and exports all that match", async () => {
		const { context } = opened;
		await context.route(/\/v1\/invoices\?.*limit=50/, (route) =>
			route.continue({ url: route.request().url().replace("limit=50", "limit=2") }),
		);
		const page = await opened.openPage("/invoices");
		await page.getByLabel("Seleccionar todo").check();
		const bar = page.getByRole("region", { name: "Selección: 2" });
		await bar.getByText("Solo esta página; hay más.").waitFor();
		expect(await inspect(page, "invoices-page", "es")).toEqual([]);
		await bar.getByRole("button", { name: "Exportar todo el resultado" }).click();
		const [download] = await Promise.all([
			page.waitForEvent("download"),
			page.getByRole("menuitem", { name: "Tabla CSV" }).click(),
		]);
		const lines = (await readFile((await download.path()) ?? "", "utf8")).trimEnd().split("\r\n");
		expect(lines).toHaveLength(4);
		await page.locator("tbody input").first().uncheck();
		await page.getByText("Solo esta página; hay más.").waitFor({ state: "detached" });
		await page.close();
		await context.unrouteAll();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("columns are chosen, stay after a reload, and belong to a view", async () => {
		const page = await opened.openPage("/invoices", { language: "en" });
		const titles = async () => (await page.locator("thead th").allTextContents()).slice(1);
		await page.getByRole("table").waitFor();
		expect(await titles()).toEqual(["Invoice", "Buyer", "Issued", "Total", "Status"]);
		await page.getByRole("button", { name: "Columns" }).click();
		await page.getByRole("menuitemcheckbox", { name: "Own id" }).click();
		await page.getByRole("menuitemcheckbox", { name: "Buyer" }).click();
		await shoot(page, "invoices-columns");
		expect(await findViolations(page)).toEqual([]);
		await page.keyboard.press("Escape");
		await page.reload();
		await until(async () => (await titles()).join() === "Invoice,Own id,Issued,Total,Status");
		await page.getByRole("button", { name: "Views" }).click();
		await page.getByRole("menuitem", { name: "Save this view" }).click();
		await page.getByLabel("Name").fill("Own ids");
		await page.getByRole("button", { name: "Save", exact: true }).click();
		await page.getByText("View saved").waitFor();
		await page.getByRole("button", { name: "Columns" }).click();
		await page.getByRole("menuitemcheckbox", { name: "Own id" }).click();
		await page.getByRole("menuitemcheckbox", { name: "Buyer" }).click();
		await page.keyboard.press("Escape");
		await until(async () => (await titles()).join() === "Invoice,Buyer,Issued,Total,Status");
		await page.getByRole("button", { name: "Views" }).click();
		await page.getByRole("menuitem", { name: "Own ids" }).click();
		await until(async () => (await titles()).join() === "Invoice,Own id,Issued,Total,Status");
		await page.getByRole("button", { name: "Views" }).click();
		await page.getByRole("menuitem", { name: "Remove the view Own ids" }).click();
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("what comes while rows are chosen is counted, and shown when asked for", async () => {
		const page = await opened.openPage("/invoices");
		await page.locator("tbody input").first().check();
		const { encf } = await issue();
		await page.getByRole("button", { name: "Nuevos: 1" }).click();
		await page.getByRole("link", { name: encf }).waitFor();
		await page.close();
	});

	test("chosen invoices are mailed; a wrong address is refused at its field", async () => {
		const page = await opened.openPage("/invoices");
		await page.locator("tbody input").first().check();
		await page.getByRole("button", { name: "Enviar por correo" }).click();
		await page.getByLabel("Para").fill("sin-arroba");
		await page.getByRole("button", { name: "Enviar", exact: true }).click();
		await until(async () => (await page.getByLabel("Para").getAttribute("aria-invalid")) === "true");
		await shoot(page, "invoices-mail");
		expect(await findViolations(page)).toEqual([]);
		await page.getByLabel("Para").fill("cliente@example.com");
		await page.getByRole("button", { name: "Enviar", exact: true }).click();
		await page.getByText("Correos en camino: 1").waitFor();
		await page.close();
		// The browser itself reports the refused request.
		opened.takeFaults();
	});

	test("of several mails each says what has become of it, and why", async () => {
		const page = await opened.openPage("/invoices", { language: "en" });
		await page.getByLabel("Select all").check();
		let sent = 0;
		await page.route("**/v1/invoices/*/email", (route) => {
			if (++sent !== 2) return route.continue();
			const problem = {
				type: "https://sello.example/errors/limit",
				title: "Too many",
				status: 429,
				detail: "Wait a bit.",
			};
			return route.fulfill({ status: 429, contentType: "application/problem+json", body: JSON.stringify(problem) });
		});
		await page.getByRole("button", { name: "Send by e-mail" }).click();
		await page.getByLabel("To", { exact: true }).fill("cliente@example.com");
		await page.getByRole("button", { name: "Send", exact: true }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByText(/^Not done: 1 of \d[.] The others were done[.]$/).waitFor();
		expect(await dialog.locator("tbody tr").nth(1).textContent()).toEndWith("Not doneWait a bit.");
		expect(await dialog.getByText("E-mail on its way").count()).toBe((await dialog.locator("tbody tr").count()) - 1);
		await shoot(page, "invoices-outcomes");
		expect(await findViolations(page)).toEqual([]);
		await page.close();
		opened.takeFaults();
	});

	test("of several retries the refused ones stay chosen", async () => {
		const page = await opened.openPage("/invoices", { language: "en" });
		// The first answer has arrived, so the next one is that of the reload.
		await page.getByLabel("Select all").waitFor();
		const [answer] = await Promise.all([page.waitForResponse(/[/]v1[/]invoices[?]/), page.reload()]);
		const { items, ...rest } = (await answer.json()) as { items: object[] };
		await page.getByLabel("Select all").waitFor();
		await page.route(/[/]v1[/]invoices[?]/, (route) =>
			route.fulfill({ json: { ...rest, items: items.map((one) => ({ ...one, status: "failed" })) } }),
		);
		let asked = 0;
		await page.route("**/v1/invoices/*/retry", (route) => {
			if (++asked === 1) return route.fulfill({ status: 202, json: {} });
			const problem = { type: "https://sello.example/errors/conflict", title: "Not now", status: 409 };
			return route.fulfill({ status: 409, contentType: "application/problem+json", json: problem });
		});
		await page.reload();
		await page.getByLabel("Select all").check();
		await page.getByRole("button", { name: "Retry" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByText(`Not done: ${items.length - 1} of ${items.length}. The others were done.`).waitFor();
		expect(await dialog.getByText("Not now").count()).toBe(items.length - 1);
		await dialog.getByText("Close").last().click();
		await page.getByText(`Selected: ${items.length - 1}`).waitFor();
		await page.close();
		opened.takeFaults();
	});
});
