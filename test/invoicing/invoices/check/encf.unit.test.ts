import { expect, test } from "bun:test";
import fc from "fast-check";
import { checkEncf, hasFullLength } from "../../../../src/invoicing/invoices/check/check-values";

const codesOf = (encf: string, type: string) => checkEncf(encf, type).map(({ pointer, code }) => `${pointer} ${code}`);

test("a number belongs to the type that its second and third characters say", () => {
	expect(codesOf("E310000000001", "31")).toEqual([]);
	expect(codesOf("E310000000001", "32")).toEqual(["/encf encf-type-mismatch"]);
	expect(codesOf("E310000000000", "31")).toEqual(["/encf encf-zero"]);
	expect(codesOf("E4100000000", "31")).toEqual(["/encf encf-type-mismatch", "/encf encf-zero"]);
});

test("any sequence above zero is one, at every length", () => {
	const types = fc.constantFrom("31", "32", "33", "34", "41", "44");
	fc.assert(
		fc.property(types, fc.stringMatching(/^[0-9]{8,10}$/), (type, sequence) => {
			expect(codesOf(`E${type}${sequence}`, type)).toEqual(BigInt(sequence) === 0n ? ["/encf encf-zero"] : []);
		}),
	);
});

test("the authority's own length is thirteen", () => {
	expect(["E3100000001", "E31000000001", "E310000000001"].map(hasFullLength)).toEqual([false, false, true]);
});
