/** Received documents: a supplier's file is imported, read, and decided on. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { findBrowser } from "../support/browser";
import { nextEncf, signedEcf } from "../support/peer";
import { findViolations, LOOKS, type OpenConsole, openConsole, overflowOf, shoot } from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("the received documents", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
	}, 60_000);
	afterAll(() => opened.close());

	const importFile = async (page: Page, text: string) => {
		const [chooser] = await Promise.all([
			page.waitForEvent("filechooser"),
			page.getByRole("button", { name: "Importar XML" }).click(),
		]);
		await chooser.setFiles({ name: "e-cf.xml", mimeType: "text/xml", buffer: Buffer.from(text) });
	};
	const importDocument = async (page: Page) => {
		const encf = nextEncf();
		await importFile(page, signedEcf({ buyerRnc: opened.tenant.rnc, encf }));
		await page.getByRole("heading", { name: encf }).waitFor();
		return encf;
	};

	test("a supplier's file is imported and approved; another is rejected with a reason", async () => {
		const page = await opened.openPage("/received");
		await page.getByText("Aún no hay documentos recibidos").waitFor();
		await shoot(page, "received-empty");
		expect(await findViolations(page)).toEqual([]);
		await importDocument(page);
		await page.getByTitle(/^Representación impresa/).waitFor();
		await shoot(page, "received-document");
		expect(await findViolations(page)).toEqual([]);
		await page.getByRole("button", { name: "Aprobar" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Aprobar" }).click();
		await page.getByText("Aprobado", { exact: true }).waitFor();
		await page.getByRole("link", { name: "Recibidos" }).first().click();
		await importDocument(page);
		await page.getByRole("button", { name: "Rechazar" }).click();
		await page.getByLabel("Motivo").fill("La cantidad <no> corresponde");
		await shoot(page, "received-reject");
		expect(await findViolations(page)).toEqual([]);
		await page.getByRole("dialog").getByRole("button", { name: "Rechazar" }).click();
		await page.getByText("No aprobado", { exact: true }).waitFor();
		expect(await page.getByRole("button", { name: "Aprobar" }).count()).toBe(0);
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("a file that is no signed document is refused with the reason", async () => {
		const page = await opened.openPage("/received");
		await importFile(page, "<ECF>nada</ECF>");
		await page.getByRole("alert").waitFor();
		await page.close();
		// The browser itself reports the refused request.
		opened.takeFaults();
	});

	for (const look of LOOKS)
		test(`they have no fault with ${Object.values(look).join(", ")}`, async () => {
			const page = await opened.openPage("/received", look);
			const link = page.locator("tbody a").first();
			await link.waitFor();
			await shoot(page, `received-${Object.values(look).join("-")}`);
			expect(await findViolations(page)).toEqual([]);
			expect(await overflowOf(page)).toBe(0);
			await link.click();
			await page.locator("dl").waitFor();
			await shoot(page, `received-document-${Object.values(look).join("-")}`);
			expect(await findViolations(page)).toEqual([]);
			expect(await overflowOf(page)).toBe(0);
			await page.close();
			expect(opened.takeFaults()).toEqual([]);
		});
});
