import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { cutText, fitDecimal, fitText, newFindings } from "../../../src/ecf/mapping/findings";

describe("a cut text", () => {
	test("has so many characters and never half of one", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), fc.nat({ max: 30 }), (text, max) => {
				const cut = cutText(text, max);
				expect([...cut]).toEqual([...text].slice(0, max));
			}),
		);
	});
});

describe("a fitted text", () => {
	test("is silent when nothing is lost", () => {
		const findings = newFindings();
		expect(fitText(findings, "🧱".repeat(20), "Sucursal", "/branch")).toBe("🧱".repeat(20));
		expect(fitText(findings, undefined, "Sucursal", "/branch")).toBeUndefined();
		expect(findings).toEqual({ warnings: [], faults: [] });
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
