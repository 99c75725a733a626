import { expect, test } from "bun:test";
import fc from "fast-check";
import { isXmlText } from "../../../src/platform/values";

/** The oracle: the production Char of XML 1.0, read code point by code point; a lone surrogate is its own code point. */
function isChar(code: number): boolean {
	return (
		code === 0x9 ||
		code === 0xa ||
		code === 0xd ||
		(code >= 0x20 && code <= 0xd7ff) ||
		(code >= 0xe000 && code <= 0xfffd) ||
		(code >= 0x10000 && code <= 0x10ffff)
	);
}
const isLegal = (text: string) => [...text].every((character) => isChar(character.codePointAt(0) ?? 0));

test("every single code unit is judged as XML 1.0 judges it", () => {
	const wrong: number[] = [];
	for (let code = 0; code <= 0xffff; code++) {
		if (isXmlText(String.fromCharCode(code)) !== isChar(code)) wrong.push(code);
	}
	expect(wrong).toEqual([]);
});

test("pairs of surrogates are legal and halves are not, wherever they stand", () => {
	for (const text of ["\u{1f9fe}", "a\u{10ffff}b", "\u{10000}\u{10000}"]) expect(isXmlText(text)).toBe(true);
	for (const text of ["\ud83e", "\uddfe", "\uddfe\ud83e", "\u{1f9fe}\uddfe", "\ud83e\u{1f9fe}", "a\ud83eb"]) {
		expect(isXmlText(text)).toBe(false);
	}
});

test("any run of code units is judged like its code points", () => {
	const unit = fc.oneof(
		fc.integer({ min: 0, max: 0x7f }),
		fc.integer({ min: 0xd7f0, max: 0xe010 }),
		fc.integer({ min: 0xfff0, max: 0xffff }),
	);
	fc.assert(
		fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
			const text = String.fromCharCode(...units);
			expect(isXmlText(text)).toBe(isLegal(text));
		}),
		{ numRuns: 5_000 },
	);
});

test("text for people is legal: accents, new lines, tabs and the empty text", () => {
	for (const text of ["", "Añejo & Cía. <ÑANDÚ>", "línea 1\r\nlínea 2\tcolumna", "価格"])
		expect(isXmlText(text)).toBe(true);
});
