/**
 * Looks at every page of the console in Chromium, in both languages and themes, at 1,280, 390 and 320 pixels, while it waits, when it is refused,
 * without and with data, and then by keyboard alone. Then measures how soon it shows, and what it costs the service. Tests do the same with
 * fewer looks.
 *
 *     bun scripts/inspect-console.ts                 all pages
 *     bun scripts/inspect-console.ts --only WORD     those whose address contains it
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { findViolations, LOOKS, openConsole, overflowOf } from "../test/console/support/open-console";
import { listPaths, untilAnswered, urlOf, walkByKeyboard, walkStates } from "../test/console/support/walk";
import { closeAll } from "../test/support/at-end";
import { findBrowser, openBrowser } from "../test/support/browser";
import { openTestDatabase } from "../test/support/database";
import { readOwnMiB } from "../test/support/process-memory";
import { startProgram } from "../test/support/processes";
import { buildInvoice, createTenant, post, postInvoice, type Tenant } from "../test/support/service";
import { until } from "../test/support/until";

/** 1,280 pixels at 400 %. Source: WCAG 2.2, 1.4.10. */
const NARROW_WIDTH = 320;
const HEIGHT = 900;
const NOWHERE = "0192f110-7a00-7b11-9c22-334455667788";
const MEASURED = 5;
/** Milliseconds to the largest paint: on this machine, and with a slow processor and line. */
const PAINT_MAX_MS = 800;
const SLOW_PAINT_MAX_MS = 2_000;
const SLOWDOWN = 4;
const SLOW_BYTES_PER_SECOND = 9_000_000 / 8;
const BUILT_MAX_MS = 2_000;
const GROWTH_MAX_MIB = 4;
const SETTLED_SECONDS = 30;

const { values: options } = parseArgs({ options: { only: { type: "string" } } });
const browserPath = findBrowser();
if (browserPath === undefined) process.exit(2);
const opened = await openConsole(browserPath);
const { service, tenant } = opened;
const origin = service.url.replace("127.0.0.1", "localhost");
const found: string[] = [];

const full = await createTenant(service, { apiKey: tenant.apiKey });
await post(service, "/v1/sandbox/seed", full.headers, { documents: 100 });
const { docId } = (await (await postInvoice(service, full, buildInvoice(full))).json()) as { docId: string };
const addressOf = ({ tenantId }: Tenant, path: string) => urlOf(`${origin}/console/c/${tenantId}`, path);
const isShown = (path: string) => path.includes(options.only ?? "");
const listShown = (places: { readonly docId: string }) =>
	listPaths({ ...places, id: NOWHERE, document: "131880681" }).filter(isShown);

for (const path of listShown({ docId: NOWHERE })) {
	console.log(path);
	for (const look of LOOKS) {
		const page = await opened.openPage("", look);
		await walkStates(page, addressOf(tenant, path), (state) =>
			inspect(page, `${path} ${Object.values(look).join(" ")} ${state}`),
		);
		await page.close();
		opened.takeFaults();
	}
}
for (const path of listShown({ docId })) {
	for (const look of LOOKS) {
		const page = await opened.openPage("", look);
		await page.goto(addressOf(full, path));
		await page.locator("main h1").first().waitFor();
		await untilAnswered(page);
		const place = `${path} ${Object.values(look).join(" ")} with data`;
		await inspect(page, place);
		found.push(...(await walkByKeyboard(page)).map((fault) => `${place}: ${fault}`));
		// A page of an id that does not exist reports the refused request.
		const faults = opened.takeFaults().filter((fault) => !fault.includes("status of 404"));
		found.push(...faults.map((fault) => `${place}: ${fault}`));
		await page.close();
	}
}

const paint = await measurePaint(false);
const slowPaint = await measurePaint(true);
const { builtMs, growthMiB } = await measureService();
await opened.close();
await closeAll();

