/** The archives of the client libraries: released ones in `data/sdk`, and those of the current sources in `data/built/sdk`. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { memoizeFor } from "../../platform/concurrency";

/** `woocommerce` is the plug-in, which contains the library for PHP. */
export const LIBRARIES = ["typescript", "python", "php", "woocommerce"] as const;
export type Library = (typeof LIBRARIES)[number];

/** `version` is SemVer: `1.2.0`, or `1.2.0-dev.h0a1b2c3d` for a build of sources that are not released. */
export type ArchiveId = { readonly library: Library; readonly version: string };
export type Archive = ArchiveId & {
	readonly name: string;
	readonly path: string;
	readonly bytes: number;
	/** In hex. */
	readonly sha256: string;
};

export function nameArchive({ library, version }: ArchiveId): string {
	if (library === "typescript") return `sello-${version}.tgz`;
	if (library === "php") return `sello-sdk-${version}.zip`;
	if (library === "woocommerce") return `sello-woocommerce-${version}.zip`;
	// Source: PEP 440, developmental releases and local versions.
	return `sello_ecf-${version.replace(/-dev\.(\w+)$/, ".dev0+$1")}-py3-none-any.whl`;
}

/** What an archive's name says; undefined for any other name. */
export function readArchiveName(name: string): ArchiveId | undefined {
	const [, numbers, build] = /(?<=-)(\d+\.\d+\.\d+)(?:(?:-dev\.|\.dev0\+)(h[0-9a-f]{8}))?(?=[-.])/.exec(name) ?? [];
	const version = build === undefined ? `${numbers}` : `${numbers}-dev.${build}`;
	const library = LIBRARIES.find((one) => nameArchive({ library: one, version }) === name);
	return library && { library, version };
}

export type ArchiveFolders = {
	readonly released: string;
	readonly built: string;
	/** Makes the archives of the current sources; absent in an image, which gets them from the checkout that it is made of. */
	readonly builder: string;
};

const root = join(import.meta.dir, "../../..");
export const ARCHIVE_FOLDERS: ArchiveFolders = {
	released: join(root, "data/sdk"),
	built: join(root, "data/built/sdk"),
	builder: join(root, "scripts/build-assets.ts"),
};

export type Archives = {
	/** Newest first, one of the current sources a library at most. */
	readonly listed: readonly Archive[];
	/** Further builds of the sources, which lock files may name. */
	readonly earlier: readonly Archive[];
};

/** A build that fails is not tried again at each request. */
const RETRY_MS = 10_000;

/**
 * Finds the archives at the first call and keeps them. In a checkout the builder runs before, as a program of its own, for a second or two,
 * so a fresh clone offers its libraries and an edited one never offers old ones.
 */
export function openArchives(folders: ArchiveFolders = ARCHIVE_FOLDERS): () => Promise<Archives> {
	let found: Archives | undefined;
	const find = memoizeFor(RETRY_MS, async (_: "archives") => {
		const isBuilt = !existsSync(folders.builder) || (await runs(folders.builder));
		const released = readFolder(folders.released).sort((a, b) => Bun.semver.order(b.version, a.version));
		const built = isBuilt ? readFolder(folders.built).sort((a, b) => b.modifiedMs - a.modifiedMs) : [];
		const current = LIBRARIES.flatMap((library) => built.find((one) => one.library === library) ?? []);
		// A release that a development build leads to is newer than it.
		const listed = [...current, ...released].sort((a, b) => Bun.semver.order(b.version, a.version));
		const archives = { listed, earlier: built.filter((one) => !current.includes(one)) };
		if (isBuilt && listed.length > 0) found = archives;
		return archives;
	});
	return async () => found ?? find("archives");
}

async function runs(builder: string): Promise<boolean> {
	const child = Bun.spawn([process.execPath, builder], { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
	return (await child.exited) === 0;
}

function readFolder(folder: string): (Archive & { readonly modifiedMs: number })[] {
	if (!existsSync(folder)) return [];
	return readdirSync(folder).flatMap((name) => {
		const id = readArchiveName(name);
		if (!id) return [];
		const path = join(folder, name);
		const content = readFileSync(path);
		const sha256 = createHash("sha256").update(content).digest("hex");
		return [{ ...id, name, path, bytes: content.length, sha256, modifiedMs: statSync(path).mtimeMs }];
	});
}
