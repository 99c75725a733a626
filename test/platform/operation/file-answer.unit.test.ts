import { expect, test } from "bun:test";
import fc from "fast-check";
import { readRange } from "../../../src/platform/operation/file-answer";

const size = fc.integer({ min: 1, max: 10_000 });

test("a part is always within the file", () => {
	const number = fc.oneof(fc.constant(""), fc.integer({ min: 0, max: 20_000 }).map(String));
	fc.assert(
		fc.property(size, number, number, (bytes, first, last) => {
			const part = readRange(`bytes=${first}-${last}`, bytes);
			if (part === "whole") return first === "" ? last === "" : Number(last) < Number(first);
			if (part === "none") return first === "" ? Number(last) === 0 : Number(first) >= bytes;
			expect(part.first).toBeGreaterThanOrEqual(0);
			expect(part.last).toBeLessThan(bytes);
			expect(part.first).toBeLessThanOrEqual(part.last);
			return first === "" ? part.last === bytes - 1 : part.first === Number(first);
		}),
	);
});

test("a malformed range and several parts mean the whole file", () => {
	fc.assert(
		fc.property(fc.string(), size, (text, bytes) => /^\s*bytes\s*=/i.test(text) || readRange(text, bytes) === "whole"),
	);
	for (const header of [null, "", "bytes=", "bytes=-", "bytes=0-1,3-4", "bytes=a-b", "items=0-1", "bytes=0x1-2"]) {
		expect(readRange(header, 10)).toBe("whole");
	}
});
