/** Signed roots against a tree while it grows. */
import { type GrowingTree, isSameHash } from "../merkle";
import type { Tell } from "./fault";

/** A root that was signed, and the checkpoint that says so. */
export type SignedRoot = {
	readonly number: number;
	readonly size: number;
	/** Hex. */
	readonly root: string;
	/** Of the checkpoint's object. */
	readonly key: string;
};

/** Holds signed roots against a tree while it grows. The first one that differs is told; behind it all differ. */
export function matchRoots(roots: readonly SignedRoot[], tell: Tell) {
	let at = 0;
	let isDifferent = false;
	return {
		onTree(tree: Pick<GrowingTree, "size" | "root">): void {
			for (let signed = roots[at]; signed && signed.size <= tree.size(); signed = roots[++at]) {
				const made = tree.root();
				if (isDifferent || isSameHash(made, Buffer.from(signed.root, "hex"))) continue;
				isDifferent = true;
				const detail = `checkpoint ${signed.number} has the root ${signed.root} of ${signed.size} leaves, the leaves have ${Buffer.from(made).toString("hex")}`;
				tell({ docId: null, key: signed.key, fault: "checkpoint", detail });
			}
		},
		end(treeSize: number): void {
			for (const { number, size, key } of roots) {
				if (size <= treeSize) continue;
				const detail = `checkpoint ${number} covers ${size} leaves, there are ${treeSize}`;
				tell({ docId: null, key, fault: "checkpoint", detail });
			}
		},
	};
}
