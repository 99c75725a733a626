import { describe, expect, test } from "bun:test";
import {
	checkIssuer,
	type EcfInvoice,
	type EcfPlan,
	isSummaryPlan,
	needsSequenceExpiry,
	planEcf,
	writeEcf,
} from "../../../src/ecf/mapping";
import { BARE_ISSUER, buildInvoice, buildLine, ISSUER, toInput } from "../signing/samples";

const plan = (changes: Partial<EcfInvoice> = {}): EcfPlan => planEcf(toInput(buildInvoice(changes)));
const warnings = (changes: Partial<EcfInvoice>) =>
	plan(changes).warnings.map(({ code, pointer }) => `${code} ${pointer}`);
const faults = (changes: Partial<EcfInvoice>) => plan(changes).faults.map(({ code, pointer }) => `${code} ${pointer}`);
const xml = (changes: Partial<EcfInvoice>) => writeEcf(plan(changes));
/** Totals of one line whose subtotal is 100.00. */
const totals = (tax: string, grandTotal: string, subtotal = "100.00") => ({ subtotal, tax, grand_total: grandTotal });

describe("a plan", () => {
	test("of a plain invoice has nothing to say", () => {
		expect(plan()).toMatchObject({ warnings: [], faults: [] });
	});

	test("is plain data: it survives being cloned", () => {
		const made = plan();
		expect(structuredClone(made)).toEqual(made);
	});

	test("is not made of a type that was not validated", () => {
		expect(() => plan({ type: "43" })).toThrow(RangeError);
	});

	test("carries the sequence's last day for the types that print it", () => {
		const withExpiry = ["31", "32", "33", "34", "41", "44"].filter((type) => needsSequenceExpiry(type));
		expect(withExpiry).toEqual(["31", "33", "41", "44"]);
		expect(plan().sequenceExpiresOn).toBe("2028-12-31");
		expect(plan({ type: "34" }).sequenceExpiresOn).toBeUndefined();
	});

	test("warns of an e-NCF that has not 13 characters", () => {
		expect(warnings({ encf: "E3100000001" })).toEqual(["encf-length /encf"]);
	});
});

describe("the day of issue", () => {
	test("is the request's, or else the day of signing on the authority's clock", () => {
		expect(plan({ issue_date: "2026-11-03" }).issueDate).toBe("2026-11-03");
		const at = (signedAt: string) => planEcf({ ...toInput(buildInvoice()), signedAt }).issueDate;
		expect(at("2026-11-20T03:59:59.999Z")).toBe("2026-11-19");
		expect(at("2026-11-20T04:00:00.000Z")).toBe("2026-11-20");
	});

	test("and the moment of signing are right in every hour of the day", () => {
		for (let hour = 0; hour < 48; hour++) {
			const at = new Date(Date.UTC(2026, 11, 31, hour, 5, 9));
			const text = writeEcf(planEcf({ ...toInput(buildInvoice()), signedAt: at.toISOString() }));
			// The oracle knows nothing of our arithmetic: the zone database's fixed zone of UTC-4.
			const parts = new Intl.DateTimeFormat("en-GB", {
				timeZone: "Etc/GMT+4",
				dateStyle: "short",
				timeStyle: "medium",
			}).formatToParts(at);
			const part = (type: string) => parts.find((entry) => entry.type === type)?.value ?? "";
			const day = `${part("day")}-${part("month")}-${part("year")}`;
			expect(text).toContain(`<FechaEmision>${day}</FechaEmision>`);
			expect(text).toContain(
				`<FechaHoraFirma>${day} ${part("hour")}:${part("minute")}:${part("second")}</FechaHoraFirma>`,
			);
		}
	});
});

