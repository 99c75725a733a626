/**
 * The archive's 64 logs under one root. Each shard of tenants has its own tree of leaves, a log. A checkpoint signs the root of a tree of 64 leaves, one
 * for each log in their order, with the log's size and root.
 *
 *   document ──▶ leaf of its log ──▶ root of the log ──▶ leaf of the logs' tree ──▶ signed root
 *
 * A log's leaf has 48 bytes and a document's 56, so neither can pass for the other.
 */
import { checkDigest, hashLeaf, joinBytes, toInt64 } from "./hash";
import { inclusionRanges } from "./shape";
import { createTree } from "./tree";

/** As many as there are shards, fixed for ever. */
export const LOG_COUNT = 64;

/** A log at a time: its number of leaves and the root over them. */
export type LogState = { readonly size: number; readonly root: Uint8Array };

/** Shape: the log's number, its size (int64 both, big-endian), its root (32 bytes). */
export function encodeLog(log: number, { size, root }: LogState): Uint8Array {
	return joinBytes(toInt64(log), toInt64(size), checkDigest(root));
}

/** The root over the states of all logs, in the order of their numbers. */
export function rootOfLogs(states: readonly LogState[]): Uint8Array {
	return rootOf(states.map((state, log) => hashLeaf(encodeLog(log, state))));
}

/** The inclusion proof of a log's state under the root of all. Shape: hashes from the leaf's sibling up. */
export function pathOfLog(states: readonly LogState[], log: number): Uint8Array[] {
	const leaves = states.map((state, at) => hashLeaf(encodeLog(at, state)));
	return inclusionRanges(log, leaves.length).map(({ from, to }) => rootOf(leaves.slice(from, to)));
}

function rootOf(leafHashes: readonly Uint8Array[]): Uint8Array {
	const tree = createTree();
	for (const hash of leafHashes) tree.append(hash);
	return tree.root();
}
