/**
 * The console in a browser, against a whole service with one company, whose owner is signed in by the printed link.
 *
 * What must not happen on any page is collected: violations of the page's policy, errors on the browser's console, requests to other hosts.
 */
import AXE from "axe-core";
import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { atEnd } from "../../support/at-end";
import { openBrowser } from "../../support/browser";
import { createTenant, openServiceIn, type Tenant, type TestService } from "../../support/service";

export type OpenConsole = {
	readonly service: Awaited<ReturnType<typeof openServiceIn>>;
	readonly tenant: Tenant;
	readonly context: BrowserContext;
	/** Opens a path below the company's address, such as `/invoices`; with `~` before it, one of the console itself. */
	readonly openPage: (path: string, look?: Look) => Promise<Page>;
	/** What went wrong on any page since the last call. */
	readonly takeFaults: () => string[];
	/** Closes the pages and signs out. */
	readonly close: () => Promise<void>;
};

export type Look = {
	readonly language?: "es" | "en";
	readonly theme?: "light" | "dark";
	/** Pixels; default 1280. */
	readonly width?: number;
};

/** Each language, theme and width at least twice. */
export const LOOKS: readonly Required<Look>[] = [
	{ language: "es", theme: "light", width: 1280 },
	{ language: "en", theme: "dark", width: 1280 },
	{ language: "en", theme: "light", width: 390 },
	{ language: "es", theme: "dark", width: 390 },
];

export const LANGUAGES = ["es", "en"] as const;

/**
 * One sentence for each fault of the page as it is, in the looks of its language: theme and width change while it is open, so that it opens once
 * for both. What a page decides by its width when it opens needs to be opened in each of `LOOKS`.
 */
export async function inspect(page: Page, name: string, language: Look["language"]): Promise<string[]> {
	const found: string[] = [];
	// The wide one last, so that the test goes on there.
	for (const { theme, width } of LOOKS.filter((look) => look.language === language).reverse()) {
		const place = `${name}-${language}-${theme}-${width}`;
		await page.setViewportSize({ width, height: HEIGHT });
		await page.emulateMedia({ colorScheme: theme });
		await page.evaluate(DRAWN);
		await shoot(page, place);
		found.push(...(await findViolations(page)).map((one) => `${place}: ${one}`));
		const overflow = await overflowOf(page);
		if (overflow > 0) found.push(`${place}: ${overflow} pixels too wide`);
	}
	return found;
}

/** With `SHOTS=FOLDER`, keeps a picture of the whole page, to be looked at. */
export async function shoot(page: Page, name: string): Promise<void> {
	if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
}

const HEIGHT = 900;
/** Parts that listen to the window's width have changed too. */
const DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))";
const REPORT_POLICY = `document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
	console.error("policy: " + violatedDirective + " " + blockedURI))`;

type Running = {
	readonly service: Awaited<ReturnType<typeof openServiceIn>>;
	readonly context: BrowserContext;
	/** Of the console. */
	readonly origin: string;
	readonly faults: string[];
};
let starting: Promise<Running> | undefined;

async function start(browserPath: string, settings: Readonly<Record<string, string>> = {}): Promise<Running> {
	const service = await openServiceIn("sandbox", settings);
	const { context, close } = await openBrowser(browserPath);
	atEnd(async () => {
		await close();
		await service.stop();
	});
	const origin = service.url.replace("127.0.0.1", "localhost");
	const faults: string[] = [];
	await context.addInitScript({ content: REPORT_POLICY });
	context.on("request", (request) => {
		// The browser shows PDF files by a page of its own.
		if (new URL(request.url()).origin !== origin && !/^(?:blob|data|chrome|chrome-extension):/.test(request.url()))
			faults.push(`asked for ${request.url()}`);
	});
	// Stays open, and with it the process that shows all pages of the origin.
	await context.pages()[0]?.goto(`${origin}/livez`);
	await untilBuilt(`${origin}/console`);
	return { service, context, origin, faults };
}

/**
 * Signs in afresh, with a new company; `company` has members of its registration. One service and one browser serve all files of a process, but
 * those with settings of their own.
 */