describe("the buyer", () => {
	test("of a consumer invoice without one is the final consumer", () => {
		expect(plan({ type: "32", customer: undefined }).buyer).toMatchObject({ name: "CONSUMIDOR FINAL" });
	});

	test("of a consumer invoice is needed from 250,000.00 pesos on, as the total will read", () => {
		const at = (total: string) => ({
			type: "32",
			customer: undefined,
			lines: [buildLine({ unit_price: total, subtotal: total })],
			totals: totals("0", total, total),
		});
		expect(faults(at("249999.99"))).toEqual([]);
		expect(faults(at("250000.00"))).toEqual(["buyer-required /customer/rnc", "buyer-required /customer/name"]);
		expect(faults(at("249999.995"))).toContain("buyer-required /customer/rnc");
		expect(isSummaryPlan(plan(at("249999.995")))).toBe(false);
		expect(isSummaryPlan(plan(at("249999.994")))).toBe(true);
		expect(isSummaryPlan(plan({ ...at("1.00"), type: "31" }))).toBe(false);
	});

	test("is needed on types 31, 41 and 44", () => {
		for (const type of ["31", "41", "44"]) {
			const needs = faults({ type, customer: undefined, totals: totals("0", "100.00") });
			expect(needs).toEqual(["buyer-required /customer/rnc", "buyer-required /customer/name"]);
		}
	});

	test("may be absent from a note, which then has no Comprador", () => {
		const note = {
			type: "34",
			customer: undefined,
			reference: { encf: "E320000000001", issue_date: "2026-11-20", code: 1 },
		};
		expect(xml(note)).not.toContain("Comprador");
		expect(faults(note)).toEqual([]);
	});

	test("loses the hyphens of its number", () => {
		expect(plan({ customer: { rnc: "9-90-00000-2", name: "X" } }).buyer?.rnc).toBe("990000002");
		expect(faults({ customer: { rnc: "12", name: "X" } })).toContain("rnc-form /customer/rnc");
	});
});

describe("the issuer", () => {
	test("without an address says so, and the company record warns, not every invoice", () => {
		const made = planEcf(toInput(buildInvoice(), BARE_ISSUER));
		expect(made.issuer.street).toBe("NO INDICADA");
		expect(made.warnings).toEqual([]);
		expect(checkIssuer(BARE_ISSUER).map((warning) => warning.code)).toEqual(["address-missing"]);
		expect(checkIssuer(ISSUER)).toEqual([]);
	});

	test("has what the format cannot hold left out", () => {
		const issuer = {
			...ISSUER,
			phone: "555-0101",
			email: "a_b@c.example",
			address: { street: "x", municipalityCode: "019999", provinceCode: "33" },
		};
		const made = planEcf(toInput(buildInvoice(), issuer));
		expect(made.issuer).toMatchObject({ phone: undefined, email: undefined, municipalityCode: undefined });
		expect(checkIssuer(issuer).map((warning) => warning.code)).toEqual([
			"place-unknown",
			"place-unknown",
			"phone-form",
			"email-form",
		]);
	});

	test("has its phone written as the format writes phones, however it is given", () => {
		for (const phone of ["8095550101", "+1 809 555 0101", "(809) 555-0101", "1-809-555-0101"]) {
			expect(planEcf(toInput(buildInvoice(), { ...ISSUER, phone })).issuer.phone).toBe("809-555-0101");
		}
	});
});

