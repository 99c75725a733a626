/**
 * Finds names that a face (`index.ts`) exports and no file imports. Such a name hides which parts of a folder are in use.
 *
 * Quirk: like the import graph, this reads the text in the form that the formatter leaves. A face that is imported with `*` counts as used.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** A name that a face exports and no file imports. */
export type UnusedName = { readonly face: string; readonly name: string };

const FOLDERS = ["src", "scripts", "bench", "test"];
/** Those of `src/sdk` are for other people's programs. */
const FACE = /^src\/(?!sdk\/).+\/index\.ts$/;
const named = /^(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"(\.[^"]*)"/gm;
const whole = /^(?:import|export)\s+\*(?:\s+as\s+[\w$]+)?\s+from\s+"(\.[^"]*)"|\bimport\(\s*"(\.[^"]*)"/gm;
const given = /^export\s+(?:type\s+)?\{([^}]*)\}/gm;

/** The unused names of every face below `root`, by face and name. */
export function findUnusedNames(root: string): UnusedName[] {
	const paths = FOLDERS.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
		[...new Bun.Glob(`${folder}/**/*.ts`).scanSync({ cwd: root })].map((path) => path.replaceAll("\\", "/")),
	);
	const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
	const taken = new Set<string>();
	for (const [from, text] of texts) {
		const resolve = (specifier: string) => resolveFace(root, from, specifier);
		for (const [, names = "", specifier = ""] of text.matchAll(named))
			for (const { source } of splitNames(names)) taken.add(`${resolve(specifier)} ${source}`);
		for (const [, all, late] of text.matchAll(whole)) taken.add(`${resolve(all ?? late ?? "")} *`);
	}
	const faces = paths.filter((path) => FACE.test(path) && !taken.has(`${path} *`)).sort();
	return faces.flatMap((face) =>
		[...(texts.get(face) ?? "").matchAll(given)]
			.flatMap(([, names = ""]) => splitNames(names))
			.flatMap(({ name }) => (taken.has(`${face} ${name}`) ? [] : [{ face, name }])),
	);
}

/** `a as b` is `a` in its source and `b` here. */
function splitNames(text: string): { source: string; name: string }[] {
	const entries = text.split(",").map((entry) => entry.trim().replace(/^type\s+/, ""));
	return entries.filter(Boolean).map((entry) => {
		const [source = "", name = source] = entry.split(/\s+as\s+/);
		return { source, name };
	});
}

function resolveFace(root: string, from: string, specifier: string): string {
	const path = normalize(join(dirname(from), specifier))
		.replaceAll("\\", "/")
		.replace(/\/$/, "");
	const isFolder = existsSync(join(root, path)) && statSync(join(root, path)).isDirectory();
	return isFolder ? `${path}/index.ts` : `${path}.ts`;
}
