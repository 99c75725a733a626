/** Opens the store at an address, to write and read or to erase. */

import type { Log } from "../../platform/telemetry";
import { type Archive, checkKey, readAddress } from "./archive";
import { openFileArchive } from "./files/file-archive";
import { eraseFiles } from "./files/immutable";

/** Opens the archive at an address. Throws an Error that tells what is expected, or why what is there cannot be used. */
export async function openArchive(url: string, log?: Pick<Log, "warn">): Promise<Archive> {
	const address = readAddress(url);
	const telling = log ? { log } : {};
	if (address.kind === "files")
		return openFileArchive(address.folder, { isImmutable: address.isImmutable, ...telling });
	// The client of S3 is large: it is loaded where it is used.
	const { openS3Archive } = await import("./s3/s3-archive");
	return openS3Archive({ bucket: address.bucket, prefix: address.prefix, endpoint: address.endpoint }, telling);
}

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
			opening ??= import("./s3/versions").then(({ openVersionEraser }) => openVersionEraser(address));
			await (await opening)(key);
		},
	};
}
