/** The registry: a taxpayer is found and read, and a list is compared with it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { findBrowser } from "../support/browser";
import {
	findViolations,
	inspect,
	LANGUAGES,
	type OpenConsole,
	openConsole,
	overflowOf,
	shoot,
} from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("the registry", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
	}, 60_000);
	afterAll(() => opened.close());

	test("a taxpayer is found by a part of the name, and shown with changes", async () => {
		const page = await opened.openPage("/registry");
		await page.getByLabel("Buscar contribuyentes").fill("ferreteria");
		await page.locator("tbody a").first().click();
		await page.getByRole("heading", { name: "Cambios" }).waitFor();
		await page.getByText("El historial comienza").waitFor();
		await shoot(page, "taxpayer");
		expect(await findViolations(page)).toEqual([]);
		expect(await overflowOf(page)).toBe(0);
		await page.goBack();
		expect(page.url()).toEndWith("/registry?q=ferreteria");
		await page.getByLabel("Buscar contribuyentes").fill(`<b>"nadie`);
		await page.getByText("Ningún contribuyente coincide").waitFor();
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("a thousand numbers of a file are checked with two clicks", async () => {
		const page = await opened.openPage("/registry", { language: "en" });
		const numbers = Array.from({ length: 999 }, (_, n) => `${101_000_000 + n},Cliente ${n}`);
		const [chooser] = await Promise.all([
			page.waitForEvent("filechooser"),
			page.getByRole("button", { name: "Choose a file" }).click(),
		]);
		const text = ["RNC,Nombre", ...numbers, `nada,"=1+1"`].join("\n");
		await chooser.setFiles({ name: "clientes.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
		const button = page.getByRole("button", { name: "Download CSV" });
		await button.waitFor();
		const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
		const lines = (await readFile((await download.path()) ?? "", "utf8")).trimEnd().split("\r\n");
		expect(lines).toHaveLength(1_001);
		expect(lines[0]).toContain("RNC,Nombre,verdict,");
		expect(lines.at(-1)).toContain("'=1+1,invalid");
		await shoot(page, "registry-checked");
		expect(await findViolations(page)).toEqual([]);
		await page.reload();
		await button.waitFor();
		expect(opened.takeFaults()).toEqual([]);
		await page.close();
	});

	test("a pasted list that nothing can be read from is refused with the reason", async () => {
		const page = await opened.openPage("/registry");
		await page.getByLabel("O pegue la lista").fill("a,b\n1,2");
		await page.getByRole("button", { name: "Comprobar", exact: true }).click();
		await page.getByRole("alert").waitFor();
		expect(await findViolations(page)).toEqual([]);
		await page.close();
		// The browser itself reports the refused request.
		opened.takeFaults();
	});

	for (const language of LANGUAGES)
		test(`it has no fault in ${language}`, async () => {
			const page = await opened.openPage("/registry?q=ferreteria%20bab", { language });
			await page.locator("tbody tr").first().waitFor();
			expect(await inspect(page, "registry", language)).toEqual([]);
			await page.close();
			expect(opened.takeFaults()).toEqual([]);
		});
});
