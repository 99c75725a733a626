/** The landing page of the public sandbox: one click makes a company and opens its console. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findBrowser, openBrowser } from "../support/browser";
import { openServiceIn } from "../support/service";
import { until } from "../support/until";
import { findViolations, overflowOf, shoot } from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("trying the public sandbox", () => {
	let service: Awaited<ReturnType<typeof openServiceIn>>;
	let opened: Awaited<ReturnType<typeof openBrowser>>;
	let origin: string;
	beforeAll(async () => {
		service = await openServiceIn("public-sandbox");
		opened = await openBrowser(browserPath ?? "");
		origin = service.url.replace("127.0.0.1", "localhost");
		await until(async () => (await fetch(`${origin}/console`)).status === 200);
	}, 120_000);
	afterAll(async () => {
		await opened?.close();
		await service?.stop();
	});

	test("the button leads into a company of one's own; a second visit makes none", async () => {
		const page = await opened.context.newPage();
		await page.goto(`${origin}/?lang=es`);
		await page.getByRole("link", { name: "Pruébelo" }).click();
		await page.getByText("EMPRESA DE PRUEBA SRL").first().waitFor();
		await shoot(page, "try-overview");
		const companies = async () =>
			(await service.sql`select count(*)::int as n from companies where name = 'EMPRESA DE PRUEBA SRL'`)[0]?.n;
		expect(await companies()).toBe(1);
		await page.goto(`${origin}/console/try`);
		await page.getByText("EMPRESA DE PRUEBA SRL").first().waitFor();
		expect(await companies()).toBe(1);
		await page.close();
	});

	test("the sign-in page offers it too, without a fault", async () => {
		await opened.context.clearCookies();
		const page = await opened.context.newPage();
		await page.setViewportSize({ width: 390, height: 800 });
		await page.goto(`${origin}/console`);
		await page.getByRole("button", { name: /Probar sin cuenta|Try it without an account/ }).waitFor();
		await shoot(page, "try-sign-in");
		expect(await findViolations(page)).toEqual([]);
		expect(await overflowOf(page)).toBe(0);
		await page.close();
	});
});
