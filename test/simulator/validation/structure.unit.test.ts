import { describe, expect, test } from "bun:test";
import { readFileName } from "../../../src/simulator/validation/judgement";
import { type ReadDocument, readDocument } from "../../../src/simulator/validation/read-document";
import { type Channel, checkStructure, findEmptyElements } from "../../../src/simulator/validation/structure";
import { ecf, ISSUER, summary } from "../support/documents";

const rootOf = (xml: string) => (readDocument(new TextEncoder().encode(xml)) as ReadDocument).root;

function faultsOf(xml: string, channel: Channel = "main"): string[] {
	const encf = /<eNCF>([^<]*)</.exec(xml)?.[1] ?? "";
	return checkStructure(rootOf(xml), channel, { rnc: ISSUER, encf }).map((message) => message.text);
}

test.each(["31", "32", "33", "34", "41"])("a valid e-CF of type %s has no fault", (type) => {
	expect(faultsOf(ecf({ type, price: "300000.00" }))).toEqual([]);
});

test("a valid summary has no fault", () => {
	expect(faultsOf(summary(), "fc")).toEqual([]);
});

describe("an e-CF is faulty", () => {
	const change = (from: string, to: string) => {
		const xml = ecf();
		expect(xml).toContain(from);
		return faultsOf(xml.replace(from, to));
	};
	const cut = (name: string) => faultsOf(ecf().replace(new RegExp(`<${name}>.*?</${name}>`), ""));

	test.each([
		"Version",
		"IdDoc",
		"TipoeCF",
		"eNCF",
		"FechaVencimientoSecuencia",
		"TipoIngresos",
		"TipoPago",
		"Emisor",
		"RNCEmisor",
		"RazonSocialEmisor",
		"DireccionEmisor",
		"FechaEmision",
		"Comprador",
		"RNCComprador",
		"Totales",
		"MontoTotal",
		"DetallesItems",
		"Item",
		"NombreItem",
		"CantidadItem",
		"MontoItem",
		"FechaHoraFirma",
	])("without %s", (name) => {
		expect(cut(name).length).toBeGreaterThan(0);
	});

	test("with elements out of order or repeated", () => {
		expect(
			change(
				"<TipoIngresos>01</TipoIngresos><TipoPago>1</TipoPago>",
				"<TipoPago>1</TipoPago><TipoIngresos>01</TipoIngresos>",
			),
		).toEqual(["El elemento TipoIngresos de IdDoc está fuera de orden."]);
		expect(change("<TipoPago>1</TipoPago>", "<TipoPago>1</TipoPago><TipoPago>1</TipoPago>")).toHaveLength(1);
		expect(change("<Encabezado>", "<DetallesItems><Item>1</Item></DetallesItems><Encabezado>").length).toBeGreaterThan(
			0,
		);
	});

	test("with an element that no e-CF has, at the top or in the header", () => {
		expect(change("</Encabezado>", "</Encabezado><Nota>x</Nota>")).toHaveLength(1);
		expect(change("</Emisor>", "</Emisor><Nota>x</Nota>")).toHaveLength(1);
	});

	test.each([
		["</Totales>", "</Totales><OtraMoneda>USD</OtraMoneda>", "OtraMoneda del área Encabezado de la sección Encabezado"],
		[
			"<FechaHoraFirma>",
			"<InformacionReferencia>E310000000001</InformacionReferencia><FechaHoraFirma>",
			"InformacionReferencia del área ECF de la sección ECF",
		],
	])("with text where elements belong: %s as %s", (from, to, place) => {
		expect(change(from, to)).toEqual([`El campo ${place} no es válido.`]);
	});

	test.each([
		["<MontoTotal>118.00", "<MontoTotal>118.001"],
		["<MontoTotal>118.00", "<MontoTotal>1,118.00"],
		["<MontoTotal>118.00", "<MontoTotal>-118.00"],
		["<CantidadItem>1", "<CantidadItem>0"],
		["<ITBIS1>18", "<ITBIS1>18.00"],
		["<TipoPago>1", "<TipoPago>4"],
		["<FechaVencimientoSecuencia>31-12-2028", "<FechaVencimientoSecuencia>2028-12-31"],
		["<FechaVencimientoSecuencia>31-12-2028", "<FechaVencimientoSecuencia>31-02-2028"],
		["<FechaVencimientoSecuencia>31-12-2028", "<FechaVencimientoSecuencia>31-12-2100"],
		["<NombreItem>Cemento gris", `<NombreItem>${"x".repeat(81)}`],
		["<Version>1.0", "<Version>2.0"],
		["<RNCComprador>990000026", "<RNCComprador>9900"],
		["<IndicadorFacturacion>1", "<IndicadorFacturacion>5"],
	])("in the form of a value: %s as %s", (from, to) => {
		expect(change(from, to)).toHaveLength(1);
	});

	test.each([
		["<TotalITBIS>18.00", "<TotalITBIS>18,00", "TotalITBIS del área Totales de la sección Encabezado"],
		["<Version>1.0", "<Version>2.0", "Version del área Encabezado de la sección Encabezado"],
		["<CantidadItem>1", "<CantidadItem>0", "CantidadItem del área Item de la sección DetallesItems"],
		[
			"<CantidadItem>",
			"<Retencion><MontoISRRetenido>x</MontoISRRetenido></Retencion><CantidadItem>",
			"MontoISRRetenido del área Retencion de la sección DetallesItems",
		],
		["</Totales>", "</Totales><Nota>x</Nota>", "Nota del área Encabezado de la sección Encabezado"],
		[/<FechaHoraFirma>[^<]+/, "<FechaHoraFirma>x", "FechaHoraFirma del área ECF de la sección ECF"],
	])("in a field whose section is the part of the document that it stands in: %s as %s", (from, to, place) => {
		const reported = faultsOf(ecf().replace(from, to));
		expect(reported.some((text) => text.startsWith(`El campo ${place} no es válido.`))).toBe(true);
	});

	test("in its number: of another type, or zero", () => {
		expect(faultsOf(ecf({ encf: "E330000000001" }))).toEqual(["El tipo de e-CF no corresponde con el e-NCF."]);
		expect(faultsOf(ecf({ encf: "E310000000000" }))).toHaveLength(1);
		expect(faultsOf(ecf({ encf: "B310000000001" })).length).toBeGreaterThan(0);
	});

	test("against the name of its file", () => {
		const file = { rnc: "990000026", encf: "E310000000001" };
		expect(checkStructure(rootOf(ecf()), "main", file)).toHaveLength(1);
	});

	test("with an expiry in a 34, or without a reference", () => {
		const xml = ecf({ type: "34" });
		const expiry = "<FechaVencimientoSecuencia>31-12-2028</FechaVencimientoSecuencia>";
		expect(faultsOf(xml.replace("</IndicadorNotaCredito>", `</IndicadorNotaCredito>${expiry}`))).toHaveLength(1);
		expect(faultsOf(xml.replace(/<InformacionReferencia>.*<\/InformacionReferencia>/, ""))).toHaveLength(1);
	});

	test("with too many lines for its type", () => {
		expect(faultsOf(ecf({ lines: 1000 }))).toEqual([]);
		// The line, and its number.
		expect(faultsOf(ecf({ lines: 1001 }))).toHaveLength(2);
		expect(faultsOf(ecf({ type: "33", lines: 1001 }))).toEqual([]);
	});
});

