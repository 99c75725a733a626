import * as jsc from "bun:jsc";
import { describe, expect, test } from "bun:test";
import { planEcf } from "../../../src/ecf/mapping";
import { draftEcf } from "../../../src/ecf/signing";
import { narrow } from "../../../src/ecf/signing/sign-ecf";
import { buildInvoice, buildLine, ISSUER, toInput } from "./samples";

/** A text with two bytes for each character, whatever the characters. */
const widen = (text: string) => Buffer.from(text, "utf16le").toString("utf16le");
/** The runtime's own word on how it keeps a value, which its types leave out. */
const { describe: describeValue } = jsc as unknown as { readonly describe: (value: unknown) => string };
const isNarrow = (text: string) => describeValue(text).includes("8Bit:(1)");

describe("a text that is narrowed", () => {
	test("is the same text", () => {
		const every = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
		const lone = "a\ud800b\udc00";
		for (const text of [
			"",
			"a",
			"ñ",
			"€",
			"ƀ",
			"𐐷",
			lone,
			"\u0080\u00ff\u0100",
			"añ".repeat(70_000),
			"añ".repeat(140_000),
			...every,
		]) {
			expect(narrow(text)).toBe(text);
			expect(narrow(`ñ${text}ó`)).toBe(`ñ${text}ó`);
		}
	});

	test("has a byte for each character, where every character is Latin-1", () => {
		const wide = widen("<Nombre>FERRETERÍA NIÑO</Nombre>".repeat(200));
		expect(isNarrow(wide)).toBe(false);
		expect(isNarrow(narrow(wide))).toBe(true);
		expect(isNarrow(narrow(widen("<Nombre>FERRETERIA</Nombre>")))).toBe(true);
		expect(isNarrow(narrow(`${wide}€`))).toBe(false);
	});
});

test("a draft and its summary have one byte per character, whatever their texts had", () => {
	const { customer: _, ...consumer } = buildInvoice({ type: "32", encf: "E320000000001" });
	for (const issuer of [ISSUER, { ...ISSUER, name: widen("FERRETERÍA NIÑO SRL") }]) {
		for (const description of ["Cemento gris", widen("Cemento gris"), widen("Café de montaña")]) {
			const input = toInput({ ...consumer, lines: [buildLine({ description })] }, issuer);
			const { ecf, summary } = draftEcf(input, planEcf(input));
			expect([ecf, summary ?? widen("no summary")].map(isNarrow)).toEqual([true, true]);
		}
	}
});
