/** A store in which an object is written once and never changed. */
export type Archive = {
	/** Writes an object. The same bytes again are a success; throws ArchiveConflictError for other bytes under the key. */
	readonly putOnce: (key: string, bytes: Uint8Array, keep: Keep) => Promise<PutResult>;
	/** The bytes of the object, or of a version of it where the store has versions. Throws ObjectMissingError. */
	readonly get: (key: string, versionId?: string | null) => Promise<Uint8Array>;
	/** Reads the object again and compares its SHA-256 (hex); undefined when it is as it was written. A row of the index can be given as it is. */
	readonly verify: (key: string, sha256: string, written?: Written) => Promise<ObjectFault | undefined>;
	/** The objects whose keys begin so, in the order of their keys; drafts are none. */
	readonly list: (prefix: string) => AsyncIterable<StoredObject>;
	/** Makes the store itself keep an object until then, where it knows dates; never shorter than it does already. */
	readonly extendRetention: (key: string, versionId: string | null, until: Date) => Promise<void>;
	/** False when an object could not be written now, or soon not any more, as far as that can be told without writing one. Cheap enough for every health check. */
	readonly isWritable: () => Promise<boolean>;
};

export type Keep = {
	/** The store refuses to give the object up before, where it knows dates; files are kept until somebody removes them. */
	readonly retainUntil: Date;
};

export type PutResult = {
	/** Hex. */
	readonly sha256: string;
	readonly bytes: number;
	/** False when the object stood there already. */
	readonly created: boolean;
	/** Which version the object is; absent where the store has none. */
	readonly versionId?: string;
};

export type StoredObject = { readonly key: string; readonly bytes: number; readonly versionId?: string };

/** What is known of an object that was written. */
export type Written = { readonly versionId?: string | null; readonly retainUntil?: Date };

/**
 * What can have become of an object behind our back. `hidden`: it is there and unchanged, but something stands before it under its key.
 * `unlocked`: it is unchanged, but the store would give it up before its date.
 */
export type ObjectFault = "missing" | "changed" | "unreadable" | "hidden" | "unlocked";

/** Another object stands under the key. */
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

/** There is no object under the key. */
export class ObjectMissingError extends Error {
	constructor(
		readonly key: string,
		cause?: unknown,
	) {
		super(`the archive has no object ${key}: verify the archive and restore it from a copy`, { cause });
		this.name = "ObjectMissingError";
	}
}

/** Throws an Error unless the key is one to four plain segments: nothing that a file system or a URL reads in another way. */
export function checkKey(key: string): void {
	if (!isKey(key)) refuse(key);
}

export function isKey(key: string): boolean {
	const segments = key.split("/");
	return segments.length <= SEGMENTS_MAX && segments.every(isPlain);
}

/** Throws an Error unless a key can begin so. */
export function checkPrefix(prefix: string): void {
	if (prefix !== "" && !isKey(prefix) && !isKey(`${prefix}x`)) refuse(prefix);
}

const SEGMENTS_MAX = 4;
const isPlain = (segment: string) => /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/.test(segment);

function refuse(key: string): never {
	throw new Error(`not an archive key: ${JSON.stringify(key.slice(0, 200))}`);
}
