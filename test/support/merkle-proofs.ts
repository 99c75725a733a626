/** Roots and proofs of leaves in memory, as the service makes them of its tables. */
import { consistencyRanges, createTree, inclusionRanges } from "../../src/archive/merkle";

export function rootOf(leafHashes: readonly Uint8Array[]): Uint8Array {
	const tree = createTree();
	for (const leafHash of leafHashes) tree.append(leafHash);
	return tree.root();
}

export function inclusionProof(leafIndex: number, leafHashes: readonly Uint8Array[]): Uint8Array[] {
	return inclusionRanges(leafIndex, leafHashes.length).map(({ from, to }) => rootOf(leafHashes.slice(from, to)));
}

/** Proves that the tree of the first `size1` leaves is the beginning of the whole one. */
export function consistencyProof(size1: number, leafHashes: readonly Uint8Array[]): Uint8Array[] {
	return consistencyRanges(size1, leafHashes.length).map(({ from, to }) => rootOf(leafHashes.slice(from, to)));
}
