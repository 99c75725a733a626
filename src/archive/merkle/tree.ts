/** A tree that grows in memory. Source: RFC 6962, 2.1. */
import { hashChildren, hashNothing } from "./hash";

export type GrowingTree = {
	/** Appends a leaf. Returns the subtrees that it completes, from level 1 up. */
	readonly append: (leafHash: Uint8Array) => readonly CompletedSubtree[];
	readonly size: () => number;
	readonly root: () => Uint8Array;
};

export type CompletedSubtree = { readonly level: number; readonly index: number; readonly hash: Uint8Array };

/**
 * A tree that grows leaf by leaf. It starts empty, or with the complete subtrees of a tree, largest first, and keeps only the roots of these.
 *
 *   7 leaves    [0,4) [4,6) [6]         one more    [0,8)
 */
export function createTree(from: readonly CompletedSubtree[] = []): GrowingTree {
	/** From left to right; the leftmost is the highest. */
	const subtrees: CompletedSubtree[] = [...from];
	let size = from.reduce((leaves, { level }) => leaves + 2 ** level, 0);
	return {
		append(leafHash) {
			let right: CompletedSubtree = { level: 0, index: size, hash: leafHash };
			const completed: CompletedSubtree[] = [];
			for (let left = subtrees.at(-1); left?.level === right.level; left = subtrees.at(-1)) {
				subtrees.pop();
				right = { level: right.level + 1, index: left.index / 2, hash: hashChildren(left.hash, right.hash) };
				completed.push(right);
			}
			subtrees.push(right);
			size++;
			return completed;
		},
		size: () => size,
		root() {
			const [last, ...others] = subtrees.map(({ hash }) => hash).reverse();
			return last ? others.reduce((right, left) => hashChildren(left, right), last) : hashNothing();
		},
	};
}
