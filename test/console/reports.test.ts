/** Reports: a month's sums, its tables, and the files of its documents. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { findBrowser } from "../support/browser";
import { buildInvoice, postInvoice, untilDecided } from "../support/service";
import { findViolations, inspect, LANGUAGES, type OpenConsole, openConsole, shoot } from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("the reports", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
	}, 60_000);
	afterAll(() => opened.close());

	test("a month without documents says so, and what would be there", async () => {
		const page = await opened.openPage("/reports", { language: "en" });
		await page.getByText("No accepted invoices in this month").waitFor();
		await page.getByText("No exports yet").waitFor();
		await shoot(page, "reports-empty");
		expect(await findViolations(page)).toEqual([]);
		expect(opened.takeFaults()).toEqual([]);
		await page.close();
	});

	test("the month's documents are a table within three clicks", async () => {
		const { service, tenant } = opened;
		const answer = await postInvoice(service, tenant, buildInvoice(tenant));
		const { docId, encf } = (await answer.json()) as { docId: string; encf: string };
		await untilDecided(service, tenant, docId);
		const page = await opened.openPage("/");
		await page.getByRole("link", { name: "Informes" }).click();
		const [download] = await Promise.all([
			page.waitForEvent("download"),
			page.getByRole("button", { name: "CSV de comprobantes" }).click(),
		]);
		expect(download.suggestedFilename()).toMatch(/^comprobantes-\d{4}-\d\d\.csv$/);
		expect(await readFile((await download.path()) ?? "", "utf8")).toContain(`${docId},${encf},`);
		await page.getByLabel("Agrupar por").selectOption("customer_rnc");
		expect(page.url()).toEndWith("?by=customer_rnc");
		await page.getByRole("row", { name: /^FERRETERIA EL PROGRESO SRL ?131880681 / }).waitFor();
		const [totals] = await Promise.all([
			page.waitForEvent("download"),
			page.getByRole("button", { name: "CSV de totales" }).click(),
		]);
		expect(await readFile((await totals.path()) ?? "", "utf8")).toStartWith("customer_rnc,count,");
		await page.locator("tbody a").first().click();
		await page.getByRole("link", { name: encf }).waitFor();
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("a file of the archive is ordered, and downloaded when it is ready", async () => {
		const page = await opened.openPage("/reports", { language: "en" });
		await page.getByRole("button", { name: /^Export / }).click();
		const file = page.getByRole("link", { name: /Download the file/ });
		await file.waitFor();
		const [download] = await Promise.all([page.waitForEvent("download"), file.click()]);
		expect(download.suggestedFilename()).toEndWith(".zip");
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	for (const language of LANGUAGES)
		test(`they have no fault in ${language}`, async () => {
			const page = await opened.openPage("/reports", { language });
			await page.locator("tbody tr").nth(1).waitFor();
			expect(await inspect(page, "reports", language)).toEqual([]);
			await page.locator(".reports select").selectOption("customer_rnc");
			await page.getByText("FERRETERIA EL PROGRESO SRL").waitFor();
			expect(await inspect(page, "reports-by-buyer", language)).toEqual([]);
			await page.close();
			expect(opened.takeFaults()).toEqual([]);
		});
});
