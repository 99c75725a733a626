/** The positions of a query's words in a value. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { findHighlights } from "../../../src/registry/search/highlight";
import { normaliseText } from "../../../src/registry/words/normalise";

const item = (name: string) => ({ rnc: "131880681", name, trade_name: "", economic_activity: "", status: "ACTIVO" });
const marked = (name: string, ...texts: string[]) =>
	findHighlights("name", texts, item(name)).map(({ start, end }) => name.slice(start, end));

test.each<[string, string, string[]]>([
	["FERRETERIA EL PROGRESO SRL", "FERRE PROG", ["FERRE", "PROG"]],
	["FERRETERIA EL PROGRESO SRL", "PROG FERRE", ["FERRE", "PROG"]],
	["FERRETERÍA EL PROGRESO", "FERRETERIA", ["FERRETERÍA"]],
	["PEÑA & PEÑA, S.A.", "PENA", ["PEÑA", "PEÑA"]],
	["cafe\u0301s del sur", "CAFE", ["cafe\u0301"]],
	["COMERCIAL COMERCIO SA", "COM COMERCIA", ["COMERCIA", "COM"]],
	["FERRETERIA EL PROGRESO", "FERRE NADA", ["FERRE"]],
	["PLAZA J. R. PEÑA", "JR PENA", ["J. R", "PEÑA"]],
	["L'OREAL S.A.", "OREAL S A", ["OREAL", "S", "A"]],
	["Ñ ÑÑA", "NN", ["ÑÑ"]],
])("in %p the words %p mark %p", (name, text, expected) => {
	expect(marked(name, text)).toEqual(expected);
});

test("a letter that folds to two is highlighted completely", () => {
	expect(marked("STRAßE 7", "STRAS")).toEqual(["STRAß"]);
});

test("the first reading that matches completely is highlighted", () => {
	expect(marked("FERRETERIA EL PROGRESO", "FERETERIA PROGRESO", "FERRETERIA PROGRESO")).toEqual([
		"FERRETERIA",
		"PROGRESO",
	]);
});

test("the beginning of a number is highlighted", () => {
	expect(findHighlights("document", ["1318"], item("X"))).toEqual([{ start: 0, end: 4 }]);
});

test("highlights fold to a queried prefix and never overlap", () => {
	const value = fc.string({ unit: fc.constantFrom(..."ABeéñÑ ß.-&7u\u0301𝐀"), minLength: 1, maxLength: 24 });
	fc.assert(
		fc.property(value, fc.nat(), fc.integer({ min: 1, max: 4 }), (name, pick, length) => {
			const words = normaliseText(name).split(" ");
			const asked = [...(words[pick % words.length] ?? "")].slice(0, length).join("");
			// Initials in a row are found as one word too.
			fc.pre(asked !== "" && !words.some((word, at) => word.length === 1 && words[at + 1]?.length === 1));
			const found = findHighlights("name", [asked], item(name));
			expect(found).toHaveLength(words.filter((word) => word.startsWith(asked)).length);
			for (const { start, end } of found) expect(normaliseText(name.slice(start, end))).toStartWith(asked);
			for (const [i, { start }] of found.entries()) expect(start).toBeGreaterThanOrEqual(found[i - 1]?.end ?? 0);
		}),
	);
});
