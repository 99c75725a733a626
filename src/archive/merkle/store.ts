/**
 * The trees in the tables, one for each log: their sizes, roots and proofs. Each takes a few dozen rows, whatever the number of leaves. The connection
 * is an argument, so a browser's bundle has no database code.
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

/** How many leaves each log has, in the order of their numbers. */
export async function readLogSizes(sql: Sql | Tx): Promise<number[]> {
	const rows = await sql<{ size: number }[]>`select tree_size(anchor) as size from shards order by shard`;
	return rows.map(({ size }) => size);
}

/** The hashes of a log's leaves from `from` up to but not including `to`, as its tree has them; fewer if it ends before. */
export async function readLeafHashes(sql: Sql | Tx, log: number, from: number, to: number): Promise<Uint8Array[]> {
	if (from >= to) return [];
	const rows = await sql<{ hashes: Uint8Array }[]>`
		select b.hashes from shards a join tree_blocks b on b.anchor = a.anchor
		where a.shard = ${log} and b.block between ${Math.floor(from / BLOCK_LEAVES)} and ${Math.floor((to - 1) / BLOCK_LEAVES)} order by b.block`;
	const all = Buffer.concat(rows.map(({ hashes }) => hashes));
	const first = from % BLOCK_LEAVES;
	const count = Math.min(to - from, all.length / HASH_BYTES - first);
	return Array.from({ length: Math.max(0, count) }, (_, i) =>
		Uint8Array.from(all.subarray((first + i) * HASH_BYTES, (first + i + 1) * HASH_BYTES)),
	);
}

/** Leaves in a row of the table. */
const BLOCK_LEAVES = 16;
const HASH_BYTES = 32;

/** The root of a log at a size. Throws an Error for a size that it has not reached. */
export async function readRoot(sql: Sql | Tx, log: number, size: number): Promise<Uint8Array> {
	const [root] = await readRanges(sql, [{ log, from: 0, to: size }]);
	if (!root) throw new Error("a root is missing");
	return root;
}

/** The roots of all logs at these sizes, in the order of their numbers. Throws an Error for a size that a log has not reached. */
export async function readRoots(sql: Sql | Tx, sizes: readonly number[]): Promise<Uint8Array[]> {
	return readRanges(
		sql,
		sizes.map((to, log) => ({ log, from: 0, to })),
	);
}

/** Shape: hashes from the leaf's sibling up, as in RFC 6962, 2.1.1. Throws an Error for a leaf or size that does not exist. */
export async function readInclusionProof(
	sql: Sql | Tx,
	log: number,
	leafIndex: number,
	treeSize: number,
): Promise<Uint8Array[]> {
	return readRanges(
		sql,
		inclusionRanges(leafIndex, treeSize).map((range) => ({ log, ...range })),
	);
}

/** Shape: hashes as in RFC 6962, 2.1.2. Throws an Error for sizes that the log has not reached. */
export async function readConsistencyProof(
	sql: Sql | Tx,
	log: number,
	size1: number,
	size2: number,
): Promise<Uint8Array[]> {
	const ranges = consistencyRanges(size1, size2);
	if (ranges.length === 0) await readPieces(sql, piecesIn({ log, from: Math.max(0, size2 - 1), to: size2 }));
	return readRanges(
		sql,
		ranges.map((range) => ({ log, ...range })),
	);
}

type LogRange = Range & { readonly log: number };
type LogPiece = Piece & { readonly log: number };

function piecesIn({ log, ...range }: LogRange): LogPiece[] {
	return piecesOf(range).map((piece) => ({ log, ...piece }));
}

async function readRanges(sql: Sql | Tx, ranges: readonly LogRange[]): Promise<Uint8Array[]> {
	for (const { to } of ranges) checkCount(to, "the tree's size");
	const hashOf = await readPieces(sql, ranges.flatMap(piecesIn));
	return ranges.map(({ log, ...range }) => rootOfPieces(range, (piece) => hashOf({ log, ...piece })));
}

/** Reads all pieces in one query. Throws an Error if one is missing. */
async function readPieces(sql: Sql | Tx, pieces: readonly LogPiece[]): Promise<(piece: LogPiece) => Uint8Array> {
	const leaves = pieces.filter(({ level }) => level === 0);
	const nodes = pieces.filter(({ level }) => level > 0);
	const rows = await sql<{ log: number; level: number; index: number; hash: Uint8Array }[]>`
		select w.log, 0 as level, w.index, substring(b.hashes from (w.index % 16)::int * 32 + 1 for 32) as hash
		from unnest(${leaves.map(({ log }) => log)}::int[], ${leaves.map(({ index }) => index)}::bigint[]) as w(log, index)
		join shards a on a.shard = w.log
		join tree_blocks b on b.anchor = a.anchor and b.block = w.index >> 4 and length(b.hashes) > (w.index % 16) * 32
		union all
		select w.log, n.level, n.node, n.hash
		from unnest(${nodes.map(({ log }) => log)}::int[], ${nodes.map(({ level }) => level)}::int[], ${nodes.map(({ index }) => index)}::bigint[])
			as w(log, level, index)
		join shards a on a.shard = w.log
		join tree_nodes n on n.anchor = a.anchor and n.level = w.level and n.node = w.index`;
	const hashes = new Map(rows.map(({ log, level, index, hash }) => [`${log}/${level}/${index}`, new Uint8Array(hash)]));
	const hashOf = ({ log, level, index }: LogPiece) => {
		const hash = hashes.get(`${log}/${level}/${index}`);
		if (hash) return hash;
		const what = level === 0 ? `leaf ${index}` : `node ${index} of level ${level}`;
		throw new Error(`log ${log} has no ${what}`);
	};
	for (const piece of pieces) hashOf(piece);
	return hashOf;
}
