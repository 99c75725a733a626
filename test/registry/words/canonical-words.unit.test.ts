import { expect, test } from "bun:test";
import { ABBREVIATION_CLASSES, otherSpellings } from "../../../src/registry/words/abbreviations";
import { canonicalWords } from "../../../src/registry/words/canonical-words";

test.each<[string, string, string]>([
	["CONSTRUCTORA J.R. PEÑA", "CONSTRUCTORA JR PENA", ""],
	["G P R AUTO", "GPR AUTO", ""],
	["M & M COMERCIAL", "MYM COMERCIAL", "MM"],
	["O'REILLY & HIJOS", "OREILLY Y HIJOS", "REILLY"],
	["D' CARLOS", "DCARLOS", "CARLOS"],
	["COCA-COCO", "COCA COCO", "COCACOCO"],
	["24/7", "24 7", "247"],
	["3D KM12", "3 D KM 12", ""],
	["PEREZ, S.R.L.", "PEREZ", "SRL"],
	["J. M., S.R.L.", "JM", "SRL"],
	["TEC C. POR A.", "TEC", "CXA"],
	["TEC C PO", "TEC", "CXA"],
	["A & B, S.A.", "AYB", "AB SA"],
	["T.E.S.A.", "TESA", ""],
	["HNOS GUZMAN", "HNOS GUZMAN", "HERMANOS"],
	["SRL", "SRL", ""],
	["& , -", "", ""],
])("%p has the words %p and the extra words %p", (text, words, extras) => {
	const found = canonicalWords(text);
	expect({ words: found.words.join(" "), extras: found.extras.join(" ") }).toEqual({ words, extras });
});

test("each member of a class of abbreviations is found by every other", () => {
	for (const members of ABBREVIATION_CLASSES) {
		for (const word of members) {
			const held = [word, ...otherSpellings(word)];
			for (const asked of members) expect([asked, held.some((one) => one.startsWith(asked))]).toEqual([asked, true]);
		}
	}
});
