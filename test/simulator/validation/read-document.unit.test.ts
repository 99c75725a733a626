import { describe, expect, test } from "bun:test";
import { type ReadDocument, readDocument } from "../../../src/simulator/validation/read-document";

const read = (text: string) => readDocument(new TextEncoder().encode(text));
const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const rootOf = (text: string) => (read(text) as ReadDocument).root;

describe("a file is refused", () => {
	test.each([
		["with a second root", "<a><b>1</b></a><a><b>2</b></a>"],
		["with a DOCTYPE", "<!DOCTYPE a><a><b>1</b></a>"],
		["with an entity of its own", '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>'],
		["with an unknown entity", "<a>&nbsp;</a>"],
		["with a bare ampersand", "<a>x & y</a>"],
		["with text after the root", "<a>1</a>x"],
		["with a comment", "<a>1<!-- 0 -->0</a>"],
		["with a comment after the root", "<a>1</a><!-- x -->"],
		["with CDATA", "<a><![CDATA[1]]></a>"],
		["with a processing instruction", "<a>1<?p 1?>00</a>"],
		["with a second declaration", '<a>1</a><?xml version="1.0"?>'],
		["with a control character", "<a>\u0001</a>"],
		["with a reference to a control character", "<a>&#1;</a>"],
		["with a raw copyright sign", "<a>©</a>"],
		["with text beside elements", "<a>1<b>2</b></a>"],
		["with an attribute", '<a><b c="1">2</b></a>'],
		["with an attribute on its root", '<a c="1">2</a>'],
		["with a type of its own", '<a xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:type="b">2</a>'],
		["with a schema below its root", `<a ${XSI}><b xsi:noNamespaceSchemaLocation="x.xsd">2</b></a>`],
		["with a namespace", '<a xmlns="urn:x">1</a>'],
		["with a prefix", '<x:a xmlns:x="urn:x">1</x:a>'],
		["with an open element", "<a><b></a>"],
		["with an unquoted attribute", "<a b=c>1</a>"],
		["with another declared encoding", '<?xml version="1.0" encoding="iso-8859-1"?><a>1</a>'],
		["without content", ""],
		["that nests too deep", `${"<a>".repeat(40)}1${"</a>".repeat(40)}`],
		["that nests absurdly deep", `${"<a>".repeat(50_000)}1${"</a>".repeat(50_000)}`],
	])("%s", (_name, text) => {
		expect(read(text)).toBeString();
	});

	test("in another encoding than UTF-8", () => {
		expect(readDocument(new Uint8Array([0x3c, 0x61, 0x3e, 0xf1, 0x3c, 0x2f, 0x61, 0x3e]))).toBeString();
	});
});

describe("a file is read", () => {
	test("without its white space between elements, and with that inside text", () => {
		expect(rootOf('<?xml version="1.0" encoding="UTF-8"?>\n<a>\n  <b> 1 </b>\n</a>\n')).toEqual({
			name: "a",
			text: "",
			children: [{ name: "b", text: " 1 ", children: [] }],
		});
	});

	test("with a byte order mark, numeric references and the usual namespaces on its root", () => {
		const text = '\uFEFF<a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><b>&#169;&amp;&#x41;</b></a>';
		expect(rootOf(text).children[0]?.text).toBe("©&A");
	});

	test("with the place of its schema on its root", () => {
		expect(rootOf(`<a ${XSI} xsi:noNamespaceSchemaLocation="x.xsd"><b>1</b></a>`).children).toHaveLength(1);
	});

	test("without what stands in its signature", () => {
		const text = '<a><b>1</b><Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><b Id="x">2</b></Signature></a>';
		expect(rootOf(text).children.map((child) => child.name)).toEqual(["b"]);
	});
});

test("the replacement character is a character like others", () => {
	expect(read("<a>x\ufffdy</a>")).not.toBeString();
});
