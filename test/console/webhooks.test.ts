/** The page of webhooks: endpoints made and changed, deliveries sent again, events as they happen. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { findBrowser } from "../support/browser";
import { buildInvoice, postInvoice, untilDecided } from "../support/service";
import { until } from "../support/until";
import { findViolations, inspect, LANGUAGES, type OpenConsole, openConsole, shoot } from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("the webhooks", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
	}, 60_000);
	afterAll(() => opened.close());

	const focused = (page: Page) => page.evaluate("document.activeElement.textContent");
	const issue = async () => {
		const { service, tenant } = opened;
		const answer = await postInvoice(service, tenant, buildInvoice(tenant));
		const { docId } = (await answer.json()) as { docId: string };
		await untilDecided(service, tenant, docId);
	};

	test("an endpoint is made, refused at its field first, tested, rotated and promoted", async () => {
		const { receiver } = opened.service;
		const page = await opened.openPage("/webhooks");
		await page.getByText("Ningún destino todavía").waitFor();
		await page.getByText("Ninguna entrega todavía").waitFor();
		await shoot(page, "webhooks-empty");
		expect(await findViolations(page)).toEqual([]);
		expect(opened.takeFaults()).toEqual([]);
		await page.getByRole("button", { name: "Añadir un destino" }).click();
		const url = page.getByLabel("Dirección");
		await url.fill("ftp://erp.do/<b>");
		await page.getByRole("dialog").getByRole("button", { name: "Añadir un destino" }).click();
		await until(async () => (await url.getAttribute("aria-invalid")) === "true");
		await shoot(page, "webhooks-add");
		expect(await findViolations(page)).toEqual([]);
		// The browser itself reports the refused request.
		opened.takeFaults();
		await url.fill(`http://${receiver.host}/console`);
		await page.getByLabel("Nombre").fill("ERP <b>central</b>");
		await page.getByRole("dialog").getByRole("button", { name: "Añadir un destino" }).click();
		await page.getByText("No se muestra otra vez").waitFor();
		await shoot(page, "webhooks-secret");
		expect(await findViolations(page)).toEqual([]);
		await page.getByRole("button", { name: "Listo" }).click();
		const actions = page.getByRole("button", { name: "Acciones para ERP <b>central</b>" });
		await actions.click();
		await page.getByRole("menuitem", { name: "Enviar un evento de prueba" }).click();
		await page.getByLabel("Evento").last().selectOption("invoice.rejected");
		await page.getByRole("button", { name: "Enviar", exact: true }).click();
		await page.getByText("X-Service-Event: invoice.rejected").waitFor();
		await shoot(page, "webhooks-test");
		expect(await findViolations(page)).toEqual([]);
		await page.keyboard.press("Escape");
		await actions.click();
		await page.getByRole("menuitem", { name: "Rotar el secreto" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Rotar el secreto" }).click();
		await page.getByRole("button", { name: "Listo" }).click();
		await page.getByText(/El secreto anterior firma hasta [^.]+[ap]\.\sm\.$/).waitFor();
		// Two dialogs were open, one after the other.
		await until(async () => (await focused(page)) === "Acciones para ERP <b>central</b>");
		await actions.click();
		await page.getByRole("menuitem", { name: "Usar solo el secreto nuevo" }).click();
		await page.getByText("El secreto anterior firma hasta").waitFor({ state: "detached" });
		expect(opened.takeFaults()).toEqual([]);
		await page.close();
	});

	test("a failed delivery is sent again with two clicks, and shows its attempts", async () => {
		const { receiver } = opened.service;
		receiver.answer("/console", 500);
		await issue();
		const page = await opened.openPage("");
		await page.getByRole("link", { name: "Webhooks" }).first().click();
		const row = page.getByRole("row", { name: /invoice\.accepted/ });
		await row.getByText("Abandonada").waitFor();
		receiver.answer("/console", 204);
		await row.getByRole("button", { name: /^Entregar de nuevo/ }).click();
		await row.getByText("Entregada").waitFor();
		await row.getByRole("button", { name: "invoice.accepted" }).first().click();
		await page.getByRole("dialog").getByText(`"event": "invoice.accepted"`).waitFor();
		await shoot(page, "webhooks-delivery");
		expect(await findViolations(page)).toEqual([]);
		await page.keyboard.press("Escape");
		await page.getByLabel("Estado").selectOption("dead");
		await page.getByText("Ninguna entrega coincide").waitFor();
		expect(page.url()).toEndWith("/webhooks?status=dead");
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});

	for (const language of LANGUAGES)
		test(`it has no fault in ${language}`, async () => {
			const page = await opened.openPage("/webhooks", { language });
			await page.locator("tbody input").first().check();
			await page.locator(".strip").waitFor();
			expect(await inspect(page, "webhooks", language)).toEqual([]);
			expect(opened.takeFaults()).toEqual([]);
			await page.close();
		});

	test("events appear as they happen, and an endpoint ends", async () => {
		const page = await opened.openPage("/webhooks", { language: "en" });
		await page.getByRole("tab", { name: "Live", exact: true }).click();
		await page.getByText("Waiting for events").waitFor();
		await issue();
		await page
			.getByRole("list", { name: "Live", exact: true })
			.getByText("invoice.accepted", { exact: true })
			.waitFor();
		await page.locator("summary").filter({ hasText: "invoice.accepted" }).click();
		await shoot(page, "webhooks-live");
		expect(await findViolations(page)).toEqual([]);
		await page.getByRole("button", { name: /^Actions for/ }).click();
		await page.getByRole("menuitem", { name: "Recover what was given up" }).click();
		await page.getByRole("dialog").getByRole("button").last().click();
		await page.getByText(/Deliveries queued: \d/).waitFor();
		await page.getByRole("button", { name: /^Actions for/ }).click();
		await page.getByRole("menuitem", { name: "Remove" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
		await page.getByText("No endpoints yet").waitFor();
		await page.close();
		expect(opened.takeFaults()).toEqual([]);
	});
});
