import { expect, test } from "bun:test";
import fc from "fast-check";
import { toMessages } from "../../../src/authority/client/messages";
import { decodeBody, foldText, readAnswer } from "../../../src/authority/client/read-answer";

const form = (text: string) => readAnswer(text).form;

test("each shape that the authority uses has its form", () => {
	expect(form('{"a":1}')).toBe("members");
	expect(form('[{"a":1}]')).toBe("list");
	expect(form("bare text")).toBe("text");
	expect(form('"a JSON string"')).toBe("text");
	expect(form('"{\\"a\\":1}"')).toBe("members");
	expect(form('"[1]"')).toBe("list");
	expect(form('"<a><b/></a>"')).toBe("members");
	expect(form("<string>text</string>")).toBe("text");
	expect(form("<ArrayOfThing><Thing><a>1</a></Thing></ArrayOfThing>")).toBe("list");
	expect(form("<ArrayOfThing/>")).toBe("text");
	for (const text of [
		"",
		" \r\n",
		"<html>",
		"<!DOCTYPE html>",
		"{",
		"[1",
		"null",
		"12",
		'{"a":1}x',
		"<a>",
		"<a/><b/>",
	]) {
		expect([text, form(text)]).toEqual([text, "unreadable"]);
	}
});

test("a JSON string nested twice is text", () => {
	const nested = JSON.stringify(JSON.stringify(JSON.stringify({ a: 1 })));
	expect(form(nested)).toBe("text");
});

test("the declared charset is used, and an unknown one does no harm", () => {
	const bytes = new Uint8Array([0x22, 0xd1, 0x22]);
	expect(decodeBody({ status: 200, mediaType: "text/plain; charset=iso-8859-1", bytes })).toBe('"Ñ"');
	expect(decodeBody({ status: 200, mediaType: 'text/plain; charset="WINDOWS-1252"', bytes })).toBe('"Ñ"');
	expect(decodeBody({ status: 200, mediaType: "text/plain; charset=klingon", bytes })).toBe('"\uFFFD"');
	expect(decodeBody({ status: 200, mediaType: "", bytes: new TextEncoder().encode("\uFEFFñ") })).toBe("ñ");
});

test("remarks are found in every shape", () => {
	const one = [{ code: "75", text: "x" }];
	for (const value of [
		[{ valor: "x", codigo: 75 }],
		[{ Valor: "x", Codigo: "75" }],
		{ valor: " x ", codigo: "0075" },
		{ mensaje: [{ valor: "x", codigo: "75" }] },
		[[{ descripcion: "x", code: 75 }]],
		[{ valor: "x", codigo: "75" }, { valor: "", codigo: 0 }, null, 7, true],
	]) {
		expect(toMessages(value)).toEqual(one);
	}
	expect(toMessages(["a", "", "b"])).toEqual([
		{ code: "0", text: "a" },
		{ code: "0", text: "b" },
	]);
	expect(toMessages({ xml: ["required"], other: ["wrong"] }).map((message) => message.text)).toEqual([
		"required",
		"wrong",
	]);
	expect(toMessages({ codigo: "E-7" })).toEqual([{ code: "E-7", text: "" }]);
	for (const value of [undefined, null, {}, [], "", [{ valor: "", codigo: "0" }]])
		expect(toMessages(value)).toEqual([]);
});

test("words are compared without case, accents, double spaces and the full stop", () => {
	expect(foldText("  Aprobación   COMERCIAL aprobada. ")).toBe("aprobacion comercial aprobada");
});

test("no text makes a reader throw", () => {
	const odd = fc.oneof(
		fc.string({ unit: "binary" }),
		fc.json(),
		fc.string().map((text) => `<a>${text}</a>`),
		fc.constantFrom("<", "<?xml", "<!--", "<![CDATA[", "<a xmlns:b=''/>", "&", '"\\ud800"', "<a>\u0000</a>", "<a:b/>"),
	);
	fc.assert(
		fc.property(odd, (text) => {
			expect(["members", "list", "text", "unreadable"]).toContain(form(text));
		}),
		{ numRuns: 1_000 },
	);
});
