/**
 * Builds the inbox of the public sandbox: one file with inline script and style, which may only contact the service that serves it.
 *
 *   bun scripts/build-inbox.ts           writes data/inbox/inbox.html
 *   bun scripts/build-inbox.ts --check   writes nothing; exits with 1 if the file is out of date
 *
 * The file is kept in the repository, so that a running service bundles nothing.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { keepPage, toInlineScript, toPolicy } from "./pages/inline";

const PAGE = join(import.meta.dir, "../src/api/pages/invoicing/inbox");
const INBOX_FILE = "data/inbox/inbox.html";

async function buildInbox(): Promise<string> {
	const built = await Bun.build({
		entrypoints: [join(PAGE, "start.ts")],
		...{ target: "browser", format: "iife", minify: true },
	});
	const [code] = built.outputs;
	if (!code) throw new Error("expected a bundle");
	const script = toInlineScript(await code.text());
	const style = readFileSync(join(PAGE, "page.css"), "utf8");
	const values = new Map([
		["policy", toPolicy(script, style, ["connect-src 'self'", "img-src 'self'"])],
		["style", `<style>${style}</style>`],
		["script", `<script>${script}</script>`],
	]);
	const template = readFileSync(join(PAGE, "page.html"), "utf8");
	return template.replace(/<!-- (\w+) -->/g, (_, name) => values.get(name) ?? "");
}

keepPage(INBOX_FILE, await buildInbox());
