/**
 * The imports of `src` as a graph of folders, and what is wrong with it: an arrow that the table in `direction.ts` does not
 * have, a circle, or a way past a folder's face, its `index.ts`. Root files may also start its threads and read its `settings.ts`.
 *
 * Quirk: imports are found in the text, in the form that the formatter leaves: statements at the beginning of a line, all
 * names quoted with ". bun's own scanner would not do, since it leaves out imports of types.
 */
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { direction, ROOT, usesEverything } from "./direction";

/** One import inside the project; paths begin at its root, with forward slashes. */
export type Import = { readonly from: string; readonly to: string };

/** Folder → the folders that it uses, each with the imports that make the arrow. */
export type Graph = ReadonlyMap<string, ReadonlyMap<string, readonly Import[]>>;

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

/** Every import between files in `src`, and those that leave it. */
export function readImports(root: string): Import[] {
	const files = new Set([...new Bun.Glob("src/**/*.ts").scanSync({ cwd: root })].map(toSlashes));
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

/** The folder that a file of `src` belongs to: the longest one of the table, else the first level. */
export function folderOf(path: string): string {
	const [, first = "", ...rest] = path.split("/");
	if (rest.length === 0 && first.endsWith(".ts")) return ROOT;
	const second = `${first}/${rest[0]}`;
	return second in direction ? second : first;
}

/** Every folder with its arrows; an import inside a folder is none. */
export function makeGraph(imports: readonly Import[]): Graph {
	const graph = new Map<string, Map<string, Import[]>>();
	for (const one of imports) {
		const from = folderOf(one.from);
		const arrows = graph.get(from) ?? new Map<string, Import[]>();
		graph.set(from, arrows);
		if (!one.to.startsWith("src/")) continue;
		const to = folderOf(one.to);
		if (to !== from) arrows.set(to, [...(arrows.get(to) ?? []), one]);
	}
	return graph;
}

/** One sentence for everything that is against the rules. */
export function findFaults(imports: readonly Import[]): string[] {
	const graph = makeGraph(imports);
	return [
		...imports.flatMap(checkImport),
		...findCircles(graph).map((circle) => `the folders ${circle.join(" → ")} use each other in a circle`),
	];
}

function checkImport({ from, to }: Import): string[] {
	const arrow = `${from} imports ${to}`;
	if (!to.startsWith("src/"))
		return to === "package.json" || to.startsWith("data/") ? [] : [`${arrow}, which is not part of the service`];
	const [user, used] = [folderOf(from), folderOf(to)];
	if (user === used) return [];
	if (!mayUse(user, used)) return [`${arrow}: ${user} may not use ${used}`];
	const isThread = to.endsWith(".thread.ts") || to.includes("/migrations/");
	const isRootEntry = user === ROOT && (isThread || to === `src/${used}/settings.ts`);
	if (to !== `src/${used}/index.ts` && to !== `src/${used}` && !isRootEntry)
		return [`${arrow}: goes past the face of ${used}, src/${used}/index.ts`];
	return [];
}

function mayUse(user: string, used: string): boolean {
	if (used === ROOT) return false;
	if (usesEverything.includes(user)) return used in direction || (user === ROOT && used === "http");
	return direction[user]?.includes(used) ?? false;
}

/** Circles between folders: one for each arrow that leads back to a folder on the way to it. */
export function findCircles(graph: Graph): string[][] {
	const circles: string[][] = [];
	const finished = new Set<string>();
	const walk = (folder: string, path: readonly string[]) => {
		const start = path.indexOf(folder);
		if (start >= 0) circles.push([...path.slice(start), folder]);
		if (start >= 0 || finished.has(folder)) return;
		for (const next of graph.get(folder)?.keys() ?? []) walk(next, [...path, folder]);
		finished.add(folder);
	};
	for (const folder of [...graph.keys()].sort()) walk(folder, []);
	return circles;
}

/** The graph as text, users above what they use; an arrow that may not be is marked with ✗. */
export function drawGraph(graph: Graph): string {
	const heights = measureHeights(graph);
	const rows = [...heights.keys()].sort(
		(a, b) => (heights.get(b) ?? 0) - (heights.get(a) ?? 0) || (a < b ? -1 : a > b ? 1 : 0),
	);
	const width = Math.max(0, ...rows.map((folder) => folder.length));
	return rows
		.map((folder) => {
			const used = [...(graph.get(folder)?.entries() ?? [])].sort(([a], [b]) => rows.indexOf(a) - rows.indexOf(b));
			const arrows = used.map(([to, imports]) => `${mayUse(folder, to) ? "" : "✗ "}${to} ${imports.length}`);
			return `${folder.padEnd(width)}  →  ${arrows.join(", ") || "nothing"}`;
		})
		.join("\n");
}

/** Every folder with the length of its longest way down; a circle counts as its end. */
function measureHeights(graph: Graph): Map<string, number> {
	const heights = new Map<string, number>();
	const measure = (folder: string): number => {
		const known = heights.get(folder);
		if (known !== undefined) return known;
		heights.set(folder, 0);
		const height = Math.max(0, ...[...(graph.get(folder)?.keys() ?? [])].map((next) => 1 + measure(next)));
		heights.set(folder, height);
		return height;
	};
	for (const folder of graph.keys()) measure(folder);
	return heights;
}

function toSlashes(path: string): string {
	return path.replaceAll("\\", "/");
}
