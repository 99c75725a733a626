import type { Sql, Tx } from "../../platform/database";
import { type CompletedSubtree, type GrowingTree, growTree } from "../merkle";
import { ArchiveContradictionError } from "./contradiction";
import { findLeaves, findPeaks } from "./store";

/** Lowest subtrees of which the tables keep nodes; what is left is read from the leaves. */
const LEAVES_MAX = 16;

/** The tree of the first `size` leaves as it stands in the tables, ready to grow. Throws: ArchiveContradictionError where a node is missing. */
export async function openStandingTree(sql: Sql | Tx, size: number): Promise<GrowingTree> {
	const below = size % LEAVES_MAX;
	const peaks: CompletedSubtree[] = await findPeaks(sql, size);
	const tree = growTree(peaks);
	if (tree.size() !== size - below)
		throw new ArchiveContradictionError(`there are nodes of ${tree.size()} leaves only, where there are ${size}`);
	for (const leaf of await findLeaves(sql, size - below, size)) tree.append(Buffer.from(leaf.leafHash, "hex"));
	return tree;
}
