/** A request whose subtotal counts its adjustments: accepted, written as it says, and liked by those who judge documents. */

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { checkBusinessRules } from "../../../src/authority/rules";
import {
	type EcfAdjustment,
	type EcfInvoice,
	type InvoiceRequest,
	isSummaryPlan,
	listAdjustedSums,
	planEcf,
	writeEcf,
	writeSummary,
} from "../../../src/ecf/mapping";
import { checkRequest } from "../../../src/invoicing/invoices/check/check-request";
import { checkTotals } from "../../../src/invoicing/invoices/check/check-values";
import { Decimal } from "../../../src/platform/values";
import type { Reception } from "../../../src/simulator/store";
import { buildInvoice, buildLine, readExamples, SECURITY_CODE, toInput } from "../../ecf/signing/samples";
import { GOOD, judge } from "../../simulator/support/judge";
import { findJudge } from "../../support/judges";

const validate = findJudge("validate-ecf");
const folder = await mkdtemp(join(tmpdir(), "sello-adjusted-"));
afterAll(() => rm(folder, { recursive: true }));

const NOW = new Date("2026-11-20T14:20:00.121Z");
const REFERENCE = { encf: "E310000000009", issue_date: "2026-11-10", code: 3 };
/** What the simulator knows of the document that a note modifies. */
const ORIGINAL = {
	...{ verdict: 1, issueDate: "10-11-2026", buyerRnc: "990000002", foreignBuyer: null },
	...{ total: "99999999.00", type: "31" },
} as Reception;
const lookup = { find: () => ORIGINAL, listNotesOn: () => [] };

const codesOf = (invoice: EcfInvoice) => checkTotals(invoice as InvoiceRequest).map(({ code }) => code);
const totals = (subtotal: string, tax: string, grandTotal: string) => ({ subtotal, tax, grand_total: grandTotal });
const discount = (members: Partial<EcfAdjustment>): EcfAdjustment => ({
	kind: "discount",
	description: "x",
	...members,
});

/** The documents that go to the authority, with what its simulator says of each. */
function judgeOf(invoice: EcfInvoice) {
	const input = toInput(invoice);
	const plan = planEcf(input);
	if (!isSummaryPlan(plan)) return judge(writeEcf(plan), "main", lookup);
	return judge(writeSummary(plan, SECURITY_CODE), "fc", lookup);
}

describe("a discount on one line of 100.00", () => {
	const twenty = discount({ percent: "20" });
	const of = (type: string, tax_rate: string, adjustments: EcfAdjustment[], sums: EcfInvoice["totals"]) =>
		buildInvoice({ type, lines: [buildLine({ tax_rate })], adjustments, totals: sums });

	test("is accepted in the subtotal, with the tax on what is left", () => {
		const invoice = of("31", "18", [twenty], totals("80.00", "14.40", "94.40"));
		expect(codesOf(invoice)).toEqual([]);
		expect(planEcf(toInput(invoice))).toMatchObject({
			...{ faults: [], warnings: [] },
			adjustments: [{ percent: "20.00", amount: "20.00", indicator: 1 }],
			totals: { taxedBase: "80.00", itbis: "14.40", total: "94.40" },
		});
		expect(judgeOf(invoice)).toEqual(GOOD);
	});

	test("is accepted of exempt lines, whose base it makes smaller", () => {
		for (const [type, rate] of [
			["44", "exempt"],
			["31", "exempt"],
		] as const) {
			const invoice = of(type, rate, [discount({ percent: "10" })], totals("90.00", "0.00", "90.00"));
			expect(codesOf(invoice)).toEqual([]);
			expect(planEcf(toInput(invoice))).toMatchObject({
				...{ faults: [], warnings: [] },
				adjustments: [{ amount: "10.00", indicator: 4 }],
				totals: { exemptBase: "90.00", total: "90.00" },
			});
			expect(judgeOf(invoice)).toEqual(GOOD);
		}
	});

	test("may be off by the cent that a subtotal may be off, and by no more", () => {
		for (const [subtotal, codes] of [
			["80.01", []],
			["79.99", []],
			["80.011", ["line-sum"]],
			["79.98", ["line-sum"]],
			["90.00", ["line-sum"]],
		] as const) {
			expect([subtotal, codesOf(of("31", "18", [twenty], totals(subtotal, "0", subtotal)))]).toEqual([
				subtotal,
				[...codes],
			]);
		}
	});

	test("requires subtotal plus tax to equal the total, and suggests the subtotal", () => {
		const [fault, ...others] = checkTotals(
			of("31", "18", [twenty], totals("100.00", "14.40", "94.40")) as InvoiceRequest,
		);
		expect(fault).toMatchObject({ code: "total-sum", expected: "114.40" });
		expect(String(fault?.detail)).toContain("With the adjustments totals.subtotal is 80.00.");
		expect(others).toEqual([]);
	});

	test("that fits no total is reported with both sums", () => {
		const [fault] = checkTotals(of("31", "18", [twenty], totals("90.00", "16.20", "106.20")) as InvoiceRequest);
		expect(fault).toMatchObject({ code: "line-sum", expected: "80.00", received: "90.00" });
		expect(String(fault?.detail)).toBe(
			"The sum of line subtotals 100.00, with the adjustments 80.00, differs from totals.subtotal 90.00 by 10.00 (tolerance 0.01).",
		);
	});

	test("is accepted if the tax counts it, and with a warning if nothing does", () => {
		const inTax = of("31", "18", [twenty], totals("100.00", "-5.60", "94.40"));
		expect(
			codesOf({ ...inTax, adjustments: [discount({ percent: "10" })], totals: totals("100.00", "6.20", "106.20") }),
		).toEqual([]);
		const nowhere = of("44", "exempt", [discount({ percent: "10" })], totals("100.00", "0.00", "100.00"));
		expect(codesOf(nowhere)).toEqual([]);
		expect(planEcf(toInput(nowhere)).warnings).toEqual([
			{
				code: "adjustments-not-in-totals",
				pointer: "/adjustments",
				detail:
					"The totals do not include them (discount 10.00). They are left out of the e-CF and of print, and 100.00 is due. To include them, send 90.00 as totals.subtotal, with the tax on what remains of each rate.",
			},
		]);
	});
});

