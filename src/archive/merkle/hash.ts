/**
 * What a leaf and a node hash to. Source: RFC 6962, 2.1: a leaf behind 0x00, two nodes behind 0x01, so that no node can be passed off as a leaf.
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

/** The root of the tree without leaves: the digest of nothing. */
export function hashNothing(): Uint8Array {
	return sha256();
}

export function isSameHash(one: Uint8Array, other: Uint8Array): boolean {
	return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
