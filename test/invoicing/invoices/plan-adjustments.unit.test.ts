/** Adjustments that are percentages: of which lines, and whether their amounts agree. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { type EcfInvoice, type InvoiceRequest, planEcf, writeEcf } from "../../../src/ecf/mapping";
import { checkTotals } from "../../../src/invoicing/invoices/check/check-values";
import { buildInvoice, buildLine, toInput } from "../../ecf/signing/samples";
import { findJudge } from "../../support/judges";

const validate = findJudge("validate-ecf");
const folder = await mkdtemp(join(tmpdir(), "sello-adjustments-"));
afterAll(() => rm(folder, { recursive: true }));

const plan = (changes: Partial<EcfInvoice>) => planEcf(toInput(buildInvoice(changes)));
const warnings = (changes: Partial<EcfInvoice>) =>
	plan(changes).warnings.map(({ code, pointer }) => `${code} ${pointer}`);
const totals = (subtotal: string, tax: string, grandTotal: string) => ({ subtotal, tax, grand_total: grandTotal });

/** What the schema says of the document; nothing where it is valid. */
async function judge(changes: Partial<EcfInvoice>): Promise<string> {
	const xml = writeEcf(plan(changes));
	const file = join(folder, `${Bun.hash(xml)}.xml`);
	await writeFile(file, xml.replace("</ECF>", "<Signature></Signature></ECF>"));
	const verdict = await validate?.(file);
	return verdict?.exitCode === 0 ? "" : (verdict?.output ?? "");
}

