/** The page of a company, as its owner uses it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listStatuses } from "../api/support/certificates";
import { makePkcs12 } from "../api/support/companies";
import { findBrowser } from "../support/browser";
import { buildInvoice, postInvoice } from "../support/service";
import { until } from "../support/until";
import { findViolations, LOOKS, type OpenConsole, openConsole, overflowOf, shoot } from "./support/open-console";

const browserPath = findBrowser();
/** One pixel. */
const LOGO = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe.skipIf(browserPath === undefined)("the company", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
	}, 60_000);
	afterAll(() => opened.close());

	for (const [n, look] of LOOKS.entries())
		test(`it has no fault with ${Object.values(look).join(", ")}`, async () => {
			const page = await opened.openPage("/company", look);
			// Nothing is half behind the bar at the bottom.
			await page.setViewportSize({ width: look.width, height: 2_000 });
			// Each part in both themes and at both widths.
			for (const at of n % 3 === 0 ? [0, 1, 4] : [2, 3, 4]) {
				await page.getByRole("tab").nth(at).click();
				await page.getByRole("tabpanel").locator(".card").first().waitFor();
				if (at === 1) await page.getByRole("table").waitFor();
				await shoot(page, `company-${at}-${Object.values(look).join("-")}`);
				expect(await findViolations(page)).toEqual([]);
				expect(await overflowOf(page)).toBe(0);
			}
			expect(opened.takeFaults()).toEqual([]);
			await page.close();
		});

	test("a certificate is replaced with four clicks, then rolled back", async () => {
		const { service, tenant } = opened;
		const [former = ""] = Object.keys(await listStatuses(service, tenant));
		const page = await opened.openPage("/");
		await page.getByRole("link", { name: "Empresa" }).click();
		await page.getByRole("tab", { name: "Certificados" }).click();
		await page.getByRole("button", { name: "Cambiar certificado" }).click();
		const { pkcs12, password } = await makePkcs12("secreta");
		const buffer = Buffer.from(pkcs12, "base64");
		await page
			.getByLabel("Archivo .p12 o .pfx")
			.setInputFiles({ name: "firma.p12", mimeType: "application/x-pkcs12", buffer });
		const field = page.getByLabel("Contraseña del archivo");
		await field.fill("otra");
		await field.press("Enter");
		await page.getByRole("dialog").getByRole("alert").waitFor();
		expect(await findViolations(page)).toEqual([]);
		await field.fill(password);
		await page.getByRole("button", { name: "Subir y probar" }).click();
		await page.getByText("El certificado firmó una prueba").waitFor();
		expect((await listStatuses(service, tenant))[former]).toBe("retired");
		await shoot(page, "company-replaced");
		const row = page.getByRole("row").filter({ hasText: "Retirado" });
		await row.getByRole("button", { name: /^Acciones/ }).click();
		await page.getByRole("menuitem", { name: "Volver a este certificado" }).click();
		await page.getByRole("button", { name: "Firmar con él desde ahora" }).click();
		await until(async () => (await listStatuses(service, tenant))[former] === "active");
		// The refused password.
		expect(opened.takeFaults().filter((fault) => !fault.includes("422"))).toEqual([]);
		await page.close();
	});

	test("faults stand beside the data, and a newer version is not overwritten", async () => {
		const { service, tenant } = opened;
		const page = await opened.openPage("/company");
		await page.getByLabel("Teléfono").fill("12");
		await page.getByRole("button", { name: "Guardar" }).click();
		await page.getByText("Envíe diez dígitos").first().waitFor();
		await page.getByLabel("Teléfono").fill("809 555 0101");
		await page.getByLabel("Provincia").selectOption({ label: "La Vega" });
		await page.getByRole("button", { name: "Guardar" }).click();
		await page.getByText("Cambio guardado").waitFor();
		await until(async () => (await page.getByLabel("Teléfono").inputValue()) === "809-555-0101");
		await fetch(`${service.url}/v1/company/${tenant.tenantId}`, {
			method: "PATCH",
			headers: { ...tenant.headers, "content-type": "application/json" },
			body: JSON.stringify({ tradeName: "OTRA" }),
		});
		await page.getByLabel("Nombre comercial").fill("NUESTRA");
		await page.getByRole("button", { name: "Guardar" }).click();
		await page.getByRole("button", { name: "Cargar la versión nueva" }).click();
		await until(async () => (await page.getByLabel("Nombre comercial").inputValue()) === "OTRA");
		await page.close();
		// The refused telephone and the stale version.
		expect(opened.takeFaults().filter((fault) => !/400|412/.test(fault))).toEqual([]);
	});

	test("sites of the portal are added, refused beside their field, saved and removed", async () => {
		const { service, tenant } = opened;
		const page = await opened.openPage("/company?tab=portal");
		await page.getByText("Se asigna al guardar por primera vez.").waitFor();
		const add = async (site: string) => {
			await page.getByRole("button", { name: "Agregar un sitio" }).click();
			await page.keyboard.type(site);
		};
		await add("https://ERP.example.do/");
		await add("http://erp.example.do");
		await page.keyboard.press("Enter");
		const second = page.getByLabel("Sitio 2", { exact: true });
		await until(async () => (await second.getAttribute("aria-invalid")) === "true");
		expect(await page.getByLabel("Sitio 1", { exact: true }).getAttribute("aria-invalid")).toBeNull();
		await shoot(page, "company-portal-refused");
		expect(await findViolations(page)).toEqual([]);
		await second.fill("https://caja.example.do:8443");
		await page.getByRole("button", { name: "Guardar" }).click();
		await page.getByText("Cambio guardado").waitFor();
		const read = async () =>
			(await (await fetch(`${service.url}/v1/portal-settings`, { headers: tenant.headers })).json()) as {
				portalId: string;
				origins: string[];
			};
		const { portalId, origins } = await read();
		expect(origins).toEqual(["https://erp.example.do", "https://caja.example.do:8443"]);
		await page.getByText(portalId).waitFor();
		await page.getByRole("button", { name: "Quitar el sitio 1" }).click();
		expect(await page.evaluate<string>("document.activeElement.textContent")).toBe("Agregar un sitio");
		for (let n = 2; n <= 10; n++) await add(`https://sitio-${n}.example.do`);
		expect(await page.getByRole("button", { name: "Agregar un sitio" }).isDisabled()).toBe(true);
		await page.getByRole("button", { name: "Guardar" }).click();
		await until(async () => (await read()).origins.length === 10);
		await page.getByRole("button", { name: "Guardar" }).click();
		await page.getByText("No hay cambios.").waitFor();
		await shoot(page, "company-portal");
		await page.getByRole("button", { name: /^Copiar: 1/ }).click();
		await page.getByText("Copiado").first().waitFor();
		// The refused site.
		expect(opened.takeFaults().filter((fault) => !fault.includes("400"))).toEqual([]);
		await page.close();
	});

	test("paper and logo are changed beside the newest document as it is printed", async () => {
		const { service, tenant } = opened;
		await postInvoice(service, tenant, buildInvoice(tenant));
		const page = await opened.openPage("/company?tab=printing");
		await page.getByText("Impresión de E3").first().waitFor();
		await page.getByLabel("Formato").selectOption("thermal_80");
		await page.getByRole("button", { name: "Guardar" }).click();
		await page.getByText("Cambio guardado").waitFor();
		const buffer = Buffer.from(LOGO, "base64");
		await page.getByLabel("Archivo del logo").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer });
		await page.getByText(/Hay un logo: PNG, [\d.]+\skB\./).waitFor();
		await shoot(page, "company-printing");
		await page.getByRole("button", { name: "Quitar el logo" }).click();
		await page.getByText("Los comprobantes se imprimen sin logo.").waitFor();
		await page.close();
	});

	test("who may not embed the portal sees no part for it", async () => {
		const { service, tenant } = opened;
		await service.sql`
			update user_memberships set role = 'accountant' from companies
			where tenant_id = ${tenant.tenantId} and user_memberships.owner_id = companies.owner_id`;
		const page = await opened.openPage("/company?tab=portal");
		await until(async () => {
			await page.reload();
			await page.getByRole("tab", { name: "Emisión" }).waitFor();
			return (await page.getByRole("tab", { name: "Portal" }).count()) === 0;
		});
		await page.getByText("Solo un propietario cambia estos datos.").waitFor();
		await page.close();
	});
});
