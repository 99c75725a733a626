import { describe, expect, test } from "bun:test";
import { explainCode, listCodes, listFixes } from "../../../src/authority/codes/dictionary";

describe("the fixes of a rejection", () => {
	test("replace what the code is about", () => {
		expect(listFixes("614")).toEqual([{ op: "replace", path: "/reference/encf", value: "<issued eNCF>" }]);
	});

	test("follow the remarks, the rejection's own code first, each place once", () => {
		const messages = [
			{ code: "1920", text: "El campo MontoGravadoTotal del área Totales no es válido." },
			{ code: "614", text: "El e-NCF modificado no ha sido emitido." },
			{ code: "613", text: "x" },
		];
		const paths = listFixes("614", messages).map((fix) => fix.path);
		expect(paths).toEqual(["/reference/encf", "/totals/subtotal", "/lines", "/reference/code"]);
	});

	test("name the line that a remark names", () => {
		const text =
			"El campo MontoITBISRetenido del área Retencion de la sección DetallesItems de la línea 3 no es válido.";
		expect(listFixes("260", [{ code: "260", text }])[0]?.path).toBe("/lines/2");
		expect(listFixes("260", [{ code: "260", text: "… de la linea 12 no es válido" }])[0]?.path).toBe("/lines/11");
		expect(listFixes("260", [{ code: "260", text: "… de la línea 0" }])[0]?.path).toBe("/lines");
	});

	test("are none for an unknown code, or for one that the caller cannot fix", () => {
		for (const code of ["9999", "toString", "2", "004", "3243"]) expect(listFixes(code)).toEqual([]);
	});

	test("stay few, whatever the authority sends", () => {
		const messages = Array.from({ length: 100 }, (_, i) => ({
			code: "2020",
			text: `de la línea ${i + 1} no es válido`,
		}));
		expect(listFixes("2020", messages)).toHaveLength(10);
	});

	test("point at the members that the dictionary names", () => {
		for (const code of listCodes()) {
			const explained = explainCode(code);
			if (!explained.known) throw new Error(`${code} is not known`);
			expect(listFixes(code).map((fix) => fix.path)).toEqual([...explained.fields]);
		}
	});
});