describe("a percentage of the lines of a rate", () => {
	const lines = [buildLine({ tax_rate: "18" }), buildLine()];
	const surcharge = { kind: "surcharge", description: "Flete", percent: "10", tax_rate: "18" };
	const discount = { ...surcharge, kind: "discount" };

	test.skipIf(!validate)("counts those whose rate is derived as well", async () => {
		const net = { lines, adjustments: [surcharge], totals: totals("220.00", "39.60", "259.60") };
		expect(plan(net)).toMatchObject({
			warnings: [],
			faults: [],
			lines: [{ indicator: 1 }, { indicator: 1 }],
			adjustments: [{ percent: "10.00", amount: "20.00", indicator: 1 }],
			totals: { taxedBase: "220.00", itbis: "39.60", total: "259.60" },
		});
		expect(await judge(net)).toBe("");
	});

	test("does so where the tax counts it", () => {
		const carried = { lines, adjustments: [discount], totals: totals("200.00", "12.40", "212.40") };
		expect(plan(carried)).toMatchObject({
			warnings: [],
			adjustments: [{ kind: "discount", amount: "20.00" }],
			totals: { taxedBase: "180.00", itbis: "32.40", total: "212.40" },
		});
	});

	test("does not count those that turn out to have another rate", () => {
		const exempt = { lines, adjustments: [surcharge], totals: totals("210.00", "19.80", "229.80") };
		expect(plan(exempt)).toMatchObject({
			warnings: [],
			lines: [{ indicator: 1 }, { indicator: 4 }],
			adjustments: [{ amount: "10.00", indicator: 1 }],
		});
		const reduced = { lines, adjustments: [surcharge], totals: totals("210.00", "35.80", "245.80") };
		expect(plan(reduced)).toMatchObject({ warnings: [], lines: [{ indicator: 1 }, { indicator: 2 }] });
	});

	test("counts only lines that declare the rate if the totals do, with a warning", () => {
		const declared = { lines, adjustments: [surcharge], totals: totals("210.00", "37.80", "247.80") };
		expect(plan(declared)).toMatchObject({
			warnings: [{ code: "adjustment-percent", pointer: "/adjustments/0/percent" }],
			adjustments: [{ amount: "10.00" }],
			totals: { taxedBase: "210.00" },
		});
		const exempt = {
			lines: [buildLine({ tax_rate: "exempt" }), buildLine()],
			adjustments: [{ ...surcharge, tax_rate: "exempt" }],
		};
		expect(warnings({ ...exempt, totals: totals("210.00", "0", "210.00") })).toEqual([
			"adjustment-percent /adjustments/0/percent",
		]);
		const whole = { ...exempt, totals: totals("220.00", "0", "220.00") };
		expect(plan(whole)).toMatchObject({ warnings: [], adjustments: [{ amount: "20.00", indicator: 4 }] });
	});

	test("agrees with totals that follow from it, whichever rates lines leave out", () => {
		const rates = { "18": 18, "16": 16, exempt: 0 } as const;
		const rate = fc.constantFrom("18", "16", "exempt" as const);
		const line = fc.record({ cents: fc.integer({ min: 1_000, max: 5_000_000 }), isOpen: fc.boolean() });
		const drawn = fc.record({
			// Others can be taken for a rate: a surcharge of 16 % within the tax reads like ITBIS of 16 %.
			...{ own: rate, open: rate, percent: fc.constantFrom(5, 10, 20, 25), isDiscount: fc.boolean() },
			lines: fc.array(line, { minLength: 2, maxLength: 6 }),
			isNet: fc.boolean(),
		});
		const print = (cents: number) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
		let mixed = 0;
		fc.assert(
			fc.property(drawn, ({ own, open, percent, isDiscount, lines: sold, isNet }) => {
				const rateOf = ({ isOpen }: { isOpen: boolean }) => (isOpen ? open : own);
				if (!sold.some(({ isOpen }) => isOpen) || sold.every(({ isOpen }) => isOpen)) return;
				const sum = (wanted: string) =>
					sold.filter((one) => rateOf(one) === wanted).reduce((total, { cents }) => total + cents, 0);
				const size = Math.floor((sum(own) * percent + 50) / 100);
				const adjusted = isDiscount ? -size : size;
				const itbis = (["18", "16"] as const).reduce(
					(tax, one) => tax + Math.floor(((sum(one) + (one === own ? adjusted : 0)) * rates[one] + 50) / 100),
					0,
				);
				const bare = sold.reduce((total, { cents }) => total + cents, 0);
				const subtotal = isNet ? bare + adjusted : bare;
				const tax = isNet ? itbis : itbis + adjusted;
				if (tax < 0) return;
				mixed++;
				const changes: Partial<EcfInvoice> = {
					type: "32",
					lines: sold.map(({ cents, isOpen }) =>
						buildLine({ unit_price: print(cents), subtotal: print(cents), ...(isOpen ? {} : { tax_rate: own }) }),
					),
					adjustments: [
						{ kind: isDiscount ? "discount" : "surcharge", description: "x", percent: `${percent}`, tax_rate: own },
					],
					totals: totals(print(subtotal), print(tax), print(subtotal + tax)),
				};
				expect(checkTotals(buildInvoice(changes) as InvoiceRequest)).toEqual([]);
				const made = plan(changes);
				expect(made.warnings).toEqual([]);
				expect(made.adjustments.map(({ amount }) => amount)).toEqual([print(size)]);
				expect(made.totals.total).toBe(print(subtotal + tax));
			}),
			{ numRuns: 1_000 },
		);
		expect(mixed).toBeGreaterThan(300);
	});
});

describe("a percentage beside an amount", () => {
	const lines = [buildLine({ quantity: "10", unit_price: "450.00", subtotal: "4500.00", tax_rate: "18" })];
	const discounted = (percent: string, amount: string, net: string, tax: string, total: string) => ({
		lines,
		adjustments: [{ kind: "discount", description: "Cliente frecuente", percent, amount }],
		totals: totals(net, tax, total),
	});

	test.skipIf(!validate)("that contradicts it counts less than the amount", async () => {
		const contradicted = discounted("10", "100.00", "4400.00", "792.00", "5192.00");
		expect(warnings(contradicted)).toEqual([]);
		expect(plan(contradicted).adjustments).toMatchObject([{ percent: "10.00", amount: "100.00" }]);
		expect(await judge(contradicted)).toBe("");
	});

	test("may be one of what another adjustment has left", () => {
		const changes = {
			lines,
			adjustments: [
				{ kind: "discount" as const, description: "Cliente frecuente", percent: "10", amount: "450.00" },
				{ kind: "discount" as const, description: "Pronto pago", percent: "5", amount: "202.50" },
			],
			totals: totals("3847.50", "692.55", "4540.05"),
		};
		expect(warnings(changes)).toEqual([]);
	});

	test("is not looked at where the totals do not count the adjustment", () => {
		expect(warnings(discounted("10", "100.00", "4500.00", "810.00", "5310.00"))).toEqual([
			"adjustments-not-in-totals /adjustments",
		]);
	});
});
