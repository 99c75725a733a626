/**
 * The built console: found in `data/built/console`, which an image has, or built into the data folder beside the running service.
 *
 * A bundle counts only if it was made of the sources that are here: its manifest has their digest. So an edited checkout never serves an old page.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Coding } from "../platform/operation";
import type { Log } from "../platform/telemetry";

/** A file of the bundle; its name has a digest of its content. */
export type Asset = { readonly type: string; readonly bytes: number; readonly codings: readonly Coding[] };

export type Manifest = {
	/** Of the sources, see `digestSources`. */
	readonly digest: string;
	readonly assets: Readonly<Record<string, Asset>>;
};

type Bundle = {
	readonly folder: string;
	/** The one HTML file of all pages of the console. */
	readonly page: string;
	/** That of the portal. */
	readonly portal: string;
	/** By name. */
	readonly assets: Manifest["assets"];
};

export const PAGE_FILE = "index.html";
export const PORTAL_FILE = "portal.html";
export const MANIFEST_FILE = "manifest.json";
/** Of an asset's compressed copies. */
export const CODED_ENDINGS: Readonly<Record<Coding, string>> = { gzip: ".gz", zstd: ".zst" };
/** The address below which assets are served. */
export const ASSETS_PATH = "/console/assets";

const ROOT = join(import.meta.dir, "../..");
const BUILDER = join(ROOT, "scripts/build-console.ts");
/** The lock file stands for the packages. */
const SOURCES = ["src/console/web/**/*.{html,css,ts,tsx}", "src/platform/values/*.ts", "bun.lock"];

/** SHA-256, in hex, of everything that a bundle is made of. */
export function digestSources(): string {
	const hash = createHash("sha256").update(`${Bun.version}\n`);
	const paths = SOURCES.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })]);
	for (const path of paths.map((one) => one.replaceAll("\\", "/")).sort())
		hash
			.update(`${path}\0`)
			.update(readFileSync(join(ROOT, path)))
			.update("\0");
	return hash.digest("hex");
}

type BundlePlace = {
	/** A bundle that is not there is built into `console` of this folder. */
	readonly dataDir: string;
	readonly log: Log;
	/** Made with the image; default: that of this checkout. */
	readonly builtFolder?: string;
};

export type OpenBundle = () => Bundle | undefined;

/**
 * Returns the bundle; undefined while it is being built, and for good, with a line in the log, where it cannot be built. The first call looks for it and
 * starts the build, in a process of its own.
 */
export function createBundle({
	dataDir,
	log,
	builtFolder = join(ROOT, "data/built/console"),
}: BundlePlace): OpenBundle {
	let bundle: Bundle | undefined;
	let isOpened = false;
	const build = async (digest: string, folder: string) => {
		if (!existsSync(BUILDER))
			throw new Error("this installation has neither the built console nor its sources' builder");
		const command = [process.execPath, BUILDER, "--out", folder];
		const child = Bun.spawn(command, { cwd: ROOT, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
		const complaint = await new Response(child.stderr).text();
		if ((await child.exited) !== 0) throw new Error(complaint.trim().slice(0, 500));
		bundle = readBundle(folder, digest);
	};
	return () => {
		if (isOpened) return bundle;
		isOpened = true;
		const digest = digestSources();
		const folder = join(dataDir, "console", digest.slice(0, 16));
		bundle = readBundle(builtFolder, digest) ?? readBundle(folder, digest);
		if (!bundle) {
			build(digest, folder).catch((err) =>
				log.error({ event: "console.build_failed", err }, "the console is not available"),
			);
		}
		return bundle;
	};
}

function readBundle(folder: string, digest: string): Bundle | undefined {
	const path = join(folder, MANIFEST_FILE);
	if (!existsSync(path)) return undefined;
	const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest;
	if (manifest.digest !== digest) return undefined;
	const read = (name: string) => readFileSync(join(folder, name), "utf8");
	return { folder, page: read(PAGE_FILE), portal: read(PORTAL_FILE), assets: manifest.assets };
}
