/**
 * The write-once store in S3 under Object Lock.
 *
 *   first version? ──no──▶ PutObject, COMPLIANCE until its date ──▶ first version: ours? ──▶ confirmed, with the version's id
 *       └──yes──▶ read it: the same bytes? ──▶ confirmed                └──no──┐
 *                          ▲───────────────────────────────────────────────────┘
 *
 * Model: in compliance mode no account, root included, can overwrite or remove a version or bring its date forward. A lock protects a version,
 * not a name: a writer can put another version or a deletion marker above it. So the object of a key is its first version, and reads use its id.
 *
 * What fails: without an answer nothing is confirmed. The caller repeats the call and finds the version that was created in the meantime. A store
 * that ignores `If-None-Match` (Ceph 16, in buckets with versions) gives each of two writers a version; the check afterwards shows the second
 * writer which one is the object.
 *
 * Quirks: S3 truncates dates to the second, so they are rounded up. Old stores ignore `x-amz-checksum-sha256`; the request's signature covers the
 * digest everywhere. A HEAD without permission to read retentions shows none, which looks like an unlocked object.
 */

import { createHash } from "node:crypto";
import {
	GetObjectCommand,
	GetObjectRetentionCommand,
	HeadBucketCommand,
	HeadObjectCommand,
	PutObjectCommand,
	PutObjectRetentionCommand,
} from "@aws-sdk/client-s3";
import { withTimeout } from "../../../platform/concurrency";
import { failpoint } from "../../../platform/failpoints";
import type { Log } from "../../../platform/telemetry";
import {
	type Archive,
	ArchiveConflictError,
	checkKey,
	checkPrefix,
	type Keep,
	type ObjectFault,
	ObjectMissingError,
	type PutResult,
	sha256Hex,
	type Written,
} from "../archive";
import { createBucketCheck } from "./bucket";
import { createS3Calls, S3CallError, type S3Calls, type S3Limits, type S3Place } from "./calls";
import { FILES, type FirstVersion, findFirstVersion, listFirstVersions, toPath } from "./versions";

const LOCK_MODE = "COMPLIANCE";

type Store = { readonly calls: S3Calls; readonly place: S3Place };

type S3ArchiveOptions = { readonly log?: Pick<Log, "warn">; readonly limits?: Partial<S3Limits> };

/** Opens an archive in a bucket. Throws: UnsafeBucketError. */
export async function openS3Archive(place: S3Place, { log, limits }: S3ArchiveOptions = {}): Promise<Archive> {
	const calls = createS3Calls(place, limits);
	const checkBucket = await createBucketCheck(calls, place.bucket, log);
	const store: Store = { calls, place };
	return {
		async putOnce(key, bytes, keep) {
			checkKey(key);
			await checkBucket();
			return putOnce(store, key, bytes, keep);
		},
		async get(key, versionId) {
			checkKey(key);
			return (await readVersion(store, key, await settleId(store, key, versionId))).bytes;
		},
		async verify(key, sha256, written) {
			checkKey(key);
			return verifyVersion(store, key, sha256, written ?? {});
		},
		list(prefix) {
			checkPrefix(prefix);
			return listArchived(store, prefix);
		},
		async extendRetention(key, versionId, until) {
			checkKey(key);
			await extendTo(store, key, await settleId(store, key, versionId), until);
		},
		isWritable: createHealthCheck(store, checkBucket),
	};
}

async function* listArchived({ calls, place }: Store, prefix: string): ReturnType<typeof listFirstVersions> {
	for await (const one of listFirstVersions(calls, place, prefix)) if (!one.key.startsWith(FILES)) yield one;
}

