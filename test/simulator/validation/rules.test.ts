import { describe, expect, test } from "bun:test";
import type { Reception } from "../../../src/simulator/store";
import type { ReferenceLookup } from "../../../src/simulator/validation/rules";
import { BUYER, daysFromToday, ecf, summary, toExempt, toInclusive } from "../support/documents";
import { GOOD, judge, textsOf } from "../support/judge";

describe("consumer invoices go by the channel of their amount:", () => {
	test("249,999.99 as a summary, 250,000.00 whole", () => {
		expect(judge(summary({ total: "249999.99" }), "fc")).toMatchObject(GOOD);
		expect(judge(summary({ total: "250000.00" }), "fc")).toMatchObject({ verdict: 2 });
		const whole = (total: string) => ecf({ type: "32", price: total }).replace(/(?<=<MontoTotal>)[^<]+/, total);
		expect(judge(whole("249999.99"))).toMatchObject({ verdict: 2 });
		expect(judge(ecf({ type: "32", price: "250000.00" }))).toMatchObject(GOOD);
	});

	test("a large one names its buyer", () => {
		expect(judge(ecf({ type: "32", price: "250000.00", buyer: null }))).toMatchObject({ verdict: 2 });
	});
});

describe("amounts", () => {
	test("of a line may be off by 1.00", () => {
		const line = (amount: string) => {
			const xml = ecf().replace("<MontoItem>100.00", `<MontoItem>${amount}`);
			return judge(xml).verdict;
		};
		expect([line("101.00"), line("99.00"), line("101.01"), line("98.99")]).toEqual([1, 1, 4, 4]);
	});

	test("of the document may be off by 1.00 for each line", () => {
		const total = (lines: number, amount: string) => judge(ecf({ lines, total: amount }));
		expect(total(1, "119.00")).toEqual(GOOD);
		expect(total(1, "119.01")).toEqual({ verdict: 4, codes: ["3205"] });
		expect(total(3, "357.00")).toMatchObject(GOOD);
		expect(total(3, "357.01")).toMatchObject({ verdict: 4 });
	});

	test("of the bases follow the lines, the adjustments and whether prices include ITBIS", () => {
		const wrong = ecf().replace("<MontoGravadoI1>100.00", "<MontoGravadoI1>150.00");
		expect(judge(wrong)).toEqual({ verdict: 4, codes: ["1934", "0", "1920"] });
		const discount =
			"<DescuentosORecargos><DescuentoORecargo><NumeroLinea>1</NumeroLinea><TipoAjuste>D</TipoAjuste><MontoDescuentooRecargo>50.00</MontoDescuentooRecargo><IndicadorFacturacionDescuentooRecargo>1</IndicadorFacturacionDescuentooRecargo></DescuentoORecargo></DescuentosORecargos>";
		const discounted = ecf()
			.replace("</DetallesItems>", `</DetallesItems>${discount}`)
			.replace(/(?<=<MontoGravado(Total|I1)>)100.00/g, "50.00")
			.replace(/(?<=<TotalITBIS1?>)18.00/g, "9.00")
			.replace("<MontoTotal>118.00", "<MontoTotal>59.00");
		expect(judge(discounted)).toMatchObject(GOOD);
		expect(judge(toInclusive(ecf()))).toMatchObject(GOOD);
	});

	test("of a summary are added up too", () => {
		const off = summary().replace("<MontoExento>118.00", "<MontoExento>110.00");
		expect(judge(off, "fc")).toEqual({ verdict: 4, codes: ["3205"] });
	});
});

