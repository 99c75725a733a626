/**
 * The cursor of the change feed: a place in it, sealed so that nothing can be read from it. Places are numbers without gaps until something is
 * erased, and the changes of a run ascend by document: numbers in the open would show where one is missing, and between which two.
 *
 * The same place has the same cursor, after every restart and in every process: what it is sealed with is derived from the place.
 */
import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { deriveKey } from "../../secrets";

const NONCE_BYTES = 12;
const PLACE_BYTES = 8;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";

export type FeedCursors = {
	readonly seal: (place: number) => string;
	/** The place that a cursor names; undefined when it was not sealed here. */
	readonly open: (cursor: string) => number | undefined;
};

export function createFeedCursors(key: Uint8Array): FeedCursors {
	const sealingKey = deriveKey(key, "registry-feed-cursor");
	const nonceKey = deriveKey(key, "registry-feed-nonce");
	return {
		seal: (place) => {
			const plain = Buffer.alloc(PLACE_BYTES);
			plain.writeBigUInt64BE(BigInt(place));
			// One nonce for each place and never another: under one key the cipher needs no more.
			const nonce = createHmac("sha256", nonceKey).update(plain).digest().subarray(0, NONCE_BYTES);
			const cipher = createCipheriv(CIPHER, sealingKey, nonce);
			const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
			return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64url");
		},
		open: (cursor) => {
			const bytes = Buffer.from(cursor, "base64url");
			// Several texts would otherwise be one cursor: what is left over at the end is not read.
			if (bytes.length !== NONCE_BYTES + PLACE_BYTES + TAG_BYTES || bytes.toString("base64url") !== cursor)
				return undefined;
			const decipher = createDecipheriv(CIPHER, sealingKey, bytes.subarray(0, NONCE_BYTES));
			decipher.setAuthTag(bytes.subarray(NONCE_BYTES + PLACE_BYTES));
			try {
				const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
				return Number(plain.readBigUInt64BE());
			} catch {
				// Sealed under another key, or by nobody.
				return undefined;
			}
		},
	};
}
