import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
	attributeOf,
	canonicalize,
	childElements,
	isXmlElement,
	OUTSIDE_LIMITS,
	readXmlBytes,
	readXmlText,
	textOf,
	type XmlElement,
	type XmlFaultCode,
} from "../../../src/platform/xml";

const bytes = (text: string) => new TextEncoder().encode(text);

function read(text: string): XmlElement {
	const reading = readXmlBytes(bytes(text));
	if (!isXmlElement(reading)) throw new Error(`expected ${text} to be read, got ${reading.code}: ${reading.detail}`);
	return reading;
}

function faultOf(input: string | Uint8Array): string {
	const reading = typeof input === "string" ? readXmlBytes(bytes(input)) : readXmlBytes(input);
	return isXmlElement(reading) ? "none" : reading.code;
}

describe("a document that is read", () => {
	test("is a tree of names, attributes and texts, however it was spelt", () => {
		const root = read(`<?xml version='1.0' encoding='utf-8' standalone="yes" ?>\r
<!-- before --><r a='1 &lt;&#x41;' xmlns="urn:r" p:b="2" xmlns:p="urn:p"><e/>x<![CDATA[<&]]>y<e>&amp;&#209;</e ></r>\n<!-- after -->`);
		expect(root).toMatchObject({ localName: "r", namespace: "urn:r", prefix: "", isPlain: false });
		expect(attributeOf(root, "a")).toBe("1 <A");
		expect(root.attributes.map(({ name, namespace, value }) => [name, namespace, value])).toEqual([
			["a", "", "1 <A"],
			["p:b", "urn:p", "2"],
		]);
		expect(root.children.map((child) => (typeof child === "string" ? child : child.localName))).toEqual([
			"e",
			"x<&y",
			"e",
		]);
		expect(childElements(root).map(textOf)).toEqual(["", "&Ñ"]);
	});

	test("may begin with a byte-order mark and hold every character that XML has", () => {
		expect(textOf(read("\uFEFF<a>\t\n\u0085\u2028\uD7FF\uE000\uFFFD🧱\u{10FFFF}</a>"))).toBe(
			"\t\n\u0085\u2028\uD7FF\uE000\uFFFD🧱\u{10FFFF}",
		);
	});

	test("has one kind of line end, and only white space by reference in attributes", () => {
		const root = read('<a b="1\r\n2\t3&#13;&#10;&#9;4">1\r\n2\r3\n4&#13;</a>');
		expect(textOf(root)).toBe("1\n2\n3\n4\r");
		expect(attributeOf(root, "b")).toBe("1 2 3\r\n\t4");
	});

	test("keeps namespaces of prefixes where they are declared, and forgets them behind", () => {
		const root = read(
			'<a xmlns:p="urn:1"><p:b xmlns:p="urn:2"><p:c/></p:b><p:d/><e xmlns="urn:3"><f xmlns=""/></e></a>',
		);
		const [b, d, e] = childElements(root);
		const names = [b, b && childElements(b)[0], d, e, e && childElements(e)[0]].map((one) => one?.namespace);
		expect(names).toEqual(["urn:2", "urn:2", "urn:1", "urn:3", ""]);
	});

	test("may have comments between its elements, which are gone but not forgotten", () => {
		const root = read("<a>\n<!-- - x --><b>1</b></a>");
		expect(root.isPlain).toBe(false);
		expect(childElements(root)[0]).toMatchObject({ isPlain: true, children: ["1"] });
	});
});

