import { DeleteObjectCommand } from "@aws-sdk/client-s3";
import { openS3Calls, type S3Place } from "./calls";
import { listVersions, toPath } from "./versions";

/** Removes every version of a key and of all keys below it, deletion markers included. Throws S3CallError for one that is locked still. */
export function openVersionEraser(place: S3Place): (key: string) => Promise<void> {
	const calls = openS3Calls(place);
	return async (key) => {
		for await (const { key: found, versionId } of listVersions(calls, place, key)) {
			// Other keys begin so too.
			if (found !== key && !found.startsWith(`${key}/`)) continue;
			const version = { Bucket: place.bucket, Key: toPath(place, found), VersionId: versionId };
			await calls.run(`DeleteObject of ${found}`, (options) =>
				calls.client.send(new DeleteObjectCommand(version), options),
			);
		}
	};
}
