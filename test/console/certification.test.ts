/** Certification: a set is rehearsed, one fails and passes in its next run, and the evidence is downloaded. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { unzipSync } from "fflate";
import type { Page } from "playwright-core";
import { findBrowser } from "../support/browser";
import { get, post } from "../support/service";
import { findViolations, inspect, LANGUAGES, type OpenConsole, openConsole, shoot } from "./support/open-console";

const browserPath = findBrowser();
const DECIDED = 60_000;

describe.skipIf(browserPath === undefined)("certification", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
	}, 60_000);
	afterAll(() => opened.close());

	/** The authority knows these numbers of type 41, and no others. */
	const allow = async (first: number, last: number) => {
		const range = { environment: "certecf", rnc: opened.tenant.rnc, type: "41", first, last, expiresOn: "31-12-2028" };
		const answer = await fetch(`${opened.service.simulatorUrl}/_simulator/ranges`, {
			method: "POST",
			body: JSON.stringify(range),
		});
		expect(answer.status).toBe(204);
	};
	const start = async (page: Page) => {
		await page.getByRole("button", { name: "Iniciar un juego" }).click();
		return page.getByRole("dialog", { name: "Iniciar un juego de pruebas" });
	};

	test(
		"the whole set is rehearsed with two clicks, and its evidence downloaded",
		async () => {
			const page = await opened.openPage("/certification");
			await page.getByText("Ensaye antes de emitir con efecto fiscal").waitFor();
			await shoot(page, "certification-empty");
			expect(await findViolations(page)).toEqual([]);
			const dialog = await start(page);
			await shoot(page, "certification-start");
			expect(await findViolations(page)).toEqual([]);
			await dialog.getByRole("button", { name: "Iniciar" }).click();
			await page.getByRole("heading", { name: "Juego de pruebas" }).waitFor();
			await page.getByText("El ensayo salió bien.").waitFor({ timeout: DECIDED });
			await page.getByText("17 de 17 aceptados").waitFor();
			await page.getByText("Nota de crédito sobre una compra").waitFor();
			const [download] = await Promise.all([
				page.waitForEvent("download"),
				page.getByRole("button", { name: "Descargar evidencia" }).click(),
			]);
			const files = unzipSync(await readFile(await download.path()));
			expect(Object.keys(files)).toContain("run-1/E34-12/ecf.xml");
			await page.close();
			expect(opened.takeFaults()).toEqual([]);
		},
		DECIDED * 2,
	);

	test(
		"a set that the authority rejects says why, and passes in its next run",
		async () => {
			await allow(900, 999);
			const page = await opened.openPage("/certification");
			const dialog = await start(page);
			await dialog.getByLabel("Modo").selectOption("authority");
			for (const type of ["31", "32", "33", "34", "44"])
				await dialog.getByRole("checkbox", { name: new RegExp(`^${type} `) }).uncheck();
			await dialog.getByLabel("Primer número").fill("0000000101");
			await dialog.getByRole("button", { name: "Iniciar" }).click();
			await page.getByText("Falló el caso E41-14: Compra de bienes, sin retención").waitFor({ timeout: DECIDED });
			await page.getByRole("row").filter({ hasText: "E41-15" }).getByText("Sin enviar").waitFor();
			await shoot(page, "certification-failed");
			expect(await findViolations(page)).toEqual([]);
			await allow(1, 899);
			await page.getByRole("button", { name: "Correr de nuevo" }).click();
			await page.getByText("falta uno con los seis tipos").waitFor({ timeout: DECIDED });
			await page.getByText("2 de 5").waitFor();
			await page.getByRole("link", { name: /^E41/ }).first().click();
			await page.getByRole("heading", { name: /^E41/ }).waitFor();
			await page.close();
			expect(opened.takeFaults()).toEqual([]);
		},
		DECIDED * 3,
	);

	test("one set runs at a time; it is found from the refusal, and cancelled", async () => {
		const { service, tenant } = opened;
		const body = { mode: "authority", types: ["31"] };
		const answer = await post(service, "/v1/check-set-tests", tenant.headers, body);
		const { id } = (await answer.json()) as { id: string };
		// So that it does not advance.
		await service.sql`delete from outbox where subject = ${id}`;
		await service.sql`update test_sets set status = 'submitting', version = version + 1 where id = ${id}`;
		const page = await opened.openPage("/certification");
		const dialog = await start(page);
		await dialog.getByRole("button", { name: "Iniciar" }).click();
		await dialog.getByRole("alert").waitFor();
		await dialog.getByRole("link", { name: "Ver el juego en curso" }).click();
		await page.getByText("Los casos aparecen cuando están firmados.").waitFor();
		await shoot(page, "certification-running");
		await page.getByRole("button", { name: "Cancelar el juego" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Cancelar el juego" }).click();
		await page.getByText("Cancelado", { exact: true }).waitFor();
		expect(await page.getByRole("button", { name: "Cancelar el juego" }).count()).toBe(0);
		await page.close();
		// The browser itself reports the refused request.
		opened.takeFaults();
	});

	for (const language of LANGUAGES)
		test(`it has no fault in ${language}`, async () => {
			const page = await opened.openPage("/certification", { language });
			const links = page.locator("tbody a");
			await links.first().waitFor();
			expect(await inspect(page, "certification", language)).toEqual([]);
			await links.last().click();
			await page.locator("tbody").waitFor();
			expect(await inspect(page, "certification-set", language)).toEqual([]);
			await page.close();
			expect(opened.takeFaults()).toEqual([]);
		});

	test("a company whose whole set the authority accepted moves to production", async () => {
		const { service, tenant } = opened;
		await service.sql`update test_sets set mode = 'authority' where tenant_id = ${tenant.tenantId} and mode = 'simulate'`;
		const page = await opened.openPage("/certification");
		await page.locator("tbody a").last().click();
		await page.getByRole("button", { name: "Pasar a producción" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Pasar a producción" }).click();
		await page.getByText("la empresa emite en producción").waitFor();
		const answer = await get(service, `/v1/company/${tenant.tenantId}`, tenant.headers);
		expect(await answer.json()).toMatchObject({ authorityEnvironment: "production" });
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});
});