test("a summary needs two decimals, a buyer and a full security code", () => {
	expect(faultsOf(summary({ total: "118.5" }), "fc")).toHaveLength(2);
	expect(faultsOf(summary().replace(/<Comprador>.*<\/Comprador>/, ""), "fc")).toHaveLength(1);
	expect(faultsOf(summary({ securityCode: "abc" }), "fc")).toHaveLength(1);
});

test.each(["1", "1.00"])("a summary is faulty with its version written as %s, which an e-CF may have", (version) => {
	const change = (xml: string) => xml.replace("<Version>1.0", `<Version>${version}`);
	expect(faultsOf(change(summary()), "fc")).toEqual([
		"El campo Version del área Encabezado de la sección Encabezado no es válido. Se espera: 1.0.",
	]);
	expect(faultsOf(change(ecf()))).toEqual([]);
});

test("every element without content is named", () => {
	const root = rootOf(ecf().replace("EMISORA SRL", "").replace("Cemento gris", "  "));
	expect(findEmptyElements(root).map((message) => message.text)).toEqual([
		"El campo RazonSocialEmisor del área Emisor de la sección Encabezado no es válido.",
		"El campo NombreItem del área Item de la sección DetallesItems no es válido.",
	]);
});

test("a file name states issuer and number, of 13 characters outside the tests", () => {
	expect(readFileName("990000001E310000000001.xml", "ecf")).toEqual({ rnc: "990000001", encf: "E310000000001" });
	expect(readFileName("00100000009e310000000001.XML", "ecf")).toMatchObject({ rnc: "00100000009" });
	expect(readFileName("990000001E3100000001.xml", "testecf")).toMatchObject({ encf: "E3100000001" });
	for (const name of ["990000001E3100000001.xml", "990000001.xml", "", "990000001E310000000001.xml.exe"]) {
		expect(readFileName(name, "ecf")).toMatchObject({ code: "3243" });
	}
});
