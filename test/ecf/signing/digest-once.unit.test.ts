import { describe, expect, test } from "bun:test";
import { digestAgain, digestText } from "../../../src/ecf/signing/signature-form";

const sha256 = (data: string | Uint8Array) => new Bun.CryptoHasher("sha256").update(data).digest("base64");
const TEXT = "<ECF><a>ñ € 1</a></ECF>";

describe("a document's digest", () => {
	test("is SHA-256 of the text's UTF-8 bytes, for the bytes of a text of any length too", () => {
		for (const text of ["", "a", TEXT, "ñ€𐐷".repeat(40_000)]) {
			expect(digestText(text)).toBe(sha256(text));
			expect(digestAgain(Buffer.from(text))).toBe(sha256(text));
		}
	});

	test("is that of the bytes that are asked about, whatever text came last", () => {
		digestText(TEXT);
		for (const other of ["", TEXT.slice(1), `${TEXT} `, TEXT.replace("1", "2"), TEXT.repeat(2)]) {
			expect(digestAgain(Buffer.from(other))).toBe(sha256(other));
		}
		digestText("something else");
		expect(digestAgain(Buffer.from(TEXT))).toBe(sha256(TEXT));
	});

	test("differs when one bit of the bytes has changed since, at any place", () => {
		const bytes = Buffer.from(TEXT);
		const digest = digestText(TEXT);
		for (let bit = 0; bit < bytes.length * 8; bit++) {
			const spoiled = Buffer.from(bytes);
			spoiled[bit >> 3] = (spoiled[bit >> 3] ?? 0) ^ (1 << (bit & 7));
			const found = digestAgain(spoiled);
			expect(found).not.toBe(digest);
			expect(found).toBe(sha256(spoiled));
		}
		expect(digestAgain(bytes)).toBe(digest);
	});

	test("does not change with the memory that the bytes were asked about in", () => {
		const bytes = Buffer.from(TEXT);
		const digest = digestText(TEXT);
		expect(digestAgain(bytes)).toBe(digest);
		bytes.fill(0x20);
		expect(digestAgain(bytes)).toBe(sha256(" ".repeat(bytes.length)));
		expect(digestAgain(Buffer.from(TEXT))).toBe(digest);
	});
});
