/** How people come in and leave: the printed link, password, the local sandbox's own door, and signing out. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { findBrowser } from "../support/browser";
import { until } from "../support/until";
import { findViolations, inspect, LANGUAGES, type OpenConsole, openConsole } from "./support/open-console";

const browserPath = findBrowser();
const EMAIL = "ana@cliente.example";
const PASSWORD = "una frase bastante larga";

describe.skipIf(browserPath === undefined)("signing in", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
		const { sql } = opened.service;
		const hash = await Bun.password.hash(PASSWORD, { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 });
		const [user] = await sql<{ id: string }[]>`
			insert into users (id, email, name, password_hash, password_at, created_at)
			values (gen_random_uuid(), ${EMAIL}, 'Ana Pérez', ${hash}, now(), now()) returning id`;
		await sql`
			insert into user_memberships (id, user_id, owner_id, role, created_at)
			select gen_random_uuid(), ${user?.id ?? ""}, owner_id, 'viewer', now() from companies where tenant_id = ${opened.tenant.tenantId}`;
	}, 60_000);
	afterAll(() => opened.close());
	beforeEach(() => opened.context.clearCookies());

	for (const language of LANGUAGES)
		test(`the page has no fault in ${language}`, async () => {
			const page = await opened.openPage("", { language });
			await page.getByLabel(language === "es" ? "Contraseña" : "Password").waitFor();
			expect(await inspect(page, "sign-in", language)).toEqual([]);
			await page.close();
			// The browser reports the refused look at who is signed in.
			expect(opened.takeFaults().filter((fault) => !fault.includes("401"))).toEqual([]);
		});

	test("a wrong password is refused in words, the right one opens what was asked for", async () => {
		const page = await opened.openPage("?days=7");
		await page.getByLabel("Correo electrónico").fill(EMAIL);
		await page.getByLabel("Contraseña").fill("una frase equivocada");
		await page.keyboard.press("Enter");
		const alert = page.getByRole("alert");
		await alert.waitFor();
		expect((await alert.textContent())?.length).toBeGreaterThan(10);
		await page.getByLabel("Contraseña").fill(PASSWORD);
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { name: "Resumen" }).waitFor();
		expect(new URL(page.url()).search).toBe("?days=7");
		await page.close();
	});

	test("signing out ends the session, and a copied cookie opens nothing", async () => {
		const page = await opened.openPage("");
		await page.getByLabel("Correo electrónico").fill(EMAIL);
		await page.getByLabel("Contraseña").fill(PASSWORD);
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { name: "Resumen" }).waitFor();
		await page.evaluate(`localStorage.setItem("sello-draft-x", "{}")`);
		const copied = await opened.context.cookies();
		await page.getByRole("button", { name: "Cuenta" }).click();
		await page.getByRole("menuitem", { name: "Cerrar sesión" }).click();
		await page.getByLabel("Contraseña").waitFor();
		expect(await page.evaluate(`localStorage.getItem("sello-draft-x")`)).toBeNull();
		await opened.context.addCookies(copied);
		await page.reload();
		await page.getByLabel("Contraseña").waitFor();
		await page.close();
	});

	test("a printed link opens the console once, and leaves no token in the address", async () => {
		const link = await opened.service.makeConsoleLink();
		const page = await opened.context.newPage();
		await page.goto(link);
		await page.getByRole("heading", { name: "Elija una empresa" }).waitFor();
		expect(page.url()).not.toContain("#");
		await opened.context.clearCookies();
		await page.goto("about:blank");
		await page.goto(link);
		await page.getByRole("alert").waitFor();
		expect(await findViolations(page)).toEqual([]);
		await page.close();
	});

	test("in a sandbox on this machine one click is enough", async () => {
		const page = await opened.openPage("");
		await page.getByRole("button", { name: "Entrar a este ambiente de pruebas" }).click();
		await page.getByRole("heading", { name: "Resumen" }).waitFor();
		await page.close();
	});

	test("a session that ends elsewhere shows the way in, and then the same page", async () => {
		const page = await opened.openPage("");
		await page.getByRole("button", { name: "Entrar a este ambiente de pruebas" }).click();
		await page.getByRole("heading", { name: "Resumen" }).waitFor();
		await opened.service.sql`update user_sessions set ended_at = now() where ended_at is null`;
		await until(async () => {
			await page
				.getByLabel("Período")
				.selectOption("7", { timeout: 500 })
				.catch(() => undefined);
			await page
				.getByLabel("Período")
				.selectOption("90", { timeout: 500 })
				.catch(() => undefined);
			return (await page.getByLabel("Contraseña").count()) === 1;
		});
		await page.close();
	});
});