describe("without adjustments", () => {
	test("an empty list is none", () => {
		const invoice = buildInvoice({ adjustments: [], totals: totals("80.00", "14.40", "94.40") });
		expect(codesOf(invoice)).toEqual(["line-sum"]);
	});
});

describe("a percentage", () => {
	const four = ["18", "16", "0", "exempt"].map((tax_rate) =>
		buildLine({ tax_rate, unit_price: "10.05", subtotal: "10.05" }),
	);
	test("may be rounded for all rates at once, or rate by rate as the document has it", () => {
		for (const [subtotal, tax, total, amount] of [
			["36.18", "3.08", "39.26", "4.02"],
			["36.16", "3.07", "39.23", "4.04"],
		] as const) {
			const invoice = buildInvoice({
				lines: four,
				adjustments: [discount({ percent: "10" })],
				totals: totals(subtotal, tax, total),
			});
			expect([subtotal, codesOf(invoice)]).toEqual([subtotal, []]);
			const plan = planEcf(toInput(invoice));
			const cents = plan.adjustments.reduce((sum, one) => sum + Number(one.amount.replace(".", "")), 0);
			expect([plan.warnings, cents]).toEqual([[], Number(amount.replace(".", ""))]);
		}
	});

	test("of lines that do not name their rate is followed where no rate explains the tax", () => {
		const lines = [buildLine({ tax_rate: "18" }), buildLine()];
		const surcharge = { kind: "surcharge", description: "Flete", percent: "10", tax_rate: "18" };
		const invoice = buildInvoice({ lines, adjustments: [surcharge], totals: totals("220.00", "20.00", "240.00") });
		expect(codesOf(invoice)).toEqual([]);
		const plan = planEcf(toInput(invoice));
		expect(plan.warnings.map(({ code }) => code)).toContain("tax-rounding");
		expect(plan).toMatchObject({ faults: [], adjustments: [{ amount: "20.00" }], totals: { total: "240.00" } });
	});
});

const RATES: Readonly<Record<string, bigint>> = { "18": 18n, "16": 16n, "0": 0n, exempt: 0n };
const roundedPart = (amount: bigint, hundredths: bigint) => (amount * hundredths + 50n) / 100n;
const print = (cents: bigint) => `${cents / 100n}.${String(cents % 100n).padStart(2, "0")}`;

