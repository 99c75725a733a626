/** The audit log, as an owner reads it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addCertificate } from "../api/support/certificates";
import { findBrowser } from "../support/browser";
import { inspect, LANGUAGES, type OpenConsole, openConsole } from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("the audit log", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
		await addCertificate(opened.service, opened.tenant);
	}, 90_000);
	afterAll(() => opened.close());

	for (const language of LANGUAGES)
		test(`it has no fault in ${language}`, async () => {
			const page = await opened.openPage("/audit", { language });
			await page.getByRole("table").waitFor();
			expect(await inspect(page, "audit", language)).toEqual([]);
			expect(opened.takeFaults()).toEqual([]);
			await page.close();
		});

	test("it is filtered by area and day, and the address keeps the filter", async () => {
		const { tenantId } = opened.tenant;
		const page = await opened.openPage("/");
		// A change by a person.
		const body = JSON.stringify({ tradeName: "NUESTRA" });
		const sent = { "content-type": "application/json", "x-company": tenantId, "idempotency-key": crypto.randomUUID() };
		const init = JSON.stringify({ method: "PATCH", headers: sent, body });
		expect(await page.evaluate(`fetch("/v1/company/${tenantId}", ${init}).then(({ status }) => status)`)).toBe(200);
		await page.getByRole("link", { name: "Auditoría" }).click();
		const change = page.getByRole("row").filter({ hasText: "company.patch" });
		await change.getByText("Usted").waitFor();
		await change.getByText("Cambió: tradeName").waitFor();
		await page.getByLabel("Área").selectOption({ label: "Certificado" });
		await change.waitFor({ state: "detached" });
		await page.getByText("Certificado: alta").waitFor();
		expect(page.url()).toContain("action=certificate.*");
		await page.getByLabel("Hasta").fill("2020-01-01");
		await page.getByText("Ninguna entrada coincide").waitFor();
		await page.getByRole("button", { name: "Quitar los filtros" }).click();
		await change.waitFor();
		expect(opened.takeFaults()).toEqual([]);
		await page.close();
	});
});
