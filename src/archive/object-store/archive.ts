/** The write-once store: what every store promises, its keys and errors, and how its address is written. */
import { createHash } from "node:crypto";
import { resolve } from "node:path";

/** A store in which an object is written once and never changed. */
export type Archive = {
	/** Writes an object. The same bytes again are a success; throws ArchiveConflictError for other bytes under the key. */
	readonly putOnce: (key: string, bytes: Uint8Array, keep: Keep) => Promise<PutResult>;
	/** The bytes of the object, or of one version of it if the store has versions. Throws ObjectMissingError. */
	readonly get: (key: string, versionId?: string | null) => Promise<Uint8Array>;
	/** Reads the object again and compares its SHA-256 (hex). Undefined if it is as it was written. Takes a row of the index as it is. */
	readonly verify: (key: string, sha256: string, written?: Written) => Promise<ObjectFault | undefined>;
	/** The objects whose keys have this prefix, in the order of their keys, without drafts. */
	readonly list: (prefix: string) => AsyncIterable<StoredObject>;
	/** Makes the store keep an object until a date, if it knows dates. Never shortens the time. */
	readonly extendRetention: (key: string, versionId: string | null, until: Date) => Promise<void>;
	/** False if an object could not be written now or soon, as far as can be known without a write. Cheap enough for every health check. */
	readonly isWritable: () => Promise<boolean>;
};

/** Files that all machines of a deployment share for a while. */
export type SharedFiles = {
	/** Copies a file there, in place of what has the name. */
	readonly put: (name: string, path: string) => Promise<void>;
	/** Copies its first bytes to a new file; false if there is none. */
	readonly fetch: (name: string, path: string, bytes: number) => Promise<boolean>;
	readonly list: () => Promise<string[]>;
	readonly remove: (name: string) => Promise<void>;
};

export type Keep = {
	/** The store refuses to remove the object before this date, if it knows dates. Files stay until they are removed. */
	readonly retainUntil: Date;
};

export type PutResult = {
	/** Hex. */
	readonly sha256: string;
	readonly bytes: number;
	/** False if the object existed already. */
	readonly created: boolean;
	/** The object's version; absent if the store has no versions. */
	readonly versionId?: string;
};

export type StoredObject = { readonly key: string; readonly bytes: number; readonly versionId?: string };

export type Written = { readonly versionId?: string | null; readonly retainUntil?: Date };

/**
 * What can be wrong with an object. `hidden`: it is unchanged, but another version is above it under its key. `unlocked`: it is unchanged, but
 * the store would allow its removal before its date.
 */
export type ObjectFault = "missing" | "changed" | "unreadable" | "hidden" | "unlocked";

/** The key of a sealed object. It holds the digest (hex), so sealing again never causes a conflict. The SQL function `sealed_object_key` makes the same. */
export function sealedObjectKey({ tenantId, docId, decidedAt, sha256 }: SealedName): string {
	return `${sealedPrefix({ tenantId, docId, decidedAt })}${sha256.slice(0, 16)}.zip`;
}

/** What the keys of all objects of a document's decisions in one year begin with. */
export function sealedPrefix({ tenantId, docId, decidedAt }: Omit<SealedName, "sha256">): string {
	return `${tenantId}/${decidedAt.getUTCFullYear()}/${docId}-`;
}

type SealedName = {
	readonly tenantId: string;
	readonly docId: string;
	readonly decidedAt: Date;
	readonly sha256: string;
};

export class ArchiveConflictError extends Error {
	constructor(
		readonly key: string,
		readonly expected: string,
		readonly got: string,
	) {
		super(`${key} already holds other bytes (sha256 ${got}, not ${expected}): it stays as it is; verify the archive`);
		this.name = "ArchiveConflictError";
	}
}

export class ObjectMissingError extends Error {
	constructor(
		readonly key: string,
		cause?: unknown,
	) {
		super(`the archive has no object ${key}: verify the archive and restore it from a copy`, { cause });
		this.name = "ObjectMissingError";
	}
}

/** SHA-256 in hex. */
export function sha256Hex(content: Uint8Array | string): string {
	return createHash("sha256").update(content).digest("hex");
}

/** Throws an Error unless the key is one to four plain segments, which file systems and URLs read alike. */
export function checkKey(key: string): void {
	if (!isKey(key)) refuse(key);
}

export function isKey(key: string): boolean {
	const segments = key.split("/");
	return segments.length <= SEGMENTS_MAX && segments.every(isPlain);
}

/** Throws an Error unless a key can have this prefix. */
export function checkPrefix(prefix: string): void {
	if (prefix !== "" && !isKey(prefix) && !isKey(`${prefix}x`)) refuse(prefix);
}

const SEGMENTS_MAX = 4;
const isPlain = (segment: string) => /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/.test(segment);

function refuse(key: string): never {
	throw new Error(`not an archive key: ${JSON.stringify(key.slice(0, 200))}`);
}

/**
 * Where an archive is. The query holds the settings of the store, so one text is all that a thread or a command needs.
 *
 *   ./archive, file:///var/lib/archive?immutable=on
 *   s3://bucket/prefix?endpoint=https%3A%2F%2Fs3.example
 */
export type ArchiveAddress =
	| { readonly kind: "files"; readonly folder: string; readonly isImmutable: boolean }
	| { readonly kind: "s3"; readonly bucket: string; readonly prefix: string; readonly endpoint: string | undefined };

/** Throws an Error that says what is expected. */
export function readAddress(text: string): ArchiveAddress {
	const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
	if (scheme === undefined && text !== "") return { kind: "files", folder: resolve(text), isImmutable: false };
	if (scheme === "file" && /^file:\/\/\/[^/]/i.test(text) && URL.canParse(text)) {
		const url = new URL(text);
		return { kind: "files", folder: Bun.fileURLToPath(url), isImmutable: url.searchParams.get("immutable") === "on" };
	}
	if (scheme === "s3") return readS3(text);
	throw new Error(`expected an archive at file:///…, a path or s3://bucket/prefix, got "${text}"`);
}

// Source: Amazon S3 User Guide, General purpose bucket naming rules.
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

function readS3(text: string): ArchiveAddress {
	const [, bucket = "", path = "", query = ""] = /^s3:\/\/([^/?]*)\/?([^?]*?)\/?(\?.*)?$/i.exec(text) ?? [];
	const endpoint = new URLSearchParams(query).get("endpoint") ?? undefined;
	if (!BUCKET.test(bucket) || (path !== "" && !isKey(path))) {
		throw new Error(`expected s3://bucket/prefix with a bucket's name and plain segments, got "${text}"`);
	}
	return { kind: "s3", bucket, prefix: path, endpoint };
}

/** The text that `readAddress` reads as this address. */
export function writeAddress(address: ArchiveAddress): string {
	if (address.kind === "files") {
		const url = Bun.pathToFileURL(address.folder);
		if (address.isImmutable) url.searchParams.set("immutable", "on");
		return url.href;
	}
	const query = address.endpoint === undefined ? "" : `?${new URLSearchParams({ endpoint: address.endpoint })}`;
	return `s3://${address.bucket}${address.prefix === "" ? "" : `/${address.prefix}`}${query}`;
}

/** The bucket cannot protect what is written. The operator must change it. */
export class UnsafeBucketError extends Error {
	constructor(
		readonly bucket: string,
		fault: string,
		cause?: unknown,
	) {
		super(`the archive cannot be kept in the bucket ${bucket}: ${fault}`, { cause });
		this.name = "UnsafeBucketError";
	}
}
