/** The Merkle trees and the chains of the archive's documents. Pure: the same code runs on a server and in a browser. */

export { encodeLeaf, hashChildren, hashLeaf, hashNothing, isSameHash, NO_LINK, nextLink } from "./hash";
export { encodeLog, LOG_COUNT, type LogState, pathOfLog, rootOfLogs } from "./logs";
export { consistencyRanges, inclusionRanges, LEVEL_MIN, type Piece } from "./shape";
export { readConsistencyProof, readInclusionProof, readLeafHashes, readLogSizes, readRoot, readRoots } from "./store";
export { type CompletedSubtree, createTree, type GrowingTree } from "./tree";
export { verifyConsistency, verifyInclusion } from "./verify";
