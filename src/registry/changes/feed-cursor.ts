/**
 * The cursor of the change feed: a place in it, sealed so that nothing can be read from it. Places are numbers without gaps until something is
 * erased, and the changes of a run ascend by document: numbers in the open would show where one is missing, and between which two.
 *
 * A restored database counts on from its own last place, so the number alone may name another change than it did. The mark of the set that it
 * stands in is drawn anew for each set, and tells them apart.
 *
 * The same place has the same cursor, after every restart and in every process: what it is sealed with is derived from the place.
 */

import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { deriveKey } from "../../platform/secrets";
import type { Place } from "./changes-store";

const NONCE_BYTES = 12;
const NUMBER_BYTES = 8;
const MARK_BYTES = 16;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";

export type FeedCursors = {
	readonly seal: (place: Place) => string;
	/** The place that a cursor names; undefined when it was not sealed here. */
	readonly open: (cursor: string) => Place | undefined;
};

export function createFeedCursors(key: Uint8Array): FeedCursors {
	const sealingKey = deriveKey(key, "registry-feed-cursor");
	const nonceKey = deriveKey(key, "registry-feed-nonce");
	return {
		seal: (place) => {
			const plain = write(place);
			// One nonce for each place and never another: under one key the cipher needs no more.
			const nonce = createHmac("sha256", nonceKey).update(plain).digest().subarray(0, NONCE_BYTES);
			const cipher = createCipheriv(CIPHER, sealingKey, nonce);
			const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
			return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64url");
		},
		open: (cursor) => {
			const bytes = Buffer.from(cursor, "base64url");
			const sealedBytes = bytes.length - NONCE_BYTES - TAG_BYTES;
			if (sealedBytes !== NUMBER_BYTES && sealedBytes !== NUMBER_BYTES + MARK_BYTES) return undefined;
			// Several texts would otherwise be one cursor: what is left over at the end is not read.
			if (bytes.toString("base64url") !== cursor) return undefined;
			const decipher = createDecipheriv(CIPHER, sealingKey, bytes.subarray(0, NONCE_BYTES));
			decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
			try {
				const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
				return read(plain);
			} catch {
				// Sealed under another key, or by nobody.
				return undefined;
			}
		},
	};
}

/** Without a mark it is what cursors were before there were any, so that those of the sets from then stay good. */
function write({ number, mark }: Place): Buffer {
	const bytes = Buffer.alloc(NUMBER_BYTES);
	bytes.writeBigUInt64BE(BigInt(number));
	return mark === null ? bytes : Buffer.concat([bytes, Buffer.from(mark.replaceAll("-", ""), "hex")]);
}

function read(plain: Buffer): Place {
	const number = Number(plain.readBigUInt64BE());
	if (plain.length === NUMBER_BYTES) return { number, mark: null };
	const hex = plain.toString("hex", NUMBER_BYTES);
	return { number, mark: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5") };
}
