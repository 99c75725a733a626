/**
 * A tree that grows leaf by leaf, of which only the roots of its complete subtrees are remembered: as many as its size has binary digits that are one.
 *
 *   7 leaves    [0,4) [4,6) [6]         one more    [0,8): three times two became one
 */
import { hashChildren, hashNothing } from "./hash";

export type GrowingTree = {
	/** Appends a leaf; the answer names the subtrees that it completes, from level 1 upwards. */
	readonly append: (leafHash: Uint8Array) => readonly CompletedSubtree[];
	readonly size: () => number;
	readonly root: () => Uint8Array;
};

export type CompletedSubtree = { readonly level: number; readonly index: number; readonly hash: Uint8Array };

/** Grows from nothing, or from the complete subtrees of a tree, the largest first. */
export function growTree(from: readonly CompletedSubtree[] = []): GrowingTree {
	/** From the left, which is the highest, to the right. */
	const standing: CompletedSubtree[] = [...from];
	let size = from.reduce((leaves, { level }) => leaves + 2 ** level, 0);
	return {
		append(leafHash) {
			let right: CompletedSubtree = { level: 0, index: size, hash: leafHash };
			const completed: CompletedSubtree[] = [];
			for (let left = standing.at(-1); left?.level === right.level; left = standing.at(-1)) {
				standing.pop();
				right = { level: right.level + 1, index: left.index / 2, hash: hashChildren(left.hash, right.hash) };
				completed.push(right);
			}
			standing.push(right);
			size++;
			return completed;
		},
		size: () => size,
		root() {
			const [last, ...others] = standing.map(({ hash }) => hash).reverse();
			return last ? others.reduce((right, left) => hashChildren(left, right), last) : hashNothing();
		},
	};
}
