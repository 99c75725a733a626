import { expect, test } from "bun:test";
import { checkIfMatch, matchesEtag, versionTag } from "../../../src/platform/operation";
import { Problem } from "../../../src/platform/problem";

const ETAG = versionTag(5);

/** What the header says of `"5"`: to a reader who has it, and to a writer who has seen it. */
test.each<[header: string, isKnown: boolean, mayWrite: boolean]>([
	['"5"', true, true],
	[' "5"\t', true, true],
	['W/"5"', true, false],
	["*", true, true],
	[" * ", true, true],
	['"4", "5"', true, true],
	['"4","5"', true, true],
	[', ,"4" ,, "5" ,', true, true],
	['"4", W/"5"', true, false],
	['W/"4", "5"', true, true],
	['"a,b", "5"', true, true],
	['"5,6"', false, false],
	['"a,"5",b"', false, false],
	['"50"', false, false],
	['"4"', false, false],
	['""', false, false],
	["5", false, false],
	['"5', false, false],
	['5"', false, false],
	["'5'", false, false],
	['w/"5"', false, false],
	['W/ "5"', false, false],
	['"4" "5"', false, false],
	['"5", 6', false, false],
	['"5", *', false, false],
	['" 5"', false, false],
	["", false, false],
	[",", false, false],
])("%p", (header, isKnown, mayWrite) => {
	expect(matchesEtag(header, ETAG)).toBe(isKnown);
	expect(matchesEtag(header, `W/${ETAG}`)).toBe(isKnown);
	expect(allowsWrite(header)).toBe(mayWrite);
});

test("without a condition everything is sent, and everybody may write", () => {
	expect(matchesEtag(null, ETAG)).toBe(false);
	expect(() => checkIfMatch(new Request("http://sello.test"), 5)).not.toThrow();
});

test("a header of the greatest length is read too", () => {
	for (const piece of [",", " ,", '"a",', '""', '"a" ', 'W/"']) expect(allowsWrite(piece.repeat(8_000))).toBe(false);
});

/** `Headers` would trim the outer spaces away, as a listener does. */
function allowsWrite(header: string): boolean {
	try {
		checkIfMatch({ headers: { get: () => header } } as unknown as Request, 5);
		return true;
	} catch (error) {
		if (error instanceof Problem && error.slug === "precondition-failed") return false;
		throw error;
	}
}
