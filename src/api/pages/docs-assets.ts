/** The files that our pages load: Swagger UI from its package, and our own two. Nothing else is reachable by their address. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { memoize } from "../../platform/concurrency";
import { type Representation, represent } from "../server/representation";

const CSS = "text/css; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";
const PNG = "image/png";

const ofPackage = (name: string) => fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
const ofOurs = (name: string) => join(import.meta.dir, "assets", name);

const asset = (path: string, type: string) =>
	memoize(async () => represent(await Bun.file(path).bytes(), { "content-type": type }));

const assets: ReadonlyMap<string, () => Promise<Representation>> = new Map([
	["swagger-ui.css", asset(ofPackage("swagger-ui.css"), CSS)],
	["swagger-ui-bundle.js", asset(ofPackage("swagger-ui-bundle.js"), SCRIPT)],
	["favicon-32x32.png", asset(ofPackage("favicon-32x32.png"), PNG)],
	["docs.css", asset(ofOurs("docs.css"), CSS)],
	["start-docs.js", asset(ofOurs("start-docs.js"), SCRIPT)],
]);

export const ASSET_NAMES: readonly string[] = [...assets.keys()];

/** A file of the pages; undefined for any other name. It is read at the first call and kept. */
export function findAsset(name: string): Promise<Representation> | undefined {
	return assets.get(name)?.();
}
