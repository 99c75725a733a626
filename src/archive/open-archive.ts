import { resolve } from "node:path";
import type { Archive } from "./archive";
import { openFileArchive } from "./file-archive";

/** Opens the archive at `file:///…` or a path. Throws an Error that tells what is expected. */
export async function openArchive(url: string): Promise<Archive> {
	return openFileArchive(folderOf(url));
}

/** The folder that an address of an archive names. Throws an Error that tells what is expected. */
export function folderOf(url: string): string {
	if (url.startsWith("file://")) return Bun.fileURLToPath(url);
	const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1];
	if (scheme?.toLowerCase() === "s3") {
		throw new Error(`this build keeps archives in files: expected file:///… or a path, got ${url}`);
	}
	if (scheme !== undefined || url === "") throw new Error(`expected an archive at file:///… or a path, got "${url}"`);
	return resolve(url);
}
