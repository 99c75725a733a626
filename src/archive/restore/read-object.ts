/** What a sealed object tells of its document, for the index. */
import { createHash } from "node:crypto";
import { type Archive, ObjectMissingError } from "../archive";
import { type Manifest, readManifest, SealedObjectError } from "../seal";

type ReadObject =
	| { readonly state: "whole"; readonly manifest: Manifest; readonly sha256: string; readonly bytes: number }
	/** Not what a sealed object is, or not to be had. */
	| { readonly state: "damaged" | "missing" };

export async function readObject(archive: Archive, key: string, versionId: string | null): Promise<ReadObject> {
	let bytes: Uint8Array;
	try {
		bytes = await archive.get(key, versionId);
	} catch (error) {
		// Whatever keeps this one from being read is told by the verification; the others are read on.
		return { state: error instanceof ObjectMissingError ? "missing" : "damaged" };
	}
	try {
		const manifest = readManifest(bytes);
		return { state: "whole", manifest, sha256: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.length };
	} catch (error) {
		if (error instanceof SealedObjectError) return { state: "damaged" };
		throw error;
	}
}
