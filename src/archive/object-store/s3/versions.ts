/**
 * The object of a key is the key's first version. Object Lock protects it, whatever is put or marked above it.
 */

import {
	DeleteObjectCommand,
	ListObjectVersionsCommand,
	type ListObjectVersionsCommandOutput,
} from "@aws-sdk/client-s3";
import { isKey, type StoredObject } from "../archive";
import { createS3Calls, type S3Calls, type S3Place } from "./calls";

export type FirstVersion = StoredObject & { readonly versionId: string };
/** Without a size it is a deletion marker. */
type AnyVersion = { readonly key: string; readonly versionId: string; readonly bytes: number | undefined };

/** Files below it are not of the archive. */
export const FILES = "exports/";

/** How keys are named in the bucket. */
export const toPath = ({ prefix }: S3Place, key: string) => (prefix === "" ? key : `${prefix}/${key}`);

/** First versions of the keys with this prefix, in the order of their keys. */
export async function* listFirstVersions(calls: S3Calls, place: S3Place, prefix: string): AsyncGenerator<FirstVersion> {
	let last: FirstVersion | undefined;
	for await (const { key, bytes, versionId } of listVersions(calls, place, prefix)) {
		if (bytes === undefined || !isKey(key)) continue;
		if (last && last.key !== key) yield last;
		last = { key, bytes, versionId };
	}
	if (last) yield last;
}

export async function findFirstVersion(calls: S3Calls, place: S3Place, key: string): Promise<FirstVersion | undefined> {
	// Longer keys with this prefix come after it.
	for await (const first of listFirstVersions(calls, place, key)) return first.key === key ? first : undefined;
	return undefined;
}

/** Every version of the keys with this prefix. Of one key the latest comes first, and on each page after its deletion markers. */
export async function* listVersions(calls: S3Calls, place: S3Place, prefix: string): AsyncGenerator<AnyVersion> {
	const root = toPath(place, "");
	const page = { Bucket: place.bucket, Prefix: toPath(place, prefix), MaxKeys: calls.pageMax };
	let next: { KeyMarker?: string; VersionIdMarker?: string } | undefined = {};
	while (next) {
		const command: ListObjectVersionsCommand = new ListObjectVersionsCommand({ ...page, ...next });
		const answer: ListObjectVersionsCommandOutput = await calls.run("ListObjectVersions", (options) =>
			calls.client.send(command, options),
		);
		const markers = (answer.DeleteMarkers ?? []).map((marker) => ({ ...marker, Size: undefined }));
		for (const { Key, VersionId, Size } of [...markers, ...(answer.Versions ?? [])]) {
			if (Key !== undefined && VersionId !== undefined)
				yield { key: Key.slice(root.length), versionId: VersionId, bytes: Size };
		}
		next = answer.IsTruncated ? markersOf(answer) : undefined;
	}
}

function markersOf(answer: ListObjectVersionsCommandOutput) {
	const { NextKeyMarker, NextVersionIdMarker } = answer;
	if (NextKeyMarker === undefined) throw new Error("S3 announces further versions without a marker");
	return {
		KeyMarker: NextKeyMarker,
		...(NextVersionIdMarker === undefined ? {} : { VersionIdMarker: NextVersionIdMarker }),
	};
}

/** Removes every version of a key and of all keys below it, deletion markers included. Throws S3CallError for a locked version. */
export function createVersionEraser(place: S3Place): (key: string) => Promise<void> {
	const calls = createS3Calls(place);
	return async (key) => {
		for await (const { key: found, versionId } of listVersions(calls, place, key)) {
			// Other keys have the same prefix.
			if (found !== key && !found.startsWith(`${key}/`)) continue;
			const version = { Bucket: place.bucket, Key: toPath(place, found), VersionId: versionId };
			await calls.run(`DeleteObject of ${found}`, (options) =>
				calls.client.send(new DeleteObjectCommand(version), options),
			);
		}
	};
}
