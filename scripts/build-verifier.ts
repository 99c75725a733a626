/**
 * Builds the verifier's page: one file that needs nothing else, with the same code as `bun run verify`.
 *
 *   bun scripts/build-verifier.ts           writes data/verifier/verify.html
 *   bun scripts/build-verifier.ts --check   writes nothing; exits with 1 when the file is not what the sources make
 *
 *     start.ts ─▶ bundle for browsers ─┐
 *     page.css ────────────────────────┼─▶ page.html ─▶ data/verifier/verify.html
 *     licences of what is in it ───────┘                (policy: nothing is loaded, these two texts alone run and style)
 *
 * The same sources give the same bytes on every machine, so the file can be made again and compared. It is kept in the repository because whoever
 * saves it must be able to tell by its digest which release it is of.
 * Quirk: bun's bundler gives other bytes in a process that has run some of the sources itself, so this runs in one of its own.
 *
 * In a browser there is no `node:crypto`: the page's own SHA-256 takes the place of `createHash`. Whatever else of a server a file imports must not be
 * left in the bundle; the build fails when it is.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { escapeHtml } from "../src/api/html";
import { keepPage, toInlineScript, toPolicy } from "./pages/inline";

const ROOT = join(import.meta.dir, "..");
const PAGE = join(ROOT, "src/archive/verifier/page");
export const VERIFIER_FILE = "data/verifier/verify.html";

/** Marks what only a server has. */
const ABSENT = "absent-in-a-browser";

/** The page's text. Throws an Error when the bundle would not be whole in a browser. */
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

/** Modules of the runtime, in the form that a browser has them: one of them in part, the others as names that end the program. */
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

/** The values that a file imports from a module. */
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

/** Who has made what is in the bundle, and under which terms. */
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
