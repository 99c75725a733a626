/** The page of a team, as its owner uses it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findBrowser } from "../support/browser";
import { mailsTo } from "../support/mails";
import { until } from "../support/until";
import { inspect, LANGUAGES, type OpenConsole, openConsole } from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("the team", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
	}, 60_000);
	afterAll(() => opened.close());

	for (const language of LANGUAGES)
		test(`it has no fault in ${language}, a dialog open`, async () => {
			const page = await opened.openPage("/team", { language });
			await page.getByRole("table").first().waitFor();
			expect(await inspect(page, "team", language)).toEqual([]);
			const [invite, some] = language === "es" ? ["Invitar", "Solo algunas"] : ["Invite", "Some companies"];
			await page.getByRole("button", { name: invite }).click();
			await page.getByLabel(some).check();
			expect(await inspect(page, "team-invite", language)).toEqual([]);
			expect(opened.takeFaults()).toEqual([]);
			await page.close();
		});

	test("its owner invites a person, shows a factor, changes and removes a member", async () => {
		const { service, tenant } = opened;
		const page = await opened.openPage("/team");
		const body = JSON.stringify({ password: "caballo-pila-grapa" });
		const init = JSON.stringify({ method: "PUT", headers: { "content-type": "application/json" }, body });
		expect(await page.evaluate(`fetch("/v1/me/password", ${init}).then(({ status }) => status)`)).toBe(204);
		await service.sql`update user_sessions set confirmed_at = confirmed_at - interval '11 minutes'`;
		await page.reload();
		await page.getByRole("button", { name: "Invitar" }).click();
		const email = "eva@farmacia.do";
		await page.getByLabel("Correo electrónico").fill(email);
		await page.getByLabel("Rol").selectOption("accountant");
		await page.getByRole("button", { name: "Enviar la invitación" }).click();
		await page.getByLabel("Contraseña").fill("caballo-pila-grapa");
		await page.getByRole("button", { name: "Confirmar" }).click();
		await page.getByRole("cell", { name: email, exact: true }).waitFor();
		await until(() => mailsTo(service, email).length === 1);
		const token = /accept#(\S{43})/.exec(mailsTo(service, email)[0] ?? "")?.[1];
		const accepted = await fetch(`${service.url}/v1/team/invitations:accept`, {
			method: "POST",
			headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
			body: JSON.stringify({ token, name: "Eva Núñez" }),
		});
		expect(accepted.status).toBe(200);
		await page.reload();
		const row = page.getByRole("row", { name: /Eva Núñez/ });
		await row.getByRole("button", { name: "Acciones para Eva Núñez" }).click();
		await page.getByRole("menuitem", { name: "Cambiar rol y empresas" }).click();
		await page.getByLabel("Solo algunas empresas").check();
		await page.getByRole("button", { name: "Guardar" }).click();
		await row.getByRole("cell", { name: tenant.name }).waitFor();
		await row.getByRole("button", { name: "Acciones para Eva Núñez" }).click();
		await page.getByRole("menuitem", { name: "Quitar del equipo" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Quitar del equipo" }).click();
		await page.getByText("Miembro quitado").first().waitFor();
		await page.getByText("Eva Núñez").first().waitFor({ state: "detached" });
		await page.getByRole("button", { name: /^Acciones para/ }).click();
		await page.getByRole("menuitem", { name: "Quitar del equipo" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Quitar del equipo" }).click();
		await page
			.getByRole("alert")
			.getByText(/propietario/)
			.waitFor();
		await page.close();
	});
});
