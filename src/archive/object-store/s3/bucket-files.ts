/**
 * Files of the archive's bucket that are not archived: they have no lock, may be large, and are removed. They lie below `exports/`, where no document is.
 */
import { open } from "node:fs/promises";
import {
	AbortMultipartUploadCommand,
	type CompletedPart,
	CompleteMultipartUploadCommand,
	CreateMultipartUploadCommand,
	GetObjectCommand,
	PutObjectCommand,
	UploadPartCommand,
} from "@aws-sdk/client-s3";
import type { SharedFiles } from "../archive";
import { createS3Calls, S3CallError, type S3Calls, type S3Place } from "./calls";
import { createVersionEraser, FILES, listFirstVersions, toPath } from "./versions";

/** What is held in memory at a time, and sent in one call. S3 takes 10,000 parts. */
const PART_BYTES = 16 * 1_024 * 1_024;

export function openBucketFiles(place: S3Place): SharedFiles {
	const calls = createS3Calls(place);
	const erase = createVersionEraser(place);
	const at = (name: string) => ({ Bucket: place.bucket, Key: toPath(place, `${FILES}${name}`) });
	return {
		async put(name, path) {
			const bytes = Bun.file(path).size;
			const only = bytes <= PART_BYTES ? await Bun.file(path).bytes() : undefined;
			if (only === undefined) return putInParts(calls, at(name), path, bytes);
			const command = new PutObjectCommand({ ...at(name), Body: only });
			await calls.run(`PutObject of ${name}`, (options) => calls.client.send(command, options));
		},
		async fetch(name, path, bytes) {
			const file = await open(path, "wx", 0o640);
			try {
				for (let from = 0; from < bytes; from += PART_BYTES) {
					const Range = `bytes=${from}-${Math.min(bytes, from + PART_BYTES) - 1}`;
					const part = await calls.run(`GetObject of ${name}`, async (options) => {
						const { Body } = await calls.client.send(new GetObjectCommand({ ...at(name), Range }), options);
						return Body?.transformToByteArray();
					});
					await file.writeFile(part ?? new Uint8Array());
				}
				return true;
			} catch (error) {
				if (error instanceof S3CallError && error.httpStatus === 404) return false;
				throw error;
			} finally {
				await file.close();
			}
		},
		async list() {
			const names: string[] = [];
			for await (const { key } of listFirstVersions(calls, place, FILES)) names.push(key.slice(FILES.length));
			return names;
		},
		remove: (name) => erase(`${FILES}${name}`),
	};
}

type At = { readonly Bucket: string; readonly Key: string };

async function putInParts({ client, run }: S3Calls, at: At, path: string, bytes: number): Promise<void> {
	const create = new CreateMultipartUploadCommand(at);
	const { UploadId } = await run("CreateMultipartUpload", (options) => client.send(create, options));
	const upload = { ...at, UploadId };
	try {
		const Parts: CompletedPart[] = [];
		for (let from = 0; from < bytes; from += PART_BYTES) {
			const Body = await Bun.file(path)
				.slice(from, from + PART_BYTES)
				.bytes();
			const command = new UploadPartCommand({ ...upload, PartNumber: Parts.length + 1, Body });
			const { ETag } = await run("UploadPart", (options) => client.send(command, options));
			Parts.push({ ETag, PartNumber: Parts.length + 1 });
		}
		const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
		await run("CompleteMultipartUpload", (options) => client.send(complete, options));
	} catch (error) {
		// Parts of an upload that was not completed cost space.
		const abort = new AbortMultipartUploadCommand(upload);
		await run("AbortMultipartUpload", (options) => client.send(abort, options)).catch(() => undefined);
		throw error;
	}
}
