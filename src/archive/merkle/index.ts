/** The Merkle tree and the chains that the archive's documents stand in: pure, the same on a server and in a browser. */
export { hashChildren, hashLeaf, hashNothing, isSameHash } from "./hash";
export { encodeLeaf, type LeafParts, NO_LINK, nextLink } from "./leaf";
export { consistencyRanges, inclusionRanges, type Range } from "./shape";
export { consistencyProof, inclusionProof, rootOf } from "./tree";
export { verifyConsistency, verifyInclusion } from "./verify";
