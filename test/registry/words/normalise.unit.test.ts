import { expect, test } from "bun:test";
import fc from "fast-check";
import { normaliseText } from "../../../src/registry/words/normalise";

test.each([
	["Peña", "PENA"],
	["Pen\u0303a", "PENA"],
	["ÁÉÍÓÚÜ áéíóúü", "AEIOUU AEIOUU"],
	["  La   Espiga,  S.R.L. ", "LA ESPIGA S R L"],
	["D'LEÓN & HIJOS", "D LEON HIJOS"],
	["N/D", "N D"],
	["...", ""],
	["", ""],
	["straße", "STRASSE"],
])("%p folds to %p", (text, folded) => {
	expect(normaliseText(text)).toBe(folded);
});

test("folding twice changes nothing", () => {
	fc.assert(
		fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
			expect(normaliseText(normaliseText(text))).toBe(normaliseText(text));
		}),
		{ numRuns: 2_000 },
	);
});

test("case and canonical composition make no difference", () => {
	const unit = fc.constantFrom(..."abñéüZ .-9Ó");
	fc.assert(
		fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
			const folded = normaliseText(text);
			expect(normaliseText(text.normalize("NFD"))).toBe(folded);
			expect(normaliseText(text.toLowerCase())).toBe(folded);
			expect(folded).toMatch(/^([A-Z0-9]+( [A-Z0-9]+)*)?$/);
		}),
	);
});
