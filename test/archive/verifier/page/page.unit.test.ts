/** The built page, opened as a file in a browser: it needs nothing else, asks for nothing, and says what the command line says. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { VERIFIER_FILE } from "../../../../scripts/build-verifier";
import { verifyEvidence } from "../../../../src/archive/verifier";
import { TEXTS } from "../../../../src/archive/verifier/page/texts";
import { findBrowser, openBrowser } from "../../../support/browser";
import { inputOf, makeEntries, makeLogKey, NOW, pack, signAndSeal, toVerifierKey } from "../support/build-evidence";
import { tamper } from "../support/tampered";

const LIMIT_MS = 120_000;
const root = join(import.meta.dir, "../../../..");
const built = readFileSync(join(root, VERIFIER_FILE), "utf8");
const browserPath = findBrowser();

test(
	"the page in the repository is the one that its script builds",
	async () => {
		const check = Bun.spawn([process.execPath, "scripts/build-verifier.ts", "--check"], { cwd: root, stdout: "pipe" });
		expect(await new Response(check.stdout).text()).toContain("as it was");
		expect(await check.exited).toBe(0);
	},
	LIMIT_MS,
);

test("the page loads nothing, and its policy allows only its own script and style", () => {
	// What stands in these is text, to a browser too.
	const markup = built.replace(/<(script|style|pre)\b[^>]*>[\s\S]*?<\/\1>/g, "");
	expect(markup).toContain('id="files"');
	expect(markup).not.toMatch(/<(?:link|img|iframe|object|embed|base)\b|\ssrc=|\shref=|\son\w+=|\sstyle=/i);
	const [style = ""] = /<style>[^<]*<\/style>/.exec(built) ?? [];
	expect(style).not.toMatch(/@import|url\(/i);
	const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(built)?.[1] ?? "";
	expect(policy).toStartWith("default-src 'none'; script-src 'sha256-");
	expect(policy).not.toMatch(/unsafe|https?:|data:|blob:|\*|'self'/);
	expect(policy).not.toContain("connect-src");
});

test("the page is in Spanish before its script runs", () => {
	const template = readFileSync(join(root, "src/archive/verifier/page/page.html"), "utf8");
	const standing = [...template.matchAll(/data-text="(\w+)"[^>]*>([^<]*)</g)].map(([, name = "", text]) => [
		name,
		text,
	]);
	expect(standing.length).toBeGreaterThan(10);
	for (const [name = "", text] of standing) {
		expect({ name, text }).toEqual({ name, text: TEXTS[name as keyof typeof TEXTS].es });
	}
});

describe.skipIf(browserPath === undefined)("in a browser, from a file", () => {
	let context: BrowserContext;
	let close: () => Promise<void>;
	let page: Page;
	let folder: string;
	const requests: string[] = [];
	const complaints: string[] = [];

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "sello-page-"));
		await writeFile(join(folder, "verify.html"), built);
		({ context, close } = await openBrowser(browserPath ?? ""));
		page = await context.newPage();
		page.on("request", (request) => requests.push(request.url()));
		page.on("websocket", (socket) => requests.push(socket.url()));
		page.on("console", (message) => complaints.push(message.text()));
		page.on("pageerror", (error) => complaints.push(error.message));
		await page.goto(pathToFileURL(join(folder, "verify.html")).href);
	}, LIMIT_MS);
	afterAll(async () => {
		await close();
		await rm(folder, { recursive: true, force: true });
	}, LIMIT_MS);

	const key = makeLogKey();
	const documents = Promise.all([signAndSeal(5), signAndSeal(6), signAndSeal(7, { input: inputOf(7, "32") })]);

	/** What the page shows of a file: the verdict, and each check with its outcome. */
	const check = async (name: string, bytes: Uint8Array) => {
		await page.setInputFiles("#files", { name, mimeType: "application/zip", buffer: Buffer.from(bytes) });
		const section = page.locator("section.result", { has: page.locator("h3", { hasText: name }) });
		await section.waitFor({ timeout: LIMIT_MS });
		const items = await section.locator("li").all();
		const outcomes = await Promise.all(
			items.map(async (item) => ({
				name: await item.getAttribute("data-check"),
				outcome: await item.getAttribute("data-outcome"),
				detail: await item.locator(".detail").textContent(),
			})),
		);
		return { verdict: await section.locator(".verdict").textContent(), outcomes };
	};
	const expected = async (bytes: Uint8Array) => {
		const { checks } = await verifyEvidence(bytes, { now: NOW, key: toVerifierKey(key) });
		return checks.map(({ name, ok, detail }) => ({
			name,
			outcome: ok === null ? "open" : ok ? "passed" : "failed",
			detail: detail.en,
		}));
	};

	test(
		"good evidence is accepted with the command line's messages",
		async () => {
			await page.click("#to-en");
			await page.locator("details summary").first().click();
			await page.fill("#key", toVerifierKey(key));
			const [document, , small] = await documents;
			for (const [name, one] of [
				["good.zip", document],
				["small.zip", small],
			] as const) {
				const bytes = pack(makeEntries({ document: one, key }));
				const { verdict, outcomes } = await check(name, bytes);
				expect(verdict).toBe("✔ The evidence holds");
				expect<unknown>(outcomes).toEqual(await expected(bytes));
			}
		},
		LIMIT_MS,
	);

	test(
		"a later key applies to the shown files, even after dropped text",
		async () => {
			const [document] = await documents;
			await check("shown.zip", pack(makeEntries({ document, key })));
			await page.evaluate(`document.getElementById("drop-zone").dispatchEvent(
				new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: new DataTransfer() }))`);
			await page.setInputFiles("#files", []);
			for (const [given, verdict] of [
				[toVerifierKey(makeLogKey()), "✘ The evidence does not hold"],
				[toVerifierKey(key), "✔ The evidence holds"],
			] as const) {
				await page.fill("#key", given);
				await page.press("#key", "Tab");
				await page.locator(".verdict", { hasText: verdict }).waitFor({ timeout: 10_000 });
			}
		},
		LIMIT_MS,
	);

	test(
		"changed evidence is refused with the reason",
		async () => {
			const [document, other] = await documents;
			const cases = tamper(document, other, key);
			expect(cases.length).toBeGreaterThanOrEqual(10);
			for (const { name, bytes, fails, says } of cases) {
				const { verdict, outcomes } = await check(`${name}.zip`, bytes);
				expect({ name, verdict }).toEqual({ name, verdict: "✘ The evidence does not hold" });
				const failed = outcomes.filter(({ outcome }) => outcome === "failed");
				expect<unknown>({ name, failed: failed.map((one) => one.name) }).toEqual({ name, failed: fails });
				expect(failed[0]?.detail).toContain(says);
				expect<unknown>(outcomes).toEqual(await expected(bytes));
			}
		},
		LIMIT_MS,
	);

	test(
		"a file that is not evidence is refused, whatever its name",
		async () => {
			const name = "<img src=x onerror=alert(1)>.zip";
			const { verdict, outcomes } = await check(name, new Uint8Array([0x50, 0x4b, 1, 2, 3]));
			expect(verdict).toBe("✘ The evidence does not hold");
			expect(outcomes.filter(({ outcome }) => outcome === "passed")).toEqual([]);
			expect(await page.locator("#results img").count()).toBe(0);
		},
		LIMIT_MS,
	);

	test(
		"results are in Spanish too, and a malformed key is explained",
		async () => {
			await page.click("#to-es");
			expect(await page.textContent(".verdict")).toBe("✘ La evidencia no se sostiene");
			expect(await page.getAttribute("html", "lang")).toBe("es");
			await page.setInputFiles("#ca", { name: "ca.pem", mimeType: "text/plain", buffer: Buffer.from("hello") });
			await page.locator("#results .bad", { hasText: "no se puede usar" }).waitFor({ timeout: LIMIT_MS });
		},
		LIMIT_MS,
	);

	test("it fits a phone's screen, has accessible names and requests only itself", async () => {
		await page.setViewportSize({ width: 360, height: 640 });
		const widths = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]");
		expect(widths).toEqual([360, 360]);
		expect(await page.getByLabel("Archivos de evidencia").count()).toBe(1);
		expect(await page.getByRole("status").count()).toBe(1);
		expect(requests).toEqual([pathToFileURL(join(folder, "verify.html")).href]);
		expect(complaints).toEqual([]);
	});
});
