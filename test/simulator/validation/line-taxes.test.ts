/** What a line withholds, and the taxes that it carries besides ITBIS. */
import { describe, expect, test } from "bun:test";
import { Decimal } from "../../../src/platform/values";
import { ecf, toExempt, toInclusive } from "../support/documents";
import { GOOD, judge, textsOf } from "../support/judge";

describe("no line withholds more ITBIS than it bears: 260,", () => {
	const withheld = (amount: string, over: (xml: string) => string = (xml) => xml) =>
		over(ecf({ type: "41", withheld: amount })).replace(
			"</MontoTotal>",
			`</MontoTotal><TotalITBISRetenido>${amount}</TotalITBISRetenido>`,
		);
	const INVALID = { verdict: 2 as const, codes: ["260"] };

	test("at 18 %", () => {
		expect(judge(withheld("18.00"))).toEqual(GOOD);
		expect(judge(withheld("18.01"))).toEqual(INVALID);
		expect(judge(withheld("50.00"))).toEqual(INVALID);
		expect(textsOf(withheld("50.00"))).toEqual([
			"El campo MontoITBISRetenido de la sección DetallesItems de la línea 1 no es válido.",
		]);
	});

	test("of an exempt line none", () => {
		expect(judge(withheld("0.00", toExempt))).toEqual(GOOD);
		expect(judge(withheld("5.00", toExempt))).toEqual(INVALID);
	});

	test("with ITBIS in the price to the cent that its rounding may add", () => {
		expect(judge(withheld("18.01", toInclusive))).toEqual(GOOD);
		expect(judge(withheld("18.02", toInclusive))).toEqual(INVALID);
	});

	test("with excise of its own, not with that of another line", () => {
		const withholding = (item: string, amount: string) =>
			item.replace(
				"</IndicadorFacturacion>",
				`</IndicadorFacturacion><Retencion><IndicadorAgenteRetencionoPercepcion>1</IndicadorAgenteRetencionoPercepcion><MontoITBISRetenido>${amount}</MontoITBISRetenido></Retencion>`,
			);
		const reported = (first: string, second: string) => {
			const [header = "", one = "", two = ""] = carrying({ code: "036", amount: "10.00" }, 2).split("<Item>");
			const xml = [header, withholding(one, first), withholding(two, second)].join("<Item>");
			return textsOf(xml).filter((text) => text.includes("MontoITBISRetenido"));
		};
		expect(reported("19.80", "18.00")).toEqual([]);
		expect(reported("19.81", "18.00")).toMatchObject([expect.stringContaining("línea 1")]);
		expect(reported("18.00", "18.01")).toMatchObject([expect.stringContaining("línea 2")]);
	});
});

describe("the rate of a tax besides ITBIS", () => {
	const INVALID = "El campo TasaImpuestoAdicional del área Totales de la sección Encabezado no es válido.";
	const reported = (code: string, rate: string) => textsOf(carrying({ code, rate, amount: "1.00" }));

	test.each([
		...[["001", "10"] as const, ["002", "2.00"] as const, ["003", "16"] as const, ["004", "10.0"] as const],
		...[["005", "17"] as const, ["023", "10"] as const, ["035", "10"] as const],
		...[["036", "20"] as const, ["039", "20"] as const],
	])("%s is %s percent, and no other", (code, rate) => {
		expect(reported(code, rate)).not.toContain(INVALID);
		expect(reported(code, "3")).toContain(INVALID);
	});

	test("of a specific tax is an amount, which changes", () => {
		for (const code of ["006", "018", "019", "022"]) expect(reported(code, "632.58")).not.toContain(INVALID);
	});

	test("rejects the document where it is another", () => {
		expect(judge(carrying({ code: "005", rate: "17", amount: "1.00" }))).toEqual(GOOD);
		expect(judge(carrying({ code: "005", rate: "3", amount: "1.00" }))).toEqual({ verdict: 2, codes: ["0"] });
	});
});

/** An e-CF of lines of 100.00 of which the first carries a tax besides ITBIS, with sums that hold it. */
function carrying(tax: { code: string; rate?: string; amount: string }, lines = 1): string {
	const { code, rate = "20" } = tax;
	const amount = Decimal.of(tax.amount);
	const base = Decimal.of(String(100 * lines));
	const itbis = (code >= "006" ? base.plus(amount) : base).times(Decimal.of("0.18"));
	const kind = code <= "022" ? "Especifico" : "Advalorem";
	const element = code <= "005" ? "OtrosImpuestosAdicionales" : `MontoImpuestoSelectivoConsumo${kind}`;
	const type = `<TipoImpuesto>${code}</TipoImpuesto>`;
	const entry = `<ImpuestoAdicional>${type}<TasaImpuestoAdicional>${rate}</TasaImpuestoAdicional><${element}>${tax.amount}</${element}></ImpuestoAdicional>`;
	return ecf({ lines, total: base.plus(itbis).plus(amount).toFixed(2) })
		.replace(/(?<=<TotalITBIS1?>)[^<]+/g, itbis.toFixed(2))
		.replace(
			"<MontoTotal>",
			`<MontoImpuestoAdicional>${tax.amount}</MontoImpuestoAdicional><ImpuestosAdicionales>${entry}</ImpuestosAdicionales><MontoTotal>`,
		)
		.replace(
			"<MontoItem>",
			`<TablaImpuestoAdicional><ImpuestoAdicional>${type}</ImpuestoAdicional></TablaImpuestoAdicional><MontoItem>`,
		);
}
