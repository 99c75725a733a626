import { describe, expect, test } from "bun:test";
import { correctionOf, explainCode, listCodes, PATCHES } from "../../../src/authority/codes/dictionary";
import { BUSINESS_RULES } from "../../../src/authority/rules/check-rules";

const pointersOf = (...given: Parameters<typeof correctionOf>) =>
	correctionOf(...given).advice.map(({ pointer }) => pointer);

describe("the correction of a rejection", () => {
	test("is advice on what the code is about", () => {
		expect(correctionOf("614")).toEqual({
			fix: [],
			advice: [{ pointer: "/reference/encf", detail: "Expected: issued eNCF.", detailEs: "Se espera: eNCF emitido." }],
		});
	});

	test("follows the remarks, the rejection's own code first, each place once", () => {
		const messages = [
			{ code: "1920", text: "El campo MontoGravadoTotal del área Totales no es válido." },
			{ code: "614", text: "El e-NCF modificado no ha sido emitido." },
			{ code: "613", text: "x" },
		];
		expect(pointersOf("614", messages)).toEqual(["/reference/encf", "/totals/subtotal", "/lines", "/reference/code"]);
	});

	test("names the line that a remark names", () => {
		const text =
			"El campo MontoITBISRetenido del área Retencion de la sección DetallesItems de la línea 3 no es válido.";
		expect(pointersOf("260", [{ code: "260", text }])[0]).toBe("/lines/2");
		expect(pointersOf("260", [{ code: "260", text: "… de la linea 12 no es válido" }])[0]).toBe("/lines/11");
		expect(pointersOf("260", [{ code: "260", text: "… de la línea 0" }])[0]).toBe("/lines");
	});

	test("is empty for an unknown code, or for one that the caller cannot fix", () => {
		for (const code of ["9999", "toString", "2", "004", "3243"])
			expect(correctionOf(code)).toEqual({ fix: [], advice: [] });
	});

	test("stays short, whatever the authority sends", () => {
		const messages = Array.from({ length: 100 }, (_, i) => ({
			code: "2020",
			text: `de la línea ${i + 1} no es válido`,
		}));
		expect(pointersOf("2020", messages)).toHaveLength(10);
	});

	test("points at the members that the dictionary names", () => {
		for (const code of listCodes()) {
			const explained = explainCode(code);
			if (!explained.known) throw new Error(`${code} is not known`);
			expect(pointersOf(code)).toEqual([...explained.fields]);
		}
	});

	test("uses the words of the warning that foretold the rejection", () => {
		const foretold = (code: string, authorityCode?: string) => ({
			...{ code, pointer: "/customer/rnc", detail: "Another buyer.", detailEs: "Otro comprador." },
			...{ verdict: "rejected" as const, ...(authorityCode === undefined ? {} : { authorityCode }) },
		});
		const advice = [{ pointer: "/customer/rnc", detail: "Another buyer.", detailEs: "Otro comprador." }];
		expect(correctionOf("615", [], [foretold("reference-buyer", "615")])).toEqual({ fix: [], advice });
		expect(correctionOf("2", [], [foretold("reference-to-note")])).toEqual({ fix: [], advice });
		expect(pointersOf("614", [], [foretold("reference-buyer", "615")])).toEqual(["/reference/encf"]);
	});

	test("is a patch only for rules that exist and reject", () => {
		// `test/api/post-invoice/notes.test.ts` applies each of them.
		const codes = ["reference-date"];
		expect(Object.keys(PATCHES).sort()).toEqual(codes);
		for (const code of Object.keys(PATCHES))
			expect(BUSINESS_RULES.find((rule) => rule.code === code)?.verdict).toBe("rejected");
	});
});
