/** Looks at a page of ours in a browser for what no reader should meet: barriers, overflow, other hosts, refused content, errors. */
import axe from "axe-core";
import type { BrowserContext } from "playwright-core";

export type View = { readonly width: number; readonly scheme: "light" | "dark" };

export const VIEWS: readonly View[] = [
	{ width: 1_280, scheme: "light" },
	{ width: 1_280, scheme: "dark" },
	{ width: 390, scheme: "light" },
	{ width: 390, scheme: "dark" },
];

/** Levels A and AA. */
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** What is wrong with pages of one origin, in each view; empty when nothing is. */
export async function inspectPages(
	context: BrowserContext,
	origin: string,
	paths: readonly string[],
	views: readonly View[] = VIEWS,
): Promise<string[]> {
	const page = await context.newPage();
	const found: string[] = [];
	let place = "";
	const add = (what: string) => found.push(`${place}: ${what}`);
	page.on("console", (message) => add(message.text()));
	page.on("pageerror", (error) => add(error.message));
	page.on("request", (request) => {
		if (!request.url().startsWith(`${origin}/`)) add(`asks for ${request.url()}`);
	});
	for (const path of paths) {
		place = path;
		await page.goto(origin + path, { waitUntil: "load" });
		await page.evaluate(axe.source);
		for (const { width, scheme } of views) {
			place = `${path} ${width} ${scheme}`;
			await page.emulateMedia({ colorScheme: scheme });
			await page.setViewportSize({ width, height: 800 });
			// The page's own script answers the change of size in the next frame.
			await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
			const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
			if (wide > 0) add(`is ${wide} pixels too wide`);
			const barriers = await page.evaluate(async (values) => {
				const { axe: judge } = globalThis as unknown as { axe: typeof import("axe-core") };
				const { violations } = await judge.run({ runOnly: { type: "tag", values }, resultTypes: ["violations"] });
				return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" ")}`);
			}, TAGS);
			for (const barrier of barriers) add(barrier);
		}
	}
	await page.close();
	return found;
}
