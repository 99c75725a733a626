/**
 * A headless browser that checks our pages. A test that needs it is skipped without it; in CI that is a failure.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";
import { reportSkip } from "./skips";

/** The path of Chromium; undefined, with a line on the console, when it is not installed. */
export function findBrowser(): string | undefined {
	const path = Bun.which("chromium");
	if (path) return path;
	reportSkip("pages need chromium");
	return undefined;
}

type BrowserOptions = { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> };

/** Opens the browser with a fresh profile and one process for all pages of a site; `close` ends it and removes the profile. */
export async function openBrowser(
	executablePath: string,
	{ args = [], env = {} }: BrowserOptions = {},
): Promise<{ context: BrowserContext; close: () => Promise<void> }> {
	const profile = await mkdtemp(join(tmpdir(), "sello-browser-"));
	const quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
	const context = await chromium.launchPersistentContext(profile, {
		executablePath,
		headless: true,
		timeout: 120_000,
		args: ["--no-sandbox", "--process-per-site", ...quiet, "--disable-component-update", "--disable-sync", ...args],
		env: { ...process.env, ...env },
	});
	const close = async () => {
		await context.close();
		await rm(profile, { recursive: true, force: true });
	};
	return { context, close };
}
