import { describe, expect, test } from "bun:test";
import { normaliseText } from "../../../../src/registry/index/normalise";
import { createWordCollector, READ_BEYOND } from "../../../../src/registry/ingest/build/fold";

const BEHIND = "ZZZZ";

/** The folded words of a value that is surrounded by letters of other values. */
function fold(text: string) {
	const bytes = Buffer.from(`Q${text}${BEHIND}`);
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	const collector = createWordCollector();
	const length = collector.take(view, 1, bytes.length - BEHIND.length);
	const { bytes: words, starts } = collector.dictionary.content();
	const texts = Array.from(collector.words(), (id) => Buffer.from(words.slice(starts[id], starts[id + 1])).toString());
	return { text: texts.join(" "), length };
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
					const folded = normaliseText(text);
					expect({ of: text, ...fold(text) }).toEqual({ of: text, text: folded, length: folded.length });
				}
			}
		}
	});
});
