/**
 * The files that our pages load: ours, and Swagger UI's. No other file is reachable.
 *
 * Swagger UI comes from its package where development packages are installed. An image has none: `scripts/build-assets.ts` puts the files into
 * `data/built/explorer` before, and without them the explorer shows its plain part.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Type } from "@sinclair/typebox";
import { memoize } from "../../../platform/concurrency";
import { type Operation, PUBLIC, pathParameter } from "../../../platform/operation";
import { msg, Problem } from "../../../platform/problem";
import { DOCUMENTATION_TAG } from "../../html";
import { answerRepresentation, CACHE_HEADERS, CONDITIONAL, type Representation, represent } from "../../representation";

/** Those of Swagger UI, by the names that they have in its package. */
export const EXPLORER_FILES = ["swagger-ui.css", "swagger-ui-bundle.js"] as const;
/** Where a build puts them. */
export const EXPLORER_FOLDER = join(import.meta.dir, "../../../../data/built/explorer");

const TYPES: Readonly<Record<string, string>> = {
	css: "text/css; charset=utf-8",
	js: "text/javascript; charset=utf-8",
	png: "image/png",
};
const OWN_FILES = [
	...["favicon-32x32.png", "docs.css", "reference.js", "docs.js", "start-docs.js"],
	...["consulta.css", "consulta.js"],
];
export const ASSET_NAMES: readonly string[] = [...EXPLORER_FILES, ...OWN_FILES];

/** A file of Swagger UI: its package's, else the built one. */
export function findExplorerFile(name: string, built = EXPLORER_FOLDER, packageName = "swagger-ui-dist"): string {
	try {
		return fileURLToPath(import.meta.resolve(`${packageName}/${name}`));
	} catch {
		const path = join(built, name);
		if (existsSync(path)) return path;
		throw new Problem("service-unavailable", {
			detail: msg`The explorer is not built. The operator builds it with \`bun scripts/build-assets.ts\`.`,
		});
	}
}

/** Each is read at the first call and kept. */
export function assetOperation(): Operation {
	const isOfExplorer = (name: string) => EXPLORER_FILES.some((one) => one === name);
	const assets: ReadonlyMap<string, () => Promise<Representation>> = new Map(
		ASSET_NAMES.map((name) => [
			name,
			memoize(async () => {
				const path = isOfExplorer(name) ? findExplorerFile(name) : join(import.meta.dir, "assets", name);
				return represent(await Bun.file(path).bytes(), { "content-type": TYPES[name.replace(/^.*\./, "")] ?? "" });
			}),
		]),
	);
	return {
		id: "getDocsAsset",
		sdk: null,
		method: "GET",
		path: "/docs/assets/{file}",
		tag: DOCUMENTATION_TAG,
		summary: "Get a file of the documentation page",
		description: "Style sheets, scripts and images that our pages load. No page loads anything from another host.",
		credentials: PUBLIC,
		parameters: [
			pathParameter(
				"file",
				`One of ${ASSET_NAMES.map((name) => `\`${name}\``).join(", ")}.`,
				"docs.css",
				Type.Union(ASSET_NAMES.map((name) => Type.Literal(name))),
			),
			CONDITIONAL,
		],
		answers: {
			200: { description: "A style sheet, a script or an image.", mediaType: "*/*", headers: CACHE_HEADERS },
			304: { description: "Not modified.", headers: CACHE_HEADERS },
		},
		problems: ["not-found"],
		handle: async (call) => {
			const asset = await assets.get(call.params.file ?? "")?.();
			if (!asset) throw new Problem("not-found");
			return answerRepresentation(call, asset);
		},
	};
}
