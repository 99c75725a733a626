/** What is printed of a line's name and description, which are one text in a request and two in the document. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { readPrintable } from "../../../src/ecf/printing/read-printable";
import { createChance } from "../../support/chance";
import { hostileText } from "../../support/hostile-text";
import { jobOf, longDocument, print } from "./support/papers";
import { hasPoppler, readPages } from "./support/poppler";

const asIs = (text: string) => text;
const printed = (descriptions: readonly string[]) =>
	readPrintable(longDocument(descriptions), asIs).lines.map(({ description }) => description);

test("a description is printed once, whatever white space stands at its ends", () => {
	const spaces = fc.stringMatching(/^[ \t\n\u00a0\u2003\u3000]{0,5}$/);
	fc.assert(
		fc.property(spaces, fc.nat(), fc.integer({ min: 1, max: 900 }), spaces, (before, seed, length, after) => {
			const text = hostileText(createChance(seed), length);
			expect(printed([`${before}${text}${after}`])).toEqual([text.trim()]);
		}),
		{ numRuns: 300 },
	);
});

test("a description that says something else than the name is printed behind it", () => {
	const of = (description: string) => {
		const xml = new TextDecoder().decode(longDocument(["Cemento"]));
		const other = xml.replace(/<DescripcionItem>[^<]*</, `<DescripcionItem>${description}<`);
		return readPrintable(new TextEncoder().encode(other), asIs).lines[0]?.description;
	};
	expect(of(" Saco de 42.5 kg")).toBe("Cemento. Saco de 42.5 kg");
	expect(of("  Cemento gris")).toBe("Cemento gris");
	expect(of("  ")).toBe("Cemento");
});

test.skipIf(!hasPoppler())("the papers have a description with leading white space once", async () => {
	const signedXml = longDocument(["  \tVarilla corrugada "]);
	for (const format of ["a4", "thermal_80", "thermal_58"] as const) {
		const [page = ""] = await readPages(await print(jobOf("33-minimal", { format, signedXml })));
		expect([format, page.match(/Varilla/g)?.length]).toEqual([format, 1]);
	}
});
