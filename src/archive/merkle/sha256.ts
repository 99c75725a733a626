/** SHA-256 for the tree. The only file here that depends on the platform: a bundle for browsers replaces `node:crypto`. */
import { createHash } from "node:crypto";

export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
	const hash = createHash("sha256");
	for (const part of parts) hash.update(part);
	return new Uint8Array(hash.digest());
}
