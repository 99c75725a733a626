/**
 * Encrypted cursors of the change feed. Positions are consecutive until an erasure, and the changes of a run ascend by document. Plain
 * numbers would therefore reveal a missing one and its neighbours.
 *
 * A restored database continues from its own last number, so a number alone may mean another change than before. The mark of the set,
 * random for each set, distinguishes them.
 *
 * A position has the same cursor in every process and after every restart, because its nonce is derived from it.
 */

import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { msg, Problem } from "../../platform/problem";
import { deriveKey } from "../../platform/secrets";
import type { Feed, FeedPosition } from "./changes-store";

const NONCE_BYTES = 12;
const NUMBER_BYTES = 8;
const MARK_BYTES = 16;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";

export type FeedCursors = {
	readonly seal: (place: FeedPosition) => string;
	/** The position of a cursor; undefined if it was not sealed here. */
	readonly open: (cursor: string) => FeedPosition | undefined;
};

export function createFeedCursors(key: Uint8Array): FeedCursors {
	const sealingKey = deriveKey(key, "registry-feed-cursor");
	const nonceKey = deriveKey(key, "registry-feed-nonce");
	return {
		seal: (place) => {
			const plain = write(place);
			// Each position has one nonce and each nonce one position, which is all that the cipher needs under one key.
			const nonce = createHmac("sha256", nonceKey).update(plain).digest().subarray(0, NONCE_BYTES);
			const cipher = createCipheriv(CIPHER, sealingKey, nonce);
			const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
			return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64url");
		},
		open: (cursor) => {
			const bytes = Buffer.from(cursor, "base64url");
			const sealedBytes = bytes.length - NONCE_BYTES - TAG_BYTES;
			if (sealedBytes !== NUMBER_BYTES && sealedBytes !== NUMBER_BYTES + MARK_BYTES) return undefined;
			// Rejects texts that only decode to the same bytes, so that a cursor has one form.
			if (bytes.toString("base64url") !== cursor) return undefined;
			const decipher = createDecipheriv(CIPHER, sealingKey, bytes.subarray(0, NONCE_BYTES));
			decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
			try {
				const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
				return read(plain);
			} catch {
				// Sealed under another key, or forged.
				return undefined;
			}
		},
	};
}

/** Cursors older than marks have none; those of sets without marks stay valid. */
function write({ number, mark }: FeedPosition): Buffer {
	const bytes = Buffer.alloc(NUMBER_BYTES);
	bytes.writeBigUInt64BE(BigInt(number));
	return mark === null ? bytes : Buffer.concat([bytes, Buffer.from(mark.replaceAll("-", ""), "hex")]);
}

function read(plain: Buffer): FeedPosition {
	const number = Number(plain.readBigUInt64BE());
	if (plain.length === NUMBER_BYTES) return { number, mark: null };
	const hex = plain.toString("hex", NUMBER_BYTES);
	return { number, mark: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5") };
}

/** A sealed position that no longer exists was dropped, or a restored database has lost it. Throws: cursor-expired. */
export function checkPosition(position: FeedPosition | undefined, { floor, last, positionOf }: Feed): void {
	if (position === undefined) return;
	const isKept = floor <= position.number && position.number <= last;
	if (!isKept || positionOf(position.number).mark !== position.mark) throw new Problem("cursor-expired");
}

/** The form of cursors before they were sealed. */
const plainPosition = /^(0|[1-9][0-9]{0,14})$/;

/**
 * Gap: the specification has no cursors for the feed. A cursor in digits counts as expired, and its holder starts again. Accepting it would
 * let anyone ask which numbers are missing.
 */
export function openCursor(cursors: FeedCursors, cursor: string): FeedPosition {
	if (plainPosition.test(cursor)) throw new Problem("cursor-expired");
	const position = cursors.open(cursor);
	if (position === undefined) throw invalidCursor();
	return position;
}

function invalidCursor(): Problem {
	const detail = msg`Send the \`next\` of an answer.`;
	return new Problem("validation-error", { faults: [{ pointer: "#/query/after", code: "invalid-cursor", detail }] });
}
