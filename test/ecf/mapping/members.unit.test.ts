import { expect, test } from "bun:test";
import { carries, ECF_TYPES, planEcf, writeEcf } from "../../../src/ecf/mapping";
import { INVOICE_ELEMENTS } from "../../../src/ecf/mapping/plan-ecf";
import { LINE_ELEMENTS } from "../../../src/ecf/mapping/plan-lines";
import { PRINTED_LINE_MEMBERS, PRINTED_MEMBERS } from "../../../src/ecf/printing/printable";
import { readPrintable } from "../../../src/ecf/printing/read-printable";
import { signedDocument } from "../printing/support/papers";
import { readExample } from "../signing/samples";

const EVERYTHING = ECF_TYPES.map((type) => `${type}-everything`);

test.each(EVERYTHING)("%s states every member in the element that the mapping names", (name) => {
	const { invoice, ...input } = readExample(name);
	const plan = planEcf({ invoice, ...input });
	const xml = writeEcf(plan);
	const [line = {}] = invoice.lines;
	for (const [given, elements] of [
		[invoice, INVOICE_ELEMENTS],
		[line, LINE_ELEMENTS],
	] as const) {
		for (const [member, element] of Object.entries(elements)) {
			if (element === null || !(member in given) || !carries(plan.type, element)) continue;
			expect([member, xml.includes(`<${element}>`)]).toEqual([member, true]);
		}
	}
});

test.each(EVERYTHING)("%s prints every member in the part that printing names", (name) => {
	const { invoice } = readExample(name);
	const printable = readPrintable(signedDocument(name), (text) => text);
	const [line = {}] = invoice.lines;
	const [printedLine = {}] = printable.lines;
	for (const [given, parts, printed] of [
		[invoice, PRINTED_MEMBERS, printable],
		[line, PRINTED_LINE_MEMBERS, printedLine],
	] as const) {
		for (const [member, part] of Object.entries(parts)) {
			if (part === null || !(member in given)) continue;
			expect([member, (printed as Record<string, unknown>)[part] === undefined]).toEqual([member, false]);
		}
	}
});
