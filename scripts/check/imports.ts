/**
 * The imports of `src` as a graph, and the violations of its rules: an import that goes upward, one that passes a folder's face (its `index.ts`),
 * and a circle between files. Imports of types count like any other.
 *
 * Quirk: imports are found in the text, in the form that the formatter leaves: statements at the beginning of a line, all
 * names quoted with ". Bun's own scanner does not report type imports.
 */
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { ALSO_ALLOWED, WINGS } from "./wings";

/** One import inside the project; paths begin at its root, with forward slashes. */
export type Import = { readonly from: string; readonly to: string };

const statement =
	/^(?:import|export)\s+(?:type\s+)?(?:(?:[\w$]+\s*,\s*)?(?:\{[^}]*\}|\*(?:\s+as\s+[\w$]+)?)|[\w$]+)\s+from\s+"([^"]+)"/gm;
const sideEffect = /^import\s+"([^"]+)"/gm;
const expression = /\b(?:import|require)\(\s*"([^"]+)"/g;
const threadAddress = /\bnew URL\(\s*"(\.[^"]+)",\s*import\.meta\.url/g;

/** Everything that a source text imports: packages and files, values and types, and the threads that it starts. */
export function readSpecifiers(text: string): string[] {
	const found = [statement, sideEffect, expression, threadAddress].flatMap((form) => [...text.matchAll(form)]);
	return found.map((match) => match[1] ?? "");
}

