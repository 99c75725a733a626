/**
 * A document's digest, made when it is signed and asked for again when the finished bytes are read back.
 *
 * SHA-256 of the same bytes is the same, so what is read back is compared, byte for byte, with a copy of what was hashed, which takes a
 * twentieth of the time; whatever differs is hashed anew. Copy and digest lie in memory of their own, and the digest's text is made anew from there:
 * a byte that changes in the signer's memory, in the finished bytes or here makes two things differ. A SHA-256 that was
 * wrong from the first is not seen.
 */
import { createScratch } from "./scratch";
import { sha256Base64 } from "./signature-frame";

const DIGEST_BYTES = 32;

const scratch = createScratch();
const digest = new Uint8Array(DIGEST_BYTES);
/** What `digest` is of. */
let hashed: Buffer | undefined;

/** The digest of a text's UTF-8 bytes, in base64; they are kept until the next one. */
export function digestText(text: string): string {
	// Nothing is known while the memory is filled, should that throw.
	hashed = undefined;
	const bytes = scratch.encode(text);
	Bun.SHA256.hash(bytes, digest);
	hashed = bytes;
	return digest.toBase64();
}

/** The digest of bytes that nearly always are the ones of the last text. */
export function digestAgain(bytes: Buffer): string {
	return hashed?.equals(bytes) ? digest.toBase64() : sha256Base64(bytes);
}
