/** The Merkle tree and the chains of the archive's documents. Pure: the same code runs on a server and in a browser. */

export { encodeLeaf, hashChildren, hashLeaf, isSameHash, NO_LINK, nextLink } from "./hash";
export { consistencyRanges, inclusionRanges, LEVEL_MIN, type Piece } from "./shape";
export { readConsistencyProof, readInclusionProof, readRoot, readTreeSize } from "./store";
export { type CompletedSubtree, createTree, type GrowingTree } from "./tree";
export { verifyConsistency, verifyInclusion } from "./verify";
