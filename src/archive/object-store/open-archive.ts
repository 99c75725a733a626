/** Opens the store at an address, to write and read or to erase. */

import type { Log } from "../../platform/telemetry";
import { type Archive, checkKey, readAddress, type SharedFiles } from "./archive";
import { openFileArchive } from "./files/file-archive";
import { eraseFiles } from "./files/immutable";

/** Opens the archive at an address. Throws an Error that says what is expected, or why the store cannot be used. */
export async function openArchive(url: string, log?: Pick<Log, "warn">): Promise<Archive> {
	const address = readAddress(url);
	const logging = log ? { log } : {};
	if (address.kind === "files")
		return openFileArchive(address.folder, { isImmutable: address.isImmutable, ...logging });
	// The client of S3 is large, so it is loaded only if it is used.
	const { openS3Archive } = await import("./s3/s3-archive");
	return openS3Archive({ bucket: address.bucket, prefix: address.prefix, endpoint: address.endpoint }, logging);
}

/** The place beside the archive for files that all machines share; undefined for an archive of files. */
export async function openSharedFiles(url: string): Promise<SharedFiles | undefined> {
	const address = readAddress(url);
	if (address.kind === "files") return undefined;
	const { openBucketFiles } = await import("./s3/bucket-files");
	return openBucketFiles(address);
}

/**
 * Removes objects: in the public sandbox, where documents have no fiscal effect and are deleted after a day, and after a document's retention.
 * Nothing else may have it. In S3, Object Lock refuses a removal before the date.
 */
export type ArchiveEraser = {
	/** Removes an object, or all objects below a key. Missing objects are not an error. */
	readonly erase: (key: string) => Promise<void>;
};

/** An eraser for the archive at an address. Throws an Error that says what is expected. */
export function createArchiveEraser(url: string): ArchiveEraser {
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
			opening ??= import("./s3/versions").then(({ createVersionEraser }) => createVersionEraser(address));
			await (await opening)(key);
		},
	};
}