describe("lines", () => {
	test("are numbered by position, whatever numbers they have", () => {
		const lines = [buildLine({ line_number: 7 }), buildLine({ line_number: 3 })];
		const made = plan({ lines, totals: totals("36.00", "236.00", "200.00") });
		expect(made.lines.map((line) => line.number)).toEqual([1, 2]);
	});

	test("have the whole description, and its first 80 units as the name", () => {
		const description = `  ${"🧱".repeat(81)}\r\n]]> fin `;
		const [line] = plan({ lines: [buildLine({ description })] }).lines;
		expect(line).toMatchObject({ name: "🧱".repeat(40), description });
	});

	test("keep their line breaks: a carriage return travels as a reference", () => {
		expect(xml({ lines: [buildLine({ description: "uno\r\ndos" })] })).toContain(
			"<DescripcionItem>uno&#xD;\ndos</DescripcionItem>",
		);
	});

	test("cannot have a description of white space, nor a character that XML has not", () => {
		expect(faults({ lines: [buildLine({ description: " \n " })] })).toEqual(["description-empty /lines/0/description"]);
		expect(faults({ lines: [buildLine({ description: "a\u0000" })] })).toEqual(["text-not-xml /lines/0/description"]);
		expect(faults({ lines: [buildLine({ description: "a\ud800" })] })).toEqual(["text-not-xml /lines/0/description"]);
	});

	test("are rounded half up to the format's decimals, with a warning for each loss", () => {
		const line = buildLine({ quantity: "1.005", unit_price: "99.50245", subtotal: "99.999962" });
		const changes = { lines: [line], totals: totals("18.00", "118.00") };
		expect(plan(changes).lines[0]).toMatchObject({ quantity: "1.01", unitPrice: "99.5025", amount: "100.00" });
		expect(warnings(changes)).toEqual([
			"precision-reduced /lines/0/quantity",
			"precision-reduced /lines/0/unit_price",
			"precision-reduced /lines/0/subtotal",
		]);
		expect(warnings({ lines: [buildLine({ quantity: "1.000000", unit_price: "100.0000" })] })).toEqual([]);
	});

	test("have codes of type and code, with a warning if one is blank", () => {
		const whole = { type: "EAN", code: "750" };
		const half = { type: "  ", code: "750" };
		expect(warnings({ lines: [buildLine({ item_code: half })] })).toEqual(["not-in-format /lines/0/item_code"]);
		const several = { lines: [buildLine({ item_code: [whole, half] })] };
		expect(warnings(several)).toEqual(["not-in-format /lines/0/item_code/1"]);
		expect(plan(several).lines[0]?.codes).toEqual([whole]);
	});

	test("cannot have a quantity that rounds to zero or an amount of 17 digits", () => {
		expect(faults({ lines: [buildLine({ quantity: "0.004" })] })).toEqual(["quantity-zero /lines/0/quantity"]);
		expect(faults({ lines: [buildLine({ unit_price: "9999999999999999.99999" })] })).toEqual([
			"amount-too-large /lines/0/unit_price",
		]);
	});

	test("warn if quantity × price − discount + surcharge differs from the subtotal", () => {
		expect(warnings({ lines: [buildLine({ unit_price: "99.99" })] })).toEqual(["line-product /lines/0/subtotal"]);
		const adjusted = { quantity: "2", unit_price: "60", discount: "25", surcharge: "5" };
		expect(warnings({ lines: [buildLine(adjusted)] })).toEqual([]);
		expect(warnings({ lines: [buildLine({ quantity: "3", unit_price: "33.333333" })] })).toEqual([
			"precision-reduced /lines/0/unit_price",
		]);
	});

	test("name discount and surcharge with their tables, or not at all", () => {
		const line = buildLine({ unit_price: "120", discount: "25.00", surcharge: "5.00" });
		const text = xml({ lines: [line] });
		expect(text).toContain(
			"<DescuentoMonto>25.00</DescuentoMonto><TablaSubDescuento><SubDescuento><TipoSubDescuento>$</TipoSubDescuento><MontoSubDescuento>25.00</MontoSubDescuento></SubDescuento></TablaSubDescuento>",
		);
		expect(text).toContain("<RecargoMonto>5.00</RecargoMonto><TablaSubRecargo>");
		expect(xml({ lines: [buildLine({ discount: "0.00" })] })).not.toContain("Descuento");
	});

	test("have a unit of the authority's table", () => {
		expect(plan({ lines: [buildLine({ unit: "07" })] }).lines[0]?.unit).toBe("7");
		for (const unit of ["0", "63", "kg", ""]) {
			expect(faults({ lines: [buildLine({ unit })] })).toEqual(["unit-unknown /lines/0/unit"]);
		}
	});

	test("are 1,000 at most, of notes 10,000", () => {
		const lines = Array.from({ length: 1_001 }, () => buildLine());
		const sums = totals("18018.00", "118118.00", "100100.00");
		expect(faults({ lines, totals: sums })).toEqual(["too-many-lines /lines"]);
		expect(faults({ type: "34", lines, totals: sums })).toEqual([]);
		const small = { lines, type: "32", totals: sums };
		expect([faults(small), warnings(small)]).toEqual([[], ["lines-beyond-schema /lines"]]);
		expect(faults({ ...small, totals: totals("149900.00", "250000.00", "100100.00") })).toContain(
			"too-many-lines /lines",
		);
	});
});

