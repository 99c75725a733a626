/**
 * Takes objects out of the archive. The ten years hold everywhere but in the public sandbox, whose documents have no fiscal effect and are
 * deleted a day after they came; nothing else may have this.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { checkKey } from "./archive";
import { folderOf } from "./open-archive";

export type ArchiveEraser = {
	/** Removes an object, or all objects below a key; what is not there is gone already. */
	readonly erase: (key: string) => Promise<void>;
};

/** For the archive at `file:///…` or a path. Throws an Error that tells what is expected. */
export function openArchiveEraser(url: string): ArchiveEraser {
	const folder = folderOf(url);
	return {
		async erase(key) {
			checkKey(key);
			await rm(join(folder, key), { recursive: true, force: true });
		},
	};
}
