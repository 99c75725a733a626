/** What package managers read before they download: the documents of an npm registry and of a Composer repository. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { strFromU8, unzipSync } from "fflate";
import type { Archive } from "./archives";

export const NPM_NAME = "@sello/sdk";

type Manifest = Record<string, unknown>;

/** The npm document of a package, newest archive first. Source: npm, package metadata. */
export function toNpmPackage(archives: readonly Archive[], toUrl: (archive: Archive) => string): Manifest | undefined {
	const [newest] = archives;
	if (!newest) return undefined;
	const versions = archives.map((archive) => {
		const content = readFileSync(archive.path);
		const digest = (algorithm: string) => createHash(algorithm).update(content);
		const dist = {
			tarball: toUrl(archive),
			integrity: `sha512-${digest("sha512").digest("base64")}`,
			shasum: digest("sha1").digest("hex"),
		};
		return [archive.version, { ...readPackageJson(content), dist }] as const;
	});
	return { name: NPM_NAME, "dist-tags": { latest: newest.version }, versions: Object.fromEntries(versions) };
}

const BLOCK = 512;

/** The manifest of an npm tarball, whose entries are plain: a block with name and size, then the content in whole blocks. */
function readPackageJson(tarball: Uint8Array): Manifest {
	const tar = gunzipSync(tarball);
	for (let at = 0; at < tar.length; ) {
		const name = tar.toString("latin1", at, at + 100).replace(/\0.*/s, "");
		const bytes = Number.parseInt(tar.toString("latin1", at + 124, at + 136), 8) || 0;
		if (name === "package/package.json") return JSON.parse(tar.toString("utf8", at + BLOCK, at + BLOCK + bytes));
		at += BLOCK + Math.ceil(bytes / BLOCK) * BLOCK;
	}
	throw new Error("an archive has no package.json");
}

/** Source: Composer, repositories, `packages`. */
export function toComposerRepository(archives: readonly Archive[], toUrl: (archive: Archive) => string): Manifest {
	const packages: Record<string, Record<string, Manifest>> = {};
	for (const archive of archives) {
		const content = readFileSync(archive.path);
		const manifest = unzipSync(content, { filter: ({ name }) => name === "composer.json" })["composer.json"];
		if (!manifest) throw new Error(`${archive.name} has no composer.json`);
		const about = JSON.parse(strFromU8(manifest)) as { name: string; version: string };
		const shasum = createHash("sha1").update(content).digest("hex");
		const dist = { type: "zip", url: toUrl(archive), reference: archive.version, shasum };
		packages[about.name] = { ...packages[about.name], [about.version]: { ...about, dist } };
	}
	return { packages };
}
