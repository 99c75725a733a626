import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../platform/database";
import { isKey, type StoredObject } from "../archive";

/**
 * The objects in a folder and below whose keys begin so, in the order of whole keys, in which `-` and `.` come before `/`.
 * Links are followed nowhere, and what has no key (drafts, what others left there) is no object.
 */
export async function* listObjects(root: string, prefix: string): AsyncGenerator<StoredObject> {
	const above = prefix.slice(0, prefix.lastIndexOf("/") + 1);
	for (const segment of ancestorsOf(above)) if (!(await isFolder(join(root, segment)))) return;
	const entries = await readdir(join(root, above), { withFileTypes: true }).catch((error: unknown) => {
		if (codeOf(error) === "ENOENT") return [];
		throw error;
	});
	const keys = entries
		.filter((entry) => isKey(above + entry.name) && (entry.isFile() || entry.isDirectory()))
		.map((entry) => `${above}${entry.name}${entry.isDirectory() ? "/" : ""}`)
		.filter((key) => key.startsWith(prefix))
		.sort((a, b) => (a < b ? -1 : 1));
	for (const key of keys) {
		if (key.endsWith("/")) yield* listObjects(root, key);
		else {
			const bytes = await sizeOf(join(root, key));
			if (bytes !== undefined) yield { key, bytes };
		}
	}
}

/** Undefined for a file that was let go since its folder was read. */
async function sizeOf(path: string): Promise<number | undefined> {
	try {
		return (await lstat(path)).size;
	} catch (error) {
		if (codeOf(error) === "ENOENT") return undefined;
		throw error;
	}
}

/** `a/b/` → `a/`, `a/b/`. */
function ancestorsOf(folder: string): string[] {
	const segments = folder.split("/").slice(0, -1);
	return segments.map((_, i) => segments.slice(0, i + 1).join("/"));
}

async function isFolder(path: string): Promise<boolean> {
	try {
		return (await lstat(path)).isDirectory();
	} catch (error) {
		if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return false;
		throw error;
	}
}
