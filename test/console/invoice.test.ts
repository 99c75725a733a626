/** One invoice: why it stands as it does, its parts, and what can be done with it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { findBrowser } from "../support/browser";
import { buildInvoice, get, postInvoice, untilDecided } from "../support/service";
import { until } from "../support/until";
import { findViolations, type Look, type OpenConsole, openConsole, overflowOf, shoot } from "./support/open-console";

const browserPath = findBrowser();
const HOSTILE = `<script>alert("a")</script> {total} &amp;`;

describe.skipIf(browserPath === undefined)("an invoice", () => {
	let opened: OpenConsole;
	let accepted: { docId: string; encf: string };
	let rejected: { docId: string; encf: string };
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
		const customer = { rnc: "101000015", name: HOSTILE, email: "cliente@example.com", code: "C-77" };
		const payment = { terms: "cash", forms: [{ method: 3, amount: "5310.00" }] };
		const line = { line_number: 1, description: "Cemento", quantity: "10", unit_price: "450.00", subtotal: "4500.00" };
		const lines = [{ ...line, unit: "43", item_code: { type: "Interna", code: "CEM-42" } }];
		accepted = await issue({ customer, payment, lines, sales_zone: "NORTE", metadata: { caja: "7" } });
		rejected = await issue({}, "reject");
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

	test("a rejected one says code, cause and fix, and leads to a corrected one", async () => {
		const page = await opened.openPage(`/invoices/${rejected.docId}`);
		const callout = page.getByRole("alert");
		await callout.getByText("Causa").waitFor();
		expect(await callout.textContent()).toContain("Rechazado por la autoridad: código ");
		expect(await callout.getByText("Solución").count()).toBe(1);
		expect(await page.getByRole("link", { name: "Corregir y reemitir" }).getAttribute("href")).toEndWith(
			`/issue?from=${rejected.docId}&as=reissue`,
		);
		await page.getByText("Firmado y guardado").waitFor();
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	const looks: readonly Required<Look>[] = [
		{ language: "es", theme: "light", width: 1280 },
		{ language: "en", theme: "dark", width: 390 },
	];
	for (const look of looks)
		test(`no part has a fault with ${Object.values(look).join(", ")}`, async () => {
			const [es, name] = [look.language === "es", Object.values(look).join("-")];
			const page = await opened.openPage(`/invoices/${rejected.docId}`, look);
			await page
				.getByRole("alert")
				.getByText(es ? "Causa" : "Cause")
				.waitFor();
			await shoot(page, `invoice-rejected-${name}`);
			expect(await findViolations(page)).toEqual([]);
			await page
				.getByRole("link", { name: es ? "Comprobantes" : "Invoices", exact: true })
				.first()
				.click();
			await page.getByRole("link", { name: accepted.encf }).click();
			const parts = es
				? ["Cronología", "Documento", "Datos", "XML", "Notas", "Entregas", "Prueba"]
				: ["Timeline", "Document", "Data", "XML", "Notes", "Deliveries", "Proof"];
			for (const part of parts) {
				await page.getByRole("tab", { name: part, exact: true }).click();
				await until(async () => (await page.locator(".skeleton").count()) === 0);
				await shoot(page, `invoice-${part}-${name}`);
				expect({ part, violations: await findViolations(page) }).toEqual({ part, violations: [] });
				expect({ part, overflow: await overflowOf(page) }).toEqual({ part, overflow: 0 });
			}
			// The browser itself reports that there is no delivery to the buyer.
			expect(opened.takeFaults().filter((fault) => !fault.includes("404"))).toEqual([]);
			await page.close();
		}, 60_000);

	test("its files are the service's own, and hostile text stays text", async () => {
		const { service, tenant } = opened;
		const page = await opened.openPage(`/invoices/${accepted.docId}?tab=xml`, { language: "en" });
		await page.getByText(HOSTILE).first().waitFor();
		const [xml] = await Promise.all([
			page.waitForEvent("download"),
			page.getByRole("button", { name: "Download", exact: true }).click(),
		]);
		const served = await get(service, `/v1/invoices/${accepted.docId}/xml`, tenant.headers);
		expect(await readFile((await xml.path()) ?? "", "utf8")).toBe(await served.text());
		await page.getByRole("tab", { name: "Document", exact: true }).click();
		expect(await page.locator("iframe").getAttribute("src")).toStartWith("blob:");
		await page.getByRole("tab", { name: "Data", exact: true }).click();
		expect(await page.getByText(HOSTILE).count()).toBeGreaterThan(0);
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("all of its data have words, and what the company has named keeps its name", async () => {
		const page = await opened.openPage(`/invoices/${accepted.docId}?tab=data`);
		const further = page.getByRole("region", { name: "Otros datos" });
		await further.waitFor();
		const pairs = [
			...["Código propio del comprador", "C-77", "Condición", "Contado", "Forma de pago", "Tarjeta"],
			...["Monto de la forma de pago", "5310.00", "Zona de venta", "NORTE", "Dato propio: caja", "7"],
		];
		expect((await further.locator("dt, dd").allTextContents()).slice(0, pairs.length)).toEqual(pairs);
		await page.getByText("Código de unidad: 43 · Clase de código: Interna · Código: CEM-42").waitFor();
		await page.close();
	});

	test("the browser itself checks the archive's proof, and finds a changed one", async () => {
		const page = await opened.openPage(`/invoices/${accepted.docId}?tab=proof`);
		await page.getByText("Comprobado en este navegador").waitFor();
		const { service, tenant } = opened;
		const answer = await get(service, `/v1/invoices/${accepted.docId}/proof`, tenant.headers);
		const proof = (await answer.json()) as { sha256: string };
		const changed = { ...proof, sha256: proof.sha256.replace(/^./, (digit: string) => (digit === "0" ? "1" : "0")) };
		await opened.context.route("**/proof", (route) => route.fulfill({ json: changed }));
		await page.reload();
		await page.getByText("La hoja no lleva a la raíz").waitFor();
		await opened.context.unroute("**/proof");
		await page.close();
	});

	test("a note is listed with the invoice that it modifies, and leads back", async () => {
		const today = new Date(Date.now() - 4 * 3_600_000).toISOString().slice(0, 10);
		const { docId, encf } = await issue({ type: "34", reference: { encf: accepted.encf, issue_date: today, code: 1 } });
		const page = await opened.openPage(`/invoices/${accepted.docId}?tab=notes`);
		await page.getByRole("link", { name: encf }).click();
		await page.waitForURL(`**/invoices/${docId}`);
		await page.getByRole("tab", { name: "Notas" }).click();
		await page.getByRole("link", { name: accepted.encf }).click();
		await page.getByRole("heading", { name: accepted.encf }).waitFor();
		await page.close();
	});

	test("a failed one says why, and is sent again", async () => {
		const { docId } = await issue({}, "fail");
		const page = await opened.openPage(`/invoices/${docId}`);
		await page.getByText("Una falla interna impidió enviarlo.").waitFor();
		await page.getByRole("button", { name: "Reintentar" }).click();
		await page.getByText("El comprobante se envía de nuevo").waitFor();
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	test("advice names the field and the line, not a pointer", async () => {
		const page = await opened.openPage(`/invoices/${rejected.docId}`);
		const { service, tenant } = opened;
		await page.route("**/v1/invoices/*/status", async (route) => {
			const answer = await get(service, `/v1/invoices/${rejected.docId}/status`, tenant.headers);
			const at = (pointer: string) => ({ pointer, detail: "Expected: another.", detailEs: "Se espera: otro." });
			const advice = ["/lines/0/unit_price", "/lines/1/unit_code", "/lines/2", "/totals/tax", "/reference/encf"].map(
				at,
			);
			const fix = [{ op: "replace", path: "/reference/issue_date", value: "2026-11-20" }];
			return route.fulfill({ json: { ...((await answer.json()) as object), advice, fix } });
		});
		await page.reload();
		const advice = page.getByRole("alert").locator("dd").last();
		await advice.getByText("Precio, línea 1").waitFor();
		expect(await advice.locator("p").allTextContents()).toEqual([
			"Fecha de ese comprobante pasa a ser 2026-11-20",
			"Precio, línea 1: Se espera: otro.",
			"unit_code, línea 2: Se espera: otro.",
			"Línea 3: Se espera: otro.",
			"Impuestos: Se espera: otro.",
			"e-NCF que modifica: Se espera: otro.",
		]);
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});
});
