/**
 * Takes objects out of the archive. The ten years hold everywhere but in the public sandbox, whose documents have no fiscal effect and are
 * deleted a day after they came; nothing else may have this.
 */
import { constants, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../database";
import { readAddress } from "./address";
import { checkKey } from "./archive";
import { openFileFlags } from "./immutable";

export type ArchiveEraser = {
	/** Removes an object, or all objects below a key; what is not there is gone already. */
	readonly erase: (key: string) => Promise<void>;
};

/** For an archive in files. Throws an Error that tells what is expected. */
export function openArchiveEraser(url: string): ArchiveEraser {
	const address = readAddress(url);
	if (address.kind !== "files") throw new Error("what lies in S3 under Object Lock cannot be erased before its date");
	return {
		async erase(key) {
			checkKey(key);
			const path = join(address.folder, key);
			try {
				await rm(path, { recursive: true, force: true });
			} catch (error) {
				if (codeOf(error) !== "EPERM") throw error;
				await clearFlags(path);
				await rm(path, { recursive: true, force: true });
			}
		},
	};
}

/** Takes the immutable flag off a file, or off all files below a folder. */
async function clearFlags(path: string): Promise<void> {
	const flags = openFileFlags();
	const files = await readdir(path, { recursive: true, withFileTypes: true }).catch((error) => {
		if (codeOf(error) === "ENOTDIR") return undefined;
		throw error;
	});
	const paths = files?.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name)) ?? [path];
	for (const each of paths) {
		const file = await open(each, constants.O_RDONLY | constants.O_NOFOLLOW);
		try {
			flags?.clearImmutable(file.fd);
		} finally {
			await file.close();
		}
	}
}