describe("withholding", () => {
	test("is on every line of a purchase, zero by default", () => {
		const text = xml({ type: "41", totals: totals("0", "100.00") });
		expect(text).toContain(
			"<Retencion><IndicadorAgenteRetencionoPercepcion>1</IndicadorAgenteRetencionoPercepcion><MontoITBISRetenido>0.00</MontoITBISRetenido><MontoISRRetenido>0.00</MontoISRRetenido></Retencion>",
		);
		expect(text).toContain("<TotalITBISRetenido>0.00</TotalITBISRetenido><TotalISRRetencion>0.00</TotalISRRetencion>");
	});

	test("cannot stand on consumer and special-regime invoices, unless it is nothing", () => {
		const line = (itbis: string) => [buildLine({ withholding: { itbis, isr: "0" } })];
		expect(faults({ type: "32", lines: line("1.00") })).toEqual([
			"withholding-not-allowed-for-type /lines/0/withholding",
		]);
		expect(faults({ type: "32", lines: line("0.00") })).toEqual([]);
	});
});

describe("tax", () => {
	test("above zero cannot stand on a special-regime invoice", () => {
		expect(faults({ type: "44" })).toEqual(["tax-not-allowed-for-type /totals/tax"]);
		const lines = [buildLine({ tax_rate: "18" })];
		expect(faults({ type: "44", lines, totals: totals("0", "100.00") })).toEqual([
			"tax-not-allowed-for-type /lines/0/tax_rate",
		]);
		expect(plan({ type: "44", lines: [buildLine({ tax_rate: "0" })], totals: totals("0", "100.00") })).toMatchObject({
			faults: [],
			lines: [{ indicator: 4 }],
		});
	});

	test("that no rate explains is accepted with a warning", () => {
		expect(warnings({ totals: totals("9.00", "109.00") })).toEqual(["tax-not-derivable /totals/tax"]);
		expect(plan({ totals: totals("9.00", "109.00") }).totals).toMatchObject({
			taxedBase: "100.00",
			exemptBase: undefined,
			itbis: "9.00",
			total: "109.00",
		});
	});

	test("that the lines' rates contradict is warned of with what became of the rates", () => {
		const [ofTwo, ofOne] = [totals("9.00", "209.00", "200.00"), totals("9.00", "109.00")];
		const reported = (rates: readonly (string | undefined)[], sums: EcfInvoice["totals"]) =>
			plan({ lines: rates.map((rate) => buildLine(rate === undefined ? {} : { tax_rate: rate })), totals: sums })
				.warnings.filter(({ code }) => code === "tax-not-derivable")
				.map(({ detail }) => detail);
		expect(reported([undefined, "exempt"], ofTwo)).toEqual([
			expect.stringContaining("Lines without a rate count as taxed"),
		]);
		expect(reported(["18"], ofOne)).toEqual([expect.stringContaining("The rates are kept and the tax is shared out")]);
		expect(reported(["exempt"], ofOne)).toEqual([expect.stringContaining("None of them bears tax, so lines count as")]);
		expect(reported(["0", "exempt"], ofTwo)).toEqual([expect.stringContaining("despite their rates")]);
	});

	test("and base of a rate follow from its own lines, however many of them were rounded", () => {
		const small = Array.from({ length: 100 }, () =>
			buildLine({ unit_price: "0.125", subtotal: "0.125", tax_rate: "18" }),
		);
		const made = plan({
			lines: [...small, buildLine({ tax_rate: "exempt" })],
			totals: totals("2.25", "114.75", "112.50"),
		});
		expect(made.totals.groups).toEqual([
			{ indicator: 1, base: "12.50", itbis: "2.25" },
			{ indicator: 4, base: "100.00", itbis: "0.00" },
		]);
		const halves = ["18", "16", "0", "exempt"].flatMap((tax_rate) =>
			Array.from({ length: 50 }, () => buildLine({ unit_price: "0.005", subtotal: "0.005", tax_rate })),
		);
		expect(plan({ lines: halves, totals: totals("0.09", "1.09", "1.00") }).totals.groups).toMatchObject(
			["0.05", "0.04", "0.00", "0.00"].map((itbis) => ({ base: "0.25", itbis })),
		);
	});

	test("is zero if a discount takes all lines of a rate, rounding included", () => {
		const small = buildLine({ unit_price: "0.125", subtotal: "0.125", tax_rate: "18" });
		const made = plan({
			lines: [small, small, buildLine({ tax_rate: "exempt" })],
			adjustments: [{ kind: "discount", description: "Todo", percent: "100", tax_rate: "18" }],
			totals: totals("0", "99.99", "99.99"),
		});
		expect([made.faults, made.totals.groups]).toEqual([
			[],
			[
				{ indicator: 1, base: "0.00", itbis: "0.00" },
				{ indicator: 4, base: "99.99", itbis: "0.00" },
			],
		]);
	});

	test("besides ITBIS is part of totals.tax, one entry for each code and rate", () => {
		const lines = [
			buildLine({ additional_taxes: [{ code: "001", amount: "10.00" }] }),
			buildLine({
				additional_taxes: [
					{ code: "001", rate: "10.0", amount: "10.00" },
					{ code: "002", amount: "2.00" },
				],
			}),
		];
		const made = plan({ lines, totals: totals("58.00", "258.00", "200.00") });
		expect(made.warnings).toEqual([]);
		expect(made.totals).toMatchObject({
			itbis: "36.00",
			additionalTotal: "22.00",
			additionalTaxes: [
				{ code: "001", kind: "other", rate: "10.00", amount: "20.00" },
				{ code: "002", kind: "other", rate: "2.00", amount: "2.00" },
			],
		});
	});

	test("are rounded as sums, since no line prints its own", () => {
		const made = (
			type: string,
			tax: string,
			total: string,
			...amounts: readonly (readonly [code: string, amount: string])[]
		) => {
			const lines = amounts.map(([code, amount], i) =>
				buildLine({ line_number: i + 1, tax_rate: "exempt", additional_taxes: [{ code, amount }] }),
			);
			return plan({ type, lines, totals: totals(tax, total, (amounts.length * 100).toFixed(2)) });
		};
		const thirds = made("44", "1.9998", "301.9998", ["002", "0.6666"], ["002", "0.6666"], ["002", "0.6666"]);
		expect(thirds).toMatchObject({ faults: [], totals: { additionalTotal: "2.00", total: "302.00" } });
		const less = made("44", "1.992", "301.992", ["002", "0.664"], ["002", "0.664"], ["002", "0.664"]);
		expect(less).toMatchObject({ faults: [], totals: { additionalTotal: "1.99" } });
		const halves = made("44", "3.01", "203.01", ["001", "1.005"], ["002", "2.005"]);
		expect(halves).toMatchObject({ faults: [], totals: { additionalTotal: "3.01" } });
		expect(halves.totals.additionalTaxes.map(({ amount }) => amount)).toEqual(["1.01", "2.00"]);
	});

	test("besides ITBIS is refused if the type, the rate or the totals cannot hold it", () => {
		const line = (code: string, amount = "1.00") => [buildLine({ additional_taxes: [{ code, amount }] })];
		const at = "/lines/0/additional_taxes/0";
		expect(faults({ type: "41", lines: line("001"), totals: totals("1", "101") })).toContain(
			`additional-tax-not-allowed-for-type ${at}/code`,
		);
		expect(faults({ type: "44", lines: line("023"), totals: totals("1", "101") })).toContain(
			`additional-tax-not-allowed-for-type ${at}/code`,
		);
		expect(faults({ type: "44", lines: line("001"), totals: totals("1", "101") })).toEqual([]);
		expect(faults({ lines: line("006") })).toEqual([`additional-tax-rate-required ${at}/rate`]);
		expect(faults({ lines: line("001", "19.00") })).toEqual(["additional-taxes-exceed-tax /totals/tax"]);
	});

	test("of 0.00 is left out, with a warning if it is an excise", () => {
		const lines = (code: string) => [buildLine({ additional_taxes: [{ code, rate: "10.00", amount: "0.00" }] })];
		for (const code of ["001", "005", "006", "022", "023", "039"]) {
			const made = plan({ lines: lines(code) });
			expect(made.faults).toEqual([]);
			expect(made.lines[0]?.additionalTaxes).toEqual([]);
			expect(made.warnings.map((warning) => `${warning.code} ${warning.pointer}`)).toEqual(
				code <= "005" ? [] : ["excise-zero /lines/0/additional_taxes/0/amount"],
			);
		}
	});
});

