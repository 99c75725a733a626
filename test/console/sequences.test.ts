/** The page of sequences, as an owner uses it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findBrowser } from "../support/browser";
import { post } from "../support/service";
import { findViolations, inspect, LANGUAGES, type OpenConsole, openConsole, shoot } from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("sequences", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
		const headers = { ...opened.tenant.headers, "idempotency-key": crypto.randomUUID() };
		const range = { type: "32", from: "E320000000001", to: "E320000001000" };
		expect((await post(opened.service, "/v1/sequences", headers, range)).status).toBe(201);
	}, 90_000);
	afterAll(() => opened.close());

	for (const language of LANGUAGES)
		test(`they have no fault in ${language}, a dialog open`, async () => {
			const page = await opened.openPage("/sequences", { language });
			await page.getByRole("table").waitFor();
			expect(await inspect(page, "sequences", language)).toEqual([]);
			await page.getByRole("button", { name: /^Regist/ }).click();
			await page.getByRole("dialog").waitFor();
			expect(await inspect(page, "sequences-dialog", language)).toEqual([]);
			expect(opened.takeFaults()).toEqual([]);
			await page.close();
		});

	test("a range is registered, leased from, voided in part, and withdrawn", async () => {
		const page = await opened.openPage("/sequences");
		await page.getByRole("button", { name: "Registrar un rango" }).click();
		await page.getByLabel("Primer número").fill("9");
		await page.getByLabel("Último número").fill("1");
		await page.getByLabel("Vence").fill("2030-12-31");
		await page.getByRole("button", { name: "Registrar", exact: true }).click();
		await page.getByRole("dialog").getByRole("alert").waitFor();
		await page.getByLabel("Último número").fill("500");
		await page.getByRole("button", { name: "Registrar", exact: true }).click();
		const row = page.getByRole("row").filter({ hasText: "E310000000009 – E310000000500" });
		await row.getByText("492 libres").waitFor();

		await page.getByRole("button", { name: "Reservar números" }).click();
		await page.getByLabel("Tipo").selectOption("31");
		await page.getByLabel("Cantidad").fill("10");
		await page.getByRole("button", { name: "Reservar", exact: true }).click();
		await page.getByText("E310000000009 – E310000000018").waitFor();
		await row.getByText("482 libres").waitFor();
		await page.getByRole("button", { name: "Devolver la reserva desde E310000000009" }).click();
		await page.getByText("Reserva devuelta").first().waitFor();
		await page.getByText("No hay reservas activas.").waitFor();
		await row.getByText("492 libres").waitFor();

		await row.getByRole("button", { name: /^Acciones/ }).click();
		await page.getByRole("menuitem", { name: "Anular números" }).click();
		await page.getByLabel("Primer número").fill("401");
		await page.getByLabel("Motivo").fill("Punto de venta cerrado");
		await page.getByRole("button", { name: "Anular", exact: true }).click();
		await page.getByText("Anulados", { exact: true }).waitFor();
		await row.getByText("392 libres").waitFor();
		await page.reload();
		await page.getByText(/Punto de venta cerrado/).waitFor();
		await page.getByText("Anulados", { exact: true }).waitFor();
		await shoot(page, "sequences-taken");
		expect(await findViolations(page)).toEqual([]);

		const other = page.getByRole("row").filter({ hasText: "E320000000001" });
		await other.getByRole("button", { name: /^Acciones/ }).click();
		await page.getByRole("menuitem", { name: "Retirar el rango" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Retirar el rango" }).click();
		await other.waitFor({ state: "detached" });
		await page.close();
	});
});
