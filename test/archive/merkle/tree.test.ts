import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { createTree, encodeLeaf, hashLeaf, NO_LINK, nextLink, verifyConsistency } from "../../../src/archive/merkle";
import { consistencyProof, inclusionProof, rootOf } from "../../support/merkle-proofs";
import { mth, path, proof } from "./by-definition";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const hexes = (list: readonly Uint8Array[]) => list.map(hex);

/** The leaves that the project certificate-transparency tests with. */
const KNOWN = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"].map(
	(one) => Buffer.from(one, "hex"),
);
const KNOWN_ROOTS = [
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
	"fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
	"aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
	"d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
	"4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
	"76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
	"ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
	"5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

test("well-known leaves have their well-known roots", () => {
	for (const [size, root] of KNOWN_ROOTS.entries()) {
		const leaves = KNOWN.slice(0, size);
		expect(hex(mth(leaves))).toBe(root);
		expect(hex(rootOf(leaves.map(hashLeaf)))).toBe(root);
	}
});

test("every root and proof of trees up to forty leaves matches the RFC", () => {
	const data = Array.from({ length: 40 }, (_, i) => Buffer.from(`leaf ${i}`));
	for (let size = 0; size <= data.length; size++) {
		const some = data.slice(0, size);
		const leaves = some.map(hashLeaf);
		expect(hex(rootOf(leaves))).toBe(hex(mth(some)));
		for (let i = 0; i < size; i++) {
			expect(hexes(inclusionProof(i, leaves))).toEqual(hexes(path(i, some)));
			expect(hexes(consistencyProof(i + 1, leaves))).toEqual(hexes(proof(i + 1, some)));
		}
	}
});

test("a growing tree has the right root at every size and names completed subtrees", () => {
	const data = Array.from({ length: 130 }, (_, i) => Buffer.from(`leaf ${i}`));
	const tree = createTree();
	let completed = 0;
	for (const [i, leaf] of data.entries()) {
		expect([tree.size(), hex(tree.root())]).toEqual([i, hex(mth(data.slice(0, i)))]);
		for (const { level, index, hash } of tree.append(hashLeaf(leaf))) {
			expect((index + 1) * 2 ** level).toBe(i + 1);
			expect(hex(hash)).toBe(hex(mth(data.slice(index * 2 ** level, i + 1))));
			completed++;
		}
	}
	expect(completed).toBe(65 + 32 + 16 + 8 + 4 + 2 + 1);
});

test("any tree's proofs match the definition and are as short as its height", () => {
	const trees = fc
		.integer({ min: 1, max: 300 })
		.chain((size) => fc.tuple(fc.constant(size), fc.nat({ max: size - 1 })));
	fc.assert(
		fc.property(trees, fc.uint8Array({ maxLength: 40 }), ([size, at], salt) => {
			const data = Array.from({ length: size }, (_, i) => Buffer.concat([salt, Buffer.from(`${i}`)]));
			const leaves = data.map(hashLeaf);
			const found = inclusionProof(at, leaves);
			expect(hexes(found)).toEqual(hexes(path(at, data)));
			expect(found.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)));
			expect(hexes(consistencyProof(at + 1, leaves))).toEqual(hexes(proof(at + 1, data)));
		}),
		{ numRuns: 60 },
	);
});

test("leaves and sizes that no tree has are refused with a message", () => {
	const leaves = KNOWN.map(hashLeaf);
	expect(() => inclusionProof(8, leaves)).toThrow("a tree of 8 leaves has no leaf 8");
	expect(() => inclusionProof(0, [])).toThrow("a tree of 0 leaves has no leaf 0");
	expect(() => inclusionProof(-1, leaves)).toThrow("a whole number");
	expect(() => inclusionProof(0.5, leaves)).toThrow("a whole number");
	expect(() => consistencyProof(9, leaves)).toThrow("has not grown out of one of 9");
	expect(consistencyProof(0, leaves)).toEqual([]);
	expect(consistencyProof(8, leaves)).toEqual([]);
});

test("no proof leads from a changed leaf to the kept root", () => {
	for (let round = 1; round <= 20; round++) {
		const size1 = 7 * round;
		const size2 = size1 + 5 * round;
		const changed = (round * 31) % size1;
		const before = Array.from({ length: size1 }, (_, i) => hashLeaf(Buffer.from(`document ${i}`)));
		const after = Array.from({ length: size2 }, (_, i) =>
			hashLeaf(Buffer.from(i === changed ? `another document ${i}` : `document ${i}`)),
		);
		const claim = { size1, size2, root1: rootOf(before), root2: rootOf(after) };
		const honest = [...before, ...after.slice(size1)];
		// The forger may offer whatever proof he can make: of his tree, of the true one, of a mixture.
		for (const forged of [consistencyProof(size1, after), consistencyProof(size1, honest)]) {
			expect(verifyConsistency({ ...claim, proof: forged })).toBe(false);
		}
		expect(verifyConsistency({ ...claim, root2: rootOf(honest), proof: consistencyProof(size1, honest) })).toBe(true);
	}
});

const parts = {
	docId: "0192f110-0000-7000-8000-0000000000aa",
	sha256: new Uint8Array(32).fill(7),
	decidedAt: new Date("2026-11-20T14:20:00.902Z"),
};

test("a leaf's bytes are the document's id, digest and time of decision", () => {
	const hex = Buffer.from(encodeLeaf(parts)).toString("hex");
	expect(hex).toBe(`0192f1100000700080000000000000aa${"07".repeat(32)}000001a1f9541a06`);
	expect(Buffer.from(hashLeaf(encodeLeaf(parts)))).toEqual(
		createHash("sha256").update("\0").update(Buffer.from(hex, "hex")).digest(),
	);
	const before1970 = encodeLeaf({ ...parts, decidedAt: new Date(-1) });
	expect(Buffer.from(before1970.subarray(48)).toString("hex")).toBe("ffffffffffffffff");
});

test("a link binds the previous link, the digest, the document and the time", () => {
	const tail = Buffer.concat([parts.sha256, encodeLeaf(parts).subarray(0, 16), encodeLeaf(parts).subarray(48)]);
	const first = nextLink(NO_LINK, parts);
	expect(Buffer.from(first)).toEqual(createHash("sha256").update(Buffer.alloc(32)).update(tail).digest());
	expect(Buffer.from(nextLink(first, parts))).toEqual(createHash("sha256").update(first).update(tail).digest());
});

test("an invalid document is refused with a message", () => {
	expect(() => encodeLeaf({ ...parts, docId: "0192" })).toThrow("expected a UUID");
	expect(() => encodeLeaf({ ...parts, sha256: new Uint8Array(31) })).toThrow("expected a digest of 32 bytes, got 31");
	expect(() => nextLink(new Uint8Array(0), parts)).toThrow("expected a digest of 32 bytes, got 0");
	expect(() => encodeLeaf({ ...parts, decidedAt: new Date(Number.NaN) })).toThrow();
});
