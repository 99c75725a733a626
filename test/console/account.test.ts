/** A person's own page: the ways to sign in, from an invitation to the recovery codes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { codeAt } from "../identity/factors/support/code";
import { findBrowser } from "../support/browser";
import { mailsTo } from "../support/mails";
import { until } from "../support/until";
import {
	findViolations,
	inspect,
	LANGUAGES,
	type Look,
	type OpenConsole,
	openConsole,
	shoot,
} from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("the account", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
	}, 60_000);
	afterAll(() => opened.close());

	async function openAccount(look?: Look): Promise<Page> {
		const page = await opened.openPage("", look);
		await page.goto(page.url().replace(/\/c\/.*/, "/account"));
		await page.locator("main h1").waitFor();
		return page;
	}

	/** A fingerprint reader that always knows the finger. */
	async function plugInAuthenticator(page: Page): Promise<void> {
		const session = await page.context().newCDPSession(page);
		await session.send("WebAuthn.enable");
		await session.send("WebAuthn.addVirtualAuthenticator", {
			options: {
				...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true },
				...{ isUserVerified: true, automaticPresenceSimulation: true },
			},
		});
	}

	for (const language of LANGUAGES)
		test(`it has no fault in ${language}`, async () => {
			const page = await openAccount({ language });
			await page.getByRole("list").first().waitFor();
			expect(await inspect(page, "account", language)).toEqual([]);
			await page
				.getByRole("button", { name: language === "es" ? "Configurar una aplicación" : "Set up an app" })
				.click();
			await page.getByRole("dialog").getByRole("img").waitFor();
			expect(await inspect(page, "account-app", language)).toEqual([]);
			expect(opened.takeFaults()).toEqual([]);
			await page.close();
		});

	test("a person sets up every way to sign in, and shows a factor again", async () => {
		const page = await openAccount();
		await plugInAuthenticator(page);
		await page.getByRole("button", { name: "Añadir una llave de acceso" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Crear" }).click();
		await page.getByText("Chrome, Linux").first().waitFor();
		await page.getByLabel("Contraseña nueva").fill("corta-pero-1");
		await page.getByLabel("Contraseña nueva").fill("caballo-pila-grapa");
		await page.getByRole("button", { name: "Establecer la contraseña" }).click();
		await page.getByRole("button", { name: "Cambiar la contraseña" }).waitFor();
		await page.getByRole("button", { name: "Configurar una aplicación" }).click();
		const secret = (await page.locator(".account-secret").textContent())?.replaceAll(" ", "");
		await page.getByLabel("Código de la aplicación").fill(codeAt(secret ?? "", Date.now()));
		await page.getByRole("button", { name: "Usar la aplicación" }).click();
		await page.getByRole("button", { name: "Usar otra aplicación" }).waitFor();
		// As eleven minutes later.
		const expire = () =>
			opened.service.sql`update user_sessions set confirmed_at = confirmed_at - interval '11 minutes'`;
		await expire();
		await page.getByRole("button", { name: "Crear códigos nuevos" }).click();
		await page.getByRole("button", { name: "Usar una llave de acceso" }).click();
		await page.getByRole("dialog", { name: "Sus códigos de recuperación" }).waitFor();
		expect(await page.locator(".account-codes li").count()).toBe(10);
		await shoot(page, "codes");
		await page.getByRole("button", { name: "Ya los guardé" }).click();
		await page.getByText("Le quedan 10").waitFor();
		await expire();
		await page.getByRole("button", { name: "Eliminar", exact: true }).last().click();
		await page.getByRole("dialog").getByRole("button", { name: "Eliminar" }).click();
		const dialog = page.getByRole("dialog", { name: "Confirme que es usted" });
		await dialog.waitFor();
		await shoot(page, "confirm");
		expect(await findViolations(page)).toEqual([]);
		await dialog.getByLabel("Contraseña").fill("caballo-pila-grapa");
		await dialog.getByLabel("Código").fill(codeAt(secret ?? "", Date.now() + 30_000));
		await dialog.getByRole("button", { name: "Confirmar" }).click();
		await page.getByRole("button", { name: "Configurar una aplicación" }).waitFor();
		expect(opened.takeFaults().filter((fault) => !fault.includes("403"))).toEqual([]);
		await page.close();
	});

	test("an invited person has an account with a passkey after three clicks", async () => {
		const { service, context } = opened;
		const email = "luis@farmacia.do";
		const page = await openAccount();
		const body = JSON.stringify({ email, role: "viewer", language: "en" });
		const headers = { "content-type": "application/json" };
		const init = JSON.stringify({ method: "POST", headers, body });
		expect(await page.evaluate(`fetch("/v1/team/invitations?owner=demo", ${init}).then(({ status }) => status)`)).toBe(
			201,
		);
		await until(() => mailsTo(service, email).length > 0);
		const link = /http\S+accept#\S{43}/.exec(mailsTo(service, email)[0] ?? "")?.[0] ?? "";
		await context.clearCookies();
		await plugInAuthenticator(page);
		await page.goto(link);
		await page.getByLabel("Nombre").fill("Luis Gómez");
		await shoot(page, "accept");
		await page.getByRole("button", { name: "Aceptar" }).click();
		await page.getByRole("heading", { name: "Su cuenta" }).waitFor();
		await page.getByRole("button", { name: "Añadir una llave de acceso" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Crear" }).click();
		await page.getByText("Añadida el").waitFor();
		await page.getByRole("link", { name: "Volver a la consola" }).click();
		await page.getByText("EMPRESA DE DEMOSTRACION SRL").first().waitFor();
		await context.clearCookies();
		await page.reload();
		await page.getByRole("button", { name: "Usar una llave de acceso" }).click();
		await page.getByText("EMPRESA DE DEMOSTRACION SRL").first().waitFor();
		await context.clearCookies();
		await page.goto(`${link.replace(/#.*/, "")}#${"A".repeat(43)}`);
		await page.getByRole("button", { name: "Aceptar" }).click();
		await page.getByRole("alert").waitFor();
		expect(await findViolations(page)).toEqual([]);
		await page.close();
	});
});
