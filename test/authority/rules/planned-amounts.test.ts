/** Legal tip, excise and amounts in another currency, from the request to the elements. */
import { describe, expect, test } from "bun:test";
import { checkBusinessRules } from "../../../src/authority/rules";
import {
	type EcfInvoice,
	type EcfPlan,
	isSummaryPlan,
	planEcf,
	writeEcf,
	writeSummary,
} from "../../../src/ecf/mapping";
import { buildInvoice, buildLine, readExample, SECURITY_CODE, toInput } from "../../ecf/signing/samples";

const plan = (changes: Partial<EcfInvoice>) => planEcf(toInput(buildInvoice(changes)));
const all = (xml: string, element: string) =>
	[...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, "g"))].map((match) => match[1]);
/** Breaches of rules on amounts; the registry, which knows the example's buyer, is not loaded. */
const breachesOf = (planned: EcfPlan) =>
	checkBusinessRules({ plan: planned }).filter(({ code }) => code !== "customer-check-digit");
const found = (list: readonly { code: string; pointer: string }[]) => list.map((one) => `${one.code} ${one.pointer}`);
const totals = (subtotal: string, tax: string, grand_total: string) => ({ totals: { subtotal, tax, grand_total } });
/** Two lines of 500.00 at 18 % and a tip. */
const tipped = (tip: string, tax: string, total: string, changes: Partial<EcfInvoice> = {}) =>
	plan({
		...{ type: "32", customer: undefined, legal_tip: tip, ...totals("1000.00", tax, total) },
		lines: [1, 2].map((line_number) =>
			buildLine({ line_number, unit_price: "500.00", subtotal: "500.00", tax_rate: "18" }),
		),
		...changes,
	});

describe("a legal tip", () => {
	test("is tax 001 of every line, once in the totals and in the summary", () => {
		const planned = tipped("100.00", "280.00", "1280.00");
		expect(found([...planned.faults, ...planned.warnings, ...breachesOf(planned)])).toEqual([]);
		const xml = writeEcf(planned);
		expect(all(xml, "TipoImpuesto")).toEqual(["001", "001", "001"]);
		expect(all(xml, "TasaImpuestoAdicional")).toEqual(["10"]);
		expect(all(xml, "OtrosImpuestosAdicionales")).toEqual(["100.00"]);
		expect(all(xml, "MontoImpuestoAdicional")).toEqual(["100.00"]);
		expect(all(xml, "TotalITBIS1")).toEqual(["180.00"]);
		expect(all(writeSummary(planned, SECURITY_CODE), "OtrosImpuestosAdicionales")).toEqual(["100.00"]);
	});

	test("is all the tax of a special-regime invoice", () => {
		const lines = [buildLine({ unit_price: "1000.00", subtotal: "1000.00", kind: "service" })];
		const special = plan({ type: "44", lines, legal_tip: "100.00", ...totals("1000.00", "100.00", "1100.00") });
		expect(found([...special.faults, ...special.warnings])).toEqual([]);
		const more = plan({ type: "44", lines, legal_tip: "100.00", ...totals("1000.00", "280.00", "1280.00") });
		expect(found(more.faults)).toEqual(["tax-not-allowed-for-type /totals/tax"]);
	});

	test("may be 1.00 off a tenth, and counts discounts of the document", () => {
		expect(found(tipped("101.00", "281.00", "1281.00").warnings)).toEqual([]);
		expect(found(tipped("101.01", "281.01", "1281.01").warnings)).toEqual(["tip-differs /legal_tip"]);
		expect(found(breachesOf(tipped("101.01", "281.01", "1281.01")))).toEqual([]);
		expect(found(breachesOf(tipped("150.00", "330.00", "1330.00")))).toEqual(["tip-differs /legal_tip"]);
		const adjustments = [{ kind: "discount" as const, description: "Cortesía", amount: "200.00" }];
		const cheaper = tipped("80.00", "224.00", "1024.00", { adjustments, ...totals("800.00", "224.00", "1024.00") });
		expect(found([...cheaper.faults, ...cheaper.warnings])).toEqual([]);
	});

	test("is refused beside two taxes, beside another tip, and in a purchase", () => {
		const full = (codes: readonly string[]) =>
			tipped("10.00", "48.00", "148.00", {
				...totals("100.00", "48.00", "148.00"),
				lines: [buildLine({ tax_rate: "18", additional_taxes: codes.map((code) => ({ code, amount: "10.00" })) })],
			}).faults;
		expect(found(full(["002", "004"]))).toEqual(["too-many-additional-taxes /lines/0/additional_taxes"]);
		expect(found(full(["001"]))).toEqual(["exclusive /lines/0/additional_taxes"]);
		const purchase = plan({ type: "41", legal_tip: "10.00", ...totals("100.00", "18.00", "118.00") });
		expect(found(purchase.faults)).toEqual(["not-allowed-for-type /legal_tip"]);
	});
});

