/** The page of usage: what programs asked, by day and by operation. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findBrowser } from "../support/browser";
import { get } from "../support/service";
import { until } from "../support/until";
import { findViolations, inspect, LANGUAGES, type OpenConsole, openConsole, shoot } from "./support/open-console";

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)("the usage", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
		const { service, tenant } = opened;
		await Promise.all(Array.from({ length: 3 }, () => get(service, "/v1/sequences", tenant.headers)));
		const hasCounted = async () => {
			const answer = await get(service, "/v1/usage?operation=listSequences", tenant.headers);
			return ((await answer.json()) as { count: number }).count === 1;
		};
		await until(hasCounted, 20_000, 250);
	}, 60_000);
	afterAll(() => opened.close());

	for (const language of LANGUAGES)
		test(`it has no fault in ${language}`, async () => {
			const page = await opened.openPage("/usage", { language });
			const row = page.getByRole("row", { name: /listSequences/ });
			await row.waitFor();
			expect(await row.getByRole("cell").allTextContents()).toEqual(["listSequences", "3", "3", "0", "0"]);
			expect(await inspect(page, "usage", language)).toEqual([]);
			expect(opened.takeFaults()).toEqual([]);
			await page.close();
		});

	test("a month without requests says so, and stays in the address", async () => {
		const page = await opened.openPage("/usage?month=rubbish");
		await page.getByRole("row", { name: /listSequences/ }).waitFor();
		await page.getByLabel("Mes").selectOption({ index: 2 });
		await page.getByText("Ninguna solicitud en este mes").waitFor();
		expect(page.url()).toMatch(/\/usage\?month=\d{4}-\d\d$/);
		await shoot(page, "usage-empty");
		expect(await findViolations(page)).toEqual([]);
		expect(opened.takeFaults()).toEqual([]);
		await page.close();
	});
});
