import { describe, expect, test } from "bun:test";
import { takeXmlPart } from "../../../src/exchange/reception/xml-part";
import { Message } from "../../../src/platform/problem";

const B = "frontera";
const TYPE = `multipart/form-data; boundary=${B}`;
const XML = "\uFEFF<ECF>á</ECF>";
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));
const bodyOf = (headers: string, content = XML) => `--${B}\r\n${headers}\r\n\r\n${content}\r\n--${B}--\r\n`;
const USUAL =
	'Content-Disposition: form-data; name="xml"; filename="101010101E310000000001.xml"\r\nContent-Type: text/xml';
const take = (body: string, type = TYPE) => takeXmlPart(bytesOf(body), type);

describe("the part xml", () => {
	test.each([
		["as browsers write it", USUAL, TYPE],
		[
			"with the authority's media type",
			"Content-Type: multipart/form-data;\r\nContent-Disposition: form-data; name=xml; filename=a.xml",
			TYPE,
		],
		["without a media type", "Content-Disposition: form-data; name=xml; filename=a.xml; filename*=utf-8''a.xml", TYPE],
		["without a file name", "content-disposition:form-data;name=xml", TYPE],
		["with a quoted boundary", USUAL, `Multipart/Form-Data; charset=utf-8; boundary="${B}"`],
	])("is taken %s, byte for byte", (_, headers, type) => {
		expect(take(bodyOf(headers), type)).toEqual(bytesOf(XML));
	});

	test("is taken after a preamble, and may contain what looks like a delimiter", () => {
		expect(take(`before\r\n${bodyOf(USUAL, `<a>--${B}</a>`)}`)).toEqual(bytesOf(`<a>--${B}</a>`));
	});

	test.each([
		["the header names no boundary", bodyOf(USUAL), "multipart/form-data"],
		["the header names another boundary", bodyOf(USUAL), "multipart/form-data; boundary=otra"],
		["the body is empty", "", TYPE],
		["the body is cut off", bodyOf(USUAL).slice(0, -8), TYPE],
		["the headers do not end", `--${B}\r\n${USUAL}\r\n--${B}--\r\n`, TYPE],
		["the headers are endless", bodyOf(`X: ${"x".repeat(5_000)}\r\n${USUAL}`), TYPE],
		["the part has another name", bodyOf('Content-Disposition: form-data; name="file"; filename="xml"'), TYPE],
		["the part has two names", bodyOf("Content-Disposition: form-data; name=xml; name=other"), TYPE],
		["two dispositions disagree", bodyOf(`${USUAL}\r\nContent-Disposition: form-data; name=other`), TYPE],
		["there are two parts", `--${B}\r\n${USUAL}\r\n\r\n${XML}\r\n${bodyOf(USUAL)}`, TYPE],
		["something follows the end", `${bodyOf(USUAL)}${bodyOf(USUAL)}`, TYPE],
	])("is not taken when %s", (_, body, type) => {
		expect(take(body, type)).toBeInstanceOf(Message);
	});
});