async function putOnce(store: Store, key: string, bytes: Uint8Array, { retainUntil }: Keep): Promise<PutResult> {
	const sha256 = sha256Hex(bytes);
	const before = await findFirstVersion(store.calls, store.place, key);
	const put = before ? undefined : await putVersion(store, key, bytes, retainUntil);
	failpoint("archive-written");
	const first = before ?? (await findFirstVersion(store.calls, store.place, key));
	if (!first) throw new Error(`S3 does not list ${key} although it has taken it: it counts as not archived`);
	const created = first.versionId === put;
	if (!created) await adopt(store, first, sha256, retainUntil);
	failpoint("archive-synced");
	return { sha256, bytes: bytes.length, created, versionId: first.versionId };
}

/** The id of the new version; undefined if the key was taken. */
async function putVersion(store: Store, key: string, bytes: Uint8Array, until: Date): Promise<string | undefined> {
	const command = new PutObjectCommand({
		...at(store, key),
		Body: bytes,
		ContentType: contentTypeOf(key),
		ChecksumSHA256: createHash("sha256").update(bytes).digest("base64"),
		IfNoneMatch: "*",
		ObjectLockMode: LOCK_MODE,
		ObjectLockRetainUntilDate: roundUp(until),
	});
	try {
		const { VersionId } = await call(store, "PutObject", key, (options) => store.calls.client.send(command, options));
		// Versioning was disabled after the check of the bucket.
		if (VersionId === undefined) throw new Error(`S3 has given ${key} no version: it counts as not archived`);
		return VersionId;
	} catch (error) {
		if (error instanceof S3CallError && error.httpStatus === 412) return undefined;
		throw error;
	}
}

/** Accepts an existing object if it is the same, and extends its lock if needed. Throws: ArchiveConflictError. */
async function adopt(store: Store, { key, versionId }: FirstVersion, sha256: string, until: Date): Promise<void> {
	const { bytes, lockedUntil } = await readVersion(store, key, versionId);
	const existing = sha256Hex(bytes);
	if (existing !== sha256) throw new ArchiveConflictError(key, sha256, existing);
	if (!lockedUntil || lockedUntil < until) await extendTo(store, key, versionId, until);
}

type Version = {
	readonly bytes: Uint8Array;
	/** The end of its compliance lock; undefined without one. */
	readonly lockedUntil: Date | undefined;
	readonly etag: string | undefined;
};

async function readVersion(store: Store, key: string, versionId: string): Promise<Version> {
	const command = new GetObjectCommand({ ...at(store, key), VersionId: versionId });
	try {
		return await call(store, "GetObject", key, async (options) => {
			const { Body, ETag, ObjectLockMode, ObjectLockRetainUntilDate } = await store.calls.client.send(command, options);
			if (!Body) throw new Error("no body");
			const lockedUntil = ObjectLockMode === LOCK_MODE ? ObjectLockRetainUntilDate : undefined;
			return { bytes: await Body.transformToByteArray(), lockedUntil, etag: ETag };
		});
	} catch (error) {
		throw error instanceof S3CallError && error.httpStatus === 404 ? new ObjectMissingError(key, error) : error;
	}
}

async function verifyVersion(
	store: Store,
	key: string,
	sha256: string,
	{ versionId, retainUntil }: Written,
): Promise<ObjectFault | undefined> {
	try {
		const { bytes, lockedUntil, etag } = await readVersion(store, key, await settleId(store, key, versionId));
		if (sha256Hex(bytes) !== sha256) return "changed";
		if (!lockedUntil || (retainUntil && lockedUntil < retainUntil)) return "unlocked";
		// Two concurrent writers may each have a version: the same bytes above the object hide nothing.
		return (await readLatestTag(store, key)) === etag ? undefined : "hidden";
	} catch (error) {
		return error instanceof ObjectMissingError ? "missing" : "unreadable";
	}
}

/** The tag of the key's latest version; undefined if that is a deletion marker. */
async function readLatestTag(store: Store, key: string): Promise<string | undefined> {
	const command = new HeadObjectCommand(at(store, key));
	try {
		const { ETag } = await call(store, "HeadObject", key, (options) => store.calls.client.send(command, options));
		return ETag;
	} catch (error) {
		if (error instanceof S3CallError && error.httpStatus === 404) return undefined;
		throw error;
	}
}

