/** Every page of a company while it waits, when it is refused, and without data; and on the narrow window of a page that is enlarged four times. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { findBrowser } from "../support/browser";
import { buildInvoice, post, postInvoice } from "../support/service";
import { findViolations, LOOKS, type OpenConsole, openConsole, overflowOf, shoot } from "./support/open-console";
import { listPaths, untilAnswered, urlOf, walkByKeyboard, walkStates } from "./support/walk";

const browserPath = findBrowser();
/** 1280 pixels at 400 %. Source: WCAG 2.2, 1.4.10. */
const NARROW = { width: 320, height: 256 };
const WIDE = { width: 1280, height: 900 };
/** The same address, with and without a session. */
const [CHOICE, SIGN_IN] = ["~", "~/"] as const;
const NOWHERE = "0192f110-7a00-7b11-9c22-334455667788";

describe.skipIf(browserPath === undefined)("every page", () => {
	let opened: OpenConsole;
	let company: string;
	/** Reused from path to path, one for each look. */
	const tabs: Page[] = [];
	beforeAll(async () => {
		opened = await openConsole(browserPath ?? "");
		for (const { theme, language } of LOOKS.slice(0, 2)) tabs.push(await opened.openPage("", { theme, language }));
		company = tabs[0]?.url() ?? "";
	}, 60_000);
	afterAll(() => opened.close());

	const nowhere = listPaths({ docId: NOWHERE, id: NOWHERE, document: "131880681" });
	for (const [at, path] of nowhere.entries())
		test(`${path} has no fault while it waits, when refused and without data`, async () => {
			const page = tabs[at % tabs.length] as Page;
			const found: string[] = [];
			const { calls } = await walkStates(page, urlOf(company, path), async (state) => {
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
		});

	describe("with data, at 320 pixels,", () => {
		let docId: string;
		beforeAll(async () => {
			const { service, tenant } = opened;
			await post(service, "/v1/sandbox/seed", tenant.headers, { documents: 40 });
			const answer = await postInvoice(service, tenant, buildInvoice(tenant));
			({ docId } = (await answer.json()) as { docId: string });
		}, 60_000);

		const paths = listPaths({ docId: "DOC", id: NOWHERE, document: "131880681" });
		for (const path of [...paths, CHOICE, SIGN_IN])
			test(`${path} is no wider than the window, and works by keyboard`, async () => {
				const page = tabs[0] as Page;
				await page.setViewportSize(NARROW);
				if (path === SIGN_IN) await opened.context.clearCookies();
				await page.goto(urlOf(company, path.replace("DOC", docId)));
				await page.locator("main h1").first().waitFor();
				await untilAnswered(page);
				await shoot(page, `narrow-${path.replaceAll("/", "_")}`);
				expect(await overflowOf(page)).toBe(0);
				expect(await walkByKeyboard(page)).toEqual([]);
			});
	});
});