describe("fields", () => {
	test("a document with taxable items says whether prices include ITBIS: 176", () => {
		expect(judge(ecf({ priceIndicator: false }))).toEqual({ verdict: 2, codes: ["176"] });
	});

	test("every line of a 41 withholds, even 0.00: 260", () => {
		expect(judge(ecf({ type: "41" }))).toMatchObject(GOOD);
		expect(judge(ecf({ type: "41", withheld: null }))).toEqual({ verdict: 2, codes: ["260"] });
		const without = ecf({ type: "41", lines: 2 }).replaceAll(/<Retencion>.*?<\/Retencion>/g, "");
		expect(judge(without)).toEqual({ verdict: 2, codes: ["260", "260"] });
		const service = ecf({ type: "41" }).replace("<IndicadorBienoServicio>1", "<IndicadorBienoServicio>2");
		expect(judge(service)).toEqual({ verdict: 2, codes: ["260"] });
	});

	test("lines are numbered from one", () => {
		expect(judge(ecf({ lines: 2 }).replace("<NumeroLinea>2", "<NumeroLinea>3"))).toMatchObject({ verdict: 2 });
	});

	test("nothing is signed or issued in the future of UTC-4", () => {
		expect(judge(ecf({ signedAt: `${daysFromToday(1)} 23:59:59` }))).toMatchObject({ verdict: 2 });
		expect(judge(ecf({ issueDate: daysFromToday(2) }))).toMatchObject({ verdict: 2 });
	});
});