async function extendTo(store: Store, key: string, versionId: string, until: Date): Promise<void> {
	const version = { ...at(store, key), VersionId: versionId };
	const wanted = roundUp(until);
	const existing = await call(store, "GetObjectRetention", key, (options) =>
		store.calls.client.send(new GetObjectRetentionCommand(version), options),
	).catch((error) => {
		// An object that another program put there may have none. Stores use different codes for that.
		if (error instanceof S3CallError && error.httpStatus === 404) return undefined;
		throw error;
	});
	const { Mode, RetainUntilDate } = existing?.Retention ?? {};
	if (Mode === LOCK_MODE && RetainUntilDate && RetainUntilDate >= wanted) return;
	const Retention = { Mode: LOCK_MODE, RetainUntilDate: wanted } as const;
	await call(store, "PutObjectRetention", key, (options) =>
		store.calls.client.send(new PutObjectRetentionCommand({ ...version, Retention }), options),
	);
}

async function settleId(store: Store, key: string, versionId: string | null | undefined): Promise<string> {
	const id = versionId ?? (await findFirstVersion(store.calls, store.place, key))?.versionId;
	if (id === undefined) throw new ObjectMissingError(key);
	return id;
}

/** Whether the bucket answers. Asks it rarely, however often this is called. */
function createHealthCheck({ calls, place }: Store, checkBucket: () => Promise<void>): () => Promise<boolean> {
	return cacheAnswer(async () => {
		try {
			await checkBucket();
			await calls.run("HeadBucket", (options) =>
				calls.client.send(new HeadBucketCommand({ Bucket: place.bucket }), options),
			);
			return true;
		} catch {
			// Any failure means that the bucket cannot be written.
			return false;
		}
	});
}

const at = ({ place }: Store, key: string) => ({ Bucket: place.bucket, Key: toPath(place, key) });

function call<T>(
	{ calls }: Store,
	name: string,
	key: string,
	send: (options: { readonly abortSignal: AbortSignal }) => Promise<T>,
): Promise<T> {
	return calls.run(`${name} of ${key}`, send);
}

function contentTypeOf(key: string): string {
	if (key.endsWith(".zip")) return "application/zip";
	return key.endsWith(".jsonl") ? "application/jsonl" : "text/plain; charset=utf-8";
}

const roundUp = (date: Date) => new Date(Math.ceil(date.getTime() / 1_000) * 1_000);

/**
 * `cacheAnswer` caches the answer to a question, however often it is needed.
 *
 *   age of the last answer   up to 15 s    older: the question is asked again
 *   it is returned           at once       if the new answer takes over a second, until it has taken five
 *
 * So a health check, which must answer soon, does not take a slow store for an unavailable one.
 */
const REFRESH_AFTER_MS = 15_000;
const SOON_MS = 1_000;
const HANGS_AFTER_MS = 5_000;

type Limits = { readonly soonMs?: number; readonly now?: () => number };

/** `query` never rejects. `now` is the steady clock, in milliseconds. */
export function cacheAnswer<T>(
	query: () => Promise<T>,
	{ soonMs = SOON_MS, now = () => performance.now() }: Limits = {},
): () => Promise<T> {
	let last: { readonly answer: T; readonly atMs: number } | undefined;
	let pending: { readonly answer: Promise<T>; readonly sinceMs: number } | undefined;
	const refresh = async (): Promise<T> => {
		const answer = await query();
		last = { answer, atMs: now() };
		pending = undefined;
		return answer;
	};
	return async () => {
		if (last && !pending && now() - last.atMs < REFRESH_AFTER_MS) return last.answer;
		pending ??= { sinceMs: now(), answer: refresh() };
		const { answer, sinceMs } = pending;
		const known = last?.answer;
		if (known === undefined || now() - sinceMs >= HANGS_AFTER_MS) return answer;
		return withTimeout(answer, soonMs, () => known);
	};
}
