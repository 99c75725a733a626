import { expect, test } from "bun:test";
import { constants, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { isWholeZstd } from "../../../src/platform/operation/read-body";

const contents = fc.oneof(
	fc.uint8Array({ maxLength: 2_000 }),
	// Several blocks, and blocks of one repeated byte.
	fc.tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 400_000 })).map(([byte, length]) => {
		return new Uint8Array(length).fill(byte);
	}),
	fc
		.integer({ min: 1, max: 300_000 })
		.map((length) => crypto.getRandomValues(new Uint8Array(Math.min(length, 60_000)))),
);
const frame = fc.tuple(contents, fc.boolean(), fc.boolean()).map(([content, hasChecksum, hasSize]) =>
	zstdCompressSync(content, {
		params: {
			[constants.ZSTD_c_checksumFlag]: hasChecksum ? 1 : 0,
			[constants.ZSTD_c_contentSizeFlag]: hasSize ? 1 : 0,
		},
	}),
);

test("frames are whole, one or several, with one to be skipped among them", () => {
	const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
	fc.assert(
		fc.property(frame, frame, (one, other) => {
			expect(isWholeZstd(one)).toBe(true);
			expect(isWholeZstd(Buffer.concat([one, skippable, other]))).toBe(true);
		}),
		{ numRuns: 50 },
	);
	expect(isWholeZstd(new Uint8Array(0))).toBe(true);
});

test("a frame that is cut anywhere is not whole, nor is one with something behind it", () => {
	fc.assert(
		fc.property(frame, fc.double({ min: 0, max: 1, noNaN: true }), (one, place) => {
			const length = Math.max(1, Math.floor(place * one.length));
			if (length < one.length) expect(isWholeZstd(one.subarray(0, length))).toBe(false);
			for (const tail of ["j", "junk", "longer junk behind it"])
				expect(isWholeZstd(Buffer.concat([one, Buffer.from(tail)]))).toBe(false);
		}),
		{ numRuns: 200 },
	);
});
