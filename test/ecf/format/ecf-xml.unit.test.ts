import { describe, expect, test } from "bun:test";
import { ECF } from "../../../src/ecf/format/ecf";
import { UnfitElementError, writeXml } from "../../../src/ecf/format/xml";
import { planEcf, writeEcf, writeSummary } from "../../../src/ecf/mapping";
import { buildInvoice, buildLine, readExample, readExamples, SECURITY_CODE, toInput } from "../signing/samples";

describe("the writer", () => {
	test("keeps the table's order, whatever the order of the values", () => {
		expect(writeXml(ECF, "31", { FechaHoraFirma: "x", Encabezado: { Version: "1.0" } })).toBe(
			"<ECF><Encabezado><Version>1.0</Version></Encabezado><FechaHoraFirma>x</FechaHoraFirma></ECF>",
		);
	});

	test("repeats lists and writes nothing that would be empty", () => {
		const content = {
			DetallesItems: { Item: [{ NombreItem: "a" }, { NombreItem: " \n" }, {}] },
			DescuentosORecargos: {},
		};
		expect(writeXml(ECF, "31", content)).toBe(
			"<ECF><DetallesItems><Item><NombreItem>a</NombreItem></Item></DetallesItems></ECF>",
		);
	});

	test("does not write what the type does not carry", () => {
		const content = { Encabezado: { Totales: { TotalITBIS: "1.00" } } };
		expect(() => writeXml(ECF, "44", content)).toThrow(UnfitElementError);
		expect(() => writeXml(ECF, "31", { Nada: "x" })).toThrow(UnfitElementError);
		expect(() => writeXml(ECF, "31", { FechaHoraFirma: "x", Encabezado: {}, Nada: "x" })).toThrow(UnfitElementError);
	});

	test("does not repeat an element more often than the table allows", () => {
		const phones = (count: number) => ({
			Encabezado: { Emisor: { TablaTelefonoEmisor: { TelefonoEmisor: Array(count).fill("809-555-0101") } } },
		});
		expect(writeXml(ECF, "31", phones(3)).match(/<TelefonoEmisor>/g)).toHaveLength(3);
		expect(() => writeXml(ECF, "31", phones(4))).toThrow(UnfitElementError);
	});

	test("writes one line and no white space between elements", () => {
		for (const { input } of readExamples()) {
			const xml = writeEcf(planEcf(input));
			expect(xml).toStartWith("<ECF><Encabezado><Version>1.0</Version><IdDoc>");
			expect(xml).toEndWith("</FechaHoraFirma></ECF>");
			expect(xml).not.toMatch(/>\s+</);
			expect(xml).not.toMatch(/<(\w+)><\/\1>/);
		}
	});
});

describe("the summary", () => {
	test("has exactly two decimals in every amount and no items", () => {
		const xml = writeSummary(planEcf(readExample("32-summary-rich")), SECURITY_CODE);
		for (const [, amount] of xml.matchAll(/<(?:Monto|Total|Otros)\w*>([^<]+)</g)) expect(amount).toMatch(/^\d+\.\d\d$/);
		expect(xml).not.toContain("Item");
		expect(xml).toContain(`<CodigoSeguridadeCF>${SECURITY_CODE}</CodigoSeguridadeCF>`);
	});

	test("names a buyer even when there is none", () => {
		const plan = planEcf(toInput(buildInvoice({ type: "32", customer: undefined, order_number: "OC-1" })));
		expect(writeSummary(plan, SECURITY_CODE)).toContain(
			"<Comprador><RazonSocialComprador>CONSUMIDOR FINAL</RazonSocialComprador></Comprador>",
		);
	});

	test("adds up the rates of one additional tax, which it knows by code alone", () => {
		const lines = [
			buildLine({ additional_taxes: [{ code: "001", rate: "10", amount: "10.00" }] }),
			buildLine({ additional_taxes: [{ code: "001", rate: "5", amount: "5.00" }] }),
		];
		const invoice = buildInvoice({
			type: "32",
			lines,
			totals: { subtotal: "200.00", tax: "51.00", grand_total: "251.00" },
		});
		expect(writeSummary(planEcf(toInput(invoice)), SECURITY_CODE)).toContain(
			"<ImpuestosAdicionales><ImpuestoAdicional><TipoImpuesto>001</TipoImpuesto><OtrosImpuestosAdicionales>15.00</OtrosImpuestosAdicionales></ImpuestoAdicional></ImpuestosAdicionales>",
		);
	});
});