describe("adjustments", () => {
	const lines = [buildLine({ tax_rate: "18" })];
	const discount = { kind: "discount", description: "Cliente frecuente", amount: "10.00" };

	test("that subtotal counts change the base of the tax", () => {
		const made = plan({ lines, adjustments: [discount], totals: totals("16.20", "106.20", "90.00") });
		expect(made).toMatchObject({
			warnings: [],
			adjustments: [{ kind: "discount", amount: "10.00", indicator: 1 }],
			totals: { taxedBase: "90.00", itbis: "16.20", total: "106.20" },
		});
	});

	test("that tax counts do so as well, when ITBIS comes out right", () => {
		const made = plan({ lines, adjustments: [discount], totals: totals("6.20", "106.20") });
		expect(made).toMatchObject({ warnings: [], totals: { taxedBase: "90.00", itbis: "16.20", total: "106.20" } });
	});

	test("of a special-regime invoice have no rate of ITBIS", () => {
		const rated = (tax_rate: string) => ({
			type: "44",
			adjustments: [{ ...discount, tax_rate }],
			totals: totals("0", "90.00", "90.00"),
		});
		for (const rate of ["18", "16"]) {
			expect(faults(rated(rate))).toEqual(["tax-not-allowed-for-type /adjustments/0/tax_rate"]);
		}
		for (const rate of ["0", "exempt"]) {
			expect(plan(rated(rate))).toMatchObject({ faults: [], warnings: [], adjustments: [{ indicator: 4 }] });
		}
	});

	test("that the totals do not include are left out with a warning", () => {
		const made = plan({ lines, adjustments: [discount], totals: totals("18.00", "118.00") });
		expect(made).toMatchObject({
			warnings: [{ code: "adjustments-not-in-totals" }],
			adjustments: [],
			totals: { taxedBase: "100.00", itbis: "18.00", total: "118.00" },
		});
	});

	test("in percent carry their amount", () => {
		const percent = { kind: "surcharge", description: "Flete", percent: "12.5" };
		const text = xml({ lines, adjustments: [percent], totals: totals("20.25", "132.75", "112.50") });
		expect(text).toContain(
			"<TipoAjuste>R</TipoAjuste><DescripcionDescuentooRecargo>Flete</DescripcionDescuentooRecargo><TipoValor>%</TipoValor><ValorDescuentooRecargo>12.50</ValorDescuentooRecargo><MontoDescuentooRecargo>12.50</MontoDescuentooRecargo><IndicadorFacturacionDescuentooRecargo>1</IndicadorFacturacionDescuentooRecargo>",
		);
	});

	test("are refused when they are empty, larger than what they touch, or too many", () => {
		const { amount: _, ...empty } = discount;
		expect(faults({ lines, adjustments: [empty] })).toEqual(["adjustment-empty /adjustments/0"]);
		const whole = { ...discount, amount: "150.00" };
		const exempt = [buildLine({ tax_rate: "18" }), buildLine({ tax_rate: "exempt" })];
		expect(
			faults({
				lines: exempt,
				adjustments: [{ ...whole, tax_rate: "18" }],
				totals: totals("0", "50.00", "50.00"),
			}),
		).toEqual(["adjustment-exceeds-base /adjustments"]);
		const many = Array.from({ length: 11 }, () => ({ ...discount, amount: "1.00" }));
		expect(faults({ lines: exempt, adjustments: many, totals: totals("17.01", "206.01", "189.00") })).toEqual([
			"too-many-adjustments /adjustments",
		]);
		expect(faults({ lines, adjustments: [{ kind: "discount", description: "x", percent: "1000" }] })).toEqual([
			"rate-out-of-range /adjustments/0/percent",
		]);
	});
});

