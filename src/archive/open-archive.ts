import type { Log } from "../platform/telemetry";
import { readAddress } from "./address";
import type { Archive } from "./archive";
import { openFileArchive } from "./files/file-archive";

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
