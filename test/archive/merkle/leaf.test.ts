import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { encodeLeaf, hashLeaf, NO_LINK, nextLink } from "../../../src/archive/merkle";

const parts = {
	docId: "0192f110-0000-7000-8000-0000000000aa",
	sha256: new Uint8Array(32).fill(7),
	decidedAt: new Date("2026-11-20T14:20:00.902Z"),
};

test("a document's bytes in the tree are its id, its object's digest and the time of its decision", () => {
	const hex = Buffer.from(encodeLeaf(parts)).toString("hex");
	expect(hex).toBe(`0192f1100000700080000000000000aa${"07".repeat(32)}000001a1f9541a06`);
	expect(Buffer.from(hashLeaf(encodeLeaf(parts)))).toEqual(
		createHash("sha256").update("\0").update(Buffer.from(hex, "hex")).digest(),
	);
	const before1970 = encodeLeaf({ ...parts, decidedAt: new Date(-1) });
	expect(Buffer.from(before1970.subarray(48)).toString("hex")).toBe("ffffffffffffffff");
});

test("a link of the chain binds the link before it, the digest, the document and the time", () => {
	const tail = Buffer.concat([parts.sha256, encodeLeaf(parts).subarray(0, 16), encodeLeaf(parts).subarray(48)]);
	const first = nextLink(NO_LINK, parts);
	expect(Buffer.from(first)).toEqual(createHash("sha256").update(Buffer.alloc(32)).update(tail).digest());
	expect(Buffer.from(nextLink(first, parts))).toEqual(createHash("sha256").update(first).update(tail).digest());
});

test("what cannot be a document is refused with a sentence", () => {
	expect(() => encodeLeaf({ ...parts, docId: "0192" })).toThrow("expected a UUID");
	expect(() => encodeLeaf({ ...parts, sha256: new Uint8Array(31) })).toThrow("expected a digest of 32 bytes, got 31");
	expect(() => nextLink(new Uint8Array(0), parts)).toThrow("expected a digest of 32 bytes, got 0");
	expect(() => encodeLeaf({ ...parts, decidedAt: new Date(Number.NaN) })).toThrow();
});