describe("notes", () => {
	const original = (particulars: Partial<Reception> = {}) => ({
		verdict: 1,
		issueDate: daysFromToday(0),
		buyerRnc: BUYER,
		foreignBuyer: null,
		total: "118.00",
		type: "31",
		...particulars,
	});
	const lookup = (found: object, notes: object[] = []): ReferenceLookup => ({
		find: (rnc, encf) => (rnc === "990000001" && encf === "E310000000001" ? (found as Reception) : undefined),
		listNotesOn: () => notes as Reception[],
	});
	const to = { encf: "E310000000001" };

	test.each(["33", "34"])("a %s of an accepted document is accepted", (type) => {
		for (const verdict of [1, 4] as const) {
			expect(judge(ecf({ type, reference: to }), "main", lookup(original({ verdict })))).toMatchObject(GOOD);
		}
	});

	test.each(["33", "34"])("a %s of an unknown or rejected document is rejected: 614", (type) => {
		expect(judge(ecf({ type, reference: to }))).toEqual({ verdict: 2, codes: ["614"] });
		const rejected = lookup(original({ verdict: 2 }));
		expect(judge(ecf({ type, reference: to }), "main", rejected)).toEqual({ verdict: 2, codes: ["614"] });
	});

	test("a document of another series is not looked for", () => {
		expect(judge(ecf({ type: "34", reference: { encf: "B0100000001" } }))).toMatchObject(GOOD);
	});

	test("another buyer is rejected: 615", () => {
		const other = lookup(original({ buyerRnc: "990000052" }));
		expect(judge(ecf({ type: "34", reference: to }), "main", other)).toEqual({ verdict: 2, codes: ["615"] });
	});

	test("another date is rejected: 634, and a wrong thirty-day indicator: 156", () => {
		const found = lookup(original({ issueDate: daysFromToday(-1) }));
		expect(judge(ecf({ type: "34", reference: to }), "main", found)).toEqual({ verdict: 2, codes: ["634"] });
		const indicator = (days: number, value: string) => {
			const date = daysFromToday(-days);
			const note = ecf({ type: "34", reference: { ...to, date, indicator: value } });
			return judge(note, "main", lookup(original({ issueDate: date }))).codes;
		};
		expect([indicator(30, "0"), indicator(31, "1"), indicator(30, "1"), indicator(31, "0")]).toEqual([
			[],
			[],
			["156"],
			["156"],
		]);
	});

	test("credit above the balance is rejected: 615", () => {
		const notes = [
			{ type: "33", total: "50.00" },
			{ type: "34", total: "50.01" },
		];
		const note = ecf({ type: "34", reference: to });
		expect(judge(note, "main", lookup(original(), notes))).toEqual({ verdict: 2, codes: ["615"] });
		expect(judge(note, "main", lookup(original(), notes.slice(0, 1)))).toMatchObject(GOOD);
	});

	test("an electronic document does not replace another: 613", () => {
		const note = ecf({ type: "34", reference: { ...to, code: "4" } });
		expect(judge(note, "main", lookup(original()))).toEqual({ verdict: 2, codes: ["613"] });
	});

	test("code 1 cancels the balance, code 2 has no amounts, code 5 is for a 31", () => {
		const coded = (type: string, code: string, total = "118.00") =>
			judge(ecf({ type, reference: { ...to, code } }), "main", lookup(original({ total })));
		expect(coded("34", "1")).toMatchObject(GOOD);
		expect(coded("34", "1", "200.00")).toMatchObject({ verdict: 2 });
		expect(coded("34", "2")).toMatchObject({ verdict: 2 });
		expect(coded("33", "5")).toMatchObject({ verdict: 2 });
		const none = ecf({ type: "34", reference: { ...to, code: "2" }, price: "0.00" });
		expect(judge(none, "main", lookup(original()))).toMatchObject(GOOD);
	});

	test("a note on a consumer invoice of 250,000.00 or more names its buyer", () => {
		const large = original({ total: "300000.00", buyerRnc: null });
		const find: ReferenceLookup = { ...lookup(large), find: () => large as Reception };
		const note = ecf({ type: "34", buyer: null, reference: { encf: "E320000000001" } });
		expect(judge(note, "main", find)).toMatchObject({ verdict: 2 });
		const small = original({ buyerRnc: null });
		expect(judge(note, "main", { ...find, find: () => small as Reception })).toMatchObject(GOOD);
	});

	test("other documents refer with codes 4 and 5 alone, paper of the equivalent type", () => {
		const referenceOf = (type: string, code: string, encf: string) => {
			const date = `<FechaNCFModificado>${daysFromToday(0)}</FechaNCFModificado>`;
			const block = `<InformacionReferencia><NCFModificado>${encf}</NCFModificado>${date}<CodigoModificacion>${code}</CodigoModificacion></InformacionReferencia>`;
			return ecf({ type }).replace("<FechaHoraFirma>", `${block}<FechaHoraFirma>`);
		};
		const referring = (...of: Parameters<typeof referenceOf>) => judge(referenceOf(...of));
		expect(referring("31", "4", "B0100000001")).toMatchObject(GOOD);
		expect(referring("31", "4", "B0200000001")).toMatchObject({ verdict: 2 });
		expect(referring("31", "4", "E310000000001")).toEqual({ verdict: 2, codes: ["613"] });
		for (const consumer of ["E320000000001", "B0200000001", "A010010010200000001"]) {
			expect(referring("31", "5", consumer)).toMatchObject(GOOD);
		}
		for (const other of ["E310000000001", "B0100000001", "A010010010100000001"]) {
			expect(referring("31", "5", other)).toEqual({ verdict: 2, codes: ["0"] });
			expect(textsOf(referenceOf("31", "5", other))).toEqual([
				"El campo NCFModificado del área InformacionReferencia de la sección InformacionReferencia no es válido.",
			]);
		}
		expect(referring("41", "5", "E320000000001")).toMatchObject({ verdict: 2 });
		expect(referring("31", "3", "B0100000001")).toMatchObject({ verdict: 2 });
		expect(referring("31", "4", "B0100000001111")).toMatchObject({ verdict: 2 });
	});
});

describe("a buyer", () => {
	const foreign = "<IdentificadorExtranjero>X-1</IdentificadorExtranjero>";

	test("is from here or from abroad, not both", () => {
		const both = ecf({ type: "32", price: "300000.00" }).replace("</RNCComprador>", `</RNCComprador>${foreign}`);
		expect(judge(both)).toMatchObject({ verdict: 2 });
		expect(judge(both.replace(/<RNCComprador>.*?<\/RNCComprador>/, ""))).toMatchObject(GOOD);
	});

	test("of a 44 is one of the two", () => {
		expect(judge(exempt("44"))).toMatchObject(GOOD);
		const anonymous = exempt("44").replace(/<RNCComprador>.*?<\/RNCComprador>/, "");
		expect(judge(anonymous)).toMatchObject({ verdict: 2 });
		expect(judge(anonymous.replace("<Comprador>", `<Comprador>${foreign}`))).toMatchObject(GOOD);
	});
});

