/** Pictures of twelve pages, in both themes, widths and languages. `UPDATE=1` renews them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";
import { findBrowser } from "../support/browser";
import { type OpenExamples, openExamples } from "./support/open-examples";

const browserPath = findBrowser();
const FOLDER = join(import.meta.dir, "golden");
const DIFFERENT_MAX = 0.005;
const COMPANY = "/c/0192f0a1-b2c3-7d4e-8f00-112233445566";
const ID = "0192f110-7a00-7b11-9c22-334455667788";
const LOOKS = [
	{ language: "es", theme: "light", width: 1280 },
	{ language: "en", theme: "dark", width: 390 },
] as const;

const VIEWS: Readonly<Record<string, string>> = {
	overview: COMPANY,
	invoices: `${COMPANY}/invoices`,
	invoice: `${COMPANY}/invoices/${ID}`,
	issue: `${COMPANY}/issue?from=${ID}&as=copy`,
	received: `${COMPANY}/received`,
	reports: `${COMPANY}/reports`,
	taxpayer: `${COMPANY}/registry/131880681`,
	sequences: `${COMPANY}/sequences`,
	company: `${COMPANY}/company`,
	webhooks: `${COMPANY}/webhooks`,
	team: `${COMPANY}/team`,
	account: "/account",
};

describe.skipIf(browserPath === undefined)("the picture of", () => {
	let opened: OpenExamples;
	beforeAll(async () => {
		opened = await openExamples(browserPath ?? "");
		mkdirSync(FOLDER, { recursive: true });
	}, 60_000);
	afterAll(() => opened.close());

	for (const [name, path] of Object.entries(VIEWS))
		test(`${name} is as it was approved, wide and light, narrow and dark`, async () => {
			const found: string[] = [];
			for (const look of LOOKS) {
				const page = await opened.openPage(path, look);
				await page.evaluate("document.fonts.ready.then(() => undefined)");
				const file = join(FOLDER, `${name}-${look.theme}-${look.width}.png`);
				const picture = await page.screenshot({ animations: "disabled", caret: "hide" });
				await page.close();
				if (process.env.UPDATE === "1") writeFileSync(file, picture);
				const difference = existsSync(file) ? differenceOf(picture, readFileSync(file)) : 1;
				if (difference <= DIFFERENT_MAX) continue;
				const shown = join(tmpdir(), basename(file));
				writeFileSync(shown, picture);
				found.push(`${file}: ${(difference * 100).toFixed(2)} % of the pixels differ; see ${shown}`);
			}
			expect(found).toEqual([]);
		});
});

function differenceOf(a: Uint8Array, b: Uint8Array): number {
	const [one, other] = [PNG.sync.read(a), PNG.sync.read(b)];
	const { width, height } = one;
	if (width !== other.width || height !== other.height) return 1;
	return pixelmatch(one.data, other.data, undefined, width, height) / (width * height);
}
