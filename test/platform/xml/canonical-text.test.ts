import { describe, expect, test } from "bun:test";
import { toCanonicalAttribute, toCanonicalText } from "../../../src/platform/xml";

describe("canonical text", () => {
	test("escapes what canonical XML escapes in elements and nothing else", () => {
		expect(toCanonicalText(`a & b < c > d "e" 'f' ]]> \r\n\t © € ®`)).toBe(
			`a &amp; b &lt; c &gt; d "e" 'f' ]]&gt; &#xD;\n\t © € ®`,
		);
	});

	test("escapes what canonical XML escapes in attributes and nothing else", () => {
		expect(toCanonicalAttribute(`& < > " ' \t\n\r`)).toBe("&amp; &lt; > &quot; ' &#x9;&#xA;&#xD;");
	});

	test("leaves characters of four bytes and combining marks alone", () => {
		expect(toCanonicalText("🧱 𝒜 e\u0301")).toBe("🧱 𝒜 e\u0301");
	});
});
