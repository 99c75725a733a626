import { expect, test } from "bun:test";
import { readAnswer, readXml } from "../../../src/authority/client/read-answer";
import { isSeed } from "../../../src/authority/client/session";

const SEED = "<SemillaModel><valor>x</valor><fecha>2026-11-20T10:19:31-04:00</fecha></SemillaModel>";

test("an answer in XML becomes members, lists, texts and null", () => {
	const xml = `<?xml version="1.0" encoding="utf-16"?>\r\n<Respuesta xmlns:i="http://www.w3.org/2001/XMLSchema-instance">
		<codigo>1</codigo><m>a &amp; b</m><m><![CDATA[<c>]]></m><error i:nil="true"/><nada/></Respuesta>`;
	expect(readXml(xml)).toEqual({
		root: "Respuesta",
		value: { codigo: "1", m: ["a & b", "<c>"], error: null, nada: "" },
	});
});

test("an ambiguous answer is not read", () => {
	for (const text of [
		'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>',
		"<a>&x;</a>",
		"<a><codigo>1</codigo></a><a><codigo>2</codigo></a>",
		"<a><codigo><?p 2?>1</codigo></a>",
		"<a><codigo>1<!-- -->2</codigo></a>",
		`${"<a>".repeat(17)}${"</a>".repeat(17)}`,
		`<a>${"<b></b>".repeat(60_000)}</a>`,
		"<a b='1' b='2'>x</a>",
		"<a>\u0001</a>",
		"<a><b></a></b>",
	]) {
		expect([text.slice(0, 60), readXml(text)]).toEqual([text.slice(0, 60), undefined]);
		expect(readAnswer(text).form).toBe("unreadable");
	}
});

test("a seed is signed only as it is", () => {
	expect(isSeed(SEED)).toBe(true);
	expect(
		isSeed(`\uFEFF<?xml version="1.0" encoding="utf-8"?>\r\n<!-- seed -->${SEED.replaceAll("><", ">\r\n  <")}`),
	).toBe(true);
	for (const other of [
		`<!DOCTYPE SemillaModel>${SEED}`,
		`${SEED}<ECF></ECF>`,
		SEED.replace("<valor>x", "<valor>x<?p?>"),
		SEED.replace("<valor>x", "<valor>x<!-- y -->"),
		SEED.replace("<valor>x", "<valor>&x;"),
		SEED.replace("<fecha>", "<valor>y</valor><fecha>"),
		SEED.replace("x", "<ECF>1</ECF>"),
		SEED.replaceAll("SemillaModel", "ECF"),
	]) {
		expect([other, isSeed(other)]).toEqual([other, false]);
	}
});
