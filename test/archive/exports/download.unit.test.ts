import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { readRange } from "../../../src/archive/exports/download";
import { isSigned, linkTo } from "../../../src/archive/exports/export";
import { newId } from "../../../src/platform/values";

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

const key = randomBytes(32);

function termsOf(link: string) {
	const { pathname, searchParams } = new URL(link);
	const id = pathname.split("/").at(-2) ?? "";
	return { id, expires: Number(searchParams.get("expires")), signature: searchParams.get("signature") ?? "" };
}

test("a signature is valid for its export, time and key only", () => {
	const id = newId();
	fc.assert(
		fc.property(fc.date({ min: new Date(0), max: new Date("2199-12-31"), noInvalidDate: true }), (until) => {
			const { signature, ...terms } = termsOf(linkTo(key, "https://api.example", id, until));
			expect(terms).toEqual({ id, expires: Math.floor(until.getTime() / 1_000) });
			expect(isSigned(key, terms, signature)).toBe(true);
			expect(isSigned(key, { ...terms, id: newId() }, signature)).toBe(false);
			expect(isSigned(key, { ...terms, expires: terms.expires + 1 }, signature)).toBe(false);
			expect(isSigned(randomBytes(32), terms, signature)).toBe(false);
		}),
		{ numRuns: 50 },
	);
});

test("no other text is taken for a signature", () => {
	const { signature, ...terms } = termsOf(linkTo(key, "https://api.example", newId(), new Date()));
	fc.assert(fc.property(fc.string(), (text) => text === signature || !isSigned(key, terms, text)));
	for (let at = 0; at < signature.length; at++) {
		const other = signature[at] === "A" ? "B" : "A";
		expect(isSigned(key, terms, signature.slice(0, at) + other + signature.slice(at + 1))).toBe(false);
	}
});
