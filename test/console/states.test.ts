/** Every page of a company while it waits, when it is refused, and without data; and on the narrow window of a page that is enlarged four times. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findBrowser } from "../support/browser";
import { buildInvoice, post, postInvoice } from "../support/service";
import { findViolations, LOOKS, type OpenConsole, openConsole, overflowOf, shoot } from "./support/open-console";
import { listPaths, untilAnswered, walkStates } from "./support/walk";

const browserPath = findBrowser();
/** 1280 pixels at 400 %. Source: WCAG 2.2, 1.4.10. */
const NARROW = { width: 320, height: 256 };
const WIDE = { width: 1280, height: 900 };
const NOWHERE = "0192f110-7a00-7b11-9c22-334455667788";

describe.skipIf(browserPath === undefined)("every page", () => {
	let opened: OpenConsole;
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
	}, 60_000);
	afterAll(() => opened.close());

	const nowhere = listPaths({ docId: NOWHERE, id: NOWHERE, document: "131880681" });
	for (const [at, path] of nowhere.entries())
		test(`${path} has no fault while it waits, when refused and without data`, async () => {
			const { theme, language } = LOOKS[at % LOOKS.length] ?? {};
			const page = await opened.openPage("", { ...(theme ? { theme } : {}), ...(language ? { language } : {}) });
			const found: string[] = [];
			const { calls } = await walkStates(page, page.url().replace(/\/?$/, path), async (state) => {
				await shoot(page, `states-${path.replaceAll("/", "_")}-${state}`);
				found.push(...(await findViolations(page)).map((one) => `${state}: ${one}`));
				await page.setViewportSize(NARROW);
				await shoot(page, `narrow-${path.replaceAll("/", "_")}-${state}`);
				const overflow = await overflowOf(page);
				if (overflow > 0) found.push(`${state}: ${overflow} pixels too wide`);
				await page.setViewportSize(WIDE);
			});
			expect(found).toEqual([]);
			expect(calls).toBeGreaterThan(0);
			// The browser itself reports the refused requests.
			expect(opened.takeFaults().filter((fault) => !/status of 40[04]/.test(fault))).toEqual([]);
			await page.close();
		});

	test("with data is no wider than a window of 320 pixels", async () => {
		const { service, tenant } = opened;
		await post(service, "/v1/sandbox/seed", tenant.headers, { documents: 40 });
		const answer = await postInvoice(service, tenant, buildInvoice(tenant));
		const { docId } = (await answer.json()) as { docId: string };
		const page = await opened.openPage("", { width: NARROW.width });
		const company = page.url().replace(/\/$/, "");
		const wide: string[] = [];
		for (const path of listPaths({ docId, id: NOWHERE, document: "131880681" })) {
			await page.goto(`${company}${path}`);
			await page.locator("main h1").first().waitFor();
			await untilAnswered(page);
			await shoot(page, `narrow-${path.replaceAll("/", "_")}`);
			const overflow = await overflowOf(page);
			if (overflow > 0) wide.push(`${path}: ${overflow} pixels`);
		}
		expect(wide).toEqual([]);
		await page.close();
	});
});
