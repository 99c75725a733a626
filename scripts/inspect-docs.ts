/**
 * Looks at every page of the documentation in Chromium, in both languages, light and dark, at 1,280 and 390 pixels, and follows every link.
 * Tests do the same with a few pages.
 *
 *     bun scripts/inspect-docs.ts                 all pages
 *     bun scripts/inspect-docs.ts --only WORD     those whose address contains it
 */
import { parseArgs } from "node:util";
import { serveDeclared } from "../test/api/support/declared-operations";
import { findBrowser, openBrowser } from "../test/support/browser";
import { findBrokenLinks, listPages } from "../test/support/crawl";
import { inspectPages } from "../test/support/inspect-page";

const { values: options } = parseArgs({ options: { only: { type: "string" } } });
const browser = findBrowser();
if (browser === undefined) process.exit(2);
const served = serveDeclared();
const { context, close } = await openBrowser(browser);
const pages = await listPages(served.url, ["/docs/es", "/docs/en"]);
const shown = pages.filter((path) => path.includes(options.only ?? "") && path !== "/docs/explorer");
const found = await findBrokenLinks(served.url, pages);
for (const [n, path] of shown.entries()) {
	if (n % 20 === 0) console.log(`${n} of ${shown.length} pages`);
	found.push(...(await inspectPages(context, served.url, [path])));
}
await close();
await served.stop();
for (const one of found) console.log(one);
console.log(`${pages.length} pages, ${found.length} violations`);
process.exit(found.length > 0 ? 1 : 0);
