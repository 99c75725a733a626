import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fromSentForm, toSentForm } from "../../../src/ecf/signing/canonical-form";
import { toCanonicalAttribute, toCanonicalText } from "../../../src/platform/xml";

describe("the sent form", () => {
	test("spells the five further characters as references, in texts alone", () => {
		expect(toSentForm(`<a>"x" 'y' © € ®</a>`)).toBe("<a>&quot;x&quot; &apos;y&apos; &#169; &#8364; &#174;</a>");
		expect(toSentForm(`<a b="c>'©'"><d>'"</d></a>`)).toBe(`<a b="c>'©'"><d>&apos;&quot;</d></a>`);
	});

	test("escapes what some parsers take for line breaks", () => {
		expect(toSentForm("<a>1\u00852\u20283</a>")).toBe("<a>1&#133;2&#8232;3</a>");
	});

	test("does not mistake a text that looks like an attribute for one", () => {
		expect(toSentForm(`<a>b="c"</a>`)).toBe("<a>b=&quot;c&quot;</a>");
	});

	test("leads back to the canonical form, whatever the text", () => {
		const text = fc.string({ unit: fc.constantFrom(..."ab\"'©€®&<>;#16989quotampx\r\n 🧱".split("")) });
		fc.assert(
			fc.property(text, text, (content, attribute) => {
				const canonical = `<a b="${toCanonicalAttribute(attribute)}"><c>${toCanonicalText(content)}</c></a>`;
				expect(fromSentForm(toSentForm(canonical))).toBe(canonical);
				const bare = `<c>${toCanonicalText(content)}</c>`;
				expect(fromSentForm(toSentForm(bare))).toBe(bare);
			}),
		);
	});
});
