/** A store in which an object is written once and never changed. */
export type Archive = {
	/** Writes an object. The same bytes again are a success; throws ArchiveConflictError for other bytes under the key. */
	readonly putOnce: (key: string, bytes: Uint8Array) => Promise<PutResult>;
	/** The object's bytes. Throws ObjectMissingError. */
	readonly get: (key: string) => Promise<Uint8Array>;
	/** Reads the object again and compares its SHA-256 (hex); undefined when it is as it was written. */
	readonly verify: (key: string, sha256: string) => Promise<ObjectFault | undefined>;
	/** False when an object could not be written now, as far as that can be told without writing one. */
	readonly isWritable: () => Promise<boolean>;
};

export type PutResult = {
	/** Hex. */
	readonly sha256: string;
	readonly bytes: number;
	/** False when the object stood there already. */
	readonly created: boolean;
};

/** What can have become of an object behind our back. */
export type ObjectFault = "missing" | "changed" | "unreadable";

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
		cause: unknown,
	) {
		super(`the archive has no object ${key}: verify the archive and restore it from a copy`, { cause });
		this.name = "ObjectMissingError";
	}
}

/** Throws an Error unless the key is one to four plain segments: nothing that a file system or a URL reads in another way. */
export function checkKey(key: string): void {
	const segments = key.split("/");
	const plain = segments.every((segment) => /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/.test(segment));
	if (!plain || segments.length > 4) throw new Error(`not an archive key: ${JSON.stringify(key.slice(0, 200))}`);
}