const drawn = fc.record({
	type: fc.constantFrom("31", "32", "33", "34", "41", "44"),
	lines: fc.array(
		fc.record({ cents: fc.bigInt({ min: 10_000n, max: 9_000_000n }), rate: fc.constantFrom(...Object.keys(RATES)) }),
		{ minLength: 1, maxLength: 5 },
	),
	adjustments: fc.array(
		fc.record({
			isDiscount: fc.boolean(),
			percent: fc.option(fc.bigInt({ min: 1n, max: 20n }), { nil: undefined }),
			cents: fc.bigInt({ min: 1n, max: 1_500n }),
			at: fc.option(fc.nat(), { nil: undefined }),
		}),
		{ minLength: 1, maxLength: 4 },
	),
	isForeign: fc.boolean(),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never;

/** What an honest caller sends: each adjustment off the lines that it names, the tax of each rate on what is left. */
function toHonest({ type, lines, adjustments, isForeign }: Drawn) {
	const rated = lines.map(({ cents, rate }) => ({ cents, rate: type === "44" ? "exempt" : rate }));
	const rates = [...new Set(rated.map(({ rate }) => rate))];
	const bases = new Map(
		rates.map((rate) => [rate, rated.reduce((sum, line) => sum + (line.rate === rate ? line.cents : 0n), 0n)]),
	);
	const whole = new Map(bases);
	const placed = adjustments.map(({ isDiscount, percent, cents, at }): EcfAdjustment => {
		// An amount names its rate: how much of it is whose would be ours to say.
		const named = at === undefined && percent !== undefined ? undefined : rates[(at ?? 0) % rates.length];
		for (const rate of named === undefined ? rates : [named]) {
			const part = percent === undefined ? cents : roundedPart(whole.get(rate) ?? 0n, percent);
			bases.set(rate, (bases.get(rate) ?? 0n) + (isDiscount ? -part : part));
		}
		return {
			...{ kind: isDiscount ? "discount" : "surcharge", description: "Ajuste" },
			...(percent === undefined ? { amount: print(cents) } : { percent: String(percent) }),
			...(named === undefined ? {} : { tax_rate: named }),
		};
	});
	const subtotal = [...bases.values()].reduce((sum, base) => sum + base, 0n);
	const itbis = new Map([...bases].map(([rate, base]) => [rate, roundedPart(base, RATES[rate] ?? 0n)]));
	const tax = [...itbis.values()].reduce((sum, one) => sum + one, 0n);
	const invoice = buildInvoice({
		type,
		lines: rated.map(({ cents, rate }) =>
			buildLine({ unit_price: print(cents), subtotal: print(cents), tax_rate: rate }),
		),
		adjustments: placed,
		totals: totals(print(subtotal), print(tax), print(subtotal + tax)),
		...(isForeign ? { currency: "USD", exchange_rate: "61.25", amounts_in: "DOP" as const } : {}),
		...(type === "33" || type === "34" ? { reference: REFERENCE } : {}),
	});
	return { invoice, bases, itbis };
}

const honest = drawn.map(toHonest).filter(({ bases }) => [...bases.values()].every((base) => base >= 0n));

describe("what an honest caller sends with adjustments", () => {
	test("is accepted, and written with just these bases, taxes and totals", () => {
		fc.assert(
			fc.property(honest, ({ invoice, bases, itbis }) => {
				expect(codesOf(invoice)).toEqual([]);
				const plan = planEcf(toInput(invoice));
				expect(plan.faults).toEqual([]);
				expect(plan.warnings).toEqual([]);
				expect(checkBusinessRules({ plan }).filter(({ code }) => code !== "customer-check-digit")).toEqual([]);
				expect(plan.totals.total).toBe(invoice.totals.grand_total);
				const names = ["", "18", "16", "0", "exempt"];
				// What touches several rates is shared out among them, which may move cents.
				const isShared = invoice.adjustments?.some(({ tax_rate }) => tax_rate === undefined) && bases.size > 1;
				const cents = (text: string) => BigInt(text.replace(".", ""));
				for (const group of plan.totals.groups) {
					const rate = names[group.indicator] ?? "";
					const base = cents(group.base) - (bases.get(rate) ?? 0n);
					const tax = cents(group.itbis) - (itbis.get(rate) ?? 0n);
					expect([rate, isShared ? base / 5n : base, isShared ? tax / 2n : tax]).toEqual([rate, 0n, 0n]);
				}
				const sum = plan.totals.groups.reduce((total, { base }) => total + cents(base), 0n);
				expect(print(sum)).toBe(invoice.totals.subtotal);
				expect(judgeOf(invoice)).toEqual(GOOD);
			}),
			{ numRuns: 500 },
		);
	}, 60_000);

	test.skipIf(!validate)(
		"is valid by the authority's schemas",
		async () => {
			const files: string[] = [];
			for (const [index, { invoice }] of fc.sample(honest, 60).entries()) {
				const input = toInput(invoice);
				const plan = planEcf(input);
				const documents = [writeEcf(plan), ...(isSummaryPlan(plan) ? [writeSummary(plan, SECURITY_CODE)] : [])];
				for (const [part, xml] of documents.entries()) {
					const file = join(folder, `${index}-${part}.xml`);
					await writeFile(file, xml.replace(/(<\/\w+>)$/, "<Signature></Signature>$1"));
					files.push(file);
				}
			}
			expect(await validate?.(...files)).toMatchObject({ exitCode: 0 });
		},
		60_000,
	);
});

describe("whatever subtotal the door takes for the adjusted one", () => {
	const rate = fc.constantFrom("18", "16", "0", "exempt", undefined);
	const cents = fc.bigInt({ min: 1_000n, max: 900_000n });
	const any = fc.record({
		lines: fc.array(fc.record({ cents, rate }), { minLength: 1, maxLength: 5 }),
		adjustments: fc.array(
			fc.record({ isDiscount: fc.boolean(), percent: fc.integer({ min: 1, max: 12 }), isAmount: fc.boolean(), rate }),
			{ minLength: 1, maxLength: 3 },
		),
		pick: fc.nat(),
		tax: fc.option(fc.bigInt({ min: 0n, max: 90_000n }), { nil: undefined }),
	});

	test("the document counts them by it, even where the tax makes no sense", () => {
		let counted = 0;
		fc.assert(
			fc.property(any, ({ lines, adjustments, pick, tax }) => {
				// Where the tax makes no sense, open lines have no rate for a percentage to follow that no line declares.
				const isOpen = lines.some((one) => one.rate === undefined);
				const follows = (rate: string | undefined) => rate === undefined || lines.some((one) => one.rate === rate);
				fc.pre(!isOpen || adjustments.every((one) => one.isAmount || follows(one.rate)));
				const drafted = buildInvoice({
					lines: lines.map((one) =>
						buildLine({
							...{ unit_price: print(one.cents), subtotal: print(one.cents) },
							...(one.rate === undefined ? {} : { tax_rate: one.rate }),
						}),
					),
					adjustments: adjustments.map((one) => ({
						...{ kind: one.isDiscount ? "discount" : "surcharge", description: "x" },
						...(one.isAmount ? { amount: `${one.percent}.07` } : { percent: String(one.percent) }),
						...(one.rate === undefined ? {} : { tax_rate: one.rate }),
					})),
				});
				const sums = listAdjustedSums(drafted);
				const subtotal = sums[pick % sums.length] ?? Decimal.zero;
				const paid = Decimal.of(print(tax ?? 0n));
				const total = subtotal.plus(paid).toFixed(2);
				const invoice = { ...drafted, totals: totals(subtotal.toFixed(2), paid.toFixed(2), total) };
				expect(codesOf(invoice)).toEqual([]);
				const plan = planEcf(toInput(invoice));
				expect(plan.warnings.map(({ code }) => code)).not.toContain("adjustments-not-in-totals");
				if (plan.faults.length > 0) return;
				counted++;
				const signed = plan.adjustments.map(({ kind, amount }) =>
					Decimal.of(kind === "discount" ? "0" : amount).minus(Decimal.of(kind === "discount" ? amount : "0")),
				);
				const expected = Decimal.sum([...plan.lines.map(({ amount }) => Decimal.of(amount)), ...signed]);
				const bases = Decimal.sum(plan.totals.groups.map(({ base }) => Decimal.of(base)));
				expect(bases.minus(expected).abs().compare(Decimal.of("0.02"))).toBeLessThanOrEqual(0);
			}),
			{ numRuns: 2_000 },
		);
		expect(counted).toBeGreaterThan(1_000);
	}, 60_000);
});

describe("the examples", () => {
	for (const { name, input } of readExamples()) {
		test(`${name} is accepted at the door`, () => {
			expect(() => checkRequest(input.invoice, NOW)).not.toThrow();
		});
	}

	test("with adjustments in their subtotals please the authority", () => {
		const adjusted = readExamples().filter(({ name }) => /^\d\d-adjusted/.test(name));
		expect(adjusted.map(({ name }) => name.slice(0, 2)).sort()).toEqual(["31", "32", "32", "33", "34", "41", "44"]);
		for (const { name, input } of adjusted) {
			const original = { ...lookup, find: () => ({ ...ORIGINAL, issueDate: "18-11-2026" }) };
			const plan = planEcf(input);
			const verdict = isSummaryPlan(plan)
				? judge(writeSummary(plan, SECURITY_CODE), "fc")
				: judge(writeEcf(plan), "main", original);
			expect([name, verdict]).toEqual([name, GOOD]);
		}
	});
});