export async function openConsole(
	browserPath: string,
	company: Record<string, unknown> = {},
	settings?: Readonly<Record<string, string>>,
): Promise<OpenConsole> {
	const running = settings ? start(browserPath, settings) : (starting ?? start(browserPath));
	if (!settings) starting = running;
	const { service, context, origin, faults } = await running;
	const tenant = await createTenant(service, { company });
	const link = await service.makeConsoleLink();
	await addToTeam(service, tenant);
	const first = await context.newPage();
	await first.goto(link);
	await first.getByRole("link", { name: tenant.name }).waitFor();
	await first.close();
	faults.splice(0);
	const openPage = async (path: string, { language = "es", theme = "light", width = 1280 }: Look = {}) => {
		const page = await context.newPage();
		page.on("console", (message) => {
			if (message.type() === "error") faults.push(`${path}: ${message.text()} ${message.location().url}`);
		});
		page.on("pageerror", (error) => faults.push(`${path}: ${error.message}`));
		await page.setViewportSize({ width, height: HEIGHT });
		await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
		await page.addInitScript({ content: `localStorage?.setItem("sello-language", "${language}")` });
		await page.goto(`${origin}/console${path.startsWith("~") ? path.slice(1) : `/c/${tenant.tenantId}${path}`}`);
		await page.locator("main h1").first().waitFor();
		return page;
	};
	return {
		...{ service, tenant, context, openPage },
		takeFaults: () => faults.splice(0),
		close: async () => {
			for (const page of context.pages().slice(1)) await page.close();
			await context.clearCookies();
		},
	};
}

/** The person of a local sandbox sees the demo key's companies only; here also the one with an owner. */
async function addToTeam({ sql }: TestService, { tenantId }: Tenant): Promise<void> {
	await sql`
		insert into user_memberships (id, user_id, owner_id, role, created_at)
		select gen_random_uuid(), users.id, companies.owner_id, 'owner', now() from users, companies
		where users.email = 'local@localhost' and tenant_id = ${tenantId}`;
}

/** The service builds the console at its first request. */
async function untilBuilt(url: string): Promise<void> {
	const deadline = performance.now() + 30_000;
	while ((await fetch(url)).status === 503) {
		if (performance.now() > deadline) throw new Error("the console was not built");
		await Bun.sleep(50);
	}
}

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

type Violation = { readonly id: string; readonly help: string; readonly nodes: readonly { readonly html: string }[] };

/**
 * One sentence for each violation that axe finds on the page. A target that the bar at the bottom of a phone covers in part is measured again in a
 * window that shows the whole page, as scrolling uncovers it.
 */
export async function findViolations(page: Page): Promise<string[]> {
	let violations = await runAxe(page);
	const size = page.viewportSize();
	if (size && violations.some(({ id }) => id === "target-size")) {
		await page.setViewportSize({
			width: size.width,
			height: await page.evaluate("document.documentElement.scrollHeight"),
		});
		violations = await runAxe(page);
		await page.setViewportSize(size);
	}
	return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`));
}

/** One for each page, whose world keeps axe as long as the page shows the same document. */
const sessions = new WeakMap<Page, CDPSession>();

/** Runs in a world of its own: the page's policy forbids scripts in its text. */
async function runAxe(page: Page): Promise<Violation[]> {
	// The session ends with the page: to detach it would switch a virtual authenticator off.
	const session = sessions.get(page) ?? (await page.context().newCDPSession(page));
	sessions.set(page, session);
	const { frameTree } = await session.send("Page.getFrameTree");
	const { executionContextId } = await session.send("Page.createIsolatedWorld", {
		frameId: frameTree.frame.id,
		worldName: "axe",
	});
	const options = JSON.stringify({ runOnly: RULES, resultTypes: ["violations"] });
	const evaluate = (expression: string) =>
		session.send("Runtime.evaluate", {
			...{ expression, contextId: executionContextId, awaitPromise: true, returnByValue: true },
		});
	if ((await evaluate("typeof axe")).result.value === "undefined") await evaluate(AXE.source);
	const run = `axe.run(document, ${options}).then(({ violations }) => JSON.stringify(violations))`;
	const { result } = await evaluate(run);
	return JSON.parse(result.value) as Violation[];
}

/** Pixels by which the page, or on phones a table in it, is wider than its place. */
export function overflowOf(page: Page): Promise<number> {
	const tables = "innerWidth > 640 ? [] : document.querySelectorAll('.table-scroll:not(.chart-table *)')";
	const all = `[document.documentElement, ...(${tables})]`;
	return page.evaluate(`Math.max(...${all}.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))`);
}
