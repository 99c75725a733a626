/**
 * A document's digest, made when it is signed and asked for again when the finished bytes are read back.
 *
 * SHA-256 of the same bytes is the same, so what is read back is compared, byte for byte, with a copy of what was hashed, which takes a
 * twentieth of the time; whatever differs is hashed anew. The copy lies in memory of its own, filled before hashing: a byte that changes
 * in the signer's memory, in the finished bytes or here makes the two differ.
 */
import { createScratch } from "./scratch";
import { sha256Base64 } from "./signature-frame";

const scratch = createScratch();
let hashed: { readonly bytes: Buffer; readonly digest: string } | undefined;

/** The digest of a text's UTF-8 bytes, in base64; they are kept until the next one. */
export function digestText(text: string): string {
	// Nothing is known while the memory is filled, should that throw.
	hashed = undefined;
	const bytes = scratch.encode(text);
	const digest = sha256Base64(bytes);
	hashed = { bytes, digest };
	return digest;
}

/** The digest of bytes that nearly always are the ones of the last text. */
export function digestAgain(bytes: Buffer): string {
	return hashed?.bytes.equals(bytes) ? hashed.digest : sha256Base64(bytes);
}
