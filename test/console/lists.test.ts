/** What all lists have: a refused filter leads back, an empty result names its filters, and a document that is not there says so. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findBrowser } from "../support/browser";
import { until } from "../support/until";
import { inspect, LANGUAGES, type OpenConsole, openConsole, shoot } from "./support/open-console";

const browserPath = findBrowser();
const NOWHERE = "0192f0a1-b2c3-7d4e-8f00-112233445566";

describe.skipIf(browserPath === undefined)("every list", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
	}, 60_000);
	afterAll(() => opened.close());

	for (const [path, parameter] of [
		["/invoices?status=zzz&type=31", "status"],
		["/received?status=zzz", "status"],
		["/prepared?status=zzz", "status"],
		["/webhooks?status=zzz", "status"],
		["/audit?action=%20", "action"],
		["/certification?after=zzz", "after"],
		["/keys?after=zzz", "after"],
		["/watchlists?after=zzz", "after"],
		["~/operator?status=zzz", "status"],
		["~/operator/limits?day=zzz", "day"],
	] as const)
		test(`${path} says what is refused, and a click takes it away`, async () => {
			const page = await opened.openPage(path);
			const alert = page.getByRole("alert");
			await alert.getByText(`${parameter}`).first().waitFor();
			await shoot(page, `lists-refused${path.replaceAll(/\W/g, "_")}`);
			await alert.getByRole("button", { name: "Quitar este filtro" }).click();
			await alert.waitFor({ state: "detached" });
			expect(new URL(page.url()).search).toBe(path.includes("type=31") ? "?type=31" : "");
			await page.close();
			// The browser itself reports the refused requests.
			opened.takeFaults();
		});

	for (const [path, text] of [
		[
			"/invoices?status=rejected&type=34&q=ferreteria&date=issued&from=2026-01-01",
			"Búsqueda: ferreteria · Estado: Rechazado · Tipo: 34 · Nota de crédito · Fecha: De emisión · Desde: ",
		],
		["/received?status=accepted&issuer_rnc=131880681", "RNC del emisor: 131880681 · Autoridad: Aceptado"],
		["/webhooks?status=dead&event=invoice.accepted", "Estado: Abandonada · Evento: invoice.accepted"],
		["/audit?action=webhook.*&target=zzz", "Área: Webhook · Identificador del objeto: zzz"],
		["~/operator?q=nadie&status=closed", "Empresa: nadie · Estado: Cerrada"],
	] as const)
		test(`${path} names its filters when nothing is left, and a click clears them`, async () => {
			const page = await opened.openPage(path);
			await page.getByText(text).waitFor();
			await shoot(page, `lists-none${path.replaceAll(/\W/g, "_")}`);
			await page.getByRole("button", { name: "Quitar los filtros" }).click();
			await until(() => new URL(page.url()).search === "");
			await page.close();
			expect(opened.takeFaults()).toEqual([]);
		});

	for (const [path, title] of [
		[`/invoices/${NOWHERE}`, "No existe ese comprobante"],
		["/invoices/UNKNOWN", "No existe ese comprobante"],
		[`/received/${NOWHERE}`, "No existe ese documento"],
		[`/prepared/${NOWHERE}`, "No existe ese comprobante preparado"],
		[`/watchlists/${NOWHERE}`, "No existe esa lista"],
	] as const)
		test(`${path} is not there, and a click leads to the list`, async () => {
			const page = await opened.openPage(path);
			await page.getByRole("heading", { name: title }).waitFor();
			await page.getByText("No está en esta empresa.").waitFor();
			await shoot(page, `lists-missing${path.replaceAll(/\W/g, "_")}`);
			await page.getByRole("link", { name: "Ver la lista" }).click();
			await until(() => page.url().endsWith(path.slice(0, path.lastIndexOf("/"))));
			await page.close();
			opened.takeFaults();
		});

	test("a refusal says what the service advises", async () => {
		const page = await opened.openPage("/received");
		const json = { type: "https://x/errors/conflict", title: "Conflicto", status: 409, detail: "Ya está." };
		await page.route("**/v1/received-documents**", (route) =>
			route.request().method() === "POST"
				? route.fulfill({ status: 409, json: { ...json, advice: "Use `otro`." } })
				: route.fallback(),
		);
		await page
			.locator("input[type=file]")
			.setInputFiles({ name: "a.xml", mimeType: "text/xml", buffer: Buffer.from("<a/>") });
		await page.getByRole("alert").getByText("Ya está. Use otro.").waitFor();
		await page.close();
		opened.takeFaults();
	});

	for (const language of LANGUAGES)
		test(`they have no fault in ${language}`, async () => {
			const es = language === "es";
			for (const [path, text] of [
				["/invoices?status=zzz", es ? "Quitar este filtro" : "Remove this filter"],
				["/invoices?status=rejected", es ? "Quitar los filtros" : "Remove the filters"],
				["/invoices/UNKNOWN", es ? "Ver la lista" : "Show the list"],
			] as const) {
				const page = await opened.openPage(path, { language });
				await page.getByText(text).waitFor();
				expect(await inspect(page, `lists${path.replaceAll(/\W/g, "_")}`, language)).toEqual([]);
				await page.close();
			}
			opened.takeFaults();
		});
});
