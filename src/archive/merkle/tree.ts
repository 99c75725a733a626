/** Roots and proofs of a tree whose leaves' hashes are at hand. Source: RFC 6962, 2.1. */
import { hashChildren, hashNothing } from "./hash";
import { consistencyRanges, inclusionRanges, type Range, splitOf } from "./shape";

/** The tree's root. */
export function rootOf(leafHashes: readonly Uint8Array[]): Uint8Array {
	return rootOfRange(leafHashes, { from: 0, to: leafHashes.length });
}

/** Hashes that lead from a leaf to the root, the leaf's neighbour first. */
export function inclusionProof(leafIndex: number, leafHashes: readonly Uint8Array[]): Uint8Array[] {
	return inclusionRanges(leafIndex, leafHashes.length).map((range) => rootOfRange(leafHashes, range));
}

/** Hashes by which the tree of the first `size1` leaves is seen to be the beginning of the whole one. */
export function consistencyProof(size1: number, leafHashes: readonly Uint8Array[]): Uint8Array[] {
	return consistencyRanges(size1, leafHashes.length).map((range) => rootOfRange(leafHashes, range));
}

function rootOfRange(leafHashes: readonly Uint8Array[], { from, to }: Range): Uint8Array {
	if (from === to) return hashNothing();
	if (to - from === 1) {
		const leaf = leafHashes[from];
		if (!leaf) throw new Error(`leaf ${from} is missing`);
		return leaf;
	}
	const middle = from + splitOf(to - from);
	return hashChildren(rootOfRange(leafHashes, { from, to: middle }), rootOfRange(leafHashes, { from: middle, to }));
}