describe("payment", () => {
	const onCredit = (due: string) =>
		ecf().replace(
			"<TipoPago>1</TipoPago>",
			`<TipoPago>2</TipoPago>${due && `<FechaLimitePago>${due}</FechaLimitePago>`}`,
		);

	test("on credit names its last day, not before the issue", () => {
		expect(judge(onCredit(daysFromToday(0)))).toMatchObject(GOOD);
		expect(judge(onCredit(""))).toMatchObject({ verdict: 2 });
		expect(judge(onCredit(daysFromToday(-1)))).toMatchObject({ verdict: 2 });
	});

	test("of a 41 says how", () => {
		expect(judge(ecf({ type: "41" }).replace("<TipoPago>1</TipoPago>", ""))).toMatchObject({ verdict: 2 });
	});

	test("with gift vouchers is for consumer invoices", () => {
		const form = "<FormaDePago><FormaPago>5</FormaPago><MontoPago>118.00</MontoPago></FormaDePago>";
		const paid = (xml: string) => xml.replace("</TipoPago>", `</TipoPago><TablaFormasPago>${form}</TablaFormasPago>`);
		expect(judge(paid(ecf()))).toMatchObject({ verdict: 2 });
		expect(judge(paid(ecf({ type: "32", price: "300000.00" })))).toMatchObject(GOOD);
		expect(judge(paid(summary()), "fc")).toMatchObject(GOOD);
	});
});

describe("a line", () => {
	const discounted = (inner: string) =>
		ecf()
			.replace("</PrecioUnitarioItem>", `</PrecioUnitarioItem>${inner}`)
			.replace("<PrecioUnitarioItem>100", "<PrecioUnitarioItem>110");
	const row = (kind: string, amount: string) =>
		`<TablaSub${kind}><Sub${kind}><TipoSub${kind}>$</TipoSub${kind}>${amount}</Sub${kind}></TablaSub${kind}>`;
	const amount = (kind: string, text: string) => `<MontoSub${kind}>${text}</MontoSub${kind}>`;

	test("has its discount and the table of it together, and they add up: 2020", () => {
		const total = "<DescuentoMonto>10.00</DescuentoMonto>";
		expect(judge(discounted(total + row("Descuento", amount("Descuento", "10.00"))))).toMatchObject(GOOD);
		const wrong = [
			total,
			row("Descuento", amount("Descuento", "10.00")),
			total + row("Descuento", amount("Descuento", "9.00")),
			total + row("Descuento", "<SubDescuentoPorcentaje>10</SubDescuentoPorcentaje>"),
		];
		for (const inner of wrong) expect(judge(discounted(inner)).codes).toContain("2020");
	});

	test("has a discount in percent of its price × quantity: 2020", () => {
		const inPercent = (percent: string, of: string) => {
			const parts = `<SubDescuentoPorcentaje>${percent}</SubDescuentoPorcentaje>${amount("Descuento", of)}`;
			const table = row("Descuento", parts).replace("$", "%");
			return judge(
				ecf()
					.replace("<CantidadItem>1", "<CantidadItem>2")
					.replace("<PrecioUnitarioItem>100.00", "<PrecioUnitarioItem>2250.00")
					.replace("</PrecioUnitarioItem>", `</PrecioUnitarioItem><DescuentoMonto>${of}</DescuentoMonto>${table}`),
			).codes.filter((code) => code === "2020");
		};
		expect(inPercent("50", "10.00")).toEqual(["2020"]);
		expect([inPercent("50", "2250.00"), inPercent("50", "2249.00"), inPercent("50", "2251.00")]).toEqual([[], [], []]);
		expect([inPercent("50", "2248.99"), inPercent("50", "2251.01")]).toEqual([["2020"], ["2020"]]);
	});

	test("has its surcharge likewise: 2030", () => {
		expect(judge(discounted("<RecargoMonto>10.00</RecargoMonto>")).codes).toContain("2030");
	});

	test("is of one kind in the types without ITBIS", () => {
		expect(judge(exempt("44").replace("<IndicadorFacturacion>4", "<IndicadorFacturacion>1"))).toMatchObject({
			verdict: 2,
		});
	});

	test("that is not billed has its own sum beside the total", () => {
		const [, first = ""] = /(<Item>.*<\/Item>)/.exec(exempt("44")) ?? [];
		const unbilled = first
			.replace("<NumeroLinea>1", "<NumeroLinea>2")
			.replace("<IndicadorFacturacion>4", "<IndicadorFacturacion>0");
		const price = /<MontoItem>([^<]*)/.exec(first)?.[1] ?? "";
		const stated = (sum: string) =>
			judge(
				exempt("44")
					.replace("</Item></DetallesItems>", `</Item>${unbilled}</DetallesItems>`)
					.replace("</MontoTotal>", `</MontoTotal><MontoNoFacturable>${sum}</MontoNoFacturable>`),
			);
		expect(stated(price)).toMatchObject(GOOD);
		expect(stated("9999.00")).toMatchObject({ verdict: 4 });
	});
});

