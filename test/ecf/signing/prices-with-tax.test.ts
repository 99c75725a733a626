/** Prices with ITBIS included: how lines are printed, the bases that follow from them, and what is refused. */
import { expect, test } from "bun:test";
import { type EcfInvoice, planEcf, writeEcf } from "../../../src/ecf/mapping";
import { buildInvoice, buildLine, readExample, toInput } from "./samples";

const lines = [
	buildLine({
		...{ tax_rate: "18", quantity: "3", unit_price: "33.3333", subtotal: "90.00", discount: "10.00" },
		...{ gross_unit_price: "39.3333", gross_subtotal: "106.20" },
	}),
	buildLine({
		...{ line_number: 2, tax_rate: "16", unit_price: "50.00", subtotal: "50.00" },
		...{ gross_unit_price: "58.00", gross_subtotal: "58.00" },
	}),
	buildLine({
		...{ line_number: 3, tax_rate: "exempt", unit_price: "20.00", subtotal: "20.00" },
		...{ gross_unit_price: "20.00", gross_subtotal: "20.00" },
	}),
];
const plan = (changes: Partial<EcfInvoice> = {}) =>
	planEcf(
		toInput(buildInvoice({ lines, totals: { subtotal: "160.00", tax: "24.20", grand_total: "184.20" }, ...changes })),
	);
const all = (xml: string, element: string) =>
	[...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, "g"))].map((match) => match[1]);
const found = (list: readonly { code: string; pointer: string }[]) => list.map((one) => `${one.code} ${one.pointer}`);

test("lines and their discounts print with ITBIS, exempt lines without", () => {
	const planned = plan();
	const xml = writeEcf(planned);
	expect(found([...planned.warnings, ...planned.faults])).toEqual([]);
	expect(all(xml, "IndicadorMontoGravado")).toEqual(["1"]);
	expect(all(xml, "PrecioUnitarioItem")).toEqual(["39.3333", "58.00", "20.00"]);
	expect(all(xml, "DescuentoMonto")).toEqual(["11.80"]);
	expect(all(xml, "MontoItem")).toEqual(["106.20", "58.00", "20.00"]);
	expect(all(xml, "MontoGravadoI1")).toEqual(["90.00"]);
});

test("the rate lies between both amounts of a line without tax_rate", () => {
	const open = lines.map(({ tax_rate: _, ...line }) => line);
	expect(writeEcf(plan({ lines: open }))).toBe(writeEcf(plan()));
});

test("bases are the prices less their ITBIS, and discounts of the document have none", () => {
	const xml = writeEcf(planEcf(readExample("31-gross")));
	expect(all(xml, "MontoGravadoI1")).toEqual(["12363.56"]);
	expect(all(xml, "MontoGravadoI2")).toEqual(["3184.48"]);
	expect(all(xml, "TotalITBIS")).toEqual(["2734.96"]);
	expect(all(xml, "MontoDescuentooRecargo")).toEqual(["200.00", "50.00"]);
	expect(all(xml, "MontoTotal")).toEqual(["18283.00"]);
});

test("they are on all lines or on none, and not in a special-regime invoice", () => {
	const [first = buildLine(), ...others] = lines;
	const { gross_subtotal: _, ...half } = first;
	expect(found(plan({ lines: [half, ...others] }).faults)).toEqual(["gross-price-mixed /lines/0/gross_subtotal"]);
	const bare = buildLine({ line_number: 4, tax_rate: "exempt", unit_price: "0", subtotal: "0" });
	expect(found(plan({ lines: [...lines, bare] }).faults)).toEqual(["gross-price-mixed /lines/3/gross_unit_price"]);
	const exempt = lines.map((line) => ({ ...line, tax_rate: "exempt" as const }));
	const special = plan({ type: "44", lines: exempt, totals: { subtotal: "160", tax: "0", grand_total: "160" } });
	expect(found(special.faults)).toEqual(["not-allowed-for-type /lines/0/gross_unit_price"]);
});

test("a price that contradicts its line is reported", () => {
	const [first = buildLine(), ...others] = lines;
	const wrong = { ...first, gross_subtotal: "106.30" };
	expect(found(plan({ lines: [wrong, ...others] }).warnings)).toEqual([
		"gross-price-differs /lines/0/gross_subtotal",
		"line-product /lines/0/gross_subtotal",
	]);
});
