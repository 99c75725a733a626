/** Signing in at an identity provider in a browser: the way there and back, a factor shown in a window, refusals in words. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { makePerson, ownerOf, type TestPerson } from "../identity/sessions/support/browser";
import { findBrowser } from "../support/browser";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider";
import { until } from "../support/until";
import { findViolations, inspect, LANGUAGES, type OpenConsole, openConsole, shoot } from "./support/open-console";

const browserPath = findBrowser();
/** As long as it may be. */
const LABEL = "Distribuidora de Ejemplo y Asociados SRL";

describe.skipIf(browserPath === undefined)("signing in elsewhere", () => {
	let provider: IdentityProvider;
	let opened: OpenConsole;
	let person: TestPerson;
	beforeAll(async () => {
		provider = await startIdentityProvider({ isInToken: true });
		const secretFile = join(mkdtempSync(join(tmpdir(), "sello-sso-")), "secret");
		writeFileSync(secretFile, provider.clientSecret);
		opened = await openConsole(
			browserPath ?? "",
			{},
			{
				...{ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: provider.clientId, OIDC_CLIENT_SECRET_FILE: secretFile },
				OIDC_LABEL: LABEL,
			},
		);
		const { service, tenant } = opened;
		provider.sendBackTo(`${service.url.replace("127.0.0.1", "localhost")}/v1/session/sso/callback`);
		person = await makePerson(service, { ownerId: await ownerOf(service, tenant), role: "owner" });
		await service.sql`update users set password_hash = null where id = ${person.userId}`;
	}, 60_000);
	afterAll(async () => {
		await opened.close();
		provider.stop();
	});
	beforeEach(async () => {
		await opened.context.clearCookies();
		provider.person = { email: person.email, isVerified: true };
	});

	/** Without what is meant: the provider itself, and the refused look at who is signed in. */
	const takeFaults = () =>
		opened.takeFaults().filter((fault) => !fault.includes(provider.issuer) && !/ 40[13] /.test(fault));
	const signIn = async (path: string): Promise<Page> => {
		const page = await opened.openPage(path);
		await page.getByRole("button", { name: `Entrar con ${LABEL}` }).click();
		await page.getByRole("link", { name: "Enter" }).click();
		return page;
	};

	for (const language of LANGUAGES)
		test(`the page has no fault in ${language}`, async () => {
			const page = await opened.openPage("#sso=email-not-invited", { language });
			await page.getByRole("button", { name: LABEL }).waitFor();
			await page.getByRole("alert").waitFor();
			expect(new URL(page.url()).hash).toBe("");
			expect(await inspect(page, "sso", language)).toEqual([]);
			expect(takeFaults()).toEqual([]);
			await page.close();
		});

	for (const language of LANGUAGES)
		test(`as the only way in it has no fault in ${language}`, async () => {
			const path = "**/v1/session/options";
			await opened.context.route(path, (route) =>
				route.fulfill({ json: { methods: ["sso"], totp: false, sso: LABEL, passkey: null } }),
			);
			const page = await opened.openPage("#sso=sso-away", { language });
			await page.getByRole("button", { name: LABEL }).waitFor();
			await page.getByRole("alert").waitFor();
			expect(await page.getByRole("main").getByRole("button").count()).toBe(1);
			expect(await inspect(page, "sso-required", language)).toEqual([]);
			expect(takeFaults()).toEqual([]);
			await opened.context.unroute(path);
			await page.close();
		});

	test("two clicks lead to the provider and back to what was asked for", async () => {
		const page = await signIn("?days=7");
		await page.getByRole("heading", { name: "Resumen" }).waitFor();
		expect(new URL(page.url()).search).toBe("?days=7");
		expect(takeFaults()).toEqual([]);
		await page.close();
	});

	test("a refusal and a cancelled sign-in are explained on the page", async () => {
		provider.person = { email: "otra@cliente.example", isVerified: true };
		const page = await signIn("/invoices");
		await page.getByText("no tiene cuenta ni invitación").waitFor();
		expect(new URL(page.url()).pathname).toEndWith("/invoices");
		await opened.context.clearCookies();
		await page.getByRole("button", { name: `Entrar con ${LABEL}` }).click();
		await page.getByRole("link", { name: "Cancel" }).click();
		await page.getByText("se canceló").waitFor();
		await page.close();
	});

	test("a factor is shown in a window, and the page goes on with what was typed", async () => {
		const { service, context } = opened;
		const page = await signIn("/team");
		await page.getByRole("table").first().waitFor();
		await service.sql`update user_sessions set confirmed_at = confirmed_at - interval '11 minutes'`;
		await page.getByRole("button", { name: "Invitar" }).click();
		await page.getByLabel("Correo electrónico").fill("eva@farmacia.do");
		const needsFactor = `fetch("/v1/me/totp", { method: "POST" }).then(({ status }) => status === 403)`;
		await until(() => page.evaluate<boolean>(needsFactor));
		await page.getByRole("button", { name: "Enviar la invitación" }).click();
		await page.getByRole("button", { name: `Confirmar con ${LABEL}` }).waitFor();
		await shoot(page, "sso-confirm");
		expect(await findViolations(page)).toEqual([]);
		const opening = context.waitForEvent("page");
		await page.getByRole("button", { name: `Confirmar con ${LABEL}` }).click();
		const window = await opening;
		provider.person = { email: "otra@cliente.example", isVerified: true };
		await window.getByRole("link", { name: "Enter" }).click();
		await window.getByText("con otra cuenta").waitFor();
		await shoot(window, "sso-other-person");
		expect(await findViolations(window)).toEqual([]);
		await window.close();
		provider.person = { email: person.email, isVerified: true };
		const again = context.waitForEvent("page");
		await page.getByRole("button", { name: `Confirmar con ${LABEL}` }).click();
		const second = await again;
		await second.getByRole("link", { name: "Enter" }).click();
		await page.getByRole("cell", { name: "eva@farmacia.do", exact: true }).waitFor();
		await until(() => second.isClosed());
		await page.close();
	});
});