describe("adjustments of the whole", () => {
	const adjusted = (inner: string, from = ecf({ price: "110.00", total: "129.80" })) =>
		from.replace(
			"</DetallesItems>",
			`</DetallesItems><DescuentosORecargos><DescuentoORecargo><NumeroLinea>1</NumeroLinea><TipoAjuste>D</TipoAjuste>${inner}</DescuentoORecargo></DescuentosORecargos>`,
		);

	test("have their amount, a percentage too", () => {
		expect(
			judge(adjusted("<TipoValor>%</TipoValor><ValorDescuentooRecargo>10</ValorDescuentooRecargo>")),
		).toMatchObject({ verdict: 2 });
		expect(
			judge(adjusted("<TipoValor>%</TipoValor><MontoDescuentooRecargo>1.00</MontoDescuentooRecargo>")),
		).toMatchObject({ verdict: 2 });
	});

	test("name the indicator that they are for, unless they are those of Norma 10-07", () => {
		const one = "<TipoValor>$</TipoValor><MontoDescuentooRecargo>1.00</MontoDescuentooRecargo>";
		const indicator = "<IndicadorFacturacionDescuentooRecargo>1</IndicadorFacturacionDescuentooRecargo>";
		const missing =
			"El campo IndicadorFacturacionDescuentooRecargo de la sección DescuentosORecargos de la línea 1 no es válido.";
		expect(textsOf(adjusted(one))).toContain(missing);
		expect(judge(adjusted(one))).toMatchObject({ verdict: 2 });
		expect(textsOf(adjusted(one + indicator))).not.toContain(missing);
		expect(textsOf(adjusted(`<IndicadorNorma1007>1</IndicadorNorma1007>${one}`))).not.toContain(missing);
	});

	test("in percent have more than 0.00, unless it rounds to that", () => {
		const inPercent = (percent: string, price = "100.00") =>
			judge(
				adjusted(
					`<TipoValor>%</TipoValor><ValorDescuentooRecargo>${percent}</ValorDescuentooRecargo><MontoDescuentooRecargo>0.00</MontoDescuentooRecargo><IndicadorFacturacionDescuentooRecargo>1</IndicadorFacturacionDescuentooRecargo>`,
					ecf({ price }),
				).replace("<TipoAjuste>D", "<TipoAjuste>R"),
			);
		expect(inPercent("50.00")).toEqual({ verdict: 2, codes: ["0"] });
		expect(inPercent("1")).toEqual(GOOD);
		expect(inPercent("50.00", "0.00")).toEqual(GOOD);
	});

	test("are percentages where lines carry different taxes", () => {
		const tax =
			"<TablaImpuestoAdicional><ImpuestoAdicional><TipoImpuesto>001</TipoImpuesto></ImpuestoAdicional></TablaImpuestoAdicional>";
		const mixed = ecf({ lines: 2 }).replace("<MontoItem>", `${tax}<MontoItem>`);
		const { codes } = judge(
			adjusted("<TipoValor>$</TipoValor><MontoDescuentooRecargo>1.00</MontoDescuentooRecargo>", mixed),
		);
		expect(codes).toContain("0");
	});
});

