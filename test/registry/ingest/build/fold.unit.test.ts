import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { EXTRA_WORD, WORD_BITS } from "../../../../src/registry/index/format";
import { createWordCollector, READ_BEYOND } from "../../../../src/registry/ingest/build/fold";
import { canonicalWords } from "../../../../src/registry/words/canonical-words";
import { normaliseText } from "../../../../src/registry/words/normalise";

const BEHIND = "ZZZZ";

const collector = createWordCollector();

/** The words of a value that is surrounded by letters of other values, its extra words sorted. */
function fold(text: string) {
	const bytes = Buffer.from(`Q${text}${BEHIND}`);
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	const before = collector.count();
	const length = collector.take(view, 1, bytes.length - BEHIND.length);
	const { bytes: words, starts } = collector.dictionary.content();
	const textOf = (id: number) => Buffer.from(words.slice(starts[id], starts[id + 1])).toString();
	const ids = [...collector.words().subarray(before)];
	const extras = ids.filter((id) => id >= EXTRA_WORD).map((id) => textOf(id & WORD_BITS));
	const own = ids.filter((id) => id < EXTRA_WORD).map(textOf);
	return { words: own, extras: [...new Set(extras)].sort(), length };
}

function expected(text: string) {
	const { words, extras } = canonicalWords(text);
	return { words: [...words], extras: [...extras].sort(), length: normaliseText(text).length };
}

describe("folding the bytes of a value", () => {
	test("reads no further behind a value than declared", () => {
		expect(READ_BEYOND).toBeLessThanOrEqual(BEHIND.length);
		const exact = Buffer.alloc(1 + READ_BEYOND, "X");
		const view = new DataView(exact.buffer, exact.byteOffset, exact.length);
		expect(createWordCollector().take(view, 0, 1)).toBe(1);
	});

	test("equals folding its text, wherever in it a letter is", () => {
		for (const letter of ["", " ", "  ", "a", "Ñ", "é", "º", "ß", "€", "Ł", "-", "0", '"', "\u0000"]) {
			for (let before = 0; before < 10; before++) {
				for (let behind = 0; behind < 6; behind++) {
					const text = `${"aBcDeF9hIjK".slice(0, before)}${letter}${"ZyXwVu".slice(0, behind)}`;
					expect({ of: text, ...fold(text) }).toEqual({ of: text, ...expected(text) });
				}
			}
		}
	});

	test("equals the words of its text, for all that canonical words change", () => {
		const parts =
			"A B C Y S R L SA SRL S.R.L. S.A. E.I.R.L. POR PO & + ' - . / , 7 24 KM12 HNOS CIA PEÑA ´ ° O' D CASA".split(" ");
		const part = fc.constantFrom(...parts);
		const glue = fc.constantFrom(" ", " ", " ", "", ", ", ".", "-", "'", "&", "\u00d7");
		const text = fc.array(fc.tuple(part, glue), { maxLength: 8 }).map((list) => list.flat().join(""));
		fc.assert(
			fc.property(text, (value) => {
				expect({ of: value, ...fold(value) }).toEqual({ of: value, ...expected(value) });
			}),
			{ numRuns: 3_000 },
		);
	});
});
