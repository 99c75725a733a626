/**
 * The object under a key is the key's first version: under Object Lock nobody can take that one away, whatever is put or marked above it.
 */
import { ListObjectVersionsCommand } from "@aws-sdk/client-s3";
import { isKey, type StoredObject } from "./archive";
import type { S3Calls, S3Place } from "./s3-calls";

export type FirstVersion = StoredObject & { readonly versionId: string };

/** How keys are named in the bucket. */
export const toPath = ({ prefix }: S3Place, key: string) => (prefix === "" ? key : `${prefix}/${key}`);

/** First versions of the keys that begin so, in the order of their keys. */
export async function* listFirstVersions(calls: S3Calls, place: S3Place, prefix: string): AsyncGenerator<FirstVersion> {
	const root = toPath(place, "");
	const page = { Bucket: place.bucket, Prefix: toPath(place, prefix) };
	let next: { KeyMarker?: string; VersionIdMarker?: string } | undefined = {};
	let last: FirstVersion | undefined;
	while (next) {
		const command: ListObjectVersionsCommand = new ListObjectVersionsCommand({ ...page, ...next });
		const answer = await calls.run("ListObjectVersions", (options) => calls.client.send(command, options));
		// A key's versions come the latest first, perhaps on several pages.
		for (const { Key, VersionId, Size } of answer.Versions ?? []) {
			const key = Key?.slice(root.length) ?? "";
			if (VersionId === undefined || Size === undefined || !isKey(key)) continue;
			if (last && last.key !== key) yield last;
			last = { key, bytes: Size, versionId: VersionId };
		}
		next = answer.IsTruncated ? markersOf(answer) : undefined;
	}
	if (last) yield last;
}

export async function findFirstVersion(calls: S3Calls, place: S3Place, key: string): Promise<FirstVersion | undefined> {
	// Longer keys that begin so come after it.
	for await (const first of listFirstVersions(calls, place, key)) return first.key === key ? first : undefined;
	return undefined;
}

function markersOf(answer: { NextKeyMarker?: string | undefined; NextVersionIdMarker?: string | undefined }) {
	if (answer.NextKeyMarker === undefined) throw new Error("S3 tells of further versions, but not after which key");
	return {
		KeyMarker: answer.NextKeyMarker,
		...(answer.NextVersionIdMarker === undefined ? {} : { VersionIdMarker: answer.NextVersionIdMarker }),
	};
}