describe("taxes besides ITBIS", () => {
	const tip = (parts: { total?: string; amount?: string; inTotals?: string; inLine?: string } = {}) => {
		const { total = "10.00", amount = "<OtrosImpuestosAdicionales>10.00</OtrosImpuestosAdicionales>" } = parts;
		const entry = `<ImpuestoAdicional><TipoImpuesto>${parts.inTotals ?? "001"}</TipoImpuesto><TasaImpuestoAdicional>10</TasaImpuestoAdicional>${amount}</ImpuestoAdicional>`;
		const line = `<TablaImpuestoAdicional><ImpuestoAdicional><TipoImpuesto>${parts.inLine ?? "001"}</TipoImpuesto></ImpuestoAdicional></TablaImpuestoAdicional>`;
		return ecf({ total: "128.00" })
			.replace(
				"<MontoTotal>",
				`<MontoImpuestoAdicional>${total}</MontoImpuestoAdicional><ImpuestosAdicionales>${entry}</ImpuestosAdicionales><MontoTotal>`,
			)
			.replace("<MontoItem>", `${line}<MontoItem>`);
	};

	test("are named by totals and lines alike, each with the amount that is its own", () => {
		expect(judge(tip())).toMatchObject(GOOD);
		expect(judge(tip({ inLine: "002" }))).toEqual({ verdict: 2, codes: ["0"] });
		const specific = "<MontoImpuestoSelectivoConsumoEspecifico>10.00</MontoImpuestoSelectivoConsumoEspecifico>";
		expect(judge(tip({ amount: specific }))).toMatchObject({ verdict: 2 });
	});

	test("add up, else it is a condition", () => {
		expect(judge(tip({ total: "12.00" })).verdict).toBe(4);
	});

	test("are their rate of the lines that carry them", () => {
		const off = (amount: string) => {
			const xml = tip({ total: amount, amount: `<OtrosImpuestosAdicionales>${amount}</OtrosImpuestosAdicionales>` });
			return judge(xml.replace("<MontoTotal>128.00", `<MontoTotal>${(118 + Number(amount)).toFixed(2)}`));
		};
		expect(off("11.00")).toMatchObject(GOOD);
		expect(off("11.01")).toEqual({ verdict: 2, codes: ["0"] });
	});

	test("on alcohol need sub-quantities: 2150", () => {
		const amount = "<MontoImpuestoSelectivoConsumoEspecifico>10.00</MontoImpuestoSelectivoConsumoEspecifico>";
		const { verdict, codes } = judge(tip({ amount, inTotals: "006", inLine: "006" }));
		expect([verdict, codes]).toEqual([2, expect.arrayContaining(["2150"])]);
	});
});

