/** SHA-256 as the tree needs it. The one file here that knows the platform: a bundle for browsers puts another in its place. */
import { createHash } from "node:crypto";

/** The digest of the parts, one after another. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
	const hash = createHash("sha256");
	for (const part of parts) hash.update(part);
	return new Uint8Array(hash.digest());
}
