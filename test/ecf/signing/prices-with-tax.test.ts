/** Prices with ITBIS included: how lines are printed, and that nothing else changes. */
import { expect, test } from "bun:test";
import { planEcf, writeEcf } from "../../../src/ecf/mapping";
import { buildInvoice, buildLine, toInput } from "./samples";

const invoice = buildInvoice({
	lines: [
		buildLine({ tax_rate: "18", quantity: "3", unit_price: "33.3333", subtotal: "90.00", discount: "10.00" }),
		buildLine({ line_number: 2, tax_rate: "16", unit_price: "50.00", subtotal: "50.00" }),
		buildLine({ line_number: 3, tax_rate: "exempt", unit_price: "20.00", subtotal: "20.00" }),
	],
	totals: { subtotal: "160.00", tax: "24.20", grand_total: "184.20" },
});
const write = (pricesIncludeTax: boolean) => writeEcf(planEcf({ ...toInput(invoice), pricesIncludeTax }));
const all = (xml: string, element: string) =>
	[...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, "g"))].map((match) => match[1]);

test("lines and their discounts print with ITBIS, exempt lines without", () => {
	const xml = write(true);
	expect(all(xml, "IndicadorMontoGravado")).toEqual(["1"]);
	expect(all(xml, "PrecioUnitarioItem")).toEqual(["39.3333", "58.00", "20.00"]);
	expect(all(xml, "DescuentoMonto")).toEqual(["11.80"]);
	expect(all(xml, "MontoItem")).toEqual(["106.20", "58.00", "20.00"]);
});

test("the header is the same with and without", () => {
	const header = (xml: string) => /<Totales>.*<\/Totales>/s.exec(xml)?.[0] ?? "";
	expect(header(write(true))).toBe(header(write(false)));
	expect(all(write(true), "MontoGravadoI1")).toEqual(["90.00"]);
	expect(all(write(false), "IndicadorMontoGravado")).toEqual(["0"]);
});