const REFUSED: Readonly<Record<XmlFaultCode, readonly string[]>> = {
	"too-large": [`<a>${"x".repeat(OUTSIDE_LIMITS.bytesMax)}</a>`],
	"too-many-nodes": [`<a>${"<b/>".repeat(60_000)}</a>`, `<a>${"<!---->".repeat(60_000)}</a>`],
	"too-many-attributes": [`<a${Array.from({ length: 65 }, (_, i) => ` a${i}=""`).join("")}/>`],
	"too-deep": [`${"<a>".repeat(33)}${"</a>".repeat(33)}`, "<a>".repeat(1_000_000)],
	encoding: [
		'<?xml version="1.0" encoding="UTF-16"?><a/>',
		'<?xml version="1.0" encoding="UTF-7"?><a/>',
		"<?xml version='1.0' encoding='ISO-8859-1'?><a/>",
	],
	"illegal-character": [
		"<a>\u0000</a>",
		"<a>\u001F</a>",
		"<a>\uFFFE</a>",
		"<a>&#0;</a>",
		"<a>&#xD800;</a>",
		"<a b='&#x110000;'/>",
	],
	"document-type": ["<!DOCTYPE a><a/>", "<a/><!DOCTYPE a>", "<a><!ENTITY b 'c'></a>", "<!doctype a><a/>"],
	"processing-instruction": [
		"<?p?><a/>",
		"<a><?p x?></a>",
		"<a/><?p?>",
		' <?xml version="1.0"?><a/>',
		"<a><?xml version='1.0'?></a>",
	],
	entity: ["<a>&nbsp;</a>", "<a b='&x;'/>", "<a>&toString;</a>"],
	"comment-in-text": ["<a>1<!-- -->2</a>", "<a>1<!-- --></a>", "<a><!-- -->1</a>", "<a> <!-- --><b/>x</a>"],
	"not-well-formed": [
		...[
			"",
			"<",
			"<a/></a>",
			"<a>",
			"<a></b>",
			"</a>",
			"<a",
			"<a b",
			"<a b=",
			"<a b=1/>",
			"<a b='1/>",
			"<a b='<'/>",
			"<a b='1'c='2'/>",
		],
		...[
			"<a/ >",
			"< a/>",
			"<1/>",
			"<a>&</a>",
			"<a>&#;</a>",
			"<a>&#x;</a>",
			"<a>]]></a>",
			"<a><!-- -- --></a>",
			"<a><!-- ---></a>",
		],
		...[
			"<a><![CDATA[x</a>",
			"<a><!-- </a>",
			'<?xml version="1.1"?><a/>',
			'<?xml encoding="UTF-8"?><a/>',
			"<?xml ?><a/>",
			"<a><b></a></b>",
		],
	],
	"content-outside-root": ["<a/><b/>", "x<a/>", "<a/>x", "<a/>&#32;", "<![CDATA[ ]]><a/>"],
	"duplicate-attribute": [
		"<a b='1' b='2'/>",
		"<a xmlns:p='u:1' xmlns:q='u:1' p:b='' q:b=''/>",
		"<a xmlns='u:1' xmlns='u:1'/>",
	],
	namespace: [
		...[
			"<p:a/>",
			"<a p:b=''/>",
			"<a xmlns:p=''/>",
			"<a xmlns='relative'/>",
			"<a xmlns='urn:{'/>",
			"<a xmlns='http://x:y/'/>",
			"<a xmlns='urn:%1'/>",
			"<a xmlns='urn:ñ'/>",
			"<a xmlns:p='./x'/>",
			"<a:b:c/>",
			"<a:/>",
			"<xmlns:a/>",
		],
		...["<a xmlns:xml='urn:x'/>", "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>", "<a xmlns:xmlns='urn:x'/>"],
	],
};

describe("a document is refused", () => {
	for (const [code, texts] of Object.entries(REFUSED)) {
		test(`as ${code}`, () => {
			for (const text of texts) expect([text.slice(0, 80), faultOf(text)]).toEqual([text.slice(0, 80), code]);
		});
	}

	test("when its bytes are not UTF-8", () => {
		const latin1 = Buffer.from("<a>ñ</a>", "latin1");
		const utf16 = Buffer.from("\uFEFF<a>x</a>", "utf16le");
		const surrogate = Buffer.concat([Buffer.from("<a>"), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from("</a>")]);
		const overlong = Buffer.concat([Buffer.from("<a>"), Buffer.from([0xc0, 0xbc]), Buffer.from("</a>")]);
		for (const one of [latin1, utf16, surrogate, overlong]) expect(faultOf(one)).toBe("encoding");
	});
});

test("an encoding that was declared does not bind text that a transport has decoded", () => {
	expect(isXmlElement(readXmlText('<?xml version="1.0" encoding="utf-16"?><a/>'))).toBe(true);
	expect(readXmlText("<a>\uD800</a>")).toMatchObject({ code: "illegal-character" });
	expect(readXmlText("\uFEFF<a/>")).toMatchObject({ localName: "a" });
	expect(readXmlText("ñ".repeat(60), { ...OUTSIDE_LIMITS, bytesMax: 100 })).toMatchObject({ code: "too-large" });
});

test("every result is an element or a fault, and canonical form reads back", () => {
	const piece = fc.constantFrom(
		...[
			"<a>",
			"</a>",
			"<b c='1'>",
			"</b>",
			"<p:d xmlns:p='urn:p'/>",
			"<!--x-->",
			"<![CDATA[<]]>",
			"&amp;",
			"&#13;",
			"x",
			" ",
		],
		...["\n", "\r", "<", ">", "&", "'", '"', "]]>", "<?p?>", "<!DOCTYPE a>", "xmlns=''", "=", "/", "\u0001", "ñ", "🧱"],
	);
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
			const reading = readXmlBytes(bytes(`<a>${pieces.join("")}</a>`));
			if (!isXmlElement(reading)) return expect(reading.detail).not.toBe("");
			const canonical = canonicalize(reading);
			expect(canonicalize(read(canonical))).toBe(canonical);
		}),
		{ numRuns: 5_000 },
	);
});
