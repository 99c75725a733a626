/** Takes an object out of the store and holds it against the index. */
import { createHash } from "node:crypto";
import { type Archive, ObjectMissingError } from "../archive";
import type { ListedObject } from "../listing";

/** An object that cannot be exported, and whose. */
export class ObjectFaultError extends Error {
	constructor(
		readonly fault: "missing" | "changed" | "unreadable",
		readonly object: Pick<ListedObject, "docId" | "encf" | "objectKey">,
		cause?: unknown,
	) {
		super(`the object ${object.objectKey} of document ${object.docId} is ${fault}: verify the archive`, { cause });
		this.name = "ObjectFaultError";
	}
}

/** Throws ObjectFaultError unless the bytes are what was archived. */
export async function readObject(archive: Pick<Archive, "get">, object: ListedObject): Promise<Uint8Array> {
	const bytes = await archive.get(object.objectKey, object.versionId).catch((error) => {
		throw new ObjectFaultError(error instanceof ObjectMissingError ? "missing" : "unreadable", object, error);
	});
	const isWhole = bytes.length === object.bytes && createHash("sha256").update(bytes).digest("hex") === object.sha256;
	if (!isWhole) throw new ObjectFaultError("changed", object);
	return bytes;
}
