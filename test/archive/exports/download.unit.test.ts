import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { isSigned, linkTo } from "../../../src/archive/exports/export";
import { newId } from "../../../src/platform/values";

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
