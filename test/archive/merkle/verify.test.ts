import { expect, test } from "bun:test";
import fc from "fast-check";
import { hashChildren, hashLeaf, verifyConsistency, verifyInclusion } from "../../../src/archive/merkle";
import { consistencyProof, inclusionProof, rootOf } from "../../support/merkle-proofs";

type Inclusion = Parameters<typeof verifyInclusion>[0];
type Consistency = Parameters<typeof verifyConsistency>[0];

const leavesOf = (size: number) => Array.from({ length: size }, (_, i) => hashLeaf(Buffer.from(`leaf ${i}`)));
const GARBAGE = hashLeaf(Buffer.from("garbage"));

const flip = (bytes: Uint8Array, bit: number) =>
	bytes.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
const flipIn = (proof: readonly Uint8Array[], which: number, bit: number) =>
	proof.map((hash, at) => (at === which ? flip(hash, bit) : hash));

function inclusion(leafIndex: number, treeSize: number): Inclusion {
	const leaves = leavesOf(treeSize);
	const leafHash = leaves[leafIndex] ?? GARBAGE;
	return { leafHash, leafIndex, treeSize, root: rootOf(leaves), proof: inclusionProof(leafIndex, leaves) };
}

function consistency(size1: number, size2: number): Consistency {
	const leaves = leavesOf(size2);
	const root1 = rootOf(leaves.slice(0, size1));
	return { size1, size2, root1, root2: rootOf(leaves), proof: consistencyProof(size1, leaves) };
}

/** Everything that the project transparency-dev does to a good proof of inclusion. */
function spoilInclusion(good: Inclusion): [what: string, claim: Inclusion][] {
	const { leafHash, leafIndex, treeSize, proof, root } = good;
	return [
		["index - 1", { ...good, leafIndex: leafIndex - 1 }],
		["index + 1", { ...good, leafIndex: leafIndex + 1 }],
		["index xor 2", { ...good, leafIndex: leafIndex ^ 2 }],
		["size * 2", { ...good, treeSize: treeSize * 2 }],
		["size / 2", { ...good, treeSize: Math.floor(treeSize / 2) }],
		["another leaf", { ...good, leafHash: GARBAGE }],
		["another root", { ...good, root: GARBAGE }],
		["the empty tree's size", { ...good, treeSize: 0 }],
		["trailing garbage", { ...good, proof: [...proof, GARBAGE] }],
		["trailing root", { ...good, proof: [...proof, root] }],
		["preceding garbage", { ...good, proof: [GARBAGE, ...proof] }],
		["preceding root", { ...good, proof: [root, ...proof] }],
		["preceding leaf", { ...good, proof: [leafHash, ...proof] }],
		...(proof.length > 0
			? ([
					["no proof", { ...good, proof: [] }],
					["without its last hash", { ...good, proof: proof.slice(0, -1) }],
					["without its first hash", { ...good, proof: proof.slice(1) }],
				] as [string, Inclusion][])
			: []),
		...proof.map((_, i): [string, Inclusion] => [`a bit of hash ${i}`, { ...good, proof: flipIn(proof, i, 4) }]),
	];
}

/** Everything that the project transparency-dev does to a good proof of consistency. */
function spoilConsistency(good: Consistency): [what: string, claim: Consistency][] {
	const { size1, size2, root1, root2, proof } = good;
	return [
		["size1 - 1", { ...good, size1: size1 - 1 }],
		["size1 + 1", { ...good, size1: size1 + 1 }],
		["size1 xor 2", { ...good, size1: size1 ^ 2 }],
		["size2 * 2", { ...good, size2: size2 * 2 }],
		["size2 / 2", { ...good, size2: Math.floor(size2 / 2) }],
		["another root1", { ...good, root1: GARBAGE }],
		["another root2", { ...good, root2: GARBAGE }],
		["roots in each other's place", { ...good, root1: root2, root2: root1 }],
		["no proof", { ...good, proof: [] }],
		["trailing garbage", { ...good, proof: [...proof, GARBAGE] }],
		["trailing root1", { ...good, proof: [...proof, root1] }],
		["trailing root2", { ...good, proof: [...proof, root2] }],
		["preceding garbage", { ...good, proof: [GARBAGE, ...proof] }],
		["preceding root1", { ...good, proof: [root1, ...proof] }],
		["preceding root2", { ...good, proof: [root2, ...proof] }],
		["without its last hash", { ...good, proof: proof.slice(0, -1) }],
		...proof.map((_, i): [string, Consistency] => [`a bit of hash ${i}`, { ...good, proof: flipIn(proof, i, 4) }]),
	];
}

const INCLUSIONS: readonly [number, number][] = [
	[0, 1],
	[0, 8],
	[5, 8],
	[2, 3],
	[1, 5],
	[17, 21],
];
const CONSISTENCIES: readonly [number, number][] = [
	[1, 8],
	[6, 8],
	[2, 5],
	[6, 7],
	[4, 21],
	[17, 32],
];

