import { constants, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../platform/database";
import { openFileFlags } from "./immutable";

/** Removes the file of a key, or all files below it, immutable ones too. */
export async function eraseFiles(folder: string, key: string): Promise<void> {
	const path = join(folder, key);
	try {
		await rm(path, { recursive: true, force: true });
	} catch (error) {
		if (codeOf(error) !== "EPERM") throw error;
		await clearFlags(path);
		await rm(path, { recursive: true, force: true });
	}
}

/** Takes the immutable flag off a file, or off all files below a folder. */
async function clearFlags(path: string): Promise<void> {
	const flags = openFileFlags();
	const below = await readdir(path, { recursive: true, withFileTypes: true }).catch((error) => {
		if (codeOf(error) === "ENOTDIR") return undefined;
		throw error;
	});
	const files = below?.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)) ?? [path];
	for (const each of files) {
		const file = await open(each, constants.O_RDONLY | constants.O_NOFOLLOW);
		try {
			flags?.clearImmutable(file.fd);
		} finally {
			await file.close();
		}
	}
}