describe("payment", () => {
	test("may take more from the tax than the lines' additional taxes are", () => {
		const tip = [buildLine({ tax_rate: "exempt", additional_taxes: [{ code: "001", amount: "8.00" }] })];
		const discount = { kind: "discount", description: "x", amount: "5.00" };
		const input = { type: "32", lines: tip, adjustments: [discount], totals: totals("3.00", "103.00") };
		expect(faults(input)).toEqual([]);
		expect(plan(input).totals).toMatchObject({ exemptBase: "95.00", additionalTotal: "8.00", total: "103.00" });
		const uncounted = { ...input, adjustments: [], totals: totals("3.00", "103.00") };
		expect(faults(uncounted)).toContain("additional-taxes-exceed-tax /totals/tax");
	});

	test("is in cash by default", () => {
		expect(plan().payment).toEqual({ terms: "1", dueDate: undefined, forms: [] });
		expect(plan({ payment: { terms: "free" } }).payment.terms).toBe("3");
	});

	test("on credit names its day, which does not come before the issue", () => {
		expect(faults({ payment: { terms: "credit" } })).toEqual(["due-date-required /due_date"]);
		expect(faults({ payment: { terms: "credit" }, due_date: "2026-11-19" })).toEqual([
			"due-date-before-issue /due_date",
		]);
		expect(xml({ payment: { terms: "credit" }, due_date: "2026-11-20" })).toContain(
			"<TipoPago>2</TipoPago><FechaLimitePago>20-11-2026</FechaLimitePago>",
		);
	});

	test("loses with a warning what the document has no place for", () => {
		expect(warnings({ due_date: "2026-12-01" })).toEqual(["not-in-format /due_date"]);
		const reference = { encf: "E310000000001", issue_date: "2026-11-01", code: 1 };
		const payment = { terms: "cash", forms: [{ method: 1, amount: "118.00" }] };
		expect(warnings({ type: "34", reference, payment })).toEqual(["not-in-format /payment/forms"]);
		expect(warnings({ type: "41", income_type: "03" })).toEqual(["not-in-format /income_type"]);
		// Leaving out the default loses nothing.
		expect(warnings({ type: "41", income_type: "01" })).toEqual([]);
		for (const type of ["31", "32", "44"]) expect(warnings({ type, income_type: "03" })).toEqual([]);
	});
});

