/**
 * Builds the verifier's page: one self-contained file with the same code as `bun run verify`.
 *
 *   bun scripts/build-verifier.ts           writes data/verifier/verify.html
 *   bun scripts/build-verifier.ts --check   writes nothing; exits with 1 if the file is out of date
 *
 *     start.ts ─▶ bundle for browsers ─┐
 *     page.css ────────────────────────┼─▶ page.html ─▶ data/verifier/verify.html
 *     licences of its sources ─────────┘                (policy: loads nothing, allows only these two inline texts)
 *
 * The same sources give the same bytes on every machine, so anyone can rebuild and compare the file. It is kept in the repository so that a
 * saved copy can be matched to a release by its digest.
 * Quirk: Bun's bundler gives other bytes in a process that has already run some of the sources, so this script runs in a process of its
 * own.
 *
 * Browsers lack `node:crypto`: the page's own SHA-256 replaces `createHash`. The build fails if any other server-only module remains in the
 * bundle.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { escapeHtml } from "../src/api/html";
import { keepPage, toInlineScript, toPolicy } from "./pages/inline";

const ROOT = join(import.meta.dir, "..");
const PAGE = join(ROOT, "src/archive/verifier/page");
export const VERIFIER_FILE = "data/verifier/verify.html";

/** Marks server-only modules. */
const ABSENT = "absent-in-a-browser";

/** Returns the page's text. Throws an Error if the bundle needs a server-only module. */
async function buildVerifier(): Promise<string> {
	const { script, sources } = await bundle();
	const style = readFileSync(join(PAGE, "page.css"), "utf8");
	const values = new Map([
		["policy", toPolicy(script, style)],
		["style", `<style>${style}</style>`],
		["script", `<script>${script}</script>`],
		["licences", `<pre lang="en">${escapeHtml(readLicences(sources))}</pre>`],
	]);
	const template = readFileSync(join(PAGE, "page.html"), "utf8");
	return template.replace(/<!-- (\w+) -->/g, (_, name) => values.get(name) ?? "");
}

async function bundle(): Promise<{ script: string; sources: readonly string[] }> {
	const built = await Bun.build({
		entrypoints: [join(PAGE, "start.ts")],
		...{ target: "browser", format: "iife", minify: true, sourcemap: "external", plugins: [serverModules] },
	});
	const [code, map] = ["entry-point", "sourcemap"].map((kind) => built.outputs.find((output) => output.kind === kind));
	if (!code || !map) throw new Error("expected a bundle and its map");
	const script = toInlineScript(await code.text());
	if (script.includes(ABSENT)) throw new Error("the bundle uses something that only a server has");
	return { script, sources: JSON.parse(await map.text()).sources };
}

/** Replaces runtime modules for browsers: `node:crypto` in part, all others by names that throw. */
const serverModules: BunPlugin = {
	name: "modules of the server",
	setup(build) {
		build.onResolve({ filter: /^(?:node|bun):/ }, ({ path, importer }) => {
			return { namespace: ABSENT, path: `${path}?${namesOf(importer, path).join(",")}` };
		});
		build.onLoad({ filter: /.*/, namespace: ABSENT }, ({ path }) => {
			const [module, names = ""] = path.split("?");
			const own = module === "node:crypto" ? ["createHash"] : [];
			const lines = names
				.split(",")
				.map((name) =>
					own.includes(name)
						? `export { ${name} } from ${JSON.stringify(join(PAGE, "sha256.ts"))};`
						: `export function ${name}() { throw new Error("${ABSENT}"); }`,
				);
			return { contents: lines.join("\n"), loader: "ts" };
		});
	},
};

/** The names that a file imports from a module. */
function namesOf(importer: string, module: string): string[] {
	const text = readFileSync(importer, "utf8");
	const found = [...text.matchAll(/^import\s+(?!type)\{([^}]*)\}\s+from\s+"([^"]+)"/gm)].filter(
		([, , from]) => from === module,
	);
	const names = found.flatMap(([, list = ""]) => list.split(",").map((name) => name.trim()));
	return names
		.filter((name) => name !== "" && !name.startsWith("type "))
		.map((name) => name.split(/\s+as\s+/)[0] ?? name);
}

/** The authors and licences of the bundled packages. */
function readLicences(sources: readonly string[]): string {
	const folders = new Set(sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []));
	return [...folders].sort().map(readLicence).join("\n\n");
}

function readLicence(name: string): string {
	const folder = join(ROOT, "node_modules", name);
	const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
	const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
	const text = file ? readFileSync(join(folder, file), "utf8").replace(/\r/g, "").trim() : "";
	return `${name} ${version} (${license})\n${text}`;
}

if (import.meta.main) keepPage(VERIFIER_FILE, await buildVerifier());
