/**
 * The hashes of leaves and nodes, and the bytes of a document in the tree and in its tenant's chain. Source: RFC 6962, 2.1: a leaf is prefixed
 * with 0x00 and a pair of nodes with 0x01, so that a node cannot pass for a leaf.
 */
import { sha256 } from "./sha256";

const LEAF = new Uint8Array([0x00]);
const NODE = new Uint8Array([0x01]);

export function hashLeaf(data: Uint8Array): Uint8Array {
	return sha256(LEAF, data);
}

export function hashChildren(left: Uint8Array, right: Uint8Array): Uint8Array {
	return sha256(NODE, left, right);
}

/** The root of the empty tree: the digest of nothing. */
export function hashNothing(): Uint8Array {
	return sha256();
}

export function isSameHash(one: Uint8Array, other: Uint8Array): boolean {
	return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

type LeafParts = {
	/** UUID in text. */
	readonly docId: string;
	/** Digest of the sealed object; 32 bytes. */
	readonly sha256: Uint8Array;
	/** In whole milliseconds. */
	readonly decidedAt: Date;
};

/** The predecessor of a chain's first link. */
export const NO_LINK: Uint8Array = new Uint8Array(32);

/** Shape: docId (16 bytes), sha256 (32), decidedAt (int64, big-endian, milliseconds since 1970). */
export function encodeLeaf({ docId, sha256: digest, decidedAt }: LeafParts): Uint8Array {
	return joinBytes(encodeId(docId), checkDigest(digest), encodeTime(decidedAt));
}

/** The next link of a tenant's chain. Shape: SHA-256 of the previous link (32 bytes; NO_LINK for the first), sha256, docId, decidedAt. */
export function nextLink(previous: Uint8Array, { docId, sha256: digest, decidedAt }: LeafParts): Uint8Array {
	return sha256(checkDigest(previous), checkDigest(digest), encodeId(docId), encodeTime(decidedAt));
}

function encodeId(docId: string): Uint8Array {
	const digits = docId.replaceAll("-", "");
	if (!/^[0-9a-fA-F]{32}$/.test(digits)) throw new Error(`expected a UUID, got ${docId.slice(0, 100)}`);
	return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function encodeTime(time: Date): Uint8Array {
	return toInt64(time.getTime());
}

/** Big-endian. */
export function toInt64(value: number): Uint8Array {
	const bytes = new Uint8Array(8);
	new DataView(bytes.buffer).setBigInt64(0, BigInt(value));
	return bytes;
}

export function checkDigest(digest: Uint8Array): Uint8Array {
	if (digest.length !== 32) throw new Error(`expected a digest of 32 bytes, got ${digest.length}`);
	return digest;
}

export function joinBytes(...parts: readonly Uint8Array[]): Uint8Array {
	const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}
