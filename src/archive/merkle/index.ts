/** The Merkle tree and the chains that the archive's documents stand in: pure, the same on a server and in a browser. */
export { type CompletedSubtree, type GrowingTree, growTree } from "./growing";
export { hashChildren, hashLeaf, isSameHash } from "./hash";
export { encodeLeaf, NO_LINK, nextLink } from "./leaf";
export { readConsistencyProof, readInclusionProof, readRoot, readTreeSize } from "./store";
export { LEVEL_MIN, type Piece } from "./stored";
export { consistencyProof, inclusionProof, rootOf } from "./tree";
export { verifyConsistency, verifyInclusion } from "./verify";
