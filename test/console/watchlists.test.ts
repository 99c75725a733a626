/** Watchlists: one is made, filled by paste and by file, and its changes are read. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { findBrowser } from "../support/browser";
import { get } from "../support/service";
import { findViolations, inspect, LANGUAGES, type OpenConsole, openConsole, shoot } from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("watchlists", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
	}, 60_000);
	afterAll(() => opened.close());

	const countOf = async (page: Page) => {
		const id = /watchlists\/([^?]+)/.exec(page.url())?.[1];
		const answer = await get(opened.service, `/v1/watchlists/${id}`, opened.tenant.headers);
		return ((await answer.json()) as { count: number }).count;
	};
	const add = async (page: Page, text: string) => {
		await page.getByRole("button", { name: "Agregar" }).first().click();
		const dialog = page.getByRole("dialog", { name: "Agregar contribuyentes" });
		await dialog.getByLabel("RNC o cédulas").fill(text);
		await dialog.getByRole("button", { name: "Agregar" }).click();
		return dialog;
	};
	/** As the ingest records what a run of the registry changed. */
	const change = async (document: string, fields: object) => {
		await opened.service.sql`
			with latest as (
				update registry_change_sets set ends_at = ends_at + 1
				where ordinal = (select max(ordinal) from registry_change_sets) returning ordinal, ends_at)
			insert into registry_changes (number, ordinal, kind, document, digest, fields)
			select ends_at, ordinal, 'changed', ${document}, sha256(${document}::bytea), ${JSON.stringify([fields])}::text::json
			from latest`;
	};

	test("one is made, filled by paste, and shows what the registry changes", async () => {
		const page = await opened.openPage("/watchlists");
		await page.getByText("Vigile a quienes le importan").waitFor();
		await shoot(page, "watchlists-empty");
		expect(await findViolations(page)).toEqual([]);
		await page.getByRole("button", { name: "Nueva lista" }).click();
		await page.getByRole("textbox", { name: "Nombre" }).fill("Suplidores <b>clave</b>");
		await page.getByLabel("Resumen por correo").selectOption("daily");
		await page.getByLabel("Correos").fill("no es un correo");
		await shoot(page, "watchlists-dialog");
		expect(await findViolations(page)).toEqual([]);
		await page.getByRole("button", { name: "Crear" }).click();
		await page.locator(".field-error").waitFor();
		await page.getByLabel("Correos").fill("compras@cliente.do\nlegal@cliente.do");
		await page.getByRole("button", { name: "Crear" }).click();
		await page.getByRole("heading", { name: "Suplidores <b>clave</b>" }).waitFor();
		await page.getByText("La lista está vacía").waitFor();
		await shoot(page, "watchlist-empty");

		const dialog = await add(page, "RNC,Referencia\n990-00000-4,SUP-1\nabc,SUP-2");
		await dialog.getByText("Línea 3: «abc» no es un RNC ni una cédula.").waitFor();
		await dialog.getByLabel("RNC o cédulas").fill("RNC,Referencia\n990-00000-4,SUP-1\n131880681\n990000999");
		await shoot(page, "watchlist-add");
		expect(await findViolations(page)).toEqual([]);
		await dialog.getByRole("button", { name: "Agregar" }).click();
		await dialog.waitFor({ state: "detached" });
		await page.getByText("Sin cambios").waitFor();

		await change("990000004", { field: "status", was: "ACTIVO", is: "SUSPENDIDO" });
		await change("131880681", { field: "name", was: "", is: "<i>FERRETERIA</i> NUEVA" });
		await change("990000005", { field: "status", was: "ACTIVO", is: "SUSPENDIDO" });
		await page.reload();
		const risk = page.getByRole("row").filter({ hasText: "Estado: ACTIVO → SUSPENDIDO" });
		await risk.getByText("Riesgo", { exact: true }).waitFor();
		await page.getByText("Nombre: sin dato → <i>FERRETERIA</i> NUEVA").waitFor();
		expect(await page.getByRole("row").count()).toBe(3);
		await page.close();
		// The browser itself reports the refused request.
		opened.takeFaults();
	});

	for (const language of LANGUAGES)
		test(`they have no fault in ${language}`, async () => {
			const page = await opened.openPage("/watchlists", { language });
			const link = page.locator("tbody a").first();
			await link.waitFor();
			expect(await inspect(page, "watchlists", language)).toEqual([]);
			await link.click();
			await page.getByText("ACTIVO → SUSPENDIDO").first().waitFor();
			expect(await inspect(page, "watchlist-changes", language)).toEqual([]);
			await page.getByRole("tab").nth(1).click();
			await page.getByText("SUP-1").waitFor();
			expect(await inspect(page, "watchlist", language)).toEqual([]);
			await page.close();
			expect(opened.takeFaults()).toEqual([]);
		});

	test("numbers are taken off, and a file replaces the rest", async () => {
		const page = await opened.openPage("/watchlists");
		await page.getByRole("link", { name: "Suplidores <b>clave</b>" }).click();
		await page.getByRole("tab", { name: "Contribuyentes" }).click();
		await page.getByText("No está en el registro").waitFor();
		await page.getByLabel("Seleccionar 990000999").check();
		await shoot(page, "watchlist-chosen");
		expect(await findViolations(page)).toEqual([]);
		await page.getByRole("button", { name: "Quitar", exact: true }).click();
		await page.getByText("No está en el registro").waitFor({ state: "detached" });
		expect(await countOf(page)).toBe(2);

		await page.getByRole("button", { name: "Agregar" }).click();
		const [chooser] = await Promise.all([
			page.waitForEvent("filechooser"),
			page.getByRole("button", { name: "Elegir archivo CSV" }).click(),
		]);
		const text = `rnc;referencia\n${Array.from({ length: 60 }, (_, n) => `${990_000_001 + n};C-${n}`).join("\n")}`;
		await chooser.setFiles({ name: "lista.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
		await page.getByLabel("Reemplazar los que hay").check();
		const dialog = page.getByRole("dialog", { name: "Agregar contribuyentes" });
		await dialog.getByRole("button", { name: "Agregar" }).click();
		await dialog.waitFor({ state: "detached" });
		expect(await countOf(page)).toBe(60);
		await page.getByRole("link", { name: "Siguientes" }).click();
		await page.getByText("C-59").waitFor();
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("a taxpayer is put on a list from its own page", async () => {
		const page = await opened.openPage("/registry/131880681");
		await page.getByRole("button", { name: "Vigilar" }).click();
		await page.getByRole("menuitem", { name: "Suplidores <b>clave</b>" }).click();
		await page.getByText("Agregado a «Suplidores <b>clave</b>»").waitFor();
		await page.getByRole("button", { name: "Vigilar" }).click();
		await page.getByRole("menuitem", { name: "Listas de vigilancia" }).click();
		await page.getByRole("row").filter({ hasText: "Suplidores <b>clave</b>" }).getByText("61").waitFor();
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("one that follows the buyers fills itself, and one is deleted", async () => {
		const page = await opened.openPage("/watchlists");
		await page.getByRole("link", { name: "Suplidores <b>clave</b>" }).click();
		await page.getByRole("button", { name: "Más acciones" }).click();
		await page.getByRole("menuitem", { name: "Eliminar" }).click();
		await page.getByRole("dialog", { name: "Eliminar" }).getByRole("button", { name: "Eliminar" }).click();
		await page.getByRole("button", { name: "Nueva lista" }).click();
		await page.getByRole("textbox", { name: "Nombre" }).fill("Mis compradores");
		await page.getByLabel("Contribuyentes de la lista").selectOption("customers");
		await page.getByRole("button", { name: "Crear" }).click();
		await page.getByText("Se llena cada noche con sus documentos.").waitFor();
		await page.getByText(/Actualizada el/).waitFor();
		expect(await page.getByRole("button", { name: "Agregar" }).count()).toBe(0);
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});
});