judge("largest paint of the overview", paint, PAINT_MAX_MS, "ms");
judge(`the same at ${SLOWDOWN}× slower processor and 9 Mbit/s`, slowPaint, SLOW_PAINT_MAX_MS, "ms");
judge("the console after its first request, built", builtMs, BUILT_MAX_MS, "ms");
judge("memory of the service for the console", growthMiB, GROWTH_MAX_MIB, "MiB");
for (const one of found) console.log(one);
console.log(`${found.length} violations`);
process.exit(found.length > 0 ? 1 : 0);

function judge(what: string, value: number, max: number, unit: string): void {
	const text = `${what}: ${value.toFixed(unit === "ms" ? 0 : 1)} ${unit}, at most ${max}`;
	if (value <= max) console.log(text);
	else found.push(text);
}

async function inspect(page: Page, place: string): Promise<void> {
	found.push(...(await findViolations(page)).map((one) => `${place}: ${one}`));
	const { width } = page.viewportSize() ?? { width: 0 };
	for (const narrow of [width, NARROW_WIDTH]) {
		await page.setViewportSize({ width: narrow, height: HEIGHT });
		const overflow = await overflowOf(page);
		if (overflow > 0) found.push(`${place}: ${overflow} pixels too wide at ${narrow}`);
	}
	await page.setViewportSize({ width, height: HEIGHT });
}

/** The median of cold loads, in a browser without the watch over its requests. */
async function measurePaint(isSlow: boolean): Promise<number> {
	const times: number[] = [];
	for (let n = 0; n < MEASURED; n++) {
		const { context, close } = await openBrowser(browserPath ?? "");
		const cookies = await opened.context.cookies();
		await context.addCookies(cookies);
		const page = await context.newPage();
		if (isSlow) {
			const session = await context.newCDPSession(page);
			await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
			const line = { downloadThroughput: SLOW_BYTES_PER_SECOND, uploadThroughput: SLOW_BYTES_PER_SECOND };
			await session.send("Network.emulateNetworkConditions", { offline: false, latency: 0, ...line });
		}
		await page.goto(addressOf(full, ""));
		await page.locator("main h1").first().waitFor();
		await untilAnswered(page);
		const time = await page.evaluate<number>(`new Promise((done) => new PerformanceObserver((list) =>
			done(list.getEntries().at(-1).startTime)).observe({ type: "largest-contentful-paint", buffered: true }))`);
		times.push(time);
		await close();
	}
	return times.toSorted((a, b) => a - b)[Math.floor(MEASURED / 2)] ?? Number.NaN;
}

/** A service of its own: how soon it has the console, and how much it grows when it gives out the page and all its files. */
async function measureService(): Promise<{ readonly builtMs: number; readonly growthMiB: number }> {
	const folder = mkdtempSync(join(tmpdir(), "sello-inspect-"));
	const database = await openTestDatabase();
	const settings = { PORT: "0", ENVIRONMENT: "sandbox", DATA_DIR: join(folder, "data"), DATABASE_URL: database.url };
	const program = startProgram("src/main.ts", settings, join(folder, "service.log"));
	const url = (await program.ready).replace("127.0.0.1", "localhost");
	const askedAt = performance.now();
	await until(async () => (await fetch(`${url}/console`)).status === 200);
	const builtMs = performance.now() - askedAt;
	// The service closes a connection that is kept while nothing is asked.
	const read = async (path: string) => (await fetch(`${url}${path}`, { headers: { connection: "close" } })).text();
	const load = async (paths: readonly string[]) => {
		for (let n = 0; n < 100; n++) for (const path of paths) await read(path);
		// The allocator keeps freed memory for 20 seconds.
		let least = Number.POSITIVE_INFINITY;
		for (let second = 0; second < SETTLED_SECONDS; second++) {
			await Bun.sleep(1_000);
			least = Math.min(least, readOwnMiB(program.pid));
		}
		return least;
	};
	// As many answers of another kind first, so that only what the console keeps is counted.
	const before = await load(["/livez", "/livez", "/livez"]);
	const names = [...(await read("/console")).matchAll(/\/console\/assets\/[\w.-]+/g)].map(([path]) => path);
	const growthMiB = (await load(["/console", ...names])) - before;
	program.kill("SIGTERM");
	await program.ended;
	await database.close();
	rmSync(folder, { recursive: true });
	return { builtMs, growthMiB };
}
