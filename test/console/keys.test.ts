/** The page of API keys, as an owner and a person of one company use it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { DEMO_KEY } from "../../src/identity/auth";
import { makeKey, tryKey } from "../api/support/api-keys";
import { findBrowser } from "../support/browser";
import { createTenant, getToken } from "../support/service";
import { until } from "../support/until";
import { findViolations, inspect, LANGUAGES, type OpenConsole, openConsole, shoot } from "./support/open-console";

const browserPath = findBrowser();
const secretOf = async (page: Page) => (await page.locator("code.secret").textContent()) ?? "";
const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

describe.skipIf(browserPath === undefined)("API keys", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
		const { service, tenant } = opened;
		const of = { tenantIds: [tenant.tenantId], scopes: ["invoices:read", "invoices:write"] };
		await makeKey(service, tenant, {
			...of,
			label: "Caja del pasillo",
			ipAllowList: ["192.0.2.0/24", "2001:db8::/32"],
		});
		const end = new Date(Date.now() + 30 * 86_400_000).toISOString();
		const { id } = await makeKey(service, tenant, { label: "Contabilidad", scopes: ["reports:read"], expiresAt: end });
		await makeKey(service, tenant, { label: "<b>Sitio web</b>", scopes: ["invoices:read"], expiresAt: end });
		await service.sql`update api_keys set expires_at = now() - interval '1 day' where id = ${id}`;
	}, 90_000);
	afterAll(() => opened.close());

	for (const language of LANGUAGES)
		test(`they have no fault in ${language}, a dialog open`, async () => {
			const page = await opened.openPage("/keys", { language });
			await page.getByRole("table").waitFor();
			expect(await inspect(page, "keys", language)).toEqual([]);
			await page.getByRole("button", { name: /a key$|una clave$/ }).click();
			await page.getByText(/^Chosen scopes|^Permisos elegidos/).click();
			await page.getByLabel(/^Some companies|^Solo algunas/).check();
			expect(await inspect(page, "keys-dialog", language)).toEqual([]);
			expect(opened.takeFaults()).toEqual([]);
			await page.close();
		});

	test("one is made, shown once, changed, replaced and revoked", async () => {
		const { service } = opened;
		const page = await opened.openPage("/keys");
		await page.getByRole("button", { name: "Crear una clave" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("Nombre").fill("Caja 1");
		await dialog.getByLabel("Para qué sirve").selectOption("read");
		await dialog.getByText(/^Permisos elegidos/).click();
		await dialog.getByLabel("sandbox:write").check();
		expect(await dialog.getByLabel("Para qué sirve").inputValue()).toBe("custom");
		await dialog.getByLabel("Direcciones permitidas").fill("127.0.0.0/8\nabc");
		await dialog.getByRole("button", { name: "Crear una clave" }).click();
		await dialog.getByText(/^Envíe una dirección IPv4/).waitFor();
		await dialog.getByLabel("Direcciones permitidas").fill("127.0.0.0/8");
		await dialog.getByRole("button", { name: "Crear una clave" }).click();
		const first = await secretOf(page);
		await shoot(page, "keys-secret");
		expect(await findViolations(page)).toEqual([]);
		expect(await tryKey(service, first)).toBe(200);
		await page.getByRole("button", { name: "Copiar" }).click();
		await page.getByText("Copiado").first().waitFor();
		await page.getByRole("button", { name: "Listo" }).click();
		await rowOf(page, "Caja 1").getByText("127.0.0.0/8").waitFor();
		expect(await page.getByText(first).count()).toBe(0);

		await page.getByRole("button", { name: "Acciones para Caja 1" }).click();
		await page.getByRole("menuitem", { name: "Cambiar" }).click();
		await dialog.getByLabel("Nombre").fill("Caja 2");
		await dialog.getByLabel("Vence al final del").fill("2099-12-31");
		await dialog.getByRole("button", { name: "Guardar" }).click();
		await rowOf(page, "Caja 2").getByText(/2099/).waitFor();

		await page.getByRole("button", { name: "Acciones para Caja 2" }).click();
		await page.getByRole("menuitem", { name: "Reemplazar" }).click();
		await dialog.getByLabel("Lo anterior vale todavía").selectOption("0");
		await dialog.getByRole("button", { name: "Reemplazar" }).click();
		const second = await secretOf(page);
		expect(second).not.toBe(first);
		await page.getByRole("button", { name: "Listo" }).click();
		await rowOf(page, "Caja 2").getByText("Vencida").waitFor();
		await until(async () => (await tryKey(service, first)) === 401, 1_000);
		expect(await tryKey(service, second)).toBe(200);

		const valid = rowOf(page, "Caja 2").filter({ hasText: "2099" });
		await valid.getByRole("button", { name: /^Acciones/ }).click();
		await page.getByRole("menuitem", { name: "Revocar" }).click();
		await dialog.getByRole("button", { name: "Revocar" }).click();
		await valid.waitFor({ state: "detached" });
		await until(async () => (await tryKey(service, second)) === 401, 1_000);
		// The browser reports the refused address.
		expect(opened.takeFaults().filter((fault) => !/400/.test(fault))).toEqual([]);
		await page.close();
	});

	test("the last full key stays, and the page says why", async () => {
		const page = await opened.openPage("/keys");
		const full = page.getByRole("row").filter({ hasText: opened.tenant.apiKey.slice(0, 12) });
		await full.getByRole("button", { name: /^Acciones/ }).click();
		await page.getByRole("menuitem", { name: "Revocar" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Revocar" }).click();
		await page.getByRole("alert").waitFor();
		await shoot(page, "keys-last");
		expect(await full.count()).toBe(1);
		// The browser reports the refusal.
		expect(opened.takeFaults().filter((fault) => !/409/.test(fault))).toEqual([]);
		await page.close();
	});

	test("a person of one company makes keys for it alone", async () => {
		const { service, tenant } = opened;
		await service.sql`
			update user_memberships set tenant_ids = array[${tenant.tenantId}]::uuid[]
			from companies where tenant_id = ${tenant.tenantId} and user_memberships.owner_id = companies.owner_id`;
		const page = await opened.openPage("/keys");
		await page.getByRole("button", { name: "Crear una clave" }).click();
		await page.getByText(`Abre solo ${tenant.name}, como su propio acceso.`).waitFor();
		await page.getByLabel("Nombre").fill("Caja 3");
		await page.keyboard.press("Enter");
		await secretOf(page);
		await page.keyboard.press("Escape");
		await rowOf(page, "Caja 3").getByRole("cell", { name: tenant.name }).waitFor();
		await page.close();
	});

	test("a company of the demo key says how to get one", async () => {
		const page = await opened.openPage("/keys");
		const find =
			'fetch("/v1/me").then((me) => me.json()).then((me) => me.memberships.find((one) => one.rnc === "990000131").tenantId)';
		const demo: string = await page.evaluate(find);
		await page.goto(page.url().replace(opened.tenant.tenantId, demo));
		await page.getByText(/bun run admin keys create/).waitFor();
		await shoot(page, "keys-demo");
		expect(await findViolations(page)).toEqual([]);
		expect(await page.getByRole("button", { name: "Crear una clave" }).count()).toBe(0);
		await page.getByRole("button", { name: "Renovar las credenciales" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Renovar las credenciales" }).click();
		await page.getByText("son siempre demo y demo").waitFor();
		// The refused renewal.
		expect(opened.takeFaults().filter((fault) => !fault.includes("403"))).toEqual([]);
		await page.close();
	});

	test("without any, the page says the next step", async () => {
		const { context } = opened;
		const path = "**/v1/api-keys*";
		await context.route(path, (route) => route.fulfill({ json: { items: [], count: 0, partial: false, next: null } }));
		const page = await opened.openPage("/keys");
		await page.getByText("Sin claves de API").waitFor();
		expect(await page.getByRole("button", { name: "Crear una clave" }).count()).toBe(1);
		await shoot(page, "keys-empty");
		expect(await findViolations(page)).toEqual([]);
		await context.unroute(path);
		expect(opened.takeFaults()).toEqual([]);
		await page.close();
	});

	test("lost credentials of a demo company are renewed from the landing page", async () => {
		const { service, context } = opened;
		const lost = await createTenant(service, { apiKey: DEMO_KEY });
		await context.clearCookies();
		const page = await context.newPage();
		await page.goto(`${service.url}/?lang=es`);
		await shoot(page, "landing");
		await page.getByRole("link", { name: "Renueve sus credenciales en la consola" }).click();
		await page.getByRole("button", { name: "Entrar a este ambiente de pruebas" }).click();
		await page.getByRole("link", { name: lost.name }).click();
		await page.getByRole("button", { name: "Renovar las credenciales" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("Lo anterior vale todavía").selectOption("0");
		await shoot(page, "keys-renew");
		expect(await findViolations(page)).toEqual([]);
		await dialog.getByRole("button", { name: "Renovar las credenciales" }).click();
		const lines = await secretOf(page);
		await shoot(page, "keys-renewed");
		expect(await findViolations(page)).toEqual([]);
		const [, clientId = "", clientSecret = ""] = /^CLIENT_ID=(\S+)\nCLIENT_SECRET=(\S+)$/.exec(lines) ?? [];
		expect(await getToken(service, clientId, clientSecret)).not.toBe("");
		expect(getToken(service, lost.clientId, lost.clientSecret)).rejects.toThrow("401");
		await page.close();
	});
});
