/** The overview: what needs a person, the figures, and what appears by itself. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findBrowser } from "../support/browser";
import { buildInvoice, postInvoice, untilDecided } from "../support/service";
import { findViolations, inspect, LANGUAGES, type OpenConsole, openConsole, shoot } from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("the overview", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
	}, 60_000);
	afterAll(() => opened.close());

	const issue = async (scenario?: string) => {
		const { service, tenant } = opened;
		const headers: Record<string, string> = scenario === undefined ? {} : { "x-sandbox-scenario": scenario };
		const answer = await postInvoice(service, tenant, buildInvoice(tenant), headers);
		const { docId } = (await answer.json()) as { docId: string };
		await untilDecided(service, tenant, docId);
	};

	test("a company without invoices sees a command, and then its first invoice by itself", async () => {
		const page = await opened.openPage("", { language: "en" });
		await page.getByText("No invoices yet").waitFor();
		await shoot(page, "overview-empty");
		expect(await findViolations(page)).toEqual([]);
		await issue();
		await page.getByText("Nothing needs your attention").waitFor();
		expect(await page.getByText("Issued today").locator("xpath=../dd[1]").textContent()).toBe("1");
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("a rejected invoice is listed with cause and fix, and leads to it", async () => {
		await issue("reject");
		for (let n = 0; n < 4; n++) await issue();
		const page = await opened.openPage("");
		await page.getByRole("heading", { name: "Requiere su atención" }).waitFor();
		const task = page.getByRole("listitem").filter({ hasText: "Rechazado E31" });
		expect(await task.textContent()).toContain("FERRETERIA EL PROGRESO SRL");
		expect(await task.getByRole("link", { name: "Abrir" }).getAttribute("href")).toMatch(/\/invoices\/[^/]+$/);
		await task.getByRole("link", { name: "Corregir y reemitir" }).click();
		await page.getByRole("heading", { level: 1, name: "Emitir" }).waitFor();
		await page.close();
		// The dry run of the draft may be refused before the page is closed.
		opened.takeFaults();
	});

	for (const language of LANGUAGES)
		test(`it has no fault in ${language}`, async () => {
			const page = await opened.openPage("", { language });
			await page.locator("svg.strip").waitFor();
			expect(await inspect(page, "overview", language)).toEqual([]);
			expect(opened.takeFaults()).toEqual([]);
			await page.close();
		});

	test("a refusal shows the problem with its request id, and the retry works", async () => {
		const page = await opened.openPage("");
		await opened.context.route("**/v1/overview**", (route) =>
			route.fulfill({
				status: 429,
				headers: { "content-type": "application/problem+json", "x-request-id": "request-of-test" },
				json: {
					type: "https://x/errors/rate-limited",
					title: "Demasiadas solicitudes",
					status: 429,
					detail: "<b>texto</b>",
				},
			}),
		);
		await page.getByLabel("Período").selectOption("7");
		await page.getByText("Solicitud request-of-test").waitFor();
		expect(await page.getByText("<b>texto</b>").count()).toBe(1);
		expect(await findViolations(page)).toEqual([]);
		await opened.context.unroute("**/v1/overview**");
		await page.getByRole("button", { name: "Intentar de nuevo" }).click();
		await page.locator("svg.strip").waitFor();
		// The browser itself reports the refused request.
		opened.takeFaults();
		await page.close();
	});
});

test.skipIf(browserPath === undefined)("a sandbox is filled with sample data by one click", async () => {
	const opened = await openConsole(browserPath ?? "", { settings: { sequenceMode: "service" } });
	const page = await opened.openPage("");
	await page.getByRole("button", { name: "Llenar con datos de ejemplo" }).click();
	await page.getByRole("heading", { name: "Comprobantes por día" }).waitFor();
	await page.locator(".chart-bar .chart-accent").nth(20).waitFor();
	await shoot(page, "overview-seeded");
	await page.close();
	await opened.close();
});
