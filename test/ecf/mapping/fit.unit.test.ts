import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cutText, fitDecimal, fitText, newFindings } from "../../../src/ecf/mapping/findings";

describe("a cut text", () => {
	test("has at most so many UTF-16 units and never half of a pair", () => {
		expect(cutText("😀".repeat(45), 80)).toBe("😀".repeat(40));
		expect(cutText(`a${"😀".repeat(45)}`, 80)).toBe(`a${"😀".repeat(39)}`);
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), fc.nat({ max: 30 }), (text, max) => {
				const cut = cutText(text, max);
				expect(text.startsWith(cut) && cut.isWellFormed()).toBe(true);
				expect(cut.length >= Math.min(text.length, max) - 1 && cut.length <= max).toBe(true);
			}),
		);
	});
});

describe("a fitted text", () => {
	test("is silent when nothing is lost", () => {
		const findings = newFindings();
		expect(fitText(findings, "🧱".repeat(10), "Sucursal", "/branch")).toBe("🧱".repeat(10));
		expect(fitText(findings, "CAÑO “Ñandú” São Â", "Sucursal", "/branch")).toBeDefined();
		expect(fitText(findings, undefined, "Sucursal", "/branch")).toBeUndefined();
		expect(findings).toEqual({ warnings: [], faults: [] });
	});
});

describe("a text that lost characters", () => {
	test("is kept, with a warning for each kind of loss", () => {
		const codesOf = (text: string) => {
			const findings = newFindings();
			expect(fitText(findings, text, "NombreItem", "/x")).toBe(text);
			return findings.warnings.map(({ code }) => code);
		};
		for (const word of ["Peña", "CAÑÓN", "¿Qué?", "N° 5", "“así”", "Últimos", "pingüino", "ÁÉÍ"]) {
			const latin1 = Buffer.from(word, "utf8").toString("latin1");
			const windows = new TextDecoder("windows-1252").decode(Buffer.from(word, "utf8"));
			expect([word, codesOf(word), codesOf(latin1), codesOf(windows)]).toEqual([
				word,
				[],
				["text-garbled"],
				["text-garbled"],
			]);
		}
		expect(codesOf("Pe\ufffda")).toEqual(["replacement-character"]);
	});
});

describe("a fitted decimal", () => {
	test("is rounded half up, and silent when only zeros go", () => {
		const findings = newFindings();
		expect(fitDecimal(findings, "1.2300", "MontoItem", "/x").toFixed(2)).toBe("1.23");
		expect(findings.warnings).toEqual([]);
		expect(fitDecimal(findings, "1.005", "MontoItem", "/x").toFixed(2)).toBe("1.01");
		expect(findings.warnings).toMatchObject([{ code: "precision-reduced", pointer: "/x" }]);
	});

	test("is a fault when rounding gives it a digit too many", () => {
		const findings = newFindings();
		fitDecimal(findings, "9999999999999999.995", "MontoItem", "/x");
		expect(findings.faults).toMatchObject([{ code: "amount-too-large", pointer: "/x" }]);
	});
});