describe("another currency", () => {
	test("is shown beside the pesos, each amount divided by the rate", () => {
		const text = xml({ currency: "USD", exchange_rate: "60" });
		expect(text).toContain("<MontoTotal>118.00</MontoTotal>");
		expect(text).toContain(
			"<OtraMoneda><TipoMoneda>USD</TipoMoneda><TipoCambio>60.0000</TipoCambio><MontoGravadoTotalOtraMoneda>1.67</MontoGravadoTotalOtraMoneda>",
		);
		expect(text).toContain(
			"<OtraMonedaDetalle><PrecioOtraMoneda>1.6667</PrecioOtraMoneda><MontoItemOtraMoneda>1.67</MontoItemOtraMoneda></OtraMonedaDetalle>",
		);
	});

	test("is not there for pesos, and the yuan has the table's own spelling", () => {
		expect(plan({ currency: "DOP", exchange_rate: "1" }).otherCurrency).toBeUndefined();
		expect(warnings({ currency: "DOP", exchange_rate: "1" })).toEqual([]);
		expect(warnings({ currency: "DOP", exchange_rate: "60" })).toEqual(["not-in-format /exchange_rate"]);
		expect(warnings({ exchange_rate: "60" })).toEqual(["not-in-format /exchange_rate"]);
		expect(warnings({ currency: "DOP" })).toEqual([]);
		for (const currency of ["CNY", "CHY"]) {
			expect(plan({ currency, exchange_rate: "8.1" }).otherCurrency).toMatchObject({ code: "CHY", rate: "8.1000" });
		}
	});

	test("is refused when the table, the rate or the amounts do not allow it", () => {
		expect(faults({ currency: "AED", exchange_rate: "1" })).toEqual(["currency-not-supported /currency"]);
		expect(faults({ currency: "USD" })).toEqual(["exchange-rate-required /exchange_rate"]);
		for (const rate of ["0", "0.00004", "1000"]) {
			expect(faults({ currency: "USD", exchange_rate: rate })).toEqual(["exchange-rate-out-of-range /exchange_rate"]);
		}
		const large = "9000000000000000";
		const lines = [buildLine({ unit_price: large, subtotal: large })];
		expect(faults({ lines, totals: totals("0", large, large), currency: "COP", exchange_rate: "0.0140" })).toEqual([
			"amount-too-large /lines/0/unit_price",
			"amount-too-large /lines/0/subtotal",
			"amount-too-large /totals/grand_total",
		]);
	});

	test("never shows an additional tax of zero, which a dear currency can make of it", () => {
		const lines = [buildLine({ additional_taxes: [{ code: "002", amount: "0.01" }] })];
		const text = xml({ lines, totals: totals("18.01", "118.01"), currency: "GBP", exchange_rate: "80" });
		expect(text).not.toContain("MontoImpuestoAdicionalOtraMoneda");
	});
});

