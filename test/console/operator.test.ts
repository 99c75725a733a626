/** The pages of the people who operate the service. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { killLetters } from "../api/support/deliveries";
import { findBrowser } from "../support/browser";
import { inspectPages } from "../support/inspect-page";
import { buildInvoice, get, postInvoice } from "../support/service";
import { until } from "../support/until";
import { findViolations, inspect, LANGUAGES, type OpenConsole, openConsole, shoot } from "./support/open-console";

const browserPath = findBrowser();
const PAGES = ["", "/outbox", "/dead-letters", "/registry", "/authority", "/archive", "/limits?day=2026-01-02"];

describe.skipIf(browserPath === undefined)("the operators' pages", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
		const { service, tenant } = opened;
		await killLetters(service, tenant, 2);
		const { docId } = (await (await postInvoice(service, tenant, buildInvoice(tenant))).json()) as { docId: string };
		// The first proof makes the first checkpoint.
		await until(async () => (await get(service, `/v1/invoices/${docId}/proof`, tenant.headers)).ok, 60_000);
		await opened.service.sql`
			insert into usage_days (day, key_id, tenant_id, operation, succeeded, unmodified, refused, limited, failed, items)
			values ('2026-01-02', ${crypto.randomUUID()}, ${opened.tenant.tenantId}, 'postInvoice', 5, 0, 0, 3, 0, 0)`;
	}, 90_000);
	afterAll(() => opened.close());

	for (const language of LANGUAGES)
		test(`they have no fault in ${language}`, async () => {
			for (const path of PAGES) {
				const page = await opened.openPage(`~/operator${path}`, { language });
				await page.locator("main table, main .notice").first().waitFor();
				expect(await inspect(page, `operator${path.replaceAll(/\W/g, "-")}`, language)).toEqual([]);
				await page.close();
			}
			expect(opened.takeFaults()).toEqual([]);
		}, 60_000);

	test("the public page of the state has no barrier either", async () => {
		const origin = opened.service.url.replace("127.0.0.1", "localhost");
		expect(await inspectPages(opened.context, origin, ["/status"])).toEqual([]);
	});

	test("work, services and plans have words instead of codes", async () => {
		const page = await opened.openPage("~/operator/outbox");
		await page.getByText("Envío a la autoridad").waitFor();
		await page.getByRole("link", { name: "Autoridad" }).click();
		await page.getByText("Recepción de resúmenes").waitFor();
		await page.close();
	});

	test("a dead letter names its document, and leads to its company", async () => {
		const { tenant } = opened;
		const page = await opened.openPage("~/operator/dead-letters");
		const letter = page.getByRole("row").filter({ hasText: tenant.name }).first();
		expect(await letter.getByRole("strong").textContent()).toMatch(/^E31\d{10}$/);
		await letter.getByRole("link", { name: tenant.name }).click();
		await page.getByRole("row").filter({ hasText: tenant.rnc }).waitFor();
		await page.close();
	});

	test("dead letters are sent again with three clicks", async () => {
		const page = await opened.openPage("~/operator");
		await page.getByRole("link", { name: "Abandonadas" }).click();
		await page.getByRole("button", { name: "Enviar todas de nuevo" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Enviar todas de nuevo" }).click();
		await page.getByText("Ninguna entrega abandonada").waitFor();
		expect(opened.takeFaults()).toEqual([]);
		await page.close();
	});

	test("a company is read for a reason, which its people see", async () => {
		const { service, tenant } = opened;
		const page = await opened.openPage(`~/operator?q=${tenant.rnc}`);
		const row = page.getByRole("row").filter({ hasText: tenant.rnc });
		await row.getByRole("button", { name: `Acciones de ${tenant.name}` }).click();
		await page.getByRole("menuitem", { name: "Leer" }).click();
		await page.getByLabel("Motivo").fill("Caso 4711");
		await page.getByRole("button", { name: "Abrir la empresa" }).click();
		await page.getByText("Motivo: Caso 4711").waitFor();
		expect(page.url()).toEndWith(`/console/c/${tenant.tenantId}`);
		await shoot(page, "operator-read");
		expect(await findViolations(page)).toEqual([]);
		await page.getByRole("button", { name: "Cuenta" }).click();
		await page.getByRole("menuitem", { name: "Operación del servicio" }).click();
		await row.waitFor({ state: "visible" });
		expect(await service.sql`select from operator_accesses where tenant_id = ${tenant.tenantId}`).toHaveLength(1);
		expect(opened.takeFaults()).toEqual([]);
		await page.close();
	});

	test("a company is suspended, resumed and put on another plan", async () => {
		const { service, tenant } = opened;
		const page = await opened.openPage(`~/operator?q=${tenant.rnc}`);
		const act = async (word: string) => {
			await page.getByRole("button", { name: `Acciones de ${tenant.name}` }).click();
			await page.getByRole("menuitem", { name: word }).click();
		};
		const read = async () =>
			(await service.sql`select status, plan from companies where tenant_id = ${tenant.tenantId}`)[0];
		await act("Suspender");
		await page.getByRole("dialog").getByRole("button", { name: "Suspender" }).click();
		await page.getByRole("row").getByText("Suspendida").waitFor();
		await act("Reanudar");
		await page.getByRole("dialog").getByRole("button", { name: "Reanudar" }).click();
		await page.getByRole("row").getByText("Activa").waitFor();
		await act("Cambiar de plan");
		await page.getByRole("dialog").getByLabel("Plan").selectOption("business");
		await page.getByRole("button", { name: "Guardar" }).click();
		await until(async () => (await read())?.plan === "business");
		await page.getByRole("row").getByText("Negocio").waitFor();
		expect(await read()).toEqual({ status: "active", plan: "business" });
		await page.getByRole("searchbox").fill("No existe");
		await page.getByText("Ninguna empresa coincide").waitFor();
		expect(opened.takeFaults()).toEqual([]);
		await page.close();
	});
});