describe("excise", () => {
	test("has everything that its taxes need", () => {
		const planned = planEcf(readExample("31-excise"));
		expect(found([...planned.faults, ...planned.warnings, ...breachesOf(planned)])).toEqual([]);
		const xml = writeEcf(planned);
		for (const [element, text] of [
			...[["CantidadReferencia", "24"] as const, ["UnidadReferencia", "5"] as const, ["Subcantidad", "0.355"] as const],
			...[["CodigoSubcantidad", "24"] as const, ["GradosAlcohol", "5.00"] as const],
			...[["PrecioUnitarioReferencia", "65.00"] as const, ["TotalITBIS1", "713.04"] as const],
			...[["MontoImpuestoAdicional", "731.32"] as const, ["MontoTotal", "4674.36"] as const],
		]) {
			expect([element, all(xml, element)]).toEqual([element, [text]]);
		}
	});

	test("gives a warning for what is missing, less in bulk", () => {
		const { invoice, ...input } = readExample("31-excise");
		const [line = buildLine()] = invoice.lines;
		const codes = (excise: typeof line.excise, unit = "6") =>
			breachesOf(planEcf({ ...input, invoice: { ...invoice, lines: [{ ...line, excise, unit }] } })).map(
				({ code }) => code,
			);
		expect(codes(undefined)).toEqual(["subquantity-missing", "retail-price-missing"]);
		expect(codes({ reference_quantity: "24", retail_price: "65.00" })).toEqual(["subquantity-missing"]);
		expect(codes({ ...line.excise, retail_price: undefined })).toEqual(["retail-price-missing"]);
		expect(codes({ reference_quantity: "24" }, "18")).toEqual([]);
	});

	test("is refused in types without it, and out of range", () => {
		const fault = (type: string, excise: NonNullable<EcfInvoice["lines"][number]["excise"]>) =>
			found(plan({ type, lines: [buildLine({ excise })], ...(type === "44" ? totals("100", "0", "100") : {}) }).faults);
		for (const type of ["41", "44"]) {
			expect(fault(type, { alcohol_degrees: "5" })).toEqual(["not-allowed-for-type /lines/0/excise"]);
		}
		expect(fault("31", { alcohol_degrees: "0", retail_price: "0" })).toEqual([
			"rate-out-of-range /lines/0/excise/alcohol_degrees",
			"not-positive /lines/0/excise/retail_price",
		]);
	});
});

describe("amounts in the document's currency", () => {
	const USD = { currency: "USD", exchange_rate: "59.1234", amounts_in: "document" } as const;

	test("are stated as sent beside their pesos", () => {
		const planned = planEcf(readExample("31-foreign-amounts"));
		expect(found([...planned.faults, ...planned.warnings, ...breachesOf(planned)])).toEqual([]);
		const xml = writeEcf(planned);
		expect(all(xml, "MontoItem")).toEqual(["59123.40"]);
		expect(all(xml, "MontoGravadoI1")).toEqual(["59123.40"]);
		expect(all(xml, "TotalITBIS1")).toEqual(["10642.21"]);
		expect(all(xml, "MontoTotal")).toEqual(["69765.61"]);
		expect(all(xml, "MontoPago")).toEqual(["10642.21", "59123.40"]);
		expect(all(xml, "MontoGravado1OtraMoneda")).toEqual(["1000.00"]);
		expect(all(xml, "TotalITBIS1OtraMoneda")).toEqual(["180.00"]);
		expect(all(xml, "MontoTotalOtraMoneda")).toEqual(["1180.00"]);
		expect(all(xml, "PrecioOtraMoneda")).toEqual(["1000.00"]);
		expect(all(xml, "MontoItemOtraMoneda")).toEqual(["1000.00"]);
	});

	test("add up in pesos: bases from the lines, tax from the bases", () => {
		const lines = [1, 2, 3].map((line_number) =>
			buildLine({ line_number, unit_price: "0.33", subtotal: "0.33", tax_rate: "18" }),
		);
		const { totals: sums } = plan({ ...USD, lines, ...totals("0.99", "0.18", "1.17") });
		// 0.33 × 59.1234 is 19.51; the total alone would be 69.17.
		expect(sums).toMatchObject({ taxedBase: "58.53", itbis: "10.54", total: "69.07" });
	});

	test("are compared with 250,000.00 in pesos", () => {
		const sale = (unit_price: string) =>
			plan({
				...{ type: "32", customer: undefined, ...USD, exchange_rate: "50", ...totals(unit_price, "0", unit_price) },
				lines: [buildLine({ unit_price, subtotal: unit_price, tax_rate: "exempt" })],
			});
		expect(isSummaryPlan(sale("4999.99"))).toBe(true);
		expect(isSummaryPlan(sale("5000.00"))).toBe(false);
		expect(found(sale("5000.00").faults)).toEqual(["buyer-required /customer/rnc", "buyer-required /customer/name"]);
	});

	test("are asked for where a currency leaves them open", () => {
		const warnings = (changes: Partial<EcfInvoice>) => found(plan({ ...USD, ...changes }).warnings);
		expect(warnings({ amounts_in: undefined })).toEqual(["currency-amounts-in-pesos /amounts_in"]);
		expect(warnings({ amounts_in: "DOP" })).toEqual([]);
		expect(warnings({ currency: undefined, exchange_rate: undefined })).toEqual([]);
	});

	test("with gross prices and a tip convert alike", () => {
		const planned = plan({
			...USD,
			...totals("100.00", "28.00", "128.00"),
			legal_tip: "10.00",
			lines: [buildLine({ tax_rate: "18", gross_unit_price: "118.00", gross_subtotal: "118.00" })],
		});
		const xml = writeEcf(planned);
		expect(found([...planned.faults, ...planned.warnings, ...breachesOf(planned)])).toEqual([]);
		expect(all(xml, "MontoItem")).toEqual(["6976.56"]);
		expect(all(xml, "MontoItemOtraMoneda")).toEqual(["118.00"]);
		expect(all(xml, "MontoGravadoI1")).toEqual(["5912.34"]);
		expect(all(xml, "OtrosImpuestosAdicionales")).toEqual(["591.23"]);
		expect(all(xml, "OtrosImpuestosAdicionalesOtraMoneda")).toEqual(["10.00"]);
	});
});
