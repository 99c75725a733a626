/**
 * Takes objects out of the archive: in the public sandbox, whose documents have no fiscal effect and are deleted a day after they came, and
 * where a document's years are over. Nothing else may have this. In S3 it is Object Lock that has the last word: before its date it refuses.
 */
import { readAddress } from "./address";
import { checkKey } from "./archive";
import { eraseFiles } from "./files/erase-files";

export type ArchiveEraser = {
	/** Removes an object, or all objects below a key; what is not there is gone already. */
	readonly erase: (key: string) => Promise<void>;
};

/** For the archive at an address. Throws an Error that tells what is expected. */
export function openArchiveEraser(url: string): ArchiveEraser {
	const address = readAddress(url);
	if (address.kind === "files") {
		return {
			async erase(key) {
				checkKey(key);
				await eraseFiles(address.folder, key);
			},
		};
	}
	let opening: Promise<(key: string) => Promise<void>> | undefined;
	return {
		async erase(key) {
			checkKey(key);
			// The client of S3 is large: it is loaded where it is used.
			opening ??= import("./s3/erase-versions").then(({ openVersionEraser }) => openVersionEraser(address));
			await (await opening)(key);
		},
	};
}
