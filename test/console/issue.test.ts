/** The issue page: a document from its first character to its verdict, and the drafts of stored ones. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { toLocalIsoDate } from "../../src/platform/values";
import { findBrowser } from "../support/browser";
import { buildInvoice, get, post, postInvoice, untilDecided } from "../support/service";
import { until } from "../support/until";
import { findViolations, LOOKS, type OpenConsole, openConsole, overflowOf, shoot } from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("the issue page", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "", { settings: { sequenceMode: "service" } });
		opened.context.setDefaultTimeout(10_000);
		for (const type of ["31", "32", "34"]) {
			const numbers = { type, from: `E${type}0000900001`, to: `E${type}0000900999`, expiresAt: "2030-12-31" };
			const answer = await post(opened.service, "/v1/sequences", opened.tenant.headers, numbers);
			expect(answer.status).toBe(201);
		}
	}, 60_000);
	afterAll(() => opened.close());

	const stored = async (path: string) =>
		(await get(opened.service, path, opened.tenant.headers)).json() as Promise<Record<string, unknown>>;
	/** The document of the invoice page that is shown. */
	const issuedOn = async (page: Page) => {
		await page.waitForURL(/\/invoices\/[0-9a-f-]+$/);
		return stored(`/v1/invoices/${page.url().split("/").at(-1)}`);
	};
	const paste = (page: Page, text: string) =>
		page.evaluate(`{
			const clipboardData = new DataTransfer();
			clipboardData.setData("text/plain", ${JSON.stringify(text)});
			document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
		}`);
	const press = async (page: Page, keys: string) => {
		for (const key of keys.split(" ")) await page.keyboard.press(key);
	};

	test("type 31 with two lines is issued by keyboard alone", async () => {
		const page = await opened.openPage("/issue");
		await page.getByRole("combobox", { name: /Comprador/ }).focus();
		await page.keyboard.type("131880681");
		await page.getByText("1 resultado; elija con las flechas").waitFor({ state: "attached" });
		await press(page, "ArrowDown Enter");
		expect(await page.getByLabel("Nombre del comprador").inputValue()).not.toBe("");
		await press(page, "Tab Tab Tab");
		for (const [description, price] of [
			["Cemento gris", "450"],
			["Varilla", "1,234.50"],
		] as const) {
			await page.keyboard.type(description);
			await press(page, "ArrowRight");
			await page.keyboard.type("2");
			await press(page, "ArrowRight");
			await page.keyboard.type(price);
			if (description === "Cemento gris") await press(page, "Enter");
		}
		const prices = "[...document.querySelectorAll('.line-unit_price input')]";
		expect(await page.evaluate(`${prices}.filter((one) => one.scrollWidth > one.clientWidth).length`)).toBe(0);
		await page.getByText("La autoridad lo aceptaría").first().waitFor();
		await shoot(page, "issue-filled");
		expect(await findViolations(page)).toEqual([]);
		await press(page, "Control+Enter");
		const { request, encf } = (await issuedOn(page)) as { request: ReturnType<typeof buildInvoice>; encf: string };
		expect(encf).toStartWith("E3100009");
		expect(request.lines).toMatchObject([
			{ description: "Cemento gris", quantity: "2", unit_price: "450", subtotal: "900.00", tax_rate: "18" },
			{ description: "Varilla", quantity: "2", unit_price: "1234.5", subtotal: "2469.00" },
		]);
		expect(request.totals).toEqual({ subtotal: "3369.00", tax: "606.42", grand_total: "3975.42" });
		expect(opened.takeFaults()).toEqual([]);
		await page.close();
	});

	test("a spreadsheet's cells become lines, arrows move, lines are repeated and removed", async () => {
		const page = await opened.openPage("/issue");
		const cell = (name: string, line: number) => page.getByLabel(`${name}, línea ${line}`, { exact: true });
		await cell("Descripción", 1).focus();
		await paste(page, 'Pala\t3\tRD$ 1,200.00\t\tExento\n"Pico ""grande"""\t1\t80\t5\t18%\n');
		await cell("Descripción", 2).waitFor();
		expect(await cell("Descripción", 2).inputValue()).toBe('Pico "grande"');
		expect(await cell("Precio", 1).inputValue()).toBe("1200");
		expect(await cell("ITBIS", 1).inputValue()).toBe("exempt");
		await page.getByText("RD$3,688.50").first().waitFor();
		await press(page, "ArrowDown");
		expect(await page.evaluate("document.activeElement.dataset.pointer")).toBe("/lines/1/description");
		await press(page, "Control+d");
		await cell("Descripción", 3).waitFor();
		expect(await cell("Descripción", 3).inputValue()).toBe('Pico "grande"');
		await press(page, "Control+Delete");
		await until(async () => (await cell("Descripción", 3).count()) === 0);
		await page.close();
	});

	test("a fault is shown at its cell, and issuing leads to it", async () => {
		const page = await opened.openPage("/issue");
		await page.getByLabel("Descripción, línea 1").fill("<b>Clavos</b>");
		await page.getByLabel("Precio, línea 1").fill("12");
		await page.getByLabel("Cantidad, línea 1").fill("dos");
		await page.getByText("Por corregir").first().waitFor();
		expect(await page.getByLabel("Cantidad, línea 1").getAttribute("aria-invalid")).toBe("true");
		await shoot(page, "issue-faults");
		expect(await findViolations(page)).toEqual([]);
		await page.getByLabel("Precio, línea 1").focus();
		await press(page, "Control+Enter");
		await until(() => page.evaluate("document.activeElement.getAttribute('aria-invalid') === 'true'"));
		expect(page.url()).toContain("/issue");
		// The browser itself reports refused requests.
		opened.takeFaults();
		await page.close();
	});

	test("an answer that is lost and asked for again makes one document", async () => {
		const page = await opened.openPage("/issue");
		await page.getByLabel("Tipo", { exact: true }).selectOption("32");
		await page.getByLabel("Descripción, línea 1").fill("Perdido");
		await page.getByLabel("Precio, línea 1").fill("10");
		let posted = 0;
		await page.route(/\/v1\/invoices$/, async (route) => {
			if (route.request().method() !== "POST") return route.fallback();
			const answer = await route.fetch();
			return ++posted === 1 ? route.abort() : route.fulfill({ response: answer });
		});
		await press(page, "Control+Enter");
		await page.getByText("No se emitió").first().waitFor();
		await press(page, "Control+Enter");
		const { encf } = (await issuedOn(page)) as { encf: string };
		expect(posted).toBe(2);
		const { items } = (await stored("/v1/invoices?type=32")) as { items: { encf: string }[] };
		expect(items.map((one) => one.encf)).toEqual([encf]);
		opened.takeFaults();
		await page.close();
	});

	test("a thousand copied lines are taken, and the focus reaches each", async () => {
		const page = await opened.openPage("/issue");
		await page.getByLabel("Descripción, línea 1").focus();
		await paste(page, Array.from({ length: 1_001 }, (_, n) => `Artículo ${n + 1}\t1\t2.00`).join("\n"));
		await page.getByText("Líneas 1 a 50 de 1,000").waitFor();
		await page.getByText("RD$2,360.00").first().waitFor();
		await page.getByLabel("Descripción, línea 50", { exact: true }).focus();
		await press(page, "Enter");
		await page.getByText("Líneas 51 a 100 de 1,000").waitFor();
		await until(() => page.evaluate("document.activeElement.dataset.pointer === '/lines/50/description'"));
		await page.getByRole("button", { name: "Descartar borrador" }).click();
		await page.close();
	});

	test("a draft stays until it is issued or discarded", async () => {
		const page = await opened.openPage("/issue");
		await page.getByLabel("Descripción, línea 1").fill("Borrador");
		await page.reload();
		expect(await page.getByLabel("Descripción, línea 1").inputValue()).toBe("Borrador");
		await page.getByRole("button", { name: "Descartar borrador" }).click();
		await until(async () => (await page.getByLabel("Descripción, línea 1").inputValue()) === "");
		await page.close();
	});

	test("a rejected document is reissued with two clicks, and names its replacement", async () => {
		const docId = await issueElsewhere("reject", { issue_date: daysAgo(0) });
		const page = await opened.openPage("");
		const task = page.locator(`a[href$="/issue?from=${docId}&as=reissue"]`);
		await task.click();
		await page.locator(".issue-source > p").getByText("Se emite hoy").waitFor();
		await page.getByText("La autoridad lo aceptaría").first().waitFor();
		await shoot(page, "issue-reissue");
		await page.getByRole("button", { name: "Emitir", exact: true }).click();
		const { encf } = await issuedOn(page);
		await page.getByRole("link", { name: "Resumen" }).click();
		await page.getByRole("heading", { name: "Comprobantes por día" }).waitFor();
		await until(async () => (await task.count()) === 0);
		await page.close();
		const old = await opened.openPage(`/invoices/${docId}`);
		await old.getByRole("alert").getByText("Causa").waitFor();
		await shoot(old, "invoice-reissued");
		expect(await findViolations(old)).toEqual([]);
		expect(await old.getByRole("link", { name: "Corregir y reemitir" }).count()).toBe(0);
		await old.getByRole("link", { name: `Ya se emitió de nuevo como ${encf}.` }).click();
		await old.getByRole("heading", { name: `${encf}` }).waitFor();
		await old.close();
	});

	test("a rejected document of an earlier month keeps its date, and the page asks for it", async () => {
		const before = daysAgo(40);
		const docId = await issueElsewhere("reject", { issue_date: before });
		const page = await opened.openPage(`/issue?from=${docId}&as=reissue`);
		await page
			.locator(".issue-source")
			.getByText(`se declararía en otro mes, por lo que conserva el ${before}.`)
			.waitFor();
		await shoot(page, "issue-reissue-earlier");
		expect(await findViolations(page)).toEqual([]);
		await page.getByRole("button", { name: "Ir a Fecha de emisión" }).click();
		await until(() => page.evaluate("document.activeElement.dataset.pointer === '/issue_date'"));
		expect(await page.getByLabel("Fecha de emisión").inputValue()).toBe(before);
		await page.close();
	});

	test("a credit note takes three clicks from the list, and has what is left", async () => {
		const docId = await issueElsewhere();
		const page = await opened.openPage("/invoices");
		await page.locator(`tbody a[href$="${docId}"]`).click();
		await page.getByRole("link", { name: "Nota de crédito" }).click();
		await page.getByText("La autoridad lo aceptaría").first().waitFor();
		expect(await page.getByLabel("Modificación").inputValue()).toBe("1");
		await shoot(page, "issue-credit");
		await page.getByRole("button", { name: "Emitir", exact: true }).click();
		expect(await issuedOn(page)).toMatchObject({ type: "34", request: { totals: { grand_total: "5310.00" } } });
		await page.close();
	});

	test("a draft that does not exist says why", async () => {
		const docId = await issueElsewhere();
		const page = await opened.openPage(`/issue?from=${docId}&as=reissue`);
		await page.getByText("Solo un comprobante rechazado o fallido se emite de nuevo.").waitFor();
		opened.takeFaults();
		await page.close();
	});

	const daysAgo = (days: number) => toLocalIsoDate(new Date(Date.now() - days * 86_400_000));
	const issueElsewhere = async (scenario?: string, over: Record<string, unknown> = {}) => {
		const { service, tenant } = opened;
		const headers: Record<string, string> = scenario === undefined ? {} : { "x-sandbox-scenario": scenario };
		const answer = await postInvoice(service, tenant, buildInvoice(tenant, { encf: "auto", ...over }), headers);
		const { docId } = (await answer.json()) as { docId: string };
		await untilDecided(service, tenant, docId);
		return docId;
	};

	for (const look of LOOKS)
		test(`it has no fault with ${Object.values(look).join(", ")}, its parts open`, async () => {
			const page = await opened.openPage("/issue", look);
			const [further, price, buyer] =
				look.language === "es"
					? (["Más datos", "Precio", /^Comprador/] as const)
					: (["More details", "Price", /^Buyer/] as const);
			await page.getByText(further).click();
			await page.getByLabel(`${price}, l`).fill("10");
			await page.getByRole("combobox", { name: buyer }).pressSequentially("ferr");
			await page.locator(".combobox-option").first().waitFor();
			await shoot(page, `issue-${Object.values(look).join("-")}`);
			// The whole page in sight: what a bar half covers while a page is scrolled would count as too small.
			await page.setViewportSize({ width: look.width, height: 4_000 });
			expect(await findViolations(page)).toEqual([]);
			expect(await overflowOf(page)).toBe(0);
			opened.takeFaults();
			await page.close();
		});
});
