import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import {
	canonicalize,
	childElements,
	compareCodePoints,
	isXmlElement,
	readXmlBytes,
	toCanonicalAttribute,
	toCanonicalText,
	type XmlElement,
} from "../../../src/platform/xml";
import { findJudge } from "../../support/judges";

const judge = findJudge("xmllint");
const folder = await mkdtemp(join(tmpdir(), "sello-canonical-"));
afterAll(() => rm(folder, { recursive: true }));

function read(text: string): XmlElement {
	const reading = readXmlBytes(new TextEncoder().encode(text));
	if (!isXmlElement(reading)) throw new Error(`expected ${text} to be read, got ${reading.code}`);
	return reading;
}

const DOCUMENT = `<?xml version="1.0"?>
<!-- gone --><r xmlns="urn:r" z='1' xmlns:b="urn:b" a="&quot;&lt;>&#10;" b:a="2" xml:lang="es" xmlns:a="urn:z" a:z="3"
><e xmlns=""/><b:f xmlns:b="urn:b"  ><!-- gone --> <b:g b:y="1"/></b:f><![CDATA[<&>]]>&#13;</r>`;

describe("canonical form", () => {
	test("sorts, spells and repeats as the inclusive method says", () => {
		expect(canonicalize(read(DOCUMENT))).toBe(
			`<r xmlns="urn:r" xmlns:a="urn:z" xmlns:b="urn:b" a="&quot;&lt;>&#xA;" z="1" xml:lang="es" b:a="2" a:z="3">` +
				`<e xmlns=""></e><b:f> <b:g b:y="1"></b:g></b:f>&lt;&amp;&gt;&#xD;</r>`,
		);
	});

	test("declares what is used, where it is used, as the exclusive method says", () => {
		const text = `<r xmlns="urn:r" xmlns:b="urn:b" xmlns:c="urn:c"><e xmlns=""/><b:f c:x="1"><b:g/></b:f><b:h/></r>`;
		expect(canonicalize(read(text), { method: "exclusive" })).toBe(
			`<r xmlns="urn:r"><e xmlns=""></e><b:f xmlns:b="urn:b" xmlns:c="urn:c" c:x="1"><b:g></b:g></b:f><b:h xmlns:b="urn:b"></b:h></r>`,
		);
	});

	test("of an inner element includes inherited namespaces and xml: attributes", () => {
		const root = read(
			`<r xmlns="urn:r" xmlns:b="urn:b" xml:lang="es" xml:space="preserve" id="1"><m xmlns:a="urn:a" xml:lang="en"><n c="1"/></m></r>`,
		);
		const inner = childElements(childElements(root)[0] ?? root)[0] ?? root;
		expect(canonicalize(inner)).toBe(
			`<n xmlns="urn:r" xmlns:a="urn:a" xmlns:b="urn:b" c="1" xml:lang="en" xml:space="preserve"></n>`,
		);
		expect(canonicalize(inner, { method: "exclusive" })).toBe(`<n xmlns="urn:r" c="1"></n>`);
	});

	test("can leave out an element, and texts of white space alone", () => {
		const root = read("<r> <a>1</a> <b> 2 </b>\n</r>");
		expect(canonicalize(root, { without: childElements(root)[0] })).toBe("<r>  <b> 2 </b>\n</r>");
		expect(canonicalize(root, { dropsBlanks: true })).toBe("<r><a>1</a><b> 2 </b></r>");
	});

	test("sorts names by code points, not by code units", () => {
		expect(["\u{10000}", "\uFFFD", "\uE000", "z", "", "zz"].sort(compareCodePoints)).toEqual([
			...["", "z", "zz", "\uE000", "\uFFFD", "\u{10000}"],
		]);
	});
});

describe("random documents", () => {
	const prefix = fc.constantFrom("", "p:", "q:");
	const name = fc.constantFrom("a", "b", "ñ", "z1");
	const text = fc.string({ unit: fc.constantFrom(..."ab &<>\"'\r\n\tñ€🧱\u0085\u2028"), maxLength: 8 });
	const attributes = fc.uniqueArray(fc.tuple(fc.constantFrom("x", "y", "p:x", "q:w", "xml:lang"), text), {
		selector: ([key]) => key,
		maxLength: 4,
	});
	const declarations = fc.uniqueArray(
		fc.tuple(fc.constantFrom("xmlns", "xmlns:p", "xmlns:q", "xmlns:r"), fc.constantFrom("urn:1", "urn:2", "urn:3")),
		{ selector: ([key]) => key, maxLength: 3 },
	);
	const { element } = fc.letrec<{ element: string; child: string }>((tie) => ({
		child: fc.oneof(
			{ maxDepth: 4 },
			text.map(toCanonicalText),
			fc.constantFrom("<![CDATA[]]x]]>", "<e/>"),
			tie("element"),
		),
		element: fc
			.tuple(prefix, name, attributes, declarations, fc.array(tie("child"), { maxLength: 4 }))
			.map(([before, local, own, declared, children]) => {
				const all = [...own, ...declared].map(([key, value]) => ` ${key}="${toCanonicalAttribute(value)}"`).join("");
				return `<${before}${local}${all}>${children.join("")}</${before}${local}>`;
			}),
	}));
	const samples = fc
		.sample(element, { numRuns: 400, seed: 20_261_120 })
		.map((inner) => `<root xmlns:p="urn:p" xmlns:q="urn:q">${inner}</root>`)
		// Two prefixes of one namespace may make two attributes the same one; such a document is none.
		.filter((one) => isXmlElement(readXmlBytes(new TextEncoder().encode(one))));

	for (const [method, option] of [
		["inclusive", "--c14n"],
		["exclusive", "--exc-c14n"],
	] as const) {
		test.skipIf(!judge)(
			`have the ${method} canonical form that xmllint gives them`,
			async () => {
				expect(samples.length).toBeGreaterThan(300);
				const files: string[] = [];
				for (const [index, sample] of samples.entries()) {
					const file = join(folder, `${index}.xml`);
					await writeFile(file, sample);
					files.push(file);
				}
				const verdict = await judge?.(option, ...files);
				const ours = samples.map((sample) => canonicalize(read(sample), { method }));
				expect(verdict?.exitCode).toBe(0);
				expect(verdict?.output).toBe(ours.join(""));
			},
			120_000,
		);
	}
});