describe("the reference of a note", () => {
	const reference = {
		encf: "E310000000001",
		issue_date: "2026-10-21",
		code: 3,
		reason: "x",
		customer_rnc: "990000003",
	};

	test("is left out where there is none", () => {
		expect(warnings({ type: "33" })).toEqual([]);
		expect(xml({ type: "33" })).not.toContain("InformacionReferencia");
		expect(warnings({ type: "34", reference })).toEqual([]);
	});

	test("older than 30 days makes the credit note a late one", () => {
		expect(plan({ type: "34", reference, issue_date: "2026-11-20" }).isLateCreditNote).toBe(false);
		expect(plan({ type: "34", reference, issue_date: "2026-11-21" }).isLateCreditNote).toBe(true);
		expect(xml({ type: "34", reference, issue_date: "2026-11-21" })).toContain(
			"<IndicadorNotaCredito>1</IndicadorNotaCredito>",
		);
		expect(xml({ type: "33", reference, issue_date: "2026-11-21" })).not.toContain("IndicadorNotaCredito");
	});

	test("names another issuer only when it is another than the issuer of the note", () => {
		const naming = (customer_rnc: string) => ({ type: "34", reference: { ...reference, customer_rnc } });
		expect(plan(naming("990000003")).reference?.otherRnc).toBe("990000003");
		expect(xml(naming(ISSUER.rnc))).not.toContain("RNCOtroContribuyente");
		expect(warnings(naming(ISSUER.rnc))).toEqual(["not-in-format /reference/customer_rnc"]);
	});

	test("leaves the buyer's own number out, and says so", () => {
		const changes = { type: "34", reference: { ...reference, customer_rnc: "990000002" } };
		expect(xml(changes)).not.toContain("RNCOtroContribuyente");
		expect(warnings(changes)).toEqual(["not-in-format /reference/customer_rnc"]);
	});

	test("stands on other types with the codes that they know, without a reason", () => {
		expect(faults({ reference })).toEqual(["reference-not-allowed-for-type /reference/code"]);
		expect(faults({ reference: { ...reference, code: 5 } })).toEqual([]);
		expect(faults({ type: "32", reference: { ...reference, code: 5 } })).toHaveLength(1);
		for (const type of ["31", "32", "41", "44"]) {
			const changes = { type, reference: { ...reference, code: 4 }, totals: totals("0", "100.00") };
			expect(xml(changes)).not.toContain("RazonModificacion");
			expect(warnings(changes)).toEqual(["not-in-format /reference/reason"]);
			expect(warnings({ ...changes, reference: { ...changes.reference, reason: " " } })).toEqual([]);
		}
	});
});

describe("texts of the request", () => {
	test("are cut to their elements between characters, with a warning", () => {
		const made = plan({ branch: "🧱".repeat(11) });
		expect(made.issuer.branch).toBe("🧱".repeat(10));
		expect(made.warnings).toMatchObject([{ code: "text-cut", pointer: "/branch" }]);
		expect(warnings({ customer: { rnc: "990000002", name: "x".repeat(151) } })).toEqual(["text-cut /customer/name"]);
	});

	test("of white space alone are left out", () => {
		expect(plan({ branch: " \t", seller: "\n" }).issuer).toMatchObject({ branch: undefined, seller: undefined });
		expect(xml({ branch: " " })).not.toContain("Sucursal");
	});

	test("without an element of their own stand labelled among the remarks", () => {
		const texts = { pos: "7", seller: "Luis", order_number: "OC-1" };
		expect(plan(texts)).toMatchObject({
			issuer: { seller: "Luis", remarks: "Caja: 7" },
			buyer: { orderNumber: "OC-1" },
		});
		const purchase = plan({ ...texts, type: "41", totals: totals("0", "100.00") });
		expect(purchase.issuer).toMatchObject({ seller: undefined, remarks: "Caja: 7; Vendedor: Luis; Orden: OC-1" });
		expect(plan({ type: "41", order_number: "0042", totals: totals("0", "100.00") }).issuer.internalOrder).toBe("0042");
		const long = "9".repeat(21);
		expect(plan({ order_number: long })).toMatchObject({ issuer: { remarks: `Orden: ${long}` }, warnings: [] });
	});
});
