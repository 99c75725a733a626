/**
 * Which subtrees make up a root or a proof, by sizes alone. Their hashes come from an array of leaves, or from tables.
 *
 *   7 leaves            root              Subtrees are ranges [from, to). Only the rightmost ones can be incomplete;
 *                  ┌─────┴─────┐          where one splits, its left half is the largest power of two below its size.
 *                [0,4)       [4,7)
 *              ┌───┴───┐   ┌───┴───┐
 *            [0,2)  [2,4) [4,6)   [6]
 */
import { hashChildren, hashNothing } from "./hash";

/** The leaves from `from` up to but not including `to`. */
export type Range = { readonly from: number; readonly to: number };

/** Throws an Error unless the number can be a count of leaves. */
export function checkCount(count: number, what: string): void {
	if (!Number.isSafeInteger(count) || count < 0)
		throw new Error(`expected ${what} to be a whole number from 0, got ${count}`);
}

/** The largest power of two below a size of at least two. */
export function splitOf(size: number): number {
	let split = 1;
	while (split * 2 < size) split *= 2;
	return split;
}

/** The subtrees whose roots prove that a leaf is in the tree, from the leaf upwards. Source: RFC 6962, 2.1.1. */
export function inclusionRanges(leafIndex: number, treeSize: number): Range[] {
	checkCount(leafIndex, "the leaf's index");
	checkCount(treeSize, "the tree's size");
	if (leafIndex >= treeSize) throw new Error(`a tree of ${treeSize} leaves has no leaf ${leafIndex}`);
	const ranges: Range[] = [];
	let from = 0;
	let to = treeSize;
	while (to - from > 1) {
		const middle = from + splitOf(to - from);
		if (leafIndex < middle) {
			ranges.push({ from: middle, to });
			to = middle;
		} else {
			ranges.push({ from, to: middle });
			from = middle;
		}
	}
	return ranges.reverse();
}

/** The subtrees whose roots prove that a tree has grown out of a smaller one, from the bottom up. Source: RFC 6962, 2.1.2. */
export function consistencyRanges(size1: number, size2: number): Range[] {
	checkCount(size1, "the smaller tree's size");
	checkCount(size2, "the tree's size");
	if (size1 > size2) throw new Error(`a tree of ${size2} leaves has not grown out of one of ${size1}`);
	// Every tree has grown out of the empty one.
	if (size1 === 0) return [];
	const ranges: Range[] = [];
	let from = 0;
	let to = size2;
	// The smaller tree ends at `size1`; the walk ends at the end of a subtree.
	while (to !== size1) {
		const middle = from + splitOf(to - from);
		if (size1 <= middle) {
			ranges.push({ from: middle, to });
			to = middle;
		} else {
			ranges.push({ from, to: middle });
			from = middle;
		}
	}
	// The verifier knows the smaller tree's root, but not a part of it.
	if (from > 0) ranges.push({ from, to });
	return ranges.reverse();
}

/** Level of the smallest stored subtrees: 2^4 leaves. A few dozen hashes then make any root of millions of leaves. */
export const LEVEL_MIN = 4;

/** A leaf is of level 0; a complete subtree of level n holds 2^n leaves. */
export type Piece = { readonly level: number; readonly index: number };

/** The stored pieces that a subtree's root is made of. */
export function piecesOf(range: Range): Piece[] {
	if (range.from === range.to) return [];
	const level = storedLevelOf(range);
	if (level !== undefined) return [{ level, index: range.from / 2 ** level }];
	return halvesOf(range).flatMap(piecesOf);
}

export function rootOfPieces(range: Range, hashOf: (piece: Piece) => Uint8Array): Uint8Array {
	if (range.from === range.to) return hashNothing();
	const level = storedLevelOf(range);
	if (level !== undefined) return hashOf({ level, index: range.from / 2 ** level });
	const [left, right] = halvesOf(range);
	return hashChildren(rootOfPieces(left, hashOf), rootOfPieces(right, hashOf));
}

function halvesOf({ from, to }: Range): [left: Range, right: Range] {
	const middle = from + splitOf(to - from);
	return [
		{ from, to: middle },
		{ from: middle, to },
	];
}

/** Undefined for a range of more than one stored piece. */
function storedLevelOf({ from, to }: Range): number | undefined {
	const level = Math.log2(to - from);
	const isWhole = Number.isInteger(level) && from % (to - from) === 0;
	return isWhole && (level === 0 || level >= LEVEL_MIN) ? level : undefined;
}