describe("what is said twice agrees:", () => {
	test("a rate stands where its base does", () => {
		expect(judge(ecf().replace("<ITBIS1>18</ITBIS1>", ""))).toMatchObject({ verdict: 2 });
		expect(judge(ecf().replace("</ITBIS1>", "</ITBIS1><ITBIS2>16</ITBIS2>"))).toMatchObject({ verdict: 2 });
	});

	test("ITBIS is its rate of the base, else it is a condition", () => {
		const off = ecf({ total: "115.00" }).replace(/(?<=<TotalITBIS1?>)18.00/g, "15.00");
		expect(judge(off)).toEqual({ verdict: 4, codes: ["0"] });
	});

	test("what the lines withhold is what the header says", () => {
		const xml = ecf({ type: "41", withheld: "18.00" });
		expect(judge(xml).verdict).toBe(4);
		const reported = xml.replace("</MontoTotal>", "</MontoTotal><TotalITBISRetenido>18.00</TotalITBISRetenido>");
		expect(judge(reported)).toMatchObject(GOOD);
	});

	test("currency and rate come together, and the foreign total is the total by the rate", () => {
		const foreign = (inner: string) =>
			judge(ecf().replace("</Totales>", `</Totales><OtraMoneda>${inner}</OtraMoneda>`));
		const rate = "<TipoMoneda>USD</TipoMoneda><TipoCambio>59</TipoCambio>";
		expect(foreign("<TipoMoneda>USD</TipoMoneda>")).toMatchObject({ verdict: 2 });
		expect(foreign(`${rate}<MontoTotalOtraMoneda>2.00</MontoTotalOtraMoneda>`)).toMatchObject(GOOD);
		expect(foreign(`${rate}<MontoTotalOtraMoneda>3.00</MontoTotalOtraMoneda>`)).toMatchObject({ verdict: 4 });
	});

	test("each foreign amount is that in pesos by the rate", () => {
		const rate = "<TipoMoneda>USD</TipoMoneda><TipoCambio>50</TipoCambio>";
		const verdictOf = (inner: string) =>
			judge(ecf({ price: "4500.00" }).replace("</Totales>", `</Totales><OtraMoneda>${rate}${inner}</OtraMoneda>`))
				.verdict;
		const base = (name: string, text: string) => `<${name}OtraMoneda>${text}</${name}OtraMoneda>`;
		for (const name of ["MontoGravadoTotal", "MontoGravado1"]) {
			expect([verdictOf(base(name, "90.00")), verdictOf(base(name, "90.03"))]).toEqual([1, 1]);
			expect([verdictOf(base(name, "1.00")), verdictOf(base(name, "90.04"))]).toEqual([4, 4]);
		}
		for (const name of ["TotalITBIS", "TotalITBIS1"]) {
			expect([verdictOf(base(name, "16.20")), verdictOf(base(name, "16.30"))]).toEqual([1, 4]);
		}
		for (const name of ["MontoGravado2", "MontoGravado3", "MontoExento", "TotalITBIS2", "MontoImpuestoAdicional"]) {
			expect(verdictOf(base(name, "1.00"))).toBe(4);
		}
	});

	test("the number of pages is that of the pages", () => {
		const page = (amount: string) => `<Pagina><MontoSubtotalPagina>${amount}</MontoSubtotalPagina></Pagina>`;
		const paged = (total: string, ...amounts: string[]) =>
			judge(
				ecf()
					.replace("</TipoPago>", `</TipoPago>${total && `<TotalPaginas>${total}</TotalPaginas>`}`)
					.replace("</DetallesItems>", `</DetallesItems><Paginacion>${amounts.map(page).join("")}</Paginacion>`),
			);
		expect(paged("2", "100.00", "18.00")).toMatchObject(GOOD);
		expect(paged("3", "100.00", "18.00")).toMatchObject({ verdict: 2 });
		expect(paged("", "118.00")).toMatchObject({ verdict: 2 });
		expect(paged("2", "100.00", "10.00")).toMatchObject({ verdict: 4 });
	});

	test("what is to be paid follows from total, advance, balance and what is not billed", () => {
		const totals = (inner: string) => judge(ecf().replace("</MontoTotal>", `</MontoTotal>${inner}`));
		const due = "<SaldoAnterior>10.00</SaldoAnterior><MontoAvancePago>28.00</MontoAvancePago>";
		expect(totals(`${due}<ValorPagar>100.00</ValorPagar>`)).toMatchObject(GOOD);
		expect(totals(`${due}<ValorPagar>118.00</ValorPagar>`)).toMatchObject({ verdict: 4 });
		expect(totals("<MontoPeriodo>118.00</MontoPeriodo>")).toMatchObject(GOOD);
		expect(totals("<MontoPeriodo>200.00</MontoPeriodo>")).toMatchObject({ verdict: 4 });
		expect(totals("<MontoNoFacturable>50.00</MontoNoFacturable>")).toMatchObject({ verdict: 4 });
	});
});

/** An e-CF of a type without ITBIS. */
function exempt(type: string): string {
	return toExempt(ecf({ type, priceIndicator: false }));
}