test("twelve good proofs are accepted, and every change of them is refused", () => {
	let accepted = 0;
	const refused: string[] = [];
	const judge = (name: string, isGood: boolean, expected: boolean) => {
		expect([name, isGood]).toEqual([name, expected]);
		if (isGood) accepted++;
		else refused.push(name);
	};
	for (const [at, size] of INCLUSIONS) {
		const good = inclusion(at, size);
		judge(`leaf ${at} of ${size}`, verifyInclusion(good), true);
		for (const [what, claim] of spoilInclusion(good))
			judge(`leaf ${at} of ${size}: ${what}`, verifyInclusion(claim), false);
	}
	for (const [size1, size2] of CONSISTENCIES) {
		const good = consistency(size1, size2);
		judge(`${size1} to ${size2}`, verifyConsistency(good), true);
		for (const [what, claim] of spoilConsistency(good)) {
			judge(`${size1} to ${size2}: ${what}`, verifyConsistency(claim), false);
		}
	}
	expect(accepted).toBe(12);
	expect(new Set(refused).size).toBeGreaterThanOrEqual(184);
});

test("every leaf and every growth of trees up to 70 leaves is proved", () => {
	const leaves = leavesOf(70);
	const roots = Array.from({ length: 71 }, (_, size) => rootOf(leaves.slice(0, size)));
	for (let size = 0; size <= 70; size++) {
		const some = leaves.slice(0, size);
		const root = roots[size] ?? GARBAGE;
		for (let at = 0; at <= size; at++) {
			const leafHash = leaves[at] ?? GARBAGE;
			if (at < size) {
				const proof = inclusionProof(at, some);
				expect(verifyInclusion({ leafHash, leafIndex: at, treeSize: size, proof, root })).toBe(true);
			}
			const proof = consistencyProof(at, some);
			expect(verifyConsistency({ size1: at, size2: size, root1: roots[at] ?? GARBAGE, root2: root, proof })).toBe(true);
		}
	}
});

test("any flipped bit, other size or other index is refused", () => {
	const cases = fc
		.integer({ min: 2, max: 200 })
		.chain((size) =>
			fc.tuple(fc.constant(size), fc.nat({ max: size - 1 }), fc.nat({ max: 255 }), fc.nat(), fc.nat({ max: 400 })),
		);
	fc.assert(
		fc.property(cases, ([size, at, bit, which, other]) => {
			const one = inclusion(at, size);
			expect(verifyInclusion(one)).toBe(true);
			expect(verifyInclusion({ ...one, proof: flipIn(one.proof, which % one.proof.length, bit) })).toBe(false);
			expect(verifyInclusion({ ...one, leafHash: flip(one.leafHash, bit) })).toBe(false);
			expect(verifyInclusion({ ...one, root: flip(one.root, bit) })).toBe(false);
			expect(verifyInclusion({ ...one, leafIndex: other })).toBe(other === at);
			const two = consistency(at + 1, size);
			expect(verifyConsistency(two)).toBe(true);
			expect(verifyConsistency({ ...two, root1: flip(two.root1, bit) })).toBe(false);
			expect(verifyConsistency({ ...two, root2: flip(two.root2, bit) })).toBe(false);
			if (two.proof.length > 0) {
				expect(verifyConsistency({ ...two, proof: flipIn(two.proof, which % two.proof.length, bit) })).toBe(false);
			}
			expect(verifyConsistency({ ...two, size1: other })).toBe(other === at + 1);
		}),
		{ numRuns: 80 },
	);
});

test("invalid counts and hashes of another length are refused without a throw", () => {
	const one = inclusion(1, 2);
	for (const odd of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
		expect(verifyInclusion({ ...one, leafIndex: odd })).toBe(false);
		expect(verifyInclusion({ ...one, treeSize: odd })).toBe(false);
		expect(verifyConsistency({ ...consistency(1, 2), size1: odd })).toBe(false);
		expect(verifyConsistency({ ...consistency(1, 2), size2: odd })).toBe(false);
	}
	for (const odd of [new Uint8Array(0), new Uint8Array(31), new Uint8Array(33), new Uint8Array(64)]) {
		expect(verifyInclusion({ ...one, leafHash: odd })).toBe(false);
		expect(verifyInclusion({ ...one, proof: [odd] })).toBe(false);
		expect(verifyConsistency({ ...consistency(0, 2), root2: odd })).toBe(false);
	}
});

test("a tree of more than 2^32 leaves is verified by its full size", () => {
	const size = 2 ** 33 + 1;
	const [left, leafHash] = [GARBAGE, hashLeaf(Buffer.from("last"))];
	// The last leaf of such a tree stands alone beside a complete tree of all others.
	const root = hashChildren(left, leafHash);
	expect(verifyInclusion({ leafHash, leafIndex: 2 ** 33, treeSize: size, proof: [left], root })).toBe(true);
	expect(verifyInclusion({ leafHash, leafIndex: 0, treeSize: size, proof: [left], root })).toBe(false);
});