/** Every relative import of the files in `folders`. */
export function readImports(root: string, folders: readonly string[] = ["src"]): Import[] {
	const files = new Set(
		folders.flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.ts`).scanSync({ cwd: root })].map(toSlashes)),
	);
	return [...files].sort().flatMap((from) =>
		readSpecifiers(readFileSync(join(root, from), "utf8"))
			.filter((specifier) => specifier.startsWith("."))
			.map((specifier) => ({ from, to: resolveImport(files, from, specifier) })),
	);
}

function resolveImport(files: ReadonlySet<string>, from: string, specifier: string): string {
	const path = toSlashes(normalize(join(dirname(from), specifier))).replace(/\/$/, "");
	return [path, `${path}.ts`, `${path}/index.ts`].find((candidate) => files.has(candidate)) ?? path;
}

/** The wing of a file of `src`; "main" for the one file at its root. */
export function wingOf(path: string): string {
	const [, first = ""] = path.split("/");
	return first.endsWith(".ts") ? "main" : first;
}

/** One sentence for every violation by an import of `src`; `faces` are the paths of all `index.ts`. */
export function findViolations(imports: readonly Import[], faces: ReadonlySet<string>): string[] {
	return imports.flatMap((one) => checkImport(one, faces));
}

/** The paths of every `index.ts` in `src`. */
export function readFaces(root: string): Set<string> {
	return new Set([...new Bun.Glob("src/**/index.ts").scanSync({ cwd: root })].map(toSlashes));
}

function checkImport({ from, to }: Import, faces: ReadonlySet<string>): string[] {
	const arrow = `${from} imports ${to}`;
	if (!to.startsWith("src/"))
		return to === "package.json" || to.startsWith("data/") ? [] : [`${arrow}, which is not part of the service`];
	const [user, used] = [wingOf(from), wingOf(to)];
	if (!mayUse(user, used, to)) return [`${arrow}: ${user} may not use ${used}`];
	const face = faceBetween(from, to, faces);
	// A thread's file is started, not loaded; settings are read before anything else of their folder is loaded.
	const isEntry = to.endsWith(".thread.ts") || (user === "app" && to.endsWith("/settings.ts"));
	if (face === undefined && user !== used && user !== "main") return [`${arrow}: ${used} has no face for it`];
	if (face !== undefined && face !== to && !isEntry) return [`${arrow}: goes past the face ${face}`];
	return [];
}

function mayUse(user: string, used: string, to: string): boolean {
	if (user === used) return true;
	if (used === "main") return false;
	if (user === "main") return true;
	if (used === "simulator") return user === "sandbox" || user === "app";
	const also = ALSO_ALLOWED[user];
	if (also) return also.some((folder) => to.startsWith(`src/${folder}/`));
	const order: readonly string[] = WINGS;
	return order.includes(user) && order.indexOf(user) < order.indexOf(used);
}

/** The outermost `index.ts` on the way to `to` whose folder `from` is not in: the only file through which `from` may import. */
function faceBetween(from: string, to: string, faces: ReadonlySet<string>): string | undefined {
	const folders = dirname(to).split("/");
	for (let length = 2; length <= folders.length; length += 1) {
		const folder = folders.slice(0, length).join("/");
		if (!from.startsWith(`${folder}/`) && faces.has(`${folder}/index.ts`)) return `${folder}/index.ts`;
	}
	return undefined;
}

/** Every set of files that import each other in a circle, as sorted paths (Tarjan's strongly connected components). */
export function findCircles(imports: readonly Import[]): string[][] {
	const next = Map.groupBy(imports, ({ from }) => from);
	const index = new Map<string, number>();
	const low = new Map<string, number>();
	const stack: string[] = [];
	const circles: string[][] = [];
	const visit = (path: string) => {
		index.set(path, index.size);
		low.set(path, index.get(path) ?? 0);
		stack.push(path);
		for (const { to } of next.get(path) ?? []) {
			if (!index.has(to)) visit(to);
			if (stack.includes(to)) low.set(path, Math.min(low.get(path) ?? 0, low.get(to) ?? 0));
		}
		if (low.get(path) !== index.get(path)) return;
		const circle = stack.splice(stack.indexOf(path));
		if (circle.length > 1) circles.push(circle.sort());
	};
	for (const path of next.keys()) if (!index.has(path)) visit(path);
	return circles;
}

/** The wings as text: each with the wings that it imports and the number of imports. */
export function drawWings(imports: readonly Import[]): string {
	const rows = Map.groupBy(imports, ({ from }) => wingOf(from));
	const width = Math.max(...["main", ...WINGS].map((wing) => wing.length));
	return ["main", ...WINGS]
		.map((wing) => {
			const counts = Map.groupBy(rows.get(wing) ?? [], ({ to }) => wingOf(to));
			const used = [...counts].filter(([to]) => to !== wing && (WINGS as readonly string[]).includes(to));
			return `${wing.padEnd(width)}  →  ${used.map(([to, all]) => `${to} ${all.length}`).join(", ") || "nothing"}`;
		})
		.join("\n");
}

function toSlashes(path: string): string {
	return path.replaceAll("\\", "/");
}

/** Tests and tools of the whole service; they may use every wing. The other folders of `test` mirror a wing and import as it does. */
const WHOLE = /^(?:scripts|bench)\/|^test\/(?:api|alerts|app|flows|golden|house|scripts|support)\//;

/** May reach a private algorithm: unit tests and what supports them, benches, and checks that read sources. */
const REACHES_PRIVATE =
	/\.unit\.test\.ts$|^bench\/|^test\/(?!api|flows|support)[^/]+\/(?:.*\/)?(?!.*\.test\.ts$)[^/]+\.ts$/;

/** Loads the parser of certificates, so no face exports it. */
const WITHOUT_FACE: readonly string[] = ["src/ecf/signing/ephemeral-identity.ts"];

/** One sentence for every import of `src` by tests, scripts and benches that goes upward or past every face. */
export function findOutsideViolations(imports: readonly Import[], faces: ReadonlySet<string>): string[] {
	return imports.flatMap(({ from, to }) => {
		if (from.startsWith("src/") || !to.startsWith("src/")) return [];
		const arrow = `${from} imports ${to}`;
		const [mirrored, used] = [wingOf(from), wingOf(to)];
		// The simulator stands for the authority in tests of every wing.
		if (!WHOLE.test(from) && used !== "main" && used !== "simulator" && !mayUse(mirrored, used, to))
			return [`${arrow}: tests of ${mirrored} may not use ${used}`];
		const isFace = faces.has(to) || used === "main" || to.endsWith(".thread.ts") || WITHOUT_FACE.includes(to);
		const hasFace = dirname(to)
			.split("/")
			.some((_, n, folders) => faces.has(`${folders.slice(0, n + 1).join("/")}/index.ts`));
		if (isFace || !hasFace || REACHES_PRIVATE.test(from)) return [];
		return [`${arrow}: goes past every face; use one, or name the test *.unit.test.ts`];
	});
}
