/**
 * Roots of parts of a tree that is kept in pieces: the hashes of single leaves, and the roots of complete subtrees of at least 16 of them.
 * With these a part of a tree of millions is made of a few dozen hashes.
 */
import { hashChildren, hashNothing } from "./hash";
import { type Range, splitOf } from "./shape";

/** Subtrees of 2^4 leaves are the smallest that are kept. */
export const LEVEL_MIN = 4;

/** A leaf is of level 0; a complete subtree of level n holds 2^n leaves. */
export type Piece = { readonly level: number; readonly index: number };

/** The kept pieces that a subtree's root is made of. */
export function piecesOf(range: Range): Piece[] {
	if (range.from === range.to) return [];
	const level = keptLevelOf(range);
	if (level !== undefined) return [{ level, index: range.from / 2 ** level }];
	return halvesOf(range).flatMap(piecesOf);
}

/** A subtree's root, made of its pieces. */
export function rootOfPieces(range: Range, hashOf: (piece: Piece) => Uint8Array): Uint8Array {
	if (range.from === range.to) return hashNothing();
	const level = keptLevelOf(range);
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

/** Undefined for what is made of more than one kept piece. */
function keptLevelOf({ from, to }: Range): number | undefined {
	const level = Math.log2(to - from);
	const isWhole = Number.isInteger(level) && from % (to - from) === 0;
	return isWhole && (level === 0 || level >= LEVEL_MIN) ? level : undefined;
}
