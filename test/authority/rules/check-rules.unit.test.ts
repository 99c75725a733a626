import { describe, expect, test } from "bun:test";
import { explainCode } from "../../../src/authority/codes";
import { CERTAIN_REJECTIONS } from "../../../src/authority/rules/certain-rejections";
import { BUSINESS_RULES, checkBusinessRules } from "../../../src/authority/rules/check-rules";
import type { RuleFacts } from "../../../src/authority/rules/rule";
import { type EcfInvoice, type EcfLine, planEcf } from "../../../src/ecf/mapping";
import { buildInvoice, buildLine, readExamples, toInput } from "../../ecf/signing/samples";
import { ACTIVE, BORDERS, BUYER, facts, forms, ORIGINAL, onConsumer, taxed, withLines } from "./support/borders";

const codesOf = (given: RuleFacts) => checkBusinessRules(given).map(({ code }) => code);

const tipped = { tax_rate: "exempt", additional_taxes: [{ code: "001", amount: "1.00" }] };

describe("a business rule of the authority", () => {
	test("has a tested boundary", () => {
		expect(Object.keys(BORDERS).sort()).toEqual(BUSINESS_RULES.map(({ code }) => code).sort());
	});

	for (const rule of BUSINESS_RULES) {
		const border = BORDERS[rule.code];
		if (!border) continue;
		test(`${rule.code} applies on one side of its boundary and not on the other`, () => {
			for (const given of border.keeps) expect(codesOf(given)).not.toContain(rule.code);
			for (const given of border.breaks) {
				const [warning] = checkBusinessRules(given).filter(({ code }) => code === rule.code);
				expect(warning).toMatchObject({ pointer: border.pointer, verdict: rule.verdict });
				expect(warning?.authorityCode).toBe(border.number);
			}
		});

		test(`${rule.code} fills every brace of its messages, in both languages`, () => {
			const braces = `${rule.message.en} ${rule.message.es}`.match(/\{(\w+)\}/g) ?? [];
			for (const given of border.breaks) {
				const [breach] = rule.check(given);
				for (const brace of braces) expect(Object.keys(breach?.values ?? {})).toContain(brace.slice(1, -1));
			}
			expect(rule.message.en).not.toBe(rule.message.es);
		});
	}

	test("has a verdict only where the authority sees the checked data", () => {
		const lines = [buildLine({ subtotal: "102.00", tax_rate: "exempt" })];
		const adjustments = [{ kind: "surcharge", description: "x", amount: "1.00" }];
		const found = (grand_total: string, customer: EcfInvoice["customer"] = BUYER) => {
			const sold = [...lines, buildLine({ ...tipped, unit_price: grand_total, subtotal: grand_total })];
			const totals = { subtotal: "1.00", tax: "0.00", grand_total };
			const plan = planEcf(toInput(buildInvoice({ type: "32", customer, lines: sold, adjustments, totals })));
			const breaches = checkBusinessRules({ plan, registry: { issuer: "ACTIVO", buyer: null } });
			return new Map(breaches.map((breach) => [breach.code, breach]));
		};
		const below = found("249999.99");
		expect(below.get("line-product")).toEqual({
			...{ code: "line-product", pointer: "/lines/0/subtotal" },
			detail: expect.stringContaining("102.00"),
			detailEs: expect.stringContaining("MontoItem"),
			expected: "100.00",
		});
		expect(below.get("base-differs")).not.toHaveProperty("verdict");
		expect(below.get("customer-unknown")).toMatchObject({ verdict: "conditional", authorityCode: "1385" });
		const from = found("250000.00");
		expect([...from.keys()]).toEqual([...below.keys()]);
		for (const breach of from.values()) expect(breach).toHaveProperty("verdict");
	});

	test("has the number in the list of certain rejections that its warning has", () => {
		const numbers = new Map(BUSINESS_RULES.map(({ code, number = null }) => [code, number]));
		for (const [code, number] of CERTAIN_REJECTIONS) {
			if (code !== "tax-not-derivable") expect([code, numbers.get(code)]).toEqual([code, number]);
		}
	});

	test("names no verdict on a suspended issuer, or by an old registry", () => {
		for (const registry of [
			{ issuer: "SUSPENDIDO", buyer: "ACTIVO" },
			{ issuer: "ANULADO", buyer: "ACTIVO", isStale: true },
		]) {
			const [warning] = checkBusinessRules(facts({}, { registry }));
			expect(warning?.code).toBe("issuer-inactive");
			expect(warning).not.toHaveProperty("verdict");
		}
	});

	test("is checked only for its types", () => {
		expect(codesOf(facts({ type: "32" }))).toEqual([]);
		expect(codesOf(facts({ type: "32", payment: forms(5) }))).toEqual([]);
	});

	test("has a number that the dictionary of codes explains, if it has one", () => {
		for (const { number } of BUSINESS_RULES) if (number) expect(explainCode(number)).toMatchObject({ known: true });
	});

	test("warns once per excise about data that a request cannot hold", () => {
		const missing = ["subquantity-missing", "reference-quantity-missing", "retail-price-missing"];
		for (let n = 1; n <= 39; n++) {
			const code = String(n).padStart(3, "0");
			const found = codesOf(taxed(code, "1.00", "1")).filter((warning) => missing.includes(warning));
			expect({ code, found: found.length }).toEqual({ code, found: n < 6 ? 0 : 1 });
		}
	});

	test("requires the buyer's name and number in a note on a large consumer invoice", () => {
		const original = { ...ORIGINAL, total: "250000.00" };
		const found = (customer: EcfInvoice["customer"]) =>
			checkBusinessRules(facts({ ...onConsumer, customer }, { original })).map(({ code, pointer }) => [code, pointer]);
		expect(found(BUYER)).toEqual([]);
		expect(found({ rnc: BUYER.rnc })).toEqual([["buyer-missing", "/customer/name"]]);
		expect(found({ name: BUYER.name })).toContainEqual(["buyer-missing", "/customer/rnc"]);
	});

	test("finds the share of a line in what is taken from the whole document", () => {
		const lines = [buildLine({ additional_taxes: [{ code: "001", amount: "5.00" }] }), buildLine()];
		const half = (amount: string) =>
			checkBusinessRules(
				withLines([{ ...lines[0], additional_taxes: [{ code: "001", amount }] } as EcfLine, buildLine()], amount, {
					adjustments: [{ kind: "discount", description: "x", percent: "50", tax_rate: "exempt" }],
					totals: { subtotal: "100.00", tax: amount, grand_total: (100 + Number(amount)).toFixed(2) },
				}),
			).map(({ code }) => code);
		expect(half("7.00")).not.toContain("additional-tax-differs");
		expect(half("7.01")).toContain("additional-tax-differs");
	});
});

describe("the examples", () => {
	const EXPECTED: Readonly<Record<string, readonly string[]>> = {
		"31-additional-taxes": ["subquantity-missing", "retail-price-missing"],
		"31-tax-not-derivable": ["itbis-differs"],
		"44-rich": ["adjustment-percent-required", "additional-tax-differs"],
		"33-minimal": ["reference-missing"],
		"34-minimal": ["reference-missing"],
	};
	for (const { name, input } of readExamples()) {
		test(`${name} breaks no unintended rule`, () => {
			const plan = planEcf(input);
			expect([name, codesOf({ plan, registry: ACTIVE })]).toEqual([name, [...(EXPECTED[name] ?? [])]]);
		});
	}
});
