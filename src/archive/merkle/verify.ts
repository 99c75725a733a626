/**
 * Verifies proofs. Only the exact proof is accepted: not a longer or shorter one, or one of an impossible tree. Nothing throws.
 * Source: RFC 9162, 2.1.3.2 and 2.1.4.2. Uses arithmetic, since bit operators are limited to 32 bits.
 */
import { hashChildren, hashNothing, isSameHash } from "./hash";

/** True if the leaf is at its index in the tree with that root. */
export function verifyInclusion(claim: {
	readonly leafHash: Uint8Array;
	readonly leafIndex: number;
	readonly treeSize: number;
	readonly proof: readonly Uint8Array[];
	readonly root: Uint8Array;
}): boolean {
	const { leafHash, leafIndex, treeSize, proof, root } = claim;
	if (!isCount(leafIndex) || !isCount(treeSize) || leafIndex >= treeSize || ![leafHash, root, ...proof].every(isHash))
		return false;
	let index = leafIndex;
	let last = treeSize - 1;
	let hash = leafHash;
	for (const sibling of proof) {
		if (last === 0) return false;
		if (isOdd(index) || index === last) {
			hash = hashChildren(sibling, hash);
			// A last node without a sibling moves up unchanged.
			while (!isOdd(index) && index > 0) {
				index = half(index);
				last = half(last);
			}
		} else {
			hash = hashChildren(hash, sibling);
		}
		index = half(index);
		last = half(last);
	}
	return last === 0 && isSameHash(hash, root);
}

/** True if the tree of `size2` leaves begins with all leaves of the tree of `size1`. */
export function verifyConsistency(claim: {
	readonly size1: number;
	readonly size2: number;
	readonly root1: Uint8Array;
	readonly root2: Uint8Array;
	readonly proof: readonly Uint8Array[];
}): boolean {
	const { size1, size2, root1, root2, proof } = claim;
	if (!isCount(size1) || !isCount(size2) || size1 > size2 || ![root1, root2, ...proof].every(isHash)) return false;
	if (size2 === 0 && !isSameHash(root2, hashNothing())) return false;
	if (size1 === 0) return proof.length === 0 && isSameHash(root1, hashNothing());
	if (size1 === size2) return proof.length === 0 && isSameHash(root1, root2);
	// A complete smaller tree is a node of the larger one, which the proof leaves out.
	const [first, ...rest] = isPowerOfTwo(size1) ? [root1, ...proof] : proof;
	if (!first || proof.length === 0) return false;
	let index = size1 - 1;
	let last = size2 - 1;
	while (isOdd(index)) {
		index = half(index);
		last = half(last);
	}
	let smaller = first;
	let larger = first;
	for (const sibling of rest) {
		if (last === 0) return false;
		if (isOdd(index) || index === last) {
			smaller = hashChildren(sibling, smaller);
			larger = hashChildren(sibling, larger);
			while (!isOdd(index) && index > 0) {
				index = half(index);
				last = half(last);
			}
		} else {
			larger = hashChildren(larger, sibling);
		}
		index = half(index);
		last = half(last);
	}
	return last === 0 && isSameHash(smaller, root1) && isSameHash(larger, root2);
}

function isCount(value: number): boolean {
	return Number.isSafeInteger(value) && value >= 0;
}

function isHash(bytes: Uint8Array): boolean {
	return bytes.length === 32;
}

function isOdd(value: number): boolean {
	return value % 2 === 1;
}

function half(value: number): number {
	return Math.floor(value / 2);
}

function isPowerOfTwo(value: number): boolean {
	let rest = value;
	while (rest > 1 && !isOdd(rest)) rest = half(rest);
	return rest === 1;
}
