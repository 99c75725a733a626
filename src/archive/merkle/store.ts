/**
 * The tree in the tables: its size, roots and proofs. Each takes a few dozen rows, whatever the number of leaves. The connection is an argument, so
 * a browser's bundle has no database code.
 */
import type { Sql, Tx } from "../../platform/database";
import {
	checkCount,
	consistencyRanges,
	inclusionRanges,
	type Piece,
	piecesOf,
	type Range,
	rootOfPieces,
} from "./shape";

/** How many leaves there are. */
export async function readTreeSize(sql: Sql | Tx): Promise<number> {
	const [row] = await sql<{ size: number }[]>`
		select coalesce(max(leaf_index) + 1, 0)::bigint as size from archive_leaves`;
	return row?.size ?? 0;
}

/** The root of the tree at a size. Throws an Error for a size that it has not reached. */
export async function readRoot(sql: Sql | Tx, treeSize: number): Promise<Uint8Array> {
	checkCount(treeSize, "the tree's size");
	const [root] = await readRoots(sql, [{ from: 0, to: treeSize }]);
	if (!root) throw new Error("a root is missing");
	return root;
}

/** Shape: hashes from the leaf's sibling up, as in RFC 6962, 2.1.1. Throws an Error for a leaf or size that does not exist. */
export async function readInclusionProof(sql: Sql | Tx, leafIndex: number, treeSize: number): Promise<Uint8Array[]> {
	return readRoots(sql, inclusionRanges(leafIndex, treeSize));
}

/** Shape: hashes as in RFC 6962, 2.1.2. Throws an Error for sizes that the tree has not reached. */
export async function readConsistencyProof(sql: Sql | Tx, size1: number, size2: number): Promise<Uint8Array[]> {
	const ranges = consistencyRanges(size1, size2);
	if (ranges.length === 0) await readPieces(sql, piecesOf({ from: Math.max(0, size2 - 1), to: size2 }));
	return readRoots(sql, ranges);
}

async function readRoots(sql: Sql | Tx, ranges: readonly Range[]): Promise<Uint8Array[]> {
	const hashOf = await readPieces(sql, ranges.flatMap(piecesOf));
	return ranges.map((range) => rootOfPieces(range, hashOf));
}

/** Reads all pieces in one query. Throws an Error if one is missing. */
async function readPieces(sql: Sql | Tx, pieces: readonly Piece[]): Promise<(piece: Piece) => Uint8Array> {
	const leaves = pieces.filter(({ level }) => level === 0);
	const nodes = pieces.filter(({ level }) => level > 0);
	const rows = await sql<{ level: number; index: number; hash: Uint8Array }[]>`
		select 0 as level, l.leaf_index as index, l.leaf_hash as hash
		from archive_leaves l where l.leaf_index = any(${leaves.map(({ index }) => index)}::bigint[])
		union all
		select n.level, n.node_index, n.hash
		from unnest(${nodes.map(({ level }) => level)}::int[], ${nodes.map(({ index }) => index)}::bigint[]) as w(level, index)
		join archive_nodes n on n.level = w.level and n.node_index = w.index`;
	const hashes = new Map(rows.map(({ level, index, hash }) => [`${level}/${index}`, new Uint8Array(hash)]));
	const hashOf = ({ level, index }: Piece) => {
		const hash = hashes.get(`${level}/${index}`);
		if (hash) return hash;
		throw new Error(level === 0 ? `the tree has no leaf ${index}` : `the tree has no node ${index} of level ${level}`);
	};
	for (const piece of pieces) hashOf(piece);
	return hashOf;
}
