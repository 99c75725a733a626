/**
 * Builds the console: one page, scripts and a style sheet with digests in their names, compressed copies, and a manifest.
 *
 *   bun scripts/build-console.ts                 into data/built/console, which an image gets
 *   bun scripts/build-console.ts --out FOLDER    into another folder; the service does this when it finds no current bundle
 *
 * The same sources and packages give the same bytes. Nothing is done if the folder has them.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
	ASSETS_PATH,
	type Asset,
	CODED_ENDINGS,
	digestSources,
	MANIFEST_FILE,
	type Manifest,
	PAGE_FILE,
	PORTAL_FILE,
} from "../src/console";

/** Folders of earlier sources that are kept beside a new one: processes that still run serve them. */
const KEPT = 2;
const GZIP_LEVEL = 9;
const ZSTD_LEVEL = 19;

const root = join(import.meta.dir, "..");
const { values } = parseArgs({ options: { out: { type: "string" } } });
const out = resolve(values.out ?? join(root, "data/built/console"));

const digest = digestSources();
if (readDigest() === digest) process.exit(0);
const built = await Bun.build({
	entrypoints: [PAGE_FILE, PORTAL_FILE].map((name) => join(root, "src/console/web", name)),
	target: "browser",
	splitting: true,
	minify: true,
	publicPath: `${ASSETS_PATH}/`,
	define: { "process.env.NODE_ENV": '"production"' },
	naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
});
// Written beside the folder and renamed, since several processes may build at once while one reads.
const written = `${out}.${process.pid}`;
mkdirSync(written, { recursive: true });
const assets: Record<string, Asset> = {};
for (const artefact of built.outputs) {
	const name = basename(artefact.path);
	const bytes = new Uint8Array(await artefact.arrayBuffer());
	writeFileSync(join(written, name), bytes);
	if (name === PAGE_FILE || name === PORTAL_FILE) continue;
	writeFileSync(join(written, `${name}${CODED_ENDINGS.gzip}`), Bun.gzipSync(bytes, { level: GZIP_LEVEL }));
	writeFileSync(join(written, `${name}${CODED_ENDINGS.zstd}`), Bun.zstdCompressSync(bytes, { level: ZSTD_LEVEL }));
	assets[name] = { type: artefact.type, bytes: bytes.length, codings: ["zstd", "gzip"] };
}
const manifest: Manifest = { digest, assets };
writeFileSync(join(written, MANIFEST_FILE), JSON.stringify(manifest, undefined, "\t"));
rmSync(out, { recursive: true, force: true });
try {
	renameSync(written, out);
} catch (error) {
	rmSync(written, { recursive: true, force: true });
	// Another process was faster.
	if (readDigest() !== digest) throw error;
}
if (values.out !== undefined) prune(dirname(out));

function readDigest(): string | undefined {
	const path = join(out, MANIFEST_FILE);
	return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Manifest).digest : undefined;
}

function prune(folder: string): void {
	const others = readdirSync(folder).filter((name) => name !== basename(out));
	const byAge = others.map((name) => ({ name, ms: statSync(join(folder, name)).mtimeMs })).sort((a, b) => b.ms - a.ms);
	for (const { name } of byAge.slice(KEPT)) rmSync(join(folder, name), { recursive: true, force: true });
}
